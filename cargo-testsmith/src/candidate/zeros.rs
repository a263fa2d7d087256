//! Whether one of several zeros that a call was given is what something was divided by: then it
//! fails with that zero alone, whatever the other numbers are.

use super::Workers;
use testsmith_lab::Error;
use testsmith_model::outcome::{Ending, Outcome};
use testsmith_model::sequence::Literal;
use testsmith_model::{Edit, EditStep, Plan, Sequence};

impl Workers<'_> {
    /// Whether a call that was given several zeros also fails with one of them and ones in the
    /// place of the others.
    pub(super) fn is_divided_by_one_zero(
        &mut self,
        plan: &Plan,
        sequence: &Sequence,
        outcome: &Outcome,
    ) -> Result<bool, Error> {
        let here = outcome.step as usize;
        let edit = Edit::of(sequence);
        let Some(step) = edit.steps.get(here) else { return Ok(false) };
        let args = step.args().iter().enumerate();
        let zeros: Vec<usize> =
            args.filter(|(_, arg)| is_zero(&edit.steps[**arg as usize])).map(|(n, _)| n).collect();
        for kept in zeros.iter().filter(|_| zeros.len() > 1) {
            let others = zeros.iter().filter(|n| *n != kept);
            let mut edit = edit.clone();
            let mut here = here;
            for n in others {
                let arg = edit.steps[here].args()[*n];
                let ty = edit.steps[arg as usize].ty(plan);
                let one = Edit { steps: vec![EditStep::Literal(ty, Literal::Int(1))] };
                edit = edit.after(one);
                here += 1;
                edit = edit.replace_argument(here, *n, 0);
            }
            let Ok(varied) = edit.build(plan) else { continue };
            let again = match self.checked.run(&varied, false) {
                Err(Error::Worker(_)) => continue,
                again => again?,
            };
            if is_same(&again.ending, &outcome.ending) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn is_zero(step: &EditStep) -> bool {
    matches!(step, EditStep::Literal(_, Literal::Int(0)))
}

/// The same words; which line says them may differ where a macro wrote it.
fn is_same(one: &Ending, other: &Ending) -> bool {
    match (one, other) {
        (Ending::Panicked(one), Ending::Panicked(other)) => one.message == other.message,
        _ => false,
    }
}
