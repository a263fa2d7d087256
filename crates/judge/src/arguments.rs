//! What the test itself says about where to look.

use crate::guesses::{bits, is_large, names_a_place, names_an_index_or_size};
use testsmith_model::operation::{Input, Mode, OperationKind};
use testsmith_model::outcome::Value;
use testsmith_model::sequence::Literal;
use testsmith_model::ty::Ty;
use testsmith_model::{Plan, Sequence, Step};

/// The integers among the arguments of the step `here`, as far as they are known.
pub(crate) fn numbers(sequence: &Sequence, here: usize, seen: &[Value]) -> Vec<i128> {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let args = steps.get(here).into_iter().flat_map(|step| step.args(here));
    args.filter_map(|arg| number(steps[arg], seen.get(arg))).collect()
}

/// The integer that a step is, or made, as far as that was seen.
pub(crate) fn number(step: &Step, seen: Option<&Value>) -> Option<i128> {
    match step {
        Step::Literal(_, Literal::Int(number)) => Some(*number),
        Step::Literal(..) => None,
        Step::Call(..) => seen?.text.as_ref()?.parse().ok(),
    }
}

/// The numbers with a fraction that the step `here` is given, as far as they are known.
pub(crate) fn floats(sequence: &Sequence, here: usize, seen: &[Value]) -> Vec<f64> {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let args = steps.get(here).into_iter().flat_map(|step| step.args(here));
    args.filter_map(|arg| match steps[arg] {
        Step::Literal(_, Literal::Float(bits)) => Some(f64::from_bits(*bits)),
        Step::Literal(..) => None,
        Step::Call(..) => {
            let text = seen.get(arg)?.text.as_ref()?;
            text.parse().ok().filter(|_| text.contains(['.', 'N', 'i', 'e']))
        }
    })
    .collect()
}

/// The numbers with a fraction in the lists that the step `here` is given, where the test has spelled
/// them.
pub(crate) fn floats_in_lists(plan: &Plan, sequence: &Sequence, here: usize) -> Vec<f64> {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let mut open: Vec<usize> = steps.get(here).into_iter().flat_map(|it| it.args(here)).collect();
    let mut floats = vec![];
    // Arguments come before their uses, so this ends.
    while let Some(slot) = open.pop() {
        match steps[slot] {
            Step::Literal(_, Literal::Float(bits)) => floats.push(f64::from_bits(*bits)),
            Step::Call(op, _) if plan.operation(*op).kind == OperationKind::Builder => {
                open.extend(steps[slot].args(slot));
            }
            Step::Literal(..) | Step::Call(..) => {}
        }
    }
    floats
}

/// Whether the step `here`, or one that it was made from, was given a number that is none, or has
/// no end, or has none as soon as it is multiplied by itself, as far as that was seen; or what a call
/// gave that is documented to give such.
pub(crate) fn is_given_nan(plan: &Plan, sequence: &Sequence, here: usize, seen: &[Value]) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let is_nan = |slot: usize| match steps[slot] {
        Step::Literal(ty, Literal::Float(bits)) => {
            let number = f64::from_bits(*bits);
            match plan.ty(*ty).ty == Ty::prim("f32") {
                true => !(number as f32).powi(2).is_finite(),
                false => !number.powi(2).is_finite(),
            }
        }
        Step::Literal(..) => false,
        Step::Call(op, _) => {
            let is_float = matches!(&plan.ty(steps[slot].ty(plan)).ty,
                Ty::Prim(name) if name.starts_with('f'));
            let text = seen.get(slot).and_then(|value| value.text.as_deref());
            let shows = is_float && matches!(text, Some("NaN" | "inf" | "-inf"));
            shows || plan.operation(*op).docs.gives_nan
        }
    };
    let makers = made_from(&steps, here);
    (0..steps.len()).any(|slot| makers[slot] && is_nan(slot))
}

/// Whether the step `here` gives an integer, and one of its arguments shows numbers whose
/// product may not fit that.
pub(crate) fn hold_large_numbers(
    plan: &Plan,
    sequence: &Sequence,
    here: usize,
    seen: &[Value],
) -> bool {
    let Some(step) = sequence.steps().nth(here).filter(|_| !seen.is_empty()) else {
        return false;
    };
    let output = &plan.ty(step.ty(plan)).ty;
    let texts = step.args(here).filter_map(|arg| seen.get(arg)?.text.as_ref());
    bits(output).is_some()
        && texts.flat_map(|text| text.split(|c: char| !c.is_ascii_digit())).any(|digits| {
            // What is longer than any number of Rust is large.
            !digits.is_empty() && digits.parse().map_or(true, |number| is_large(number, output))
        })
}

/// The steps that the arguments of the step `here` were made by, and theirs.
pub(crate) fn makers(sequence: &Sequence, here: usize) -> Vec<&Step> {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let is_maker = made_from(&steps, here);
    steps.into_iter().zip(is_maker).filter(|(_, maker)| *maker).map(|(step, _)| step).collect()
}

