//! The compact form that the machine runs.
//!
//! Every value of LLVM is flattened into scalars, one slot each: a struct of
//! two fields takes two slots, a vector of sixteen lanes sixteen. So most of
//! what is done to aggregates is gone after lowering, vectors need no code of
//! their own, and a slot always holds one number of a width that is known
//! statically. Phis are moves on the edges. Whatever cannot be lowered becomes
//! [`Inst::Unsupported`], which ends the path that reaches it and no other.

use testsmith_solver::term::Op;

/// A register of a frame, or a constant of the function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Operand(u32);

const CONSTANT_BIT: u32 = 1 << 31;

impl Operand {
    pub fn slot(slot: u32) -> Operand {
        Operand(slot)
    }

    pub fn constant(index: u32) -> Operand {
        Operand(index | CONSTANT_BIT)
    }

    /// The constant's index, or the slot.
    #[inline]
    pub fn decode(self) -> Result<u32, u32> {
        if self.0 & CONSTANT_BIT != 0 { Ok(self.0 & !CONSTANT_BIT) } else { Err(self.0) }
    }
}

/// A run of operands in [`Function::operands`].
#[derive(Copy, Clone, Debug)]
pub struct List {
    pub start: u32,
    pub len: u32,
}

/// Which function of the program.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A conditional jump of the program, for coverage and explanations.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// Operations on floats. Concrete always; symbolic where they are bit operations.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
    Abs,
    CopySign,
    Floor,
    Ceil,
    Trunc,
    Round,
    RoundEven,
    Sqrt,
    Min,
    Max,
    /// The third operand is the addend.
    MulAdd,
    /// To the power of an integer, the second operand.
    PowI,
}

/// Conversions that involve floats.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Conversion {
    FloatToFloat,
    FloatToUnsigned,
    FloatToSigned,
    UnsignedToFloat,
    SignedToFloat,
}

/// What an atomic read-modify-write does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RmwOp {
    Exchange,
    Binary(Op),
    Nand,
    Max,
    Min,
    UMax,
    UMin,
}

/// Functions of the compiler with a meaning of their own.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Intrinsic {
    Copy,
    Set,
    UMin,
    UMax,
    SMin,
    SMax,
    UAddSat,
    USubSat,
    SAddSat,
    SSubSat,
    Abs,
    SCmp,
    UCmp,
    UAddOverflow,
    SAddOverflow,
    USubOverflow,
    SSubOverflow,
    UMulOverflow,
    SMulOverflow,
    ShiftLeftFunnel,
    ShiftRightFunnel,
    BitReverse,
    ByteSwap,
    TrailingZeros,
    LeadingZeros,
    PopulationCount,
    MoveMask,
}

