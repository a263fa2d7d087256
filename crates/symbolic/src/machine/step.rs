//! The loop: one instruction after the other until the path ends.

use std::rc::Rc;

use super::{End, Machine, OnReturn, Reason, Value};
use crate::ir::{Function, Inst, List, Operand, RmwOp, SwitchTable};
use testsmith_solver::term::{Op, mask};

impl Machine<'_> {
    #[inline]
    pub(super) fn read(&self, function: &Function, base: usize, operand: Operand) -> Value {
        match operand.decode() {
            Err(slot) => self.slots[base + slot as usize],
            Ok(constant) => Value::concrete(function.constants[constant as usize]),
        }
    }

    pub(super) fn list(&self, function: &Function, base: usize, list: List) -> Vec<Value> {
        let range = list.start as usize..(list.start + list.len) as usize;
        function.operands[range].iter().map(|o| self.read(function, base, *o)).collect()
    }

    /// Runs until the path ends, however it ends.
    pub(super) fn execute(&mut self) -> Result<End, End> {
        loop {
            let frame = self.frames.last().expect("a frame is running");
            let (function, base, pc) = (frame.function.clone(), frame.base, frame.pc);
            if let Some(end) = self.run_frame(&function, base, pc)? {
                return Ok(end);
            }
        }
    }

    /// Runs the top frame until it calls, returns, or the path ends.
    pub(super) fn run_frame(
        &mut self,
        function: &Rc<Function>,
        base: usize,
        mut pc: usize,
    ) -> Result<Option<End>, End> {
        loop {
            let inst = &function.code[pc];
            pc += 1;
            self.steps += 1;
            if self.steps > self.bounds.steps {
                return Err(End::Limit(format!("{} steps on one path", self.bounds.steps)));
            }
            match *inst {
                Inst::Jump { .. } | Inst::Branch { .. } | Inst::Switch { .. } => {
                    pc = self.jump(function, base, pc, inst)?;
                    if self.is_merging() && self.arrives(pc)? {
                        self.frames.last_mut().expect("a frame is running").pc = pc;
                        return Ok(None);
                    }
                }
                Inst::Call { dst, callee, args } => {
                    let args = self.list(function, base, args);
                    self.frames.last_mut().expect("a frame is running").pc = pc;
                    if self.call(callee, &args, dst)? {
                        return Ok(None);
                    }
                }
                Inst::CallPointer { dst, callee, args } => {
                    let callee = self.read(function, base, callee);
                    let address = self.address(callee)?;
                    let args = self.list(function, base, args);
                    self.frames.last_mut().expect("a frame is running").pc = pc;
                    let callee =
                        self.interpreter.program.function_at(address).ok_or_else(|| {
                            End::Undefined("call of what is no function".to_owned())
                        })?;
                    if self.call(callee, &args, dst)? {
                        return Ok(None);
                    }
                }
                Inst::Return { values } => {
                    self.may_leave()?;
                    let values = self.list(function, base, values);
                    return self.leave(values);
                }
                Inst::LandingPad { dst } => {
                    self.for_good()?;
                    let (exception, caught) = self.landed();
                    self.slots[base + dst as usize] = exception;
                    self.slots[base + dst as usize + 1] = caught;
                }
                Inst::Resume { exception } => {
                    self.for_good()?;
                    let exception = self.read(function, base, exception);
                    self.frames.last_mut().expect("a frame is running").pc = pc;
                    return self.unwind(exception).map(|()| None);
                }
                Inst::Unreachable => {
                    return Err(End::Undefined(format!("unreachable code in {}", function.name)));
                }
                Inst::Trap => return Err(End::Crashed(format!("a trap in {}", function.name))),
                Inst::Unsupported { note } => {
                    let note = &function.notes[note as usize];
                    return Err(End::Unsupported(format!("{note} in {}", function.name)));
                }
                _ => self.compute(function, base, inst)?,
            }
        }
    }

    /// Where a jump leads, conditional or not.
    #[inline]
    fn jump(
        &mut self,
        function: &Rc<Function>,
        base: usize,
        pc: usize,
        inst: &Inst,
    ) -> Result<usize, End> {
        let edge = match *inst {
            Inst::Jump { edge } => edge,
            Inst::Branch { condition, then, other, site } => {
                let condition = self.read(function, base, condition);
                let at = (function, base, pc);
                if let Some(join) = self.join_branch(at, condition, [then, other], site)? {
                    return Ok(join);
                }
                if self.branch(condition, site)? { then } else { other }
            }
            Inst::Switch { width, value, table } => {
                let value = self.read(function, base, value);
                let table = &function.switches[table as usize];
                let at = (function, base, pc);
                if let Some(join) = self.join_switch(at, (u32::from(width), value), table)? {
                    return Ok(join);
                }
                self.switch(u32::from(width), value, table)?
            }
            _ => unreachable!("{inst:?} is no jump"),
        };
        Ok(self.follow(function, base, edge))
    }

    #[inline]
    pub(super) fn follow(&mut self, function: &Function, base: usize, edge: u32) -> usize {
        let edge = &function.edges[edge as usize];
        if edge.overlapping {
            self.moves.clear();
            for (_, source) in &edge.moves {
                let value = self.read(function, base, *source);
                self.moves.push(value);
            }
            for ((slot, _), value) in edge.moves.iter().zip(&self.moves) {
                self.slots[base + *slot as usize] = *value;
            }
        } else {
            for (slot, source) in &edge.moves {
                self.slots[base + *slot as usize] = self.read(function, base, *source);
            }
        }
        edge.target as usize
    }

    /// The arm taken is one decision, not one per arm passed by.
    fn switch(&mut self, width: u32, value: Value, table: &SwitchTable) -> Result<u32, End> {
        let arm = table.arms.iter().position(|(number, _)| *number == value.bits);
        let way = arm.map_or(0, |arm| arm as u32 + 1);
        let edge = arm.map_or(table.default, |arm| table.arms[arm].1);
        self.cover(table.site, way);
        let Some(subject) = value.term else { return Ok(edge) };
        let pool = &mut self.interpreter.pool;
        let hit = match arm {
            Some(arm) => {
                let number = pool.number(width, table.arms[arm].0);
                pool.equal(subject, number)
            }
            None => {
                let mut none = pool.truth(true);
                for (number, _) in &table.arms {
                    let number = pool.number(width, *number);
                    let equal = pool.equal(subject, number);
                    let differs = pool.not(equal);
                    none = pool.and(none, differs);
                }
                none
            }
        };
        let before = self.decisions.len();
        self.one_of(subject, hit, Reason::Branch(table.site, way))?;
        if self.decisions.len() > before {
            self.count_unrolling(table.site)?;
        }
        Ok(edge)
    }

    fn leave(&mut self, values: Vec<Value>) -> Result<Option<End>, End> {
        let frame = self.frames.pop().expect("a frame is running");
        self.memory.pop_stack(frame.stack_mark);
        self.slots.truncate(frame.base);
        self.see_again();
        self.leave_table();
        if frame.on_return == OnReturn::PanicText {
            let matches = values.first().copied().unwrap_or_default();
            self.text_looked_at(matches)?;
            return Ok(None);
        }
        let Some(caller) = self.frames.last() else {
            for term in values.iter().filter_map(|value| value.term) {
                self.settled(term);
            }
            self.returned = values;
            return Ok(Some(End::Returned));
        };
        let start = caller.base + frame.dst as usize;
        self.slots[start..start + values.len()].copy_from_slice(&values);
        Ok(None)
    }

    /// Instructions that neither jump nor call.
    #[inline]
    fn compute(&mut self, function: &Function, base: usize, inst: &Inst) -> Result<(), End> {
        let (dst, value) = match *inst {
            Inst::Binary { op, width, dst, a, b } => {
                let (a, b) = (self.read(function, base, a), self.read(function, base, b));
                (dst, self.binary(op, u32::from(width), a, b))
            }
            Inst::Not { width, dst, a } => {
                let a = self.read(function, base, a);
                (dst, self.not(u32::from(width), a))
            }
            Inst::Select { width, dst, condition, then, other } => {
                let condition = self.read(function, base, condition);
                let (then, other) =
                    (self.read(function, base, then), self.read(function, base, other));
                (dst, self.select(u32::from(width), condition, then, other))
            }
            Inst::ZeroExtend { to, dst, a, .. } => {
                let a = self.read(function, base, a);
                (dst, self.zero_extend(u32::from(to), a))
            }
            Inst::SignExtend { from, to, dst, a } => {
                let a = self.read(function, base, a);
                (dst, self.sign_extend(u32::from(from), u32::from(to), a))
            }
            Inst::Truncate { to, dst, a, .. } => {
                let a = self.read(function, base, a);
                (dst, self.extract(0, u32::from(to), a))
            }
            Inst::Move { dst, a } => (dst, self.read(function, base, a)),
            Inst::Load { width, dst, pointer, offset } => {
                let pointer = self.read(function, base, pointer);
                (dst, self.load_scalar(pointer, offset, width)?)
            }
            Inst::Store { width, value, pointer, offset } => {
                let pointer = self.read(function, base, pointer);
                let value = self.read(function, base, value);
                return self.store_scalar(pointer, offset, width, value);
            }
            Inst::Offset { dst, base: pointer, by } => {
                let pointer = self.read(function, base, pointer);
                let by = Value::concrete(by as u64 as u128);
                (dst, self.binary(Op::Add, 64, pointer, by))
            }
            Inst::Index { dst, base: pointer, index, index_width, scale } => {
                let pointer = self.read(function, base, pointer);
                let index = self.read(function, base, index);
                let index = self.sign_extend(u32::from(index_width), 64, index);
                let scale = Value::concrete(u128::from(scale));
                let distance = self.binary(Op::Mul, 64, index, scale);
                let place = self.binary(Op::Add, 64, pointer, distance);
                (dst, self.place_in_table(place))
            }
            Inst::Alloca { dst, size, align } => {
                let address = self.memory.push_stack(size, u64::from(align))?;
                (dst, Value::concrete(u128::from(address)))
            }
            _ => return self.compute_rarely(function, base, inst),
        };
        self.slots[base + dst as usize] = value;
        Ok(())
    }

    fn compute_rarely(&mut self, function: &Function, base: usize, inst: &Inst) -> Result<(), End> {
        let (dst, value) = match *inst {
            Inst::Pack { lane, lanes, dst } => {
                let lanes = self.list(function, base, lanes);
                let lane = u32::from(lane);
                let mut packed = lanes[0];
                for (index, value) in lanes.iter().enumerate().skip(1) {
                    packed = self.concat((*value, lane), (packed, lane * index as u32));
                }
                (dst, packed)
            }
            Inst::Unpack { lane, index, dst, a, .. } => {
                let a = self.read(function, base, a);
                (dst, self.extract(u32::from(lane) * u32::from(index), u32::from(lane), a))
            }
            Inst::Intrinsic { which, width, dst, args } => {
                let args = self.list(function, base, args);
                let results = self.intrinsic(which, u32::from(width), &args)?;
                for (index, value) in results.into_iter().flatten().enumerate() {
                    self.slots[base + dst as usize + index] = value;
                }
                return Ok(());
            }
            Inst::Float { op, width, dst, args } => {
                let args = self.list(function, base, args);
                (dst, self.float(op, width, &args)?)
            }
            Inst::FloatCompare { predicate, width, dst, a, b } => {
                let (a, b) = (self.read(function, base, a), self.read(function, base, b));
                (dst, self.float_compare(predicate, u32::from(width), a, b))
            }
            Inst::Convert { kind, saturate, from, to, dst, a } => {
                let a = self.read(function, base, a);
                (dst, self.convert(kind, saturate, from, to, a)?)
            }
            Inst::CompareExchange { width, dst, pointer, expected, new } => {
                let pointer = self.read(function, base, pointer);
                let expected = self.read(function, base, expected);
                let new = self.read(function, base, new);
                let current = self.load_scalar(pointer, 0, width)?;
                let equal = self.binary(Op::Eq, u32::from(width), current, expected);
                let stored = self.select(u32::from(width), equal, new, current);
                self.store_scalar(pointer, 0, width, stored)?;
                self.slots[base + dst as usize] = current;
                (dst + 1, equal)
            }
            Inst::Rmw { op, width, dst, pointer, value } => {
                let pointer = self.read(function, base, pointer);
                let value = self.read(function, base, value);
                let current = self.load_scalar(pointer, 0, width)?;
                let new = self.read_modify_write(op, u32::from(width), current, value);
                self.store_scalar(pointer, 0, width, new)?;
                (dst, current)
            }
            Inst::Expose { dst, a } => {
                let pointer = self.read(function, base, a);
                (dst, self.expose(pointer)?)
            }
            Inst::ComparePointers { op, dst, a, b } => {
                let (a, b) = (self.read(function, base, a), self.read(function, base, b));
                (dst, self.compare_pointers(op, a, b)?)
            }
            Inst::PickLane { width, dst, lanes, index, index_width } => {
                let lanes = self.list(function, base, lanes);
                let index = self.read(function, base, index);
                (dst, self.pick_lane(u32::from(width), &lanes, index, u32::from(index_width)))
            }
            _ => unreachable!("{inst:?} is run by the loop"),
        };
        self.slots[base + dst as usize] = value;
        Ok(())
    }

    fn read_modify_write(&mut self, op: RmwOp, width: u32, current: Value, value: Value) -> Value {
        let smaller = |machine: &mut Self, op: Op| machine.binary(op, width, current, value);
        match op {
            RmwOp::Exchange => value,
            RmwOp::Binary(op) => self.binary(op, width, current, value),
            RmwOp::Nand => {
                let both = self.binary(Op::And, width, current, value);
                self.not(width, both)
            }
            RmwOp::Max => {
                let less = smaller(self, Op::Slt);
                self.select(width, less, value, current)
            }
            RmwOp::Min => {
                let less = smaller(self, Op::Slt);
                self.select(width, less, current, value)
            }
            RmwOp::UMax => {
                let less = smaller(self, Op::Ult);
                self.select(width, less, value, current)
            }
            RmwOp::UMin => {
                let less = smaller(self, Op::Ult);
                self.select(width, less, current, value)
            }
        }
    }

    fn pick_lane(&mut self, width: u32, lanes: &[Value], index: Value, index_width: u32) -> Value {
        let mut picked = Value::concrete(0);
        for (number, lane) in lanes.iter().enumerate() {
            let number = Value::concrete(number as u128 & mask(index_width));
            let here = self.binary(Op::Eq, index_width, index, number);
            picked = self.select(width, here, *lane, picked);
        }
        picked
    }
}
