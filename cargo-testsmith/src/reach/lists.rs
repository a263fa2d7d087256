//! Lists of more elements than random search makes.
//!
//! A plan makes short vectors element by element, because random search gains nothing by
//! longer ones. A state may ask for more, so a search over contracts adds ways to make them
//! to its own copy of the plan; no other command sees them.

use testsmith_model::call::Form;
use testsmith_model::operation::{MAX_INPUTS, Operation};
use testsmith_model::{Call, Plan};

/// Two vectors, one behind the other.
pub(super) const JOINED: &str = "Vec::into_iter({0}).chain({1}).collect::<Vec<_>>()";
const JOINED_SHOWN: &str = "{.0}.into_iter().chain({1}).collect::<Vec<_>>()";

/// Adds ways to make longer vectors of whatever the plan makes vectors of.
pub(super) fn extend(plan: &mut Plan) {
    let longest = |operation: &&Operation| {
        elements(operation).is_some_and(|count| count == operation.inputs.len() && count > 1)
            && operation.flows.is_empty()
            && operation.acquires.is_empty()
    };
    let mut found: Vec<Operation> = vec![];
    for operation in plan.operations.iter().filter(longest) {
        match found.iter_mut().find(|known| known.output == operation.output) {
            Some(known) if known.inputs.len() < operation.inputs.len() => {
                *known = operation.clone()
            }
            Some(_) => {}
            None => found.push(operation.clone()),
        }
    }
    for known in found {
        for count in known.inputs.len() + 1..=MAX_INPUTS {
            let text = written(count);
            let inputs = vec![known.inputs[0].clone(); count];
            let call = Call::template(&text, &text);
            plan.operations.push(Operation { call, inputs, ..known.clone() });
        }
        let mut inputs = vec![known.inputs[0].clone(); 2];
        inputs.iter_mut().for_each(|input| input.ty = known.output);
        let call = Call::template(JOINED, JOINED_SHOWN);
        plan.operations.push(Operation { call, inputs, ..known.clone() });
    }
}

/// Whether an operation is one of those.
pub(crate) fn is_added(operation: &Operation) -> bool {
    let is_joined = matches!(&operation.call.form, Form::Template { full, .. } if full == JOINED);
    is_joined || elements(operation).is_some_and(|count| count > testsmith_plan::MAX_ELEMENTS)
}

/// How many elements a vector has that is written with all of them.
fn elements(operation: &Operation) -> Option<usize> {
    let Form::Template { full, .. } = &operation.call.form else { return None };
    (1..=MAX_INPUTS).find(|count| *full == written(*count))
}

fn written(count: usize) -> String {
    super::realise::listed("vec![", count, "]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::operation::{Input, Mode};
    use testsmith_model::{Callee, TypeId};

    #[test]
    fn ways_to_make_longer_lists_are_added_and_known_again() {
        let (item, list) = (TypeId(0), TypeId(1));
        let input = Input { name: String::new(), ty: item, mode: Mode::Own };
        let vector = |count: usize| Operation {
            inputs: vec![input.clone(); count],
            ..Operation::aside(Callee::item(""), Call::template(&written(count), ""), list)
        };
        let mut plan = Plan { operations: vec![vector(3), vector(4)], ..Plan::default() };
        extend(&mut plan);
        assert_eq!(plan.operations.len(), 2 + (MAX_INPUTS - 4) + 1);
        let added: Vec<bool> = plan.operations.iter().map(is_added).collect();
        assert!(!added[0] && !added[1] && added[2..].iter().all(|added| *added));
        let joined = plan.operations.last().expect("there is one");
        assert!(joined.inputs.iter().all(|input| input.ty == list));
    }
}