/// One instruction. `width` is that of the operands.
#[derive(Copy, Clone, Debug)]
pub enum Inst {
    Binary {
        op: Op,
        width: u8,
        dst: u32,
        a: Operand,
        b: Operand,
    },
    Not {
        width: u8,
        dst: u32,
        a: Operand,
    },
    Select {
        width: u8,
        dst: u32,
        condition: Operand,
        then: Operand,
        other: Operand,
    },
    ZeroExtend {
        from: u8,
        to: u8,
        dst: u32,
        a: Operand,
    },
    SignExtend {
        from: u8,
        to: u8,
        dst: u32,
        a: Operand,
    },
    Truncate {
        from: u8,
        to: u8,
        dst: u32,
        a: Operand,
    },
    Move {
        dst: u32,
        a: Operand,
    },
    /// Lanes of `lane` bits become one number, the first lane lowest.
    Pack {
        lane: u8,
        lanes: List,
        dst: u32,
    },
    /// The reverse: lane number `index` of `a`.
    Unpack {
        lane: u8,
        index: u8,
        from: u8,
        dst: u32,
        a: Operand,
    },
    Load {
        width: u8,
        dst: u32,
        pointer: Operand,
        offset: u32,
    },
    Store {
        width: u8,
        value: Operand,
        pointer: Operand,
        offset: u32,
    },
    Offset {
        dst: u32,
        base: Operand,
        by: i64,
    },
    Index {
        dst: u32,
        base: Operand,
        index: Operand,
        index_width: u8,
        scale: u64,
    },
    Alloca {
        dst: u32,
        size: u64,
        align: u32,
    },
    Call {
        dst: u32,
        callee: FunctionId,
        args: List,
    },
    CallPointer {
        dst: u32,
        callee: Operand,
        args: List,
    },
    Intrinsic {
        which: Intrinsic,
        width: u8,
        dst: u32,
        args: List,
    },
    Float {
        op: FloatOp,
        width: u8,
        dst: u32,
        args: List,
    },
    /// `predicate` as LLVM numbers them: bit 0 equal, 1 greater, 2 less, 3 unordered.
    FloatCompare {
        predicate: u8,
        width: u8,
        dst: u32,
        a: Operand,
        b: Operand,
    },
    Convert {
        kind: Conversion,
        saturate: bool,
        from: u8,
        to: u8,
        dst: u32,
        a: Operand,
    },
    CompareExchange {
        width: u8,
        dst: u32,
        pointer: Operand,
        expected: Operand,
        new: Operand,
    },
    Rmw {
        op: RmwOp,
        width: u8,
        dst: u32,
        pointer: Operand,
        value: Operand,
    },
    PickLane {
        width: u8,
        dst: u32,
        lanes: List,
        index: Operand,
        index_width: u8,
    },
    Branch {
        condition: Operand,
        then: u32,
        other: u32,
        site: SiteId,
    },
    Jump {
        edge: u32,
    },
    Switch {
        width: u8,
        value: Operand,
        table: u32,
    },
    Return {
        values: List,
    },
    /// A pointer as a number, in code that may look at it.
    Expose {
        dst: u32,
        a: Operand,
    },
    /// A comparison of pointers, in such code.
    ComparePointers {
        op: Op,
        dst: u32,
        a: Operand,
        b: Operand,
    },
    /// The exception that led here, and whether it is caught.
    LandingPad {
        dst: u32,
    },
    /// Unwinding goes on in the caller.
    Resume {
        exception: Operand,
    },
    Unreachable,
    Trap,
    Unsupported {
        note: u32,
    },
}

/// A jump, with the moves that stand for the phis of the target.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    pub target: u32,
    pub moves: Vec<(u32, Operand)>,
    /// Whether a later move reads what an earlier one writes.
    pub overlapping: bool,
}

/// The arms of a switch: values with their edges, and the default edge.
#[derive(Clone, Debug)]
pub struct SwitchTable {
    pub arms: Vec<(u128, u32)>,
    pub default: u32,
    pub site: SiteId,
}

/// A function, ready to run.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The demangled path.
    pub name: String,
    pub params: u32,
    pub slots: u32,
    /// How wide the number in each slot is; zero where nobody asks.
    pub widths: Vec<u8>,
    pub code: Vec<Inst>,
    pub constants: Vec<u128>,
    pub operands: Vec<Operand>,
    pub edges: Vec<Edge>,
    pub switches: Vec<SwitchTable>,
    pub notes: Vec<String>,
    /// Where unwinding goes on in this function, in the order of the code.
    pub landings: Vec<Landing>,
    /// Whose code it is.
    pub origin: Origin,
    /// Where the calls stand in the source: the instruction after the call, and a place of
    /// the program.
    pub calls: Vec<(u32, PlaceId)>,
}

/// What a panic under a call leads to.
#[derive(Copy, Clone, Debug)]
pub struct Landing {
    /// The instruction after the call.
    pub after: u32,
    pub edge: u32,
    /// Whether unwinding ends here; otherwise something is cleaned up, and it goes on.
    pub catches: bool,
}

impl Function {
    /// Where a panic under the call before this instruction leads.
    pub fn landing(&self, after: usize) -> Option<Landing> {
        let found = self.landings.binary_search_by_key(&after, |l| l.after as usize).ok()?;
        Some(self.landings[found])
    }
}

/// Whose code a function is. It decides what a use of a hash or of an address means: the
/// library hides both, a program may look.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Origin {
    /// The program under test and its dependencies.
    #[default]
    User,
    /// `core`, `alloc`, `std` and what the compiler adds.
    Library,
    /// The hash table of the library.
    Table,
    /// Methods of pointers: what they do with an address their caller does.
    Pointer,
}

/// Which place of the source, as [`crate::llvm::Program::place`] knows them.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct PlaceId(pub u32);

/// Where a conditional jump stands in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Site {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// How many ways out there are.
    pub ways: u32,
    /// Whether only unwinding leads here.
    pub cleanup: bool,
}
