//! Functions: blocks in an order where definitions come before uses, phis as
//! moves on the edges, and the terminators.
//!
//! What only unwinding reaches comes after the rest.

use std::collections::{HashMap, HashSet};

use super::api::Ref;
use super::program::Program;
use super::shape::Leaf;
use crate::ir::{Edge, Function, Inst, Landing, List, Operand, Site, SwitchTable};

/// A function being lowered.
pub(super) struct Lowering<'a> {
    pub program: &'a mut Program,
    pub function: Function,
    /// What stands for each LLVM value: one operand per scalar.
    pub values: HashMap<Ref, Box<[Operand]>>,
    constants: HashMap<u128, u32>,
    edges: HashMap<(Ref, Ref), u32>,
    /// The place of the block being lowered, for the edges out of it.
    block: Ref,
    /// Whether only unwinding leads to it.
    cleanup: bool,
}

/// Lowers a function that has a body.
pub(super) fn lower(program: &mut Program, value: Ref, name: String) -> Function {
    let mut lowering = Lowering {
        program,
        function: Function { name, ..Function::default() },
        values: HashMap::new(),
        constants: HashMap::new(),
        edges: HashMap::new(),
        block: std::ptr::null_mut(),
        cleanup: false,
    };
    match lowering.run(value) {
        Ok(()) => {}
        // Nothing of a function whose parameters or phis are beyond us can be run.
        Err(why) => {
            lowering.function.code.clear();
            lowering.unsupported(why);
        }
    }
    lowering.function
}

