//! Operations: callables with concrete types, and the plan that holds them.

use crate::api::{Contract, Docs};
use crate::branch::Branch;
use crate::call::Call;
use crate::callee::Callee;
use crate::sequence::Literal;
use crate::skip::Skip;
use crate::ty::{Arg, Ty};

/// The number of an operation in its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OpId(pub u32);

/// The number of a type in its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TypeId(pub u32);

impl OpId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl TypeId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// No operation takes more arguments than this; the rest are skipped.
pub const MAX_INPUTS: usize = 12;

/// The name of the argument that says of how many elements a builder makes its value. It is
/// given small sizes and, seldom, large ones, never any number.
pub const SIZE: &str = "size";

/// How an operation takes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mode {
    /// By value: moved, or read where the type is `Copy`.
    Own,
    /// As `&T`.
    Shared,
    /// As `&mut T`.
    Exclusive,
    /// A value that is itself a `&mut` reference, handed on for the call.
    Reborrow,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Input<T = TypeId> {
    pub name: String,
    /// The type of the value; behind the reference for `Shared` and `Exclusive`.
    pub ty: T,
    pub mode: Mode,
}

/// A borrow that runs from an argument into the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Flow {
    pub input: u8,
    pub kind: FlowKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FlowKind {
    /// The result borrows the argument itself, and whatever that borrows.
    Loan { mutable: bool },
    /// The result borrows what the argument borrows.
    Inherit,
}

/// After the call, one argument may hold a borrow that came with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Acquire {
    pub into: u8,
    pub from: u8,
    pub kind: FlowKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum OperationKind {
    Free,
    Inherent,
    LocalTrait,
    ForeignTrait,
    Constructor,
    Projection,
    Field,
    Constant,
    /// Makes or takes apart a value of the standard library; not under test.
    Builder,
    /// Returns whether a claim about its arguments holds.
    Law,
}

/// A callable with concrete types. While it is planned these are the types
/// themselves; in a plan they have numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Operation<T = TypeId> {
    pub callee: Callee,
    pub kind: OperationKind,
    pub call: Call,
    pub inputs: Vec<Input<T>>,
    pub output: T,
    pub flows: Vec<Flow>,
    pub acquires: Vec<Acquire>,
    pub docs: Docs,
    pub place: Option<(String, u32)>,
    /// Which of the crate's callables it calls; several operations may call one.
    pub callable: Option<u32>,
    pub core: bool,
    /// Nobody wrote it: a derive did.
    pub derived: bool,
    /// It computes by the operators of a type of numbers that was chosen for it, and that may be
    /// too narrow for what it does.
    pub chosen_numbers: bool,
    /// It is interrupted by a panic of the test's own code.
    pub panics_by_design: bool,
    /// Asks whether the preconditions hold, as a `Result`; `{n}` is a shared
    /// reference to the n-th argument.
    pub guard: Option<Call>,
}

impl<T> Operation<T> {
    /// A call that belongs to nobody's API: it takes nothing and borrows nothing
    /// unless more is said.
    pub fn aside(callee: Callee, call: Call, output: T) -> Operation<T> {
        Operation {
            callee,
            kind: OperationKind::Builder,
            call,
            inputs: vec![],
            output,
            flows: vec![],
            acquires: vec![],
            docs: Docs::default(),
            place: None,
            callable: None,
            core: false,
            derived: false,
            chosen_numbers: false,
            panics_by_design: false,
            guard: None,
        }
    }

    /// As in the documentation.
    pub fn path(&self) -> String {
        self.callee.to_string()
    }

    /// The same operation over other names for its types.
    pub fn with_types<U>(self, mut of: impl FnMut(T) -> U) -> Operation<U> {
        let input =
            |input: Input<T>| Input { name: input.name, ty: of(input.ty), mode: input.mode };
        let inputs = self.inputs.into_iter().map(input).collect();
        Operation {
            callee: self.callee,
            kind: self.kind,
            call: self.call,
            inputs,
            output: of(self.output),
            flows: self.flows,
            acquires: self.acquires,
            docs: self.docs,
            place: self.place,
            callable: self.callable,
            core: self.core,
            derived: self.derived,
            chosen_numbers: self.chosen_numbers,
            panics_by_design: self.panics_by_design,
            guard: self.guard,
        }
    }
}

impl Operation {
    /// A function of which nothing but the types is known.
    pub fn of_types(inputs: &[(TypeId, Mode)], output: TypeId) -> Operation {
        let input = |&(ty, mode): &(TypeId, Mode)| Input { name: String::new(), ty, mode };
        Operation {
            kind: OperationKind::Free,
            inputs: inputs.iter().map(input).collect(),
            core: true,
            ..Operation::aside(Callee::item(""), Call::template("", ""), output)
        }
    }
}

