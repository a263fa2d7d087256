//! Intrinsics of LLVM, by name.
//!
//! A name that is not here ends the path that calls it as unsupported.

use super::api::Ref;
use super::lower::Lowering;
use crate::ir::{Conversion, FloatOp, Inst, Intrinsic, Operand};
use testsmith_solver::term::Op;

/// What an intrinsic becomes.
enum Meaning {
    /// Advice to the optimiser, or bookkeeping of lifetimes.
    Nothing,
    /// Its first argument.
    First,
    Lane(Intrinsic),
    /// Over memory or a whole vector: not lane by lane.
    Whole(Intrinsic),
    Float(FloatOp),
    Convert(Conversion),
    Fold(Op),
    FoldChoice(Intrinsic),
    RelativeLoad,
    PointerMask,
    Constant(u128),
    Trap,
}

fn meaning(symbol: &str) -> Option<Meaning> {
    use Intrinsic as I;
    let parts: Vec<&str> = symbol.split('.').skip(1).collect();
    let second = parts.get(1).copied().unwrap_or_default();
    Some(match (parts[0], second) {
        ("lifetime" | "assume" | "prefetch" | "donothing" | "dbg" | "invariant", _) => {
            Meaning::Nothing
        }
        ("experimental", "noalias") => Meaning::Nothing,
        ("x86", "sse2") if parts[2..] == ["pause"] => Meaning::Nothing,
        ("x86", "sse2") if parts[2..] == ["pmovmskb", "128"] => Meaning::Whole(I::MoveMask),
        ("expect" | "threadlocal" | "launder" | "strip" | "ssa", _) => Meaning::First,
        ("is", "constant") | ("eh", "typeid") => Meaning::Constant(0),
        ("memcpy" | "memmove", _) => Meaning::Whole(I::Copy),
        ("memset", _) => Meaning::Whole(I::Set),
        ("umin", _) => Meaning::Lane(I::UMin),
        ("umax", _) => Meaning::Lane(I::UMax),
        ("smin", _) => Meaning::Lane(I::SMin),
        ("smax", _) => Meaning::Lane(I::SMax),
        ("uadd", "sat") => Meaning::Lane(I::UAddSat),
        ("usub", "sat") => Meaning::Lane(I::USubSat),
        ("sadd", "sat") => Meaning::Lane(I::SAddSat),
        ("ssub", "sat") => Meaning::Lane(I::SSubSat),
        ("uadd", "with") => Meaning::Whole(I::UAddOverflow),
        ("sadd", "with") => Meaning::Whole(I::SAddOverflow),
        ("usub", "with") => Meaning::Whole(I::USubOverflow),
        ("ssub", "with") => Meaning::Whole(I::SSubOverflow),
        ("umul", "with") => Meaning::Whole(I::UMulOverflow),
        ("smul", "with") => Meaning::Whole(I::SMulOverflow),
        ("abs", _) => Meaning::Lane(I::Abs),
        ("scmp", _) => Meaning::Lane(I::SCmp),
        ("ucmp", _) => Meaning::Lane(I::UCmp),
        ("fshl", _) => Meaning::Lane(I::ShiftLeftFunnel),
        ("fshr", _) => Meaning::Lane(I::ShiftRightFunnel),
        ("bitreverse", _) => Meaning::Lane(I::BitReverse),
        ("bswap", _) => Meaning::Lane(I::ByteSwap),
        ("cttz", _) => Meaning::Lane(I::TrailingZeros),
        ("ctlz", _) => Meaning::Lane(I::LeadingZeros),
        ("ctpop", _) => Meaning::Lane(I::PopulationCount),
        ("fabs", _) => Meaning::Float(FloatOp::Abs),
        ("copysign", _) => Meaning::Float(FloatOp::CopySign),
        ("floor", _) => Meaning::Float(FloatOp::Floor),
        ("ceil", _) => Meaning::Float(FloatOp::Ceil),
        ("trunc", _) => Meaning::Float(FloatOp::Trunc),
        ("round", _) => Meaning::Float(FloatOp::Round),
        ("rint" | "roundeven" | "nearbyint", _) => Meaning::Float(FloatOp::RoundEven),
        ("sqrt", _) => Meaning::Float(FloatOp::Sqrt),
        ("minnum" | "minimumnum", _) => Meaning::Float(FloatOp::Min),
        ("maxnum" | "maximumnum", _) => Meaning::Float(FloatOp::Max),
        ("fma", _) => Meaning::Float(FloatOp::MulAdd),
        ("powi", _) => Meaning::Float(FloatOp::PowI),
        ("fptoui", "sat") => Meaning::Convert(Conversion::FloatToUnsigned),
        ("fptosi", "sat") => Meaning::Convert(Conversion::FloatToSigned),
        ("vector", "reduce") => match *parts.get(2)? {
            "add" => Meaning::Fold(Op::Add),
            "mul" => Meaning::Fold(Op::Mul),
            "and" => Meaning::Fold(Op::And),
            "or" => Meaning::Fold(Op::Or),
            "xor" => Meaning::Fold(Op::Xor),
            "umin" => Meaning::FoldChoice(I::UMin),
            "umax" => Meaning::FoldChoice(I::UMax),
            "smin" => Meaning::FoldChoice(I::SMin),
            "smax" => Meaning::FoldChoice(I::SMax),
            _ => return None,
        },
        ("load", "relative") => Meaning::RelativeLoad,
        ("ptrmask", _) => Meaning::PointerMask,
        ("trap" | "debugtrap" | "ubsantrap", _) => Meaning::Trap,
        _ => return None,
    })
}

