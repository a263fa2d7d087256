//! Objects that calls have made before, to begin with.
//!
//! What led to one goal may be where the next one begins: a playlist with a clip in it, for
//! whoever needs a playlist. Such a component is one more function without arguments in the
//! system, and what its object was seen to answer is all that is known of it. What a search
//! finds by it is made *flat* before anyone else sees it: the calls in its place, with
//! objects of their own.

use super::describe::Description;
use super::native::Native;
use anyhow::Result;
use std::collections::BTreeSet;
use testsmith_reach::{
    Argument, Call, Concrete, FnId, Found, Function, Prediction, Seen, Sort, System, TypeId,
};

/// Components of one type.
const MAX_OF_A_TYPE: usize = 8;
/// Calls of one component.
const MAX_CALLS: usize = 40;

/// Calls, and one of the objects that are there after them.
#[derive(Clone, Debug)]
pub(super) struct Component {
    calls: Vec<Call>,
    /// The types of all objects.
    objects: Vec<TypeId>,
    object: usize,
    seen: Vec<Seen>,
}

impl Component {
    fn ty(&self) -> TypeId {
        self.objects[self.object]
    }
}

/// What a search found, without components.
pub(super) struct Flat {
    pub(super) found: Found,
    /// The objects of the search; behind them are those inside of components.
    pub(super) own: usize,
    /// By the number of calls of the search, that of the flat ones.
    ends: Vec<usize>,
}

impl Flat {
    /// How many calls of the search these are; none inside of a component.
    pub(super) fn calls_of_search(&self, flat: usize) -> Option<usize> {
        self.ends.iter().position(|end| *end == flat)
    }

    /// The call of the search that a flat one belongs to.
    pub(super) fn call_of_search(&self, flat: usize) -> usize {
        let end = self.ends.iter().position(|end| *end > flat);
        end.unwrap_or(self.ends.len()).saturating_sub(1)
    }
}

impl Description {
    /// The same with more components to begin with.
    pub(super) fn with(&self, components: &[Component]) -> Description {
        let mut system = System { seen: Default::default(), ..self.system.clone() };
        system.functions.truncate(self.operations.len());
        for component in components {
            system.seen.insert(system.functions.len(), component.seen.clone());
            let name = "an object that was made before";
            let ret = Sort::Object(component.ty());
            system.functions.push(Function::new(name, None, vec![], ret));
        }
        let (operations, components) = (self.operations.clone(), components.to_vec());
        Description { system, operations, components }
    }

    fn component(&self, function: FnId) -> Option<&Component> {
        self.components.get(function.checked_sub(self.operations.len())?)
    }

    /// The calls that are really made.
    pub(super) fn flat(&self, found: &Found) -> Flat {
        let mut objects = found.objects.clone();
        let mut calls = vec![];
        let mut ends = vec![0];
        for call in &found.calls {
            match (self.component(call.function), call.makes) {
                (Some(component), Some(slot)) => {
                    let first = objects.len();
                    objects.extend(&component.objects);
                    let place = |object: usize| match object == component.object {
                        true => slot,
                        false => first + object,
                    };
                    calls.extend(component.calls.iter().map(|call| moved(call, &place)));
                }
                _ => calls.push(call.clone()),
            }
            ends.push(calls.len());
        }
        let predictions = found.predictions.iter().map(|prediction| {
            let after = ends.get(prediction.after).copied().unwrap_or(calls.len());
            Prediction { after, ..prediction.clone() }
        });
        let predictions = predictions.collect();
        let assumed = found.assumed.iter().copied();
        let assumed = assumed.filter(|(by, _)| self.component(*by).is_none()).collect();
        let own = found.objects.len();
        let found =
            Found { calls, objects, predictions, assumed, goal: found.goal.clone(), ..*found };
        Flat { found, own, ends }
    }
}

/// A call with its objects elsewhere.
fn moved(call: &Call, place: &dyn Fn(usize) -> usize) -> Call {
    let argument = |argument: &Argument| match argument {
        Argument::Object(object) => Argument::Object(place(*object)),
        value => value.clone(),
    };
    Call {
        function: call.function,
        arguments: call.arguments.iter().map(argument).collect(),
        makes: call.makes.map(place),
    }
}

/// Components as they come, of each type those that differ in outline.
#[derive(Default)]
pub(super) struct Components(pub(super) Vec<Component>);

impl Components {
    /// Takes the objects that are there after a goal was reached, and after the call that it
    /// was the precondition of.
    pub(super) fn take(
        &mut self,
        native: &mut Native<'_>,
        found: &Found,
        goal: Option<FnId>,
    ) -> Result<()> {
        self.take_all(native, &found.calls, &found.objects)?;
        if let Some(function) = goal {
            let made = native.description.system.functions[function].ret.made_object();
            let mut objects = found.objects.clone();
            objects.extend(made.map(|(ty, _)| ty));
            let makes = made.map(|_| found.objects.len());
            let call = Call { function, arguments: found.goal.clone(), makes };
            let calls = [found.calls.as_slice(), &[call]].concat();
            self.take_all(native, &calls, &objects)?;
        }
        Ok(())
    }

    fn take_all(
        &mut self,
        native: &mut Native<'_>,
        calls: &[Call],
        objects: &[TypeId],
    ) -> Result<()> {
        if calls.is_empty() || calls.len() > MAX_CALLS {
            return Ok(());
        }
        for object in 0..objects.len() {
            let alike = self.0.iter().filter(|it| it.ty() == objects[object]);
            let others: BTreeSet<Vec<String>> = alike.map(|it| outline(&it.seen)).collect();
            if others.len() >= MAX_OF_A_TYPE {
                continue;
            }
            let Some(seen) = native.answers(calls, objects, object)? else { continue };
            if seen.is_empty() || others.contains(&outline(&seen)) {
                continue;
            }
            self.0.push(Component { seen, ..needed(calls, objects, object) });
        }
        Ok(())
    }
}