impl Lowering<'_> {
    fn run(&mut self, value: Ref) -> Result<(), String> {
        for index in 0..llvm!(self.program.module, LLVMCountParams(value)) {
            let param = llvm!(self.program.module, LLVMGetParam(value, index));
            let leaves = self.shape_of(param)?;
            self.define_fresh(param, &leaves);
        }
        self.function.params = self.function.slots;
        self.function.origin = self.program.origin(value);
        let blocks = self.block_order(value, false);
        let normal = blocks.len();
        let known: HashSet<Ref> = blocks.iter().copied().collect();
        let cleanup = self.block_order(value, true).into_iter().filter(|b| !known.contains(b));
        let blocks: Vec<Ref> = blocks.iter().copied().chain(cleanup).collect();
        for block in &blocks {
            self.phis(*block, |lowering, phi| {
                let leaves = lowering.shape_of(phi)?;
                lowering.define_fresh(phi, &leaves);
                Ok(())
            })?;
        }
        let mut starts = HashMap::new();
        for (index, block) in blocks.iter().enumerate() {
            starts.insert(*block, self.function.code.len() as u32);
            self.block = *block;
            self.cleanup = index >= normal;
            let mut instruction = llvm!(self.program.module, LLVMGetFirstInstruction(*block));
            while !instruction.is_null() {
                self.instruction(instruction);
                instruction = llvm!(self.program.module, LLVMGetNextInstruction(instruction));
            }
        }
        self.finish_edges(&starts)
    }

    /// The blocks that can be reached, with or without unwinding, each after its dominators.
    fn block_order(&self, value: Ref, unwinding: bool) -> Vec<Ref> {
        let module = &self.program.module;
        let first = llvm!(module, LLVMGetFirstBasicBlock(value));
        let mut seen = HashSet::from([first]);
        let mut order = vec![];
        let mut stack = vec![(first, self.successors(first, unwinding), 0)];
        while let Some((block, successors, next)) = stack.last_mut() {
            if let Some(&successor) = successors.get(*next) {
                *next += 1;
                if seen.insert(successor) {
                    let onward = self.successors(successor, unwinding);
                    stack.push((successor, onward, 0));
                }
            } else {
                order.push(*block);
                stack.pop();
            }
        }
        order.reverse();
        order
    }

    fn successors(&self, block: Ref, unwinding: bool) -> Vec<Ref> {
        let module = &self.program.module;
        let mut last = llvm!(module, LLVMGetFirstInstruction(block));
        loop {
            let next = llvm!(module, LLVMGetNextInstruction(last));
            if next.is_null() {
                break;
            }
            last = next;
        }
        match llvm!(module, LLVMGetInstructionOpcode(last)) {
            5 if unwinding => {
                vec![llvm!(module, LLVMGetNormalDest(last)), llvm!(module, LLVMGetUnwindDest(last))]
            }
            5 => vec![llvm!(module, LLVMGetNormalDest(last))],
            2 | 3 | 84..=87 => {
                let count = llvm!(module, LLVMGetNumSuccessors(last));
                (0..count).map(|index| llvm!(module, LLVMGetSuccessor(last, index))).collect()
            }
            _ => vec![],
        }
    }

    fn phis(
        &mut self,
        block: Ref,
        mut visit: impl FnMut(&mut Self, Ref) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut instruction = llvm!(self.program.module, LLVMGetFirstInstruction(block));
        while !instruction.is_null()
            && llvm!(self.program.module, LLVMGetInstructionOpcode(instruction)) == 44
        {
            visit(self, instruction)?;
            instruction = llvm!(self.program.module, LLVMGetNextInstruction(instruction));
        }
        Ok(())
    }

    /// Fills in the targets and moves, now that every value has its operands.
    fn finish_edges(&mut self, starts: &HashMap<Ref, u32>) -> Result<(), String> {
        for ((from, to), index) in self.edges.clone() {
            let mut moves: Vec<(u32, Operand)> = vec![];
            self.phis(to, |lowering, phi| {
                let count = llvm!(lowering.program.module, LLVMCountIncoming(phi));
                for incoming in 0..count {
                    let block = llvm!(lowering.program.module, LLVMGetIncomingBlock(phi, incoming));
                    if block != from {
                        continue;
                    }
                    let value = llvm!(lowering.program.module, LLVMGetIncomingValue(phi, incoming));
                    let sources = lowering.operands(value)?;
                    let targets = lowering.values[&phi].clone();
                    for (target, source) in targets.iter().zip(&sources) {
                        let slot = target.decode().expect_err("a phi has slots of its own");
                        moves.push((slot, *source));
                    }
                    break;
                }
                Ok(())
            })?;
            moves.retain(|(slot, source)| *source != Operand::slot(*slot));
            let overlapping = moves.iter().enumerate().any(|(at, (_, source))| {
                moves[..at].iter().any(|(slot, _)| *source == Operand::slot(*slot))
            });
            self.function.edges[index as usize] = Edge { target: starts[&to], moves, overlapping };
        }
        Ok(())
    }

    pub fn edge(&mut self, to: Ref) -> u32 {
        let next = self.function.edges.len() as u32;
        let index = *self.edges.entry((self.block, to)).or_insert(next);
        if index == next {
            self.function.edges.push(Edge::default());
        }
        index
    }

    pub fn emit(&mut self, inst: Inst) {
        self.function.code.push(inst);
    }

    /// Ends the path that comes here.
    pub fn unsupported(&mut self, why: String) {
        let note = self.function.notes.len() as u32;
        self.function.notes.push(why);
        self.emit(Inst::Unsupported { note });
    }

    pub fn fresh(&mut self) -> u32 {
        self.function.slots += 1;
        self.function.widths.push(0);
        self.function.slots - 1
    }

    pub fn number(&mut self, bits: u128) -> Operand {
        let next = self.function.constants.len() as u32;
        let index = *self.constants.entry(bits).or_insert(next);
        if index == next {
            self.function.constants.push(bits);
        }
        Operand::constant(index)
    }

    pub fn list(&mut self, operands: &[Operand]) -> List {
        let start = self.function.operands.len() as u32;
        self.function.operands.extend_from_slice(operands);
        List { start, len: operands.len() as u32 }
    }

    pub fn shape_of(&self, value: Ref) -> Result<Vec<Leaf>, String> {
        self.program.module.shape(self.program.module.type_of(value))
    }

    /// Gives a value slots of its own, side by side; returns the first.
    pub fn define_fresh(&mut self, value: Ref, leaves: &[Leaf]) -> u32 {
        let first = self.function.slots;
        self.function.slots += leaves.len() as u32;
        self.function.widths.extend(leaves.iter().map(|leaf| leaf.width));
        let operands = (first..self.function.slots).map(Operand::slot).collect();
        self.values.insert(value, operands);
        first
    }

    pub fn operands(&mut self, value: Ref) -> Result<Vec<Operand>, String> {
        if let Some(operands) = self.values.get(&value) {
            return Ok(operands.to_vec());
        }
        if llvm!(self.program.module, LLVMIsConstant(value)) == 0 {
            return Err("a value that is not defined on this path".to_owned());
        }
        let numbers = self.program.constant(value)?;
        Ok(numbers.into_iter().map(|bits| self.number(bits)).collect())
    }

    pub fn operand(&mut self, value: Ref) -> Result<Operand, String> {
        match self.operands(value)?[..] {
            [operand] => Ok(operand),
            _ => Err("an aggregate where a scalar is expected".to_owned()),
        }
    }

    /// Branches, switches, returns; `Ok(false)` if the instruction is none of them.
    pub fn terminator(&mut self, instruction: Ref, opcode: i32) -> Result<bool, String> {
        let module = &self.program.module;
        match opcode {
            1 => {
                let values = if llvm!(module, LLVMGetNumOperands(instruction)) == 0 {
                    vec![]
                } else {
                    let value = llvm!(module, LLVMGetOperand(instruction, 0));
                    self.operands(value)?
                };
                let values = self.list(&values);
                self.emit(Inst::Return { values });
            }
            2 | 84..=87 => {
                let count = llvm!(module, LLVMGetNumSuccessors(instruction));
                let then = llvm!(module, LLVMGetSuccessor(instruction, 0));
                if count == 1 {
                    let edge = self.edge(then);
                    self.emit(Inst::Jump { edge });
                } else {
                    let other = llvm!(module, LLVMGetSuccessor(instruction, 1));
                    let condition = llvm!(module, LLVMGetCondition(instruction));
                    let condition = self.operand(condition)?;
                    let (then, other) = (self.edge(then), self.edge(other));
                    let site = self.site(instruction, 2);
                    self.emit(Inst::Branch { condition, then, other, site });
                }
            }
            3 => self.switch(instruction)?,
            7 => self.emit(Inst::Unreachable),
            58 => {
                let exception = llvm!(module, LLVMGetOperand(instruction, 0));
                let exception = self.operands(exception)?[0];
                self.emit(Inst::Resume { exception });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The edges out of an invoke: the one that is jumped along is emitted by the caller.
    pub fn invoked(&mut self, instruction: Ref) -> u32 {
        let module = &self.program.module;
        let normal = llvm!(module, LLVMGetNormalDest(instruction));
        let unwind = llvm!(module, LLVMGetUnwindDest(instruction));
        let mut pad = llvm!(module, LLVMGetFirstInstruction(unwind));
        while llvm!(module, LLVMGetInstructionOpcode(pad)) == 44 {
            pad = llvm!(module, LLVMGetNextInstruction(pad));
        }
        let catches = llvm!(module, LLVMGetInstructionOpcode(pad)) == 59
            && llvm!(module, LLVMGetNumClauses(pad)) > 0;
        let edge = self.edge(unwind);
        let after = self.function.code.len() as u32;
        self.function.landings.push(Landing { after, edge, catches });
        self.edge(normal)
    }

    fn switch(&mut self, instruction: Ref) -> Result<(), String> {
        let module = &self.program.module;
        let scrutinee = llvm!(module, LLVMGetOperand(instruction, 0));
        let width = module.scalar_width(module.type_of(scrutinee)).ok_or("a wide switch")?;
        let count = llvm!(module, LLVMGetNumSuccessors(instruction));
        let default = llvm!(module, LLVMGetSuccessor(instruction, 0));
        let mut arms = vec![];
        for index in 1..count {
            let module = &self.program.module;
            let value = llvm!(module, LLVMGetSwitchCaseValue(instruction, index));
            let target = llvm!(module, LLVMGetSuccessor(instruction, index));
            let number = self.program.constant(value)?[0];
            arms.push((number, self.edge(target)));
        }
        let default = self.edge(default);
        let value = self.operand(scrutinee)?;
        let site = self.site(instruction, count);
        let table = self.function.switches.len() as u32;
        self.function.switches.push(SwitchTable { arms, default, site });
        self.emit(Inst::Switch { width, value, table });
        Ok(())
    }

    fn site(&mut self, instruction: Ref, ways: u32) -> crate::ir::SiteId {
        let (file, line, column) = self.program.module.place(instruction);
        let function = self.function.name.clone();
        let cleanup = self.cleanup;
        self.program.new_site(Site { function, file, line, column, ways, cleanup })
    }
}
