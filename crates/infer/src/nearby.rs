//! Sequences that are like another but for one thing: what is beside an exception shows
//! where it begins and where it ends.

use testsmith_model::sequence::Literal;
use testsmith_model::{Edit, EditStep, Mode, OpId, Plan, Sequence};

/// Sequences like this one, with the same last call: one literal a little larger or
/// smaller, one step less, one step twice, or one more call on what the last call is made on.
pub fn nearby(plan: &Plan, sequence: &Sequence) -> Vec<Sequence> {
    let edit = Edit::of(sequence);
    let Some(last) = edit.len().checked_sub(1) else { return vec![] };
    let edit = edit.needed(plan, last);
    let last = edit.len() - 1;
    let mut all: Vec<Edit> = vec![edit.clone()];
    for (n, step) in edit.steps.iter().enumerate() {
        let EditStep::Literal(ty, literal) = step else { continue };
        for other in others(literal) {
            let mut changed = edit.clone();
            changed.steps[n] = EditStep::Literal(*ty, other);
            all.push(changed);
        }
    }
    for n in (0..last).rev() {
        all.extend(edit.without(n..n + 1).map(|less| less.without_unused(plan)));
    }
    for n in (0..last).filter(|n| matches!(edit.steps[*n], EditStep::Call(..))) {
        all.push(inserted(&edit, n + 1, edit.steps[n].clone()));
    }
    if let Some(receiver) = edit.steps[last].args().first().copied() {
        let ty = edit.steps[receiver as usize].ty(plan);
        let changes = |op: &OpId| match plan.operation(*op).inputs.as_slice() {
            [only] => only.ty == ty && only.mode == Mode::Exclusive,
            _ => false,
        };
        for op in plan.op_ids().filter(changes) {
            all.push(inserted(&edit, last, EditStep::Call(op, vec![receiver])));
        }
    }
    all.iter().filter_map(|edit| edit.build(plan).ok()).collect()
}

/// With one more step at this place, whose value nobody uses.
fn inserted(edit: &Edit, at: usize, step: EditStep) -> Edit {
    let moved = |step: &EditStep| match step {
        EditStep::Call(op, args) => {
            let later = |arg: &u32| if *arg as usize >= at { arg + 1 } else { *arg };
            EditStep::Call(*op, args.iter().map(later).collect())
        }
        literal => literal.clone(),
    };
    let mut steps = edit.steps[..at].to_vec();
    steps.push(step);
    steps.extend(edit.steps[at..].iter().map(moved));
    Edit { steps }
}

fn others(literal: &Literal) -> Vec<Literal> {
    match literal {
        Literal::Int(n) => {
            let near = [n.checked_sub(1), n.checked_add(1)].into_iter().flatten();
            near.map(Literal::Int).collect()
        }
        Literal::Bool(yes) => vec![Literal::Bool(!yes)],
        Literal::Char(_) | Literal::Float(_) | Literal::Str(_) => vec![],
    }
}