/// What tells states apart that are worth beginning with: which variants, and whether there is
/// anything, not how much.
fn outline(seen: &[Seen]) -> Vec<String> {
    seen.iter().map(|seen| rough(&seen.value)).collect()
}

fn rough(value: &Concrete) -> String {
    let text = |is_nothing: bool| if is_nothing { "nothing" } else { "something" }.to_owned();
    match value {
        Concrete::Int(number) => text(*number == 0),
        Concrete::Text(inner) => text(inner.is_empty()),
        Concrete::Seq(items) => text(items.is_empty()),
        Concrete::Option(inner) => text(inner.is_none()),
        Concrete::Result(result) => text(result.is_err()),
        Concrete::Enum { variant, .. } => variant.clone(),
        Concrete::Char(_) | Concrete::Float { .. } => text(false),
        other => other.to_string(),
    }
}

/// Without the calls and objects that one does not depend on.
fn needed(calls: &[Call], objects: &[TypeId], object: usize) -> Component {
    let mut wanted = BTreeSet::from([object]);
    let mut kept = vec![];
    for call in calls.iter().rev() {
        let given = call.arguments.iter().filter_map(|argument| match argument {
            Argument::Object(object) => Some(*object),
            Argument::Value(_) => None,
        });
        let touched: BTreeSet<usize> = given.chain(call.makes).collect();
        if !touched.is_disjoint(&wanted) {
            wanted.extend(touched);
            kept.push(call.clone());
        }
    }
    let wanted: Vec<usize> = wanted.into_iter().collect();
    let place = |object: usize| wanted.binary_search(&object).unwrap_or_default();
    Component {
        calls: kept.iter().rev().map(|call| moved(call, &place)).collect(),
        objects: wanted.iter().map(|object| objects[*object]).collect(),
        object: place(object),
        seen: vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::OpId;
    use testsmith_reach::{Mode, Param, TypeDef};

    const NEW: FnId = 0;
    const JOIN: FnId = 1;
    const COMPONENT: FnId = 2;

    /// Functions that make one and join two, and a component of one that another has joined.
    fn description() -> Description {
        let param = |name: &str, mode| Param { name: name.to_owned(), sort: Sort::Object(0), mode };
        let def = TypeDef { name: "Train".to_owned(), variants: None, invariants: vec![] };
        let params = vec![param("self", Mode::Exclusive), param("other", Mode::Own)];
        let system = System {
            types: vec![def],
            functions: vec![
                Function::new("new", Some(0), vec![], Sort::Object(0)),
                Function::new("join", Some(0), params, Sort::Unit),
            ],
            ..System::default()
        };
        let description =
            Description { system, operations: vec![OpId(0), OpId(1)], components: vec![] };
        let calls =
            vec![call(NEW, &[], Some(0)), call(NEW, &[], Some(1)), call(JOIN, &[1, 0], None)];
        description.with(&[Component { calls, objects: vec![0, 0], object: 1, seen: vec![] }])
    }

    fn call(function: FnId, given: &[usize], makes: Option<usize>) -> Call {
        let arguments = given.iter().map(|object| Argument::Object(*object)).collect();
        Call { function, arguments, makes }
    }

    fn flat(calls: Vec<Call>) -> Flat {
        description().flat(&Found {
            calls,
            objects: vec![0, 0],
            goal: vec![Argument::Object(0)],
            predictions: vec![],
            assumed: vec![],
            framed: true,
        })
    }

    #[test]
    fn the_calls_of_a_component_stand_in_its_place_with_objects_of_their_own() {
        let flat = flat(vec![
            call(COMPONENT, &[], Some(0)),
            call(COMPONENT, &[], Some(1)),
            call(JOIN, &[0, 1], None),
        ]);
        let wanted = [
            call(NEW, &[], Some(2)),
            call(NEW, &[], Some(0)),
            call(JOIN, &[0, 2], None),
            call(NEW, &[], Some(4)),
            call(NEW, &[], Some(1)),
            call(JOIN, &[1, 4], None),
            call(JOIN, &[0, 1], None),
        ];
        assert_eq!(flat.found.calls, wanted);
        assert_eq!((flat.own, flat.found.objects.len()), (2, 6));
    }

    #[test]
    fn a_place_among_the_calls_is_found_in_those_of_the_search() {
        let flat = flat(vec![call(COMPONENT, &[], Some(0)), call(JOIN, &[0, 1], None)]);
        let places: Vec<Option<usize>> = (0..=4).map(|at| flat.calls_of_search(at)).collect();
        assert_eq!(places, [Some(0), None, None, Some(1), Some(2)]);
        let calls: Vec<usize> = (0..4).map(|at| flat.call_of_search(at)).collect();
        assert_eq!(calls, [0, 0, 0, 1]);
    }

    #[test]
    fn a_component_has_only_the_calls_that_its_object_needs() {
        let calls = [
            call(NEW, &[], Some(0)),
            call(NEW, &[], Some(1)),
            call(NEW, &[], Some(2)),
            call(JOIN, &[2, 1], None),
        ];
        let component = needed(&calls, &[0, 0, 0], 2);
        let wanted = [call(NEW, &[], Some(0)), call(NEW, &[], Some(1)), call(JOIN, &[1, 0], None)];
        assert_eq!((component.calls.as_slice(), component.object), (&wanted[..], 1));
        assert_eq!(component.objects.len(), 2);
    }
}
