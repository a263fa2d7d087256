//! What was learned, as the store takes it.

use super::{Fate, Learned, Tried};
use crate::keep::steps;
use std::collections::HashMap;
use testsmith_infer::Contract;
use testsmith_model::observation::Occasion;
use testsmith_model::{Plan, Sequence};
use testsmith_store::{Object, Observation, Seen, Transition, Value};

/// Objects that one run hands over, and what is said of them.
const MAX_OBJECTS: usize = 1000;
const MAX_OBSERVATIONS: usize = 10_000;

/// The objects that were looked at, with all that was said of them.
pub(crate) fn seen(plan: &Plan, learned: &Learned) -> Seen {
    let mut seen = Seen::default();
    let mut numbers: HashMap<(String, u32), usize> = HashMap::new();
    let mut texts: HashMap<&Sequence, String> = HashMap::new();
    let mut values = learned.data.values();
    // Those with one value first: what is known of an object stands there in full.
    values.sort_by_key(|looked| (looked.slots.len(), looked.sequence.len()));
    for looked in values {
        if seen.objects.len() >= MAX_OBJECTS || seen.observations.len() >= MAX_OBSERVATIONS {
            break;
        }
        let text = texts.entry(looked.sequence).or_insert_with(|| steps(plan, looked.sequence));
        let mut objects = vec![];
        for (slot, ty) in looked.slots.iter().zip(looked.types) {
            let next = seen.objects.len();
            let number = *numbers.entry((text.clone(), *slot)).or_insert(next);
            if number == next {
                let value = Value { steps: text.clone(), slot: *slot };
                let ty = plan.ty(*ty).ty.to_string();
                let answers = looked.answers.iter().filter(|(_, about, _)| about == &[0]);
                let identity: Vec<String> =
                    answers.map(|(predicate, _, value)| format!("{predicate}={value}")).collect();
                let identity = if objects.is_empty() { identity.join(" ") } else { String::new() };
                seen.objects.push(Object { value, ty, identity });
            }
            objects.push(number);
        }
        for (predicate, about, value) in looked.answers {
            // Of a pair, only what is about both is new.
            if about.len() == objects.len() {
                let other = about.get(1).map(|n| objects[*n]);
                let (object, moment) = (objects[about[0]], "end".to_owned());
                let call = String::new();
                seen.observations.push(Observation {
                    predicate,
                    object,
                    other,
                    value,
                    moment,
                    call,
                });
            }
        }
    }
    let transition = |((op, predicate, was, became), times)| Transition {
        operation: plan.operation(op).path(),
        predicate,
        was,
        became,
        times,
    };
    seen.transitions = learned.data.transitions().into_iter().map(transition).collect();
    seen
}

/// The clauses with what became of them.
pub(crate) fn contracts(plan: &Plan, learned: &Learned) -> Vec<testsmith_store::Contract> {
    let told = |(contract, tried, fate): &(Contract, Tried, Fate)| testsmith_store::Contract {
        operation: match learned.data.occasion(contract) {
            Occasion::Call { op } | Occasion::Pair { second: op, .. } => {
                plan.operation(*op).call.full()
            }
            Occasion::Values { types } => {
                let names: Vec<String> =
                    types.iter().map(|ty| plan.ty(*ty).ty.to_string()).collect();
                names.join(", ")
            }
        },
        kind: contract.clause.kind.word().to_owned(),
        clause: learned.data.words(contract),
        support: contract.support,
        tried: tried.calls,
        fate: fate.word().to_owned(),
    };
    learned.contracts.iter().map(told).collect()
}
