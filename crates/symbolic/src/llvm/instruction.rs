//! Instructions other than terminators.
//!
//! Taking aggregates apart and putting them together costs nothing: the result
//! is a list of operands that exist already.

use super::api::{Ref, text};
use super::constant::VALUE_ASM;
use super::lower::Lowering;
use super::shape::{KIND_ARRAY, KIND_STRUCT};
use crate::ir::{Conversion, FloatOp, Inst, Operand, Origin, RmwOp};
use testsmith_solver::term::Op;

impl Lowering<'_> {
    /// Lowers one instruction; what cannot be lowered ends the path there.
    pub fn instruction(&mut self, instruction: Ref) {
        let opcode = llvm!(self.program.module, LLVMGetInstructionOpcode(instruction));
        if let Err(why) = self.lower_one(instruction, opcode) {
            let printed = self.program.module.print(instruction);
            self.unsupported(format!("{why} ({})", printed.trim()));
            // Later instructions still find operands, though they are never run.
            if !self.values.contains_key(&instruction) {
                let leaves = self.shape_of(instruction).unwrap_or_default();
                self.define_fresh(instruction, &leaves);
            }
        }
    }

    fn arg(&self, instruction: Ref, index: u32) -> Ref {
        llvm!(self.program.module, LLVMGetOperand(instruction, index))
    }

    fn lower_one(&mut self, instruction: Ref, opcode: i32) -> Result<(), String> {
        if self.terminator(instruction, opcode)? {
            return Ok(());
        }
        match opcode {
            44 => Ok(()),
            8 => self.binary(instruction, Op::Add),
            10 => self.binary(instruction, Op::Sub),
            12 => self.binary(instruction, Op::Mul),
            14 => self.binary(instruction, Op::UDiv),
            15 => self.binary(instruction, Op::SDiv),
            17 => self.binary(instruction, Op::URem),
            18 => self.binary(instruction, Op::SRem),
            20 => self.binary(instruction, Op::Shl),
            21 => self.binary(instruction, Op::LShr),
            22 => self.binary(instruction, Op::AShr),
            23 => self.binary(instruction, Op::And),
            24 => self.binary(instruction, Op::Or),
            25 => self.binary(instruction, Op::Xor),
            9 => self.float(instruction, FloatOp::Add),
            11 => self.float(instruction, FloatOp::Sub),
            13 => self.float(instruction, FloatOp::Mul),
            16 => self.float(instruction, FloatOp::Div),
            19 => self.float(instruction, FloatOp::Rem),
            66 => self.float(instruction, FloatOp::Neg),
            26 => self.alloca(instruction),
            27 => self.load(instruction),
            28 => self.store(instruction),
            29 => self.element_pointer(instruction),
            30..=32 | 39 | 40 | 69 => self.resize(instruction, opcode),
            33 => self.convert(instruction, Conversion::FloatToUnsigned),
            34 => self.convert(instruction, Conversion::FloatToSigned),
            35 => self.convert(instruction, Conversion::UnsignedToFloat),
            36 => self.convert(instruction, Conversion::SignedToFloat),
            37 | 38 => self.convert(instruction, Conversion::FloatToFloat),
            41 | 60 => self.bitcast(instruction),
            42 => self.compare(instruction),
            43 => self.float_compare(instruction),
            45 | 5 => self.call(instruction, opcode == 5),
            46 => self.select(instruction),
            50 => self.extract_element(instruction),
            51 => self.insert_element(instruction),
            52 => self.shuffle(instruction),
            53 => self.extract_value(instruction),
            54 => self.insert_value(instruction),
            55 => Ok(()),
            56 => self.compare_exchange(instruction),
            57 => self.read_modify_write(instruction),
            59 => {
                let leaves = self.shape_of(instruction)?;
                let dst = self.define_fresh(instruction, &leaves);
                self.emit(Inst::LandingPad { dst });
                Ok(())
            }
            68 => {
                let value = self.arg(instruction, 0);
                let operands = self.operands(value)?;
                self.rename(instruction, operands)
            }
            other => Err(format!("the instruction with opcode {other}")),
        }
    }

    fn rename(&mut self, instruction: Ref, operands: Vec<Operand>) -> Result<(), String> {
        self.values.insert(instruction, operands.into_boxed_slice());
        Ok(())
    }

    /// One instruction per scalar of the result.
    fn lanes(
        &mut self,
        instruction: Ref,
        mut each: impl FnMut(&mut Self, usize, u8, u32) -> Inst,
    ) -> Result<(), String> {
        let leaves = self.shape_of(instruction)?;
        let first = self.define_fresh(instruction, &leaves);
        for (index, leaf) in leaves.iter().enumerate() {
            let inst = each(self, index, leaf.width, first + index as u32);
            self.emit(inst);
        }
        Ok(())
    }

    fn pair(&mut self, instruction: Ref) -> Result<(Vec<Operand>, Vec<Operand>), String> {
        let (a, b) = (self.arg(instruction, 0), self.arg(instruction, 1));
        Ok((self.operands(a)?, self.operands(b)?))
    }

    fn lane_width(&self, value: Ref) -> Result<u8, String> {
        let leaves = self.shape_of(value)?;
        leaves.first().map(|leaf| leaf.width).ok_or_else(|| "an empty value".to_owned())
    }

    fn binary(&mut self, instruction: Ref, op: Op) -> Result<(), String> {
        let (a, b) = self.pair(instruction)?;
        self.lanes(instruction, |_, i, width, dst| Inst::Binary {
            op,
            width,
            dst,
            a: a[i],
            b: b[i],
        })
    }

    fn float(&mut self, instruction: Ref, op: FloatOp) -> Result<(), String> {
        let count = if op == FloatOp::Neg { 1 } else { 2 };
        let mut columns = vec![];
        for index in 0..count {
            let value = self.arg(instruction, index);
            columns.push(self.operands(value)?);
        }
        self.lanes(instruction, |lowering, i, width, dst| {
            let args: Vec<Operand> = columns.iter().map(|column| column[i]).collect();
            Inst::Float { op, width, dst, args: lowering.list(&args) }
        })
    }

    fn compare(&mut self, instruction: Ref) -> Result<(), String> {
        let predicate = llvm!(self.program.module, LLVMGetICmpPredicate(instruction));
        let (a, b) = self.pair(instruction)?;
        let value = self.arg(instruction, 0);
        let width = self.lane_width(value)?;
        let (op, swap) = match predicate {
            32 | 33 => (Op::Eq, false),
            34 => (Op::Ult, true),
            35 => (Op::Ule, true),
            36 => (Op::Ult, false),
            37 => (Op::Ule, false),
            38 => (Op::Slt, true),
            39 => (Op::Sle, true),
            40 => (Op::Slt, false),
            41 => (Op::Sle, false),
            other => return Err(format!("the comparison {other}")),
        };
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let pointers = self.program.module.is_pointer(self.program.module.type_of(value))
            && self.may_look_at_addresses();
        if predicate != 33 {
            return self.lanes(instruction, |_, i, _, dst| match pointers {
                true => Inst::ComparePointers { op, dst, a: a[i], b: b[i] },
                false => Inst::Binary { op, width, dst, a: a[i], b: b[i] },
            });
        }
        self.lanes(instruction, |lowering, i, _, dst| {
            let equal = lowering.fresh();
            lowering.emit(match pointers {
                true => Inst::ComparePointers { op, dst: equal, a: a[i], b: b[i] },
                false => Inst::Binary { op, width, dst: equal, a: a[i], b: b[i] },
            });
            Inst::Not { width: 1, dst, a: Operand::slot(equal) }
        })
    }

    /// The library hides addresses from whoever uses it; pointer methods do not.
    fn may_look_at_addresses(&self) -> bool {
        matches!(self.function.origin, Origin::User | Origin::Pointer)
    }

    fn float_compare(&mut self, instruction: Ref) -> Result<(), String> {
        let predicate = llvm!(self.program.module, LLVMGetFCmpPredicate(instruction)) as u8;
        let (a, b) = self.pair(instruction)?;
        let value = self.arg(instruction, 0);
        let width = self.lane_width(value)?;
        self.lanes(instruction, |_, i, _, dst| Inst::FloatCompare {
            predicate,
            width,
            dst,
            a: a[i],
            b: b[i],
        })
    }

    fn select(&mut self, instruction: Ref) -> Result<(), String> {
        let (condition, then) = self.pair(instruction)?;
        let other = self.arg(instruction, 2);
        let other = self.operands(other)?;
        self.lanes(instruction, |_, i, width, dst| {
            // One condition may choose between whole aggregates.
            let condition = condition[if condition.len() == 1 { 0 } else { i }];
            Inst::Select { width, dst, condition, then: then[i], other: other[i] }
        })
    }

    fn resize(&mut self, instruction: Ref, opcode: i32) -> Result<(), String> {
        let value = self.arg(instruction, 0);
        let from = self.lane_width(value)?;
        let source = self.operands(value)?;
        let to = self.lane_width(instruction)?;
        if matches!(opcode, 39 | 69) && from == to && self.may_look_at_addresses() {
            return self.lanes(instruction, |_, i, _, dst| Inst::Expose { dst, a: source[i] });
        }
        if from == to {
            return self.rename(instruction, source);
        }
        self.lanes(instruction, |_, i, to, dst| {
            let a = source[i];
            match (opcode, from < to) {
                (32, _) => Inst::SignExtend { from, to, dst, a },
                (_, true) => Inst::ZeroExtend { from, to, dst, a },
                (_, false) => Inst::Truncate { from, to, dst, a },
            }
        })
    }

    fn convert(&mut self, instruction: Ref, kind: Conversion) -> Result<(), String> {
        let value = self.arg(instruction, 0);
        let from = self.lane_width(value)?;
        let source = self.operands(value)?;
        self.lanes(instruction, |_, i, to, dst| Inst::Convert {
            kind,
            saturate: false,
            from,
            to,
            dst,
            a: source[i],
        })
    }

    fn bitcast(&mut self, instruction: Ref) -> Result<(), String> {
        let value = self.arg(instruction, 0);
        let source = self.operands(value)?;
        let (from, to) = (self.lane_width(value)?, self.lane_width(instruction)?);
        let count = self.shape_of(instruction)?.len();
        if source.len() == count {
            return self.rename(instruction, source);
        }
        let total = source.len() * usize::from(from);
        if total > 128 {
            return Err("a cast of more than 128 bits".to_owned());
        }
        let whole = if let [only] = source[..] {
            only
        } else {
            let (lanes, dst) = (self.list(&source), self.fresh());
            self.emit(Inst::Pack { lane: from, lanes, dst });
            Operand::slot(dst)
        };
        if count == 1 {
            return self.rename(instruction, vec![whole]);
        }
        self.lanes(instruction, |_, i, _, dst| Inst::Unpack {
            lane: to,
            index: i as u8,
            from: total as u8,
            dst,
            a: whole,
        })
    }

    fn alloca(&mut self, instruction: Ref) -> Result<(), String> {
        let module = &self.program.module;
        let size = module.size(llvm!(module, LLVMGetAllocatedType(instruction)));
        let align = llvm!(module, LLVMGetAlignment(instruction)).max(1);
        let count = self.arg(instruction, 0);
        if llvm!(self.program.module, LLVMIsConstant(count)) == 0 {
            return Err("an allocation of run-time size on the stack".to_owned());
        }
        let count = self.program.constant(count)?[0] as u64;
        self.lanes(instruction, |_, _, _, dst| Inst::Alloca { dst, size: size * count, align })
    }

    fn load(&mut self, instruction: Ref) -> Result<(), String> {
        let pointer = self.arg(instruction, 0);
        let pointer = self.operand(pointer)?;
        let module = &self.program.module;
        let ty = module.type_of(instruction);
        let leaves = module.shape(ty)?;
        if let Some(lane) = module.packed_lane(ty) {
            let total = lane * leaves.len() as u8;
            let whole = self.fresh();
            self.emit(Inst::Load { width: total, dst: whole, pointer, offset: 0 });
            let a = Operand::slot(whole);
            return self.lanes(instruction, |_, i, _, dst| Inst::Unpack {
                lane,
                index: i as u8,
                from: total,
                dst,
                a,
            });
        }
        self.lanes(instruction, |_, i, width, dst| Inst::Load {
            width,
            dst,
            pointer,
            offset: leaves[i].offset,
        })
    }

    fn store(&mut self, instruction: Ref) -> Result<(), String> {
        let (value, pointer) = (self.arg(instruction, 0), self.arg(instruction, 1));
        let pointer = self.operand(pointer)?;
        let module = &self.program.module;
        let ty = module.type_of(value);
        let leaves = module.shape(ty)?;
        let packed = module.packed_lane(ty);
        let operands = self.operands(value)?;
        if let Some(lane) = packed {
            let (lanes, dst) = (self.list(&operands), self.fresh());
            self.emit(Inst::Pack { lane, lanes, dst });
            let width = lane * leaves.len() as u8;
            self.emit(Inst::Store { width, value: Operand::slot(dst), pointer, offset: 0 });
            return Ok(());
        }
        for (leaf, value) in leaves.iter().zip(operands) {
            self.emit(Inst::Store { width: leaf.width, value, pointer, offset: leaf.offset });
        }
        Ok(())
    }

    fn element_pointer(&mut self, instruction: Ref) -> Result<(), String> {
        if self.program.module.is_vector(self.program.module.type_of(instruction)) {
            return Err("a vector of pointers".to_owned());
        }
        let base = self.arg(instruction, 0);
        let mut base = self.operand(base)?;
        let mut ty = llvm!(self.program.module, LLVMGetGEPSourceElementType(instruction));
        let mut constant = 0i64;
        for index in 1..llvm!(self.program.module, LLVMGetNumOperands(instruction)) as u32 {
            let value = self.arg(instruction, index);
            let module = &self.program.module;
            let fixed = llvm!(module, LLVMIsConstant(value)) != 0;
            if index > 1 && module.kind(ty) == KIND_STRUCT {
                let field = self.program.constant(value)?[0] as u32;
                let module = &self.program.module;
                let offset = llvm!(module, LLVMOffsetOfElement(module.layout, ty, field));
                constant = constant.wrapping_add(offset as i64);
                ty = llvm!(module, LLVMStructGetTypeAtIndex(ty, field));
                continue;
            }
            if index > 1 {
                ty = llvm!(module, LLVMGetElementType(ty));
            }
            let scale = module.size(ty);
            let width = self.lane_width(value)?;
            if fixed {
                let number = self.program.constant(value)?[0];
                let number = testsmith_solver::term::signed(number, u32::from(width)) as i64;
                constant = constant.wrapping_add(number.wrapping_mul(scale as i64));
            } else {
                let index = self.operand(value)?;
                let dst = self.fresh();
                self.emit(Inst::Index { dst, base, index, index_width: width, scale });
                base = Operand::slot(dst);
            }
        }
        if constant != 0 {
            let dst = self.fresh();
            self.emit(Inst::Offset { dst, base, by: constant });
            base = Operand::slot(dst);
        }
        self.rename(instruction, vec![base])
    }

    fn call(&mut self, instruction: Ref, invoke: bool) -> Result<(), String> {
        let callee = llvm!(self.program.module, LLVMGetCalledValue(instruction));
        let count = llvm!(self.program.module, LLVMGetNumArgOperands(instruction));
        let args: Vec<Ref> = (0..count).map(|index| self.arg(instruction, index)).collect();
        if self.program.value_kind(callee) == VALUE_ASM {
            return self.assembly(instruction, callee);
        }
        let direct = self.program.function_id(callee);
        let intrinsic = direct.map(|id| self.program.symbol(id)).filter(|s| s.starts_with("llvm."));
        if let Some(symbol) = intrinsic.map(str::to_owned) {
            self.intrinsic(instruction, &symbol, &args)?;
            if invoke {
                let edge = self.invoked(instruction);
                self.emit(Inst::Jump { edge });
            }
            return Ok(());
        }
        let mut operands = vec![];
        for arg in args {
            operands.extend(self.operands(arg)?);
        }
        let args = self.list(&operands);
        let leaves = self.shape_of(instruction)?;
        let pointer = if direct.is_none() { Some(self.operand(callee)?) } else { None };
        let dst = self.define_fresh(instruction, &leaves);
        match (direct, pointer) {
            (Some(callee), _) => self.emit(Inst::Call { dst, callee, args }),
            (None, Some(callee)) => self.emit(Inst::CallPointer { dst, callee, args }),
            (None, None) => unreachable!("one of the two was found"),
        }
        let place = self.program.place_of(instruction);
        self.function.calls.push((self.function.code.len() as u32, place));
        if invoke {
            let edge = self.invoked(instruction);
            self.emit(Inst::Jump { edge });
        }
        Ok(())
    }

    /// Empty assembly is the optimisation barrier of `black_box`; other code is foreign.
    fn assembly(&mut self, instruction: Ref, callee: Ref) -> Result<(), String> {
        let mut len = 0;
        let source = llvm!(self.program.module, LLVMGetInlineAsmAsmString(callee, &mut len));
        // SAFETY: LLVM returns a pointer to `len` bytes.
        let source = unsafe { text(source, len) };
        if source.trim().is_empty() && self.shape_of(instruction)?.is_empty() {
            return Ok(());
        }
        Err("inline assembly".to_owned())
    }

    fn extract_element(&mut self, instruction: Ref) -> Result<(), String> {
        let (vector, index) = (self.arg(instruction, 0), self.arg(instruction, 1));
        let lanes = self.operands(vector)?;
        if llvm!(self.program.module, LLVMIsConstant(index)) != 0 {
            let number = self.program.constant(index)?[0] as usize;
            let lane = *lanes.get(number).ok_or("a lane outside the vector")?;
            return self.rename(instruction, vec![lane]);
        }
        let index_width = self.lane_width(index)?;
        let index = self.operand(index)?;
        let lanes = self.list(&lanes);
        self.lanes(instruction, |_, _, width, dst| Inst::PickLane {
            width,
            dst,
            lanes,
            index,
            index_width,
        })
    }

    fn insert_element(&mut self, instruction: Ref) -> Result<(), String> {
        let (mut lanes, element) = self.pair(instruction)?;
        let index = self.arg(instruction, 2);
        if llvm!(self.program.module, LLVMIsConstant(index)) == 0 {
            return Err("an insertion at a lane chosen at run time".to_owned());
        }
        let number = self.program.constant(index)?[0] as usize;
        *lanes.get_mut(number).ok_or("a lane outside the vector")? = element[0];
        self.rename(instruction, lanes)
    }

    fn shuffle(&mut self, instruction: Ref) -> Result<(), String> {
        let (mut lanes, more) = self.pair(instruction)?;
        lanes.extend(more);
        let count = llvm!(self.program.module, LLVMGetNumMaskElements(instruction));
        let mut chosen = vec![];
        for index in 0..count {
            let lane = llvm!(self.program.module, LLVMGetMaskValue(instruction, index));
            chosen.push(match usize::try_from(lane) {
                Ok(lane) => lanes[lane],
                Err(_) => self.number(0),
            });
        }
        self.rename(instruction, chosen)
    }

    /// The run of scalars that the indices of an instruction select in a type.
    fn selected(&self, instruction: Ref, aggregate: Ref) -> Result<(usize, usize), String> {
        let module = &self.program.module;
        let count = llvm!(module, LLVMGetNumIndices(instruction)) as usize;
        let indices = llvm!(module, LLVMGetIndices(instruction));
        // SAFETY: LLVM returns a pointer to `count` indices.
        let indices = unsafe { std::slice::from_raw_parts(indices, count) };
        let mut ty = module.type_of(aggregate);
        let mut start = 0;
        for &index in indices {
            let element = |ty: Ref, at: u32| match module.kind(ty) {
                KIND_STRUCT => llvm!(module, LLVMStructGetTypeAtIndex(ty, at)),
                _ => llvm!(module, LLVMGetElementType(ty)),
            };
            if !matches!(module.kind(ty), KIND_STRUCT | KIND_ARRAY) {
                return Err("an index into a scalar".to_owned());
            }
            for before in 0..index {
                start += module.shape(element(ty, before))?.len();
            }
            ty = element(ty, index);
        }
        Ok((start, module.shape(ty)?.len()))
    }

    fn extract_value(&mut self, instruction: Ref) -> Result<(), String> {
        let aggregate = self.arg(instruction, 0);
        let (start, len) = self.selected(instruction, aggregate)?;
        let operands = self.operands(aggregate)?;
        self.rename(instruction, operands[start..start + len].to_vec())
    }

    fn insert_value(&mut self, instruction: Ref) -> Result<(), String> {
        let (aggregate, element) = (self.arg(instruction, 0), self.arg(instruction, 1));
        let (start, len) = self.selected(instruction, aggregate)?;
        let mut operands = self.operands(aggregate)?;
        let element = self.operands(element)?;
        operands[start..start + len].copy_from_slice(&element);
        self.rename(instruction, operands)
    }

    fn compare_exchange(&mut self, instruction: Ref) -> Result<(), String> {
        let (pointer, expected) = (self.arg(instruction, 0), self.arg(instruction, 1));
        let new = self.arg(instruction, 2);
        let width = self.lane_width(expected)?;
        let (pointer, expected) = (self.operand(pointer)?, self.operand(expected)?);
        let new = self.operand(new)?;
        let leaves = self.shape_of(instruction)?;
        let dst = self.define_fresh(instruction, &leaves);
        self.emit(Inst::CompareExchange { width, dst, pointer, expected, new });
        Ok(())
    }

    fn read_modify_write(&mut self, instruction: Ref) -> Result<(), String> {
        let op = match llvm!(self.program.module, LLVMGetAtomicRMWBinOp(instruction)) {
            0 => RmwOp::Exchange,
            1 => RmwOp::Binary(Op::Add),
            2 => RmwOp::Binary(Op::Sub),
            3 => RmwOp::Binary(Op::And),
            4 => RmwOp::Nand,
            5 => RmwOp::Binary(Op::Or),
            6 => RmwOp::Binary(Op::Xor),
            7 => RmwOp::Max,
            8 => RmwOp::Min,
            9 => RmwOp::UMax,
            10 => RmwOp::UMin,
            other => return Err(format!("the atomic operation {other}")),
        };
        let (pointer, value) = self.pair(instruction)?;
        let (pointer, value) = (pointer[0], value[0]);
        self.lanes(instruction, |_, _, width, dst| Inst::Rmw { op, width, dst, pointer, value })
    }
}