/// Per step: whether the step `here` was made from it, however far back.
pub(crate) fn made_from(steps: &[&Step], here: usize) -> Vec<bool> {
    let mut is_maker = vec![false; steps.len()];
    for at in (0..steps.len().min(here + 1)).rev() {
        if at == here || is_maker[at] {
            steps[at].args(at).for_each(|arg| is_maker[arg] = true);
        }
    }
    is_maker
}

/// Whether a call before the step `here` was given a number near the end of its type, as the
/// place to begin at or as a public field.
pub(crate) fn near_the_end(plan: &Plan, sequence: &Sequence, here: usize, seen: &[Value]) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here).collect();
    let is_near = |arg: usize| {
        let bits = bits(&plan.ty(steps[arg].ty(plan)).ty);
        let number = number(steps[arg], seen.get(arg));
        number.zip(bits).is_some_and(|(number, bits)| number.unsigned_abs() >> (bits - 2) > 0)
    };
    steps.iter().enumerate().any(|(at, step)| {
        let Step::Call(op, _) = step else { return false };
        let operation = plan.operation(*op);
        let is_place = |input: &Input| {
            let ty = &plan.ty(input.ty).ty;
            operation.kind == OperationKind::Constructor
                || matches!(ty, Ty::Prim(name) if name == "usize" || name == "isize")
                || names_an_index_or_size(&input.name)
        };
        step.args(at).zip(&operation.inputs).any(|(arg, input)| is_near(arg) && is_place(input))
    })
}

/// Whether the first argument of the step `here` was handed to a call before, which could only
/// look at it.
pub(crate) fn is_shared_before(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let Some(value) = steps.get(here).and_then(|step| step.args(here).next()) else { return false };
    steps.iter().enumerate().take(here).any(|(at, step)| {
        let Step::Call(op, _) = step else { return false };
        let mut given = step.args(at).zip(&plan.operation(*op).inputs);
        given.any(|(arg, input)| arg == value && input.mode == Mode::Shared)
    })
}

/// What a call is given by reference, without the reference.
fn looked_at<'p>(plan: &'p Plan, input: &Input) -> Option<&'p Ty> {
    match &plan.ty(input.ty).ty {
        Ty::Ref { inner, .. } => Some(inner),
        ty => (input.mode != Mode::Own).then_some(ty),
    }
}

/// Per step up to `here`: whether it was given a key that nobody has given out,
/// alone or inside of something else. Such a key is made of literals and
/// constants alone, or of numbers that something told which has nothing to do with what it is used
/// with; whoever gives out keys is asked by reference, and is a value of the crate that is no such
/// key itself.
pub(crate) fn made_up_keys(plan: &Plan, sequence: &Sequence, here: usize) -> Vec<bool> {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let mut made_up: Vec<bool> = vec![];
    let mut keys = vec![];
    for (at, step) in steps.iter().enumerate() {
        let Step::Call(op, _) = step else {
            made_up.push(true);
            keys.push(false);
            continue;
        };
        let operation = plan.operation(*op);
        let is_key =
            |input: &Input| operation.docs.ids.contains(&input.name) || names_a_place(&input.name);
        let own = format!("{}::", plan.krate);
        let gives_out = |input: &Input| {
            let is_own = |ty: &Ty| ty.path().is_some_and(|path| path.starts_with(&own));
            let asked = looked_at(plan, input).filter(|ty| ty.any(is_own));
            asked.is_some_and(|ty| *ty != plan.ty(operation.output).ty)
        };
        let mut given = step.args(at).zip(&operation.inputs);
        keys.push(given.any(|(arg, input)| {
            is_key(input) && (made_up[arg] || is_told_elsewhere(plan, &steps, at, arg))
        }));
        let made_of_such = step.args(at).all(|arg| made_up[arg]);
        // What a value looks like is no key of it.
        let shows = ["std::fmt::Debug", "std::fmt::Display"]
            .iter()
            .any(|trait_| operation.callee.is_trait_member(trait_, "fmt"));
        made_up.push(shows || made_of_such && !operation.inputs.iter().any(gives_out));
    }
    keys
}

