//! Calls: into the program, or to a model of something outside it.

use super::model::{Model, Role};
use super::{Assumption, End, Frame, Machine, OnReturn, Place, Value};
use crate::ir::{FunctionId, Origin};

impl Machine<'_> {
    /// Calls a function. True if it has a frame now, false if it is done already.
    pub(super) fn call(
        &mut self,
        callee: FunctionId,
        args: &[Value],
        dst: u32,
    ) -> Result<bool, End> {
        let role = self.role(callee);
        if self.is_merging() {
            self.may_be_tried(role)?;
        }
        match role {
            Role::Body => {
                self.enter(callee, args, dst, OnReturn::Continue)?;
                Ok(true)
            }
            Role::HashIteration => {
                self.voids.insert(
                    "the order of a hash table is fixed by the model of hashing".to_owned(),
                );
                self.enter(callee, args, dst, OnReturn::Continue)?;
                Ok(true)
            }
            role @ (Role::Signs | Role::LoadsGroup | Role::ShowsAddress | Role::Arguments) => {
                match role {
                    Role::Signs => self.signs_asked(args[0])?,
                    Role::LoadsGroup => self.group_loaded(*args.last().unwrap_or(&args[0])),
                    Role::ShowsAddress => self.address_shown(),
                    _ => self.fixes(Assumption::Arguments),
                }
                self.enter(callee, args, dst, OnReturn::Continue)?;
                Ok(true)
            }
            Role::TextCheck => {
                self.check_text(callee, args, dst)?;
                Ok(true)
            }
            Role::Panic => self.panic(callee, args),
            Role::PanicHook => {
                self.panic_reaches_the_hook(args)?;
                self.enter(callee, args, dst, OnReturn::Continue)?;
                Ok(true)
            }
            Role::Reject => {
                self.reject()?;
                self.enter(callee, args, dst, OnReturn::Continue)?;
                Ok(true)
            }
            Role::Formatter if self.text_is_lost() => {
                let base = self.frames.last().expect("a caller is running").base + dst as usize;
                self.slots[base] = Value::concrete(0);
                Ok(false)
            }
            Role::Formatter => {
                self.enter(callee, args, dst, OnReturn::Continue)?;
                Ok(true)
            }
            Role::Model(Model::Raise) => {
                self.raise(args[0])?;
                Ok(true)
            }
            Role::Model(model) => {
                let results = self.model(model, callee, args)?;
                let base = self.frames.last().expect("a caller is running").base + dst as usize;
                for (index, value) in results.into_iter().flatten().enumerate() {
                    self.slots[base + index] = value;
                }
                Ok(false)
            }
            Role::Foreign => {
                let symbol = self.interpreter.program.symbol(callee);
                Err(End::Unsupported(format!("a call of {symbol}, which is outside the program")))
            }
        }
    }

    /// Calls that can be taken back.
    fn may_be_tried(&self, role: Role) -> Result<(), End> {
        match role {
            Role::Body
            | Role::Formatter
            | Role::Model(
                Model::Compare | Model::CompareEqual | Model::Copy | Model::Set | Model::IsText,
            ) => Ok(()),
            Role::Panic | Role::PanicHook => self.panics_for_good(),
            _ => self.for_good(),
        }
    }

    fn role(&mut self, callee: FunctionId) -> Role {
        let index = callee.0 as usize;
        if self.interpreter.roles.len() <= index {
            self.interpreter.roles.resize(index + 1, None);
        }
        if let Some(role) = self.interpreter.roles[index] {
            return role;
        }
        let role = Role::of(&self.interpreter.program, callee);
        self.interpreter.roles[index] = Some(role);
        role
    }

    pub(super) fn enter(
        &mut self,
        callee: FunctionId,
        args: &[Value],
        dst: u32,
        on_return: OnReturn,
    ) -> Result<(), End> {
        if self.frames.len() >= self.bounds.depth {
            return Err(End::Limit(format!("{} nested calls", self.bounds.depth)));
        }
        let function = self.interpreter.program.body(callee);
        let base = self.slots.len();
        self.slots.resize(base + (function.slots as usize).max(args.len()), Value::default());
        self.slots[base..base + args.len()].copy_from_slice(args);
        let stack_mark = self.memory.stack_mark();
        let table = function.origin == Origin::Table;
        if table {
            self.for_good()?;
        }
        self.frames.push(Frame { function, pc: 0, base, dst, stack_mark, on_return });
        if table && self.zone.is_none() {
            self.enter_table();
        }
        Ok(())
    }

    /// Reads a `core::panic::Location`: the file name as pointer and length, line, column.
    /// Only for people: a layout that is not this one gives an empty place.
    pub(super) fn location(&mut self, pointer: Value) -> Result<Place, End> {
        /// No path of a source file is longer.
        const LONGEST_NAME: u128 = 4096;
        let address = pointer.bits as u64;
        let name = self.fetch(address, 8)?.bits as u64;
        let len = self.fetch(address + 8, 8)?.bits;
        let line = self.fetch(address + 16, 4)?.bits as u32;
        let column = self.fetch(address + 20, 4)?.bits as u32;
        let mut file = vec![];
        for index in 0..len.min(LONGEST_NAME) as u64 {
            file.push(self.fetch(name + index, 1)?.bits as u8);
        }
        while file.last() == Some(&0) {
            file.pop();
        }
        Ok(Place { file: String::from_utf8_lossy(&file).into_owned(), line, column })
    }
}