impl Lowering<'_> {
    pub fn intrinsic(&mut self, inst: Ref, symbol: &str, args: &[Ref]) -> Result<(), String> {
        let meaning = meaning(symbol).ok_or_else(|| format!("the intrinsic {symbol}"))?;
        let leaves = self.shape_of(inst)?;
        let mut columns = vec![];
        if !matches!(meaning, Meaning::Nothing) {
            for arg in args {
                columns.push(self.operands(*arg)?);
            }
        }
        match meaning {
            Meaning::Nothing => {
                self.define_fresh(inst, &leaves);
            }
            Meaning::First => {
                let first = std::mem::take(&mut columns[0]);
                self.values.insert(inst, first.into_boxed_slice());
            }
            Meaning::Constant(number) => {
                let operand = self.number(number);
                self.values.insert(inst, vec![operand; leaves.len()].into_boxed_slice());
            }
            Meaning::Trap => self.emit(Inst::Trap),
            Meaning::Whole(which) => {
                let width = self.shape_of(args[0])?[0].width;
                let flat: Vec<Operand> = columns.concat();
                let args = self.list(&flat);
                let dst = self.define_fresh(inst, &leaves);
                if leaves.len() > 2 {
                    return Err("overflow of a vector".to_owned());
                }
                self.emit(Inst::Intrinsic { which, width, dst, args });
            }
            Meaning::Lane(which) => {
                let width = self.shape_of(args[0])?[0].width;
                if matches!(which, Intrinsic::SCmp | Intrinsic::UCmp) && leaves[0].width != 8 {
                    return Err("a three-way comparison that is not a byte".to_owned());
                }
                let dst = self.define_fresh(inst, &leaves);
                for lane in 0..leaves.len() {
                    let args = self.lane_args(&columns, lane);
                    let dst = dst + lane as u32;
                    self.emit(Inst::Intrinsic { which, width, dst, args });
                }
            }
            Meaning::Float(op) => {
                let dst = self.define_fresh(inst, &leaves);
                for (lane, leaf) in leaves.iter().enumerate() {
                    let args = self.lane_args(&columns, lane);
                    let dst = dst + lane as u32;
                    self.emit(Inst::Float { op, width: leaf.width, dst, args });
                }
            }
            Meaning::Convert(kind) => {
                let from = self.shape_of(args[0])?[0].width;
                let dst = self.define_fresh(inst, &leaves);
                for (lane, leaf) in leaves.iter().enumerate() {
                    let (dst, a) = (dst + lane as u32, columns[0][lane]);
                    self.emit(Inst::Convert { kind, saturate: true, from, to: leaf.width, dst, a });
                }
            }
            Meaning::Fold(op) => {
                let width = leaves[0].width;
                self.fold(inst, &columns[0], |a, b, dst, _| Inst::Binary { op, width, dst, a, b });
            }
            Meaning::FoldChoice(which) => {
                let width = leaves[0].width;
                self.fold(inst, &columns[0], |a, b, dst, lowering| {
                    let args = lowering.list(&[a, b]);
                    Inst::Intrinsic { which, width, dst, args }
                });
            }
            Meaning::RelativeLoad => self.relative_load(inst, &columns),
            Meaning::PointerMask => {
                let dst = self.define_fresh(inst, &leaves);
                let (a, b) = (columns[0][0], columns[1][0]);
                self.emit(Inst::Binary { op: Op::And, width: 64, dst, a, b });
            }
        }
        Ok(())
    }

    fn lane_args(&mut self, columns: &[Vec<Operand>], lane: usize) -> crate::ir::List {
        // Flags such as "zero is poison" come once for all lanes.
        let pick = |column: &Vec<Operand>| column[if column.len() == 1 { 0 } else { lane }];
        let args: Vec<Operand> = columns.iter().map(pick).collect();
        self.list(&args)
    }

    fn fold(
        &mut self,
        inst: Ref,
        lanes: &[Operand],
        step: impl Fn(Operand, Operand, u32, &mut Self) -> Inst,
    ) {
        let mut value = lanes[0];
        for lane in &lanes[1..] {
            let dst = self.fresh();
            let next = step(value, *lane, dst, self);
            self.emit(next);
            value = Operand::slot(dst);
        }
        self.values.insert(inst, vec![value].into_boxed_slice());
    }

    /// A table of distances: the pointer plus the number stored at pointer plus offset.
    fn relative_load(&mut self, inst: Ref, columns: &[Vec<Operand>]) {
        let (pointer, offset) = (columns[0][0], columns[1][0]);
        let (place, short, distance, dst) =
            (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        self.emit(Inst::Binary { op: Op::Add, width: 64, dst: place, a: pointer, b: offset });
        self.emit(Inst::Load { width: 32, dst: short, pointer: Operand::slot(place), offset: 0 });
        let a = Operand::slot(short);
        self.emit(Inst::SignExtend { from: 32, to: 64, dst: distance, a });
        let b = Operand::slot(distance);
        self.emit(Inst::Binary { op: Op::Add, width: 64, dst, a: pointer, b });
        self.values.insert(inst, vec![Operand::slot(dst)].into_boxed_slice());
    }
}