/// Whether an argument of the step `at` was made of a number that a value of the crate told which
/// has no part in what else the step is given.
fn is_told_elsewhere(plan: &Plan, steps: &[&Step], at: usize, arg: usize) -> bool {
    let own = format!("{}::", plan.krate);
    let is_own = |slot: usize| {
        plan.ty(steps[slot].ty(plan)).ty.any(|ty| ty.path().is_some_and(|it| it.starts_with(&own)))
    };
    let wholes: Vec<usize> =
        steps[at].args(at).filter(|other| *other != arg && is_own(*other)).collect();
    let parts = made_from(steps, arg);
    let mut of_wholes: Vec<bool> = vec![false; steps.len()];
    for whole in &wholes {
        let makers = made_from(steps, *whole);
        of_wholes.iter_mut().zip(makers).for_each(|(one, other)| *one |= other);
        of_wholes[*whole] = true;
    }
    let tells = |slot: usize| {
        let number = bits(&plan.ty(steps[slot].ty(plan)).ty).is_some();
        number && steps[slot].args(slot).any(is_own)
    };
    let is_part = |slot: usize| slot == arg || parts[slot];
    !wholes.is_empty()
        && (0..=arg).any(|slot| is_part(slot) && tells(slot))
        && !(0..=arg).any(|slot| is_part(slot) && is_own(slot) && of_wholes[slot])
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::operation::{Operation, TypeInfo};
    use testsmith_model::{OpId, TypeId};

    const NUMBER: TypeId = TypeId(0);
    const ADD: OpId = OpId(0);
    const GIVE: OpId = OpId(1);
    const TAKE: OpId = OpId(2);
    const COPY: OpId = OpId(3);
    const MAKE: OpId = OpId(4);
    const GRAPH: TypeId = TypeId(1);

    /// `add(Number, Number) -> Number`, `give(&Graph) -> Number`, `take` with
    /// a key, `copy(&Number) -> Number` and `make() -> Graph`.
    fn plan() -> Plan {
        let number = TypeInfo::owned(Ty::prim("u8"), Default::default());
        let operation = Operation::of_types;
        let mut take = operation(&[(NUMBER, Mode::Own)], NUMBER);
        take.inputs[0].name = "node".to_owned();
        let operations = vec![
            operation(&[(NUMBER, Mode::Own), (NUMBER, Mode::Own)], NUMBER),
            operation(&[(GRAPH, Mode::Shared)], NUMBER),
            take,
            operation(&[(NUMBER, Mode::Shared)], NUMBER),
            operation(&[], GRAPH),
        ];
        let graph = TypeInfo::owned(Ty::adt("a::Graph", vec![]), Default::default());
        Plan { krate: "a".to_owned(), types: vec![number, graph], operations, ..Plan::default() }
    }

    /// Whether the last step of these was given a made-up key.
    fn is_made_up(steps: Vec<Step>) -> bool {
        let last = steps.len() - 1;
        made_up_keys(&plan(), &Sequence::from_steps(steps), last)[last]
    }

    #[test]
    fn a_number_without_end_is_one_in_its_own_type() {
        let float = |name: &str| TypeInfo::owned(Ty::prim(name), Default::default());
        let operations = vec![Operation::of_types(&[(TypeId(0), Mode::Own)], TypeId(0))];
        let is_given = |name: &str, number: f64| {
            let types = vec![float(name)];
            let plan = Plan { types, operations: operations.clone(), ..Plan::default() };
            let literal = Step::Literal(TypeId(0), Literal::Float(number.to_bits()));
            let steps = vec![literal, Step::Call(OpId(0), [1].into())];
            is_given_nan(&plan, &Sequence::from_steps(steps), 1, &[])
        };
        assert!(is_given("f64", f64::NAN) && is_given("f64", 1e200) && is_given("f32", f64::MAX));
        assert!(!is_given("f64", 1e100) && is_given("f32", 1e100) && !is_given("f32", 1e10));
    }

    #[test]
    fn what_a_list_holds_is_given_and_what_a_value_was_made_of_is_not() {
        let float = TypeInfo::owned(Ty::prim("f64"), Default::default());
        let operation = || Operation::of_types(&[(TypeId(0), Mode::Own)], TypeId(0));
        let list = Operation { kind: OperationKind::Builder, ..operation() };
        let operations = vec![list, operation()];
        let plan = Plan { types: vec![float], operations, ..Plan::default() };
        let floats = |made_by: u32| {
            let literal = Step::Literal(TypeId(0), Literal::Float((-2.0_f64).to_bits()));
            let (made, given) = (Step::Call(OpId(made_by), [1].into()), [1].into());
            let steps = vec![literal, made, Step::Call(OpId(1), given)];
            floats_in_lists(&plan, &Sequence::from_steps(steps), 2)
        };
        assert_eq!((floats(0), floats(1)), (vec![-2.0], vec![]));
    }

    #[test]
    fn a_key_is_made_up_unless_somebody_gave_it_out() {
        let literal = || Step::Literal(NUMBER, Literal::Int(1));
        let call = |op: OpId, back: &[u32]| Step::Call(op, back.into());
        assert!(is_made_up(vec![literal(), call(TAKE, &[1])]));
        assert!(!is_made_up(vec![call(MAKE, &[]), call(GIVE, &[1]), call(TAKE, &[1])]));
        // A copy of what is made up is made up.
        assert!(is_made_up(vec![literal(), call(COPY, &[1]), call(TAKE, &[1])]));
        // However often a value is used, it is looked at once.
        let mut long = vec![literal()];
        long.extend((0..100).map(|_| call(ADD, &[1, 1])));
        long.push(call(TAKE, &[1]));
        assert!(is_made_up(long));
    }
}