/// The type of a parameter that takes a value in this mode, lifetimes erased.
pub fn parameter_type(ty: &Ty, mode: Mode) -> String {
    match mode {
        Mode::Own | Mode::Reborrow => ty.erased().to_string(),
        Mode::Shared => format!("&'static {}", ty.erased()),
        Mode::Exclusive => format!("&'static mut {}", ty.erased()),
    }
}

/// All that the loan rules need of an operation, small enough for a hot loop.
///
/// A random call finds its signature in no cache of the processor. So what most
/// calls look at lies in one line of it, and what few do comes behind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Signature {
    pub output: TypeId,
    /// Whether any argument is gone after the call.
    pub moves: bool,
    /// Whether any borrow flows.
    pub lends: bool,
    /// Whether the type of the result has room for a borrow.
    pub output_borrows: bool,
    pub inputs: Inputs,
    pub flows: Box<[Flow]>,
    pub acquires: Box<[Acquire]>,
}

impl Signature {
    pub fn new(
        inputs: Inputs,
        output: TypeId,
        flows: Vec<Flow>,
        acquires: Vec<Acquire>,
    ) -> Signature {
        Signature {
            moves: inputs.iter().any(|input| input.consumes),
            lends: !flows.is_empty() || !acquires.is_empty(),
            output_borrows: true,
            inputs,
            output,
            flows: flows.into(),
            acquires: acquires.into(),
        }
    }
}

/// The arguments of an operation, in place: following a pointer from its
/// signature would be a second wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Inputs {
    len: u8,
    all: [Access; MAX_INPUTS],
}

impl FromIterator<Access> for Inputs {
    fn from_iter<I: IntoIterator<Item = Access>>(accesses: I) -> Inputs {
        let none =
            Access { ty: TypeId(u32::MAX), mode: Mode::Own, exclusive: false, consumes: false };
        let mut inputs = Inputs { len: 0, all: [none; MAX_INPUTS] };
        for access in accesses {
            assert!((inputs.len as usize) < MAX_INPUTS, "no operation takes more arguments");
            inputs.all[inputs.len as usize] = access;
            inputs.len += 1;
        }
        inputs
    }
}

impl std::ops::Deref for Inputs {
    type Target = [Access];

    #[inline]
    fn deref(&self) -> &[Access] {
        &self.all[..self.len as usize]
    }
}

impl<'i> IntoIterator for &'i Inputs {
    type Item = &'i Access;
    type IntoIter = std::slice::Iter<'i, Access>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// How one argument is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub ty: TypeId,
    pub mode: Mode,
    /// Nobody else may hold a borrow of it meanwhile.
    pub exclusive: bool,
    /// It is gone after the call.
    pub consumes: bool,
}

/// What a type can do, asked of the compiler when the harness is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Abilities {
    pub copy: bool,
    pub clone: bool,
    pub debug: bool,
    pub partial_eq: bool,
    pub eq: bool,
    pub hash: bool,
    pub needs_drop: bool,
}

/// By what two values of a type are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sameness {
    /// `Eq` and `Hash`.
    Hash,
    /// `PartialEq`, on clones that are kept.
    PartialEq,
    /// The text of `Debug`.
    Debug,
    /// Nothing: every value counts as another.
    Unknown,
}

impl Sameness {
    pub fn name(self) -> &'static str {
        match self {
            Sameness::Hash => "Eq and Hash",
            Sameness::PartialEq => "PartialEq",
            Sameness::Debug => "Debug text",
            Sameness::Unknown => "nothing",
        }
    }
}

