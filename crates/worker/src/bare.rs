//! The same calls with nothing around them: the yardstick of our overhead.
//!
//! A bare run trusts a sequence that has run before with all checks: no loans,
//! no journal, no catching, no counters.

use crate::arena::Slot;
use crate::executor::{Executor, Pooled, reached};
use crate::table::TypeTable;
use testsmith_engines::Stage;
use testsmith_model::sequence::Step;
use testsmith_model::{Loans, OpId, Sequence, TypeId};

/// A step of which everything is known beforehand.
pub enum BareStep {
    Literal(TypeId, usize),
    Call(OpId, Vec<u32>, Vec<bool>),
    Drop(u32),
}

impl Executor {
    /// Runs the steps as they are. False if a call did not apply after all;
    /// then the rest is not run and what was made is leaked.
    pub fn bare_run(&mut self, steps: &[BareStep]) -> bool {
        self.frame.clear();
        self.slots.clear();
        for step in steps {
            match step {
                BareStep::Literal(ty, n) => {
                    let ready = &self.pool[ty.index()][*n].ready;
                    ready.as_ref().expect("it was put before").put(&mut self.frame);
                    let table = &self.tables[ty.index()];
                    self.slots.push(Slot { place: self.frame.result, table });
                }
                BareStep::Call(op, args, through) => {
                    for (n, (&arg, &through)) in args.iter().zip(through).enumerate() {
                        let place = self.slots[arg as usize].place;
                        self.frame.args[n] = reached(place, through);
                    }
                    if !(self.thunks[op.index()])(&mut self.frame) {
                        return false;
                    }
                    let table = &self.tables[self.signatures[op.index()].output.index()];
                    self.slots.push(Slot { place: self.frame.result, table });
                }
                BareStep::Drop(slot) => {
                    let slot = self.slots[*slot as usize];
                    // SAFETY: recorded from a run that dropped it here.
                    unsafe { (slot.table.drop)(slot.place) };
                }
            }
        }
        true
    }

    /// Runs the same steps with everything around them: the loop of an engine
    /// that knows beforehand what it will call.
    pub fn checked_run(&mut self, steps: &[BareStep]) {
        self.begin(false);
        for step in steps {
            let done = match step {
                BareStep::Literal(ty, n) => self.literal(*ty, *n).is_ok(),
                BareStep::Call(op, args, _) => matches!(self.call(*op, args), Some(Ok(_))),
                BareStep::Drop(_) => true,
            };
            if !done {
                break;
            }
        }
        self.finish();
    }

    /// What a sequence comes to when nothing is checked any more: calls with
    /// their arguments, and drops where the loans ask for them.
    pub fn bare_steps(&mut self, sequence: &Sequence) -> Option<Vec<BareStep>> {
        let mut loans = Loans::default();
        let mut steps = vec![];
        let needs_drop = |tables: &[TypeTable], ty: TypeId| tables[ty.index()].needs_drop;
        for step in sequence.steps() {
            match step {
                Step::Literal(ty, literal) => {
                    let pool = &mut self.pool[ty.index()];
                    let at = pool.iter().position(|pooled| pooled.literal == *literal);
                    // A text that was put together joins those of the plan.
                    let at = at.unwrap_or_else(|| {
                        pool.push(Pooled::new(*ty, self.kinds[ty.index()], literal));
                        pool.len() - 1
                    });
                    steps.push(BareStep::Literal(*ty, at));
                    loans.push(*ty);
                }
                Step::Call(op, back) => {
                    let here = loans.len() as u32;
                    let args: Vec<u32> = back.iter().map(|distance| here - distance).collect();
                    let signature = &self.signatures[op.index()];
                    let ended = loans.access(signature, &args).ok()?.to_vec();
                    for slot in ended {
                        if needs_drop(self.tables, loans.ty(slot)) {
                            steps.push(BareStep::Drop(slot));
                        }
                    }
                    let through = signature.inputs.iter().zip(&args);
                    let through = through.map(|(input, arg)| loans.ty(*arg) != input.ty).collect();
                    loans.commit(signature, &args);
                    steps.push(BareStep::Call(*op, args, through));
                }
            }
        }
        let mut order = loans.close_scope();
        order.extend((0..loans.len() as u32).rev().filter(|slot| loans.is_live(*slot)));
        let droppable = order.into_iter().filter(|slot| needs_drop(self.tables, loans.ty(*slot)));
        steps.extend(droppable.map(BareStep::Drop));
        Some(steps)
    }
}