impl Abilities {
    pub fn sameness(&self) -> Sameness {
        if self.eq && self.hash {
            Sameness::Hash
        } else if self.partial_eq && self.clone {
            Sameness::PartialEq
        } else if self.debug {
            Sameness::Debug
        } else {
            Sameness::Unknown
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TypeInfo {
    pub ty: Ty,
    pub abilities: Abilities,
    /// For references to sized types: what they point at, and whether `&mut`.
    pub pointee: Option<(TypeId, bool)>,
    pub is_reference: bool,
    /// Of an enum whose variants have no fields: their names.
    pub variants: Vec<String>,
    /// A fake of a trait, which answers whatever its contracts allow.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_fake: bool,
}

impl TypeInfo {
    /// Of a type that is no reference.
    pub fn owned(ty: Ty, abilities: Abilities) -> TypeInfo {
        TypeInfo {
            ty,
            abilities,
            pointee: None,
            is_reference: false,
            variants: vec![],
            is_fake: false,
        }
    }

    /// Whether a reference or a lifetime stands anywhere in the type. The worker
    /// has only the text of a type, and both ends have to agree.
    pub fn may_borrow(&self) -> bool {
        let marked = |text: &str| text.contains(['&', '\'']);
        self.ty.any(|ty| match ty {
            Ty::Ref { .. } | Ty::Dyn { lifetime: Some(_), .. } => true,
            Ty::Adt { args, .. } => args.iter().any(|arg| match arg {
                Arg::Lifetime(_) => true,
                Arg::Const(text) => marked(text),
                Arg::Type(_) => false,
            }),
            Ty::Unknown(text) => marked(text),
            _ => false,
        })
    }
}

/// A file of the user's that is compiled in as a module of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mount {
    pub module: String,
    pub file: String,
}

impl Mount {
    /// The item that mounts the file, for a source file in this folder.
    pub fn item(&self, folder: Option<&std::path::Path>) -> String {
        let file = std::path::Path::new(&self.file);
        let inside = folder.and_then(|folder| file.strip_prefix(folder).ok()).unwrap_or(file);
        format!("#[allow(dead_code)]\n#[path = {:?}]\nmod {};\n", inside, self.module)
    }
}

/// Everything that can be called, and what could not.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plan {
    pub krate: String,
    pub version: String,
    /// The edition of the package, which its tests are compiled with.
    pub edition: String,
    pub types: Vec<TypeInfo>,
    pub operations: Vec<Operation>,
    /// Values of primitive types worth trying.
    pub literals: Vec<(TypeId, Vec<Literal>)>,
    pub skips: Vec<Skip>,
    pub contracts: Vec<Contract>,
    /// What functions compare to decide what they do.
    pub branches: Vec<Branch>,
    /// Files of the user's test code that operations refer to.
    pub mounts: Vec<Mount>,
    /// How many of the crate's callables are core.
    pub core_callables: u32,
    /// Paths of modules and items that are public for the crate's own sake, as they say.
    pub internals: Vec<String>,
}

impl Plan {
    /// What the root of a file of tests has to say before anything can be imported from the
    /// crate: nothing but in the first edition.
    pub fn extern_crate(&self) -> String {
        if self.edition == "2015" {
            format!("extern crate {};\n", self.krate)
        } else {
            String::new()
        }
    }

    pub fn operation(&self, id: OpId) -> &Operation {
        &self.operations[id.index()]
    }

    pub fn ty(&self, id: TypeId) -> &TypeInfo {
        &self.types[id.index()]
    }

    pub fn op_ids(&self) -> impl Iterator<Item = OpId> + use<> {
        (0..self.operations.len() as u32).map(OpId)
    }

    /// What the loan rules need of an operation. Types must have been described.
    pub fn signature(&self, id: OpId) -> Signature {
        let operation = self.operation(id);
        let access = |input: &Input| {
            let consumes = input.mode == Mode::Own && !self.ty(input.ty).abilities.copy;
            let exclusive = consumes || matches!(input.mode, Mode::Exclusive | Mode::Reborrow);
            Access { ty: input.ty, mode: input.mode, exclusive, consumes }
        };
        let inputs = operation.inputs.iter().map(access).collect();
        let (flows, acquires) = (operation.flows.clone(), operation.acquires.clone());
        let output_borrows = self.ty(operation.output).may_borrow();
        Signature { output_borrows, ..Signature::new(inputs, operation.output, flows, acquires) }
    }

    /// Whether a call makes a fake of a trait.
    pub fn makes_a_fake(&self, id: OpId) -> bool {
        self.ty(self.operation(id).output).is_fake
    }

    /// The signatures of all operations, in their order.
    pub fn signatures(&self) -> Vec<Signature> {
        self.op_ids().map(|op| self.signature(op)).collect()
    }

    /// Whether a value of type `slot` can be handed to `input`.
    pub fn accepts(&self, input: &Input, slot: TypeId) -> bool {
        slot == input.ty || self.reaches_through(input, slot)
    }

    /// Whether the argument is found behind a reference that the slot holds.
    pub fn reaches_through(&self, input: &Input, slot: TypeId) -> bool {
        match (input.mode, self.ty(slot).pointee) {
            (Mode::Shared, Some((to, _))) => to == input.ty,
            (Mode::Exclusive, Some((to, mutable))) => mutable && to == input.ty,
            _ => false,
        }
    }

    /// The number of core callables that became operations.
    pub fn core_covered(&self) -> u32 {
        let mut seen: Vec<u32> =
            self.operations.iter().filter(|op| op.core).filter_map(|op| op.callable).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len() as u32
    }
}
