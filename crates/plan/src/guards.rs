//! Guards: asking for the preconditions of a call before it is made.
//!
//! A function with a contract has a companion that takes every parameter by
//! shared reference. It is written here with the arguments of the call, and
//! the compiler is asked about it apart from the call: a guard that does not
//! compile is left out, and then the call itself finds out, by a panic.

use crate::draft::{Draft, form_of};
use testsmith_model::api::{Callable, guard_name};
use testsmith_model::call::{Placeholder, fill};
use testsmith_model::operation::{Input, Mode};
use testsmith_model::ty::{Substitution, Ty};
use testsmith_model::{Call, Callee};

/// The guard of a call with these arguments, if its callable has a companion
/// and each argument can be shown to it without being given away.
pub fn guard(
    callable: &Callable,
    with: &Substitution,
    arguments: &[String],
    inputs: &[Input<Ty>],
) -> Option<Call> {
    if !callable.guarded {
        return None;
    }
    let declared = callable.inputs.iter().map(|(_, ty)| ty);
    let arguments: Option<Vec<String>> = declared
        .zip(arguments)
        .map(|(ty, argument)| shown(matches!(ty, Ty::Ref { .. }), argument, inputs))
        .collect();
    let callee = callable.callee.renamed(&guard_name(callable.callee.name()));
    let companion = Callable { callee, ..callable.clone() };
    Some(Call::new(form_of(&companion, with), arguments?))
}

/// How the companion gets to see an argument. A parameter that is a reference
/// stays one, shared; any other becomes a reference to what it was.
fn shown(by_reference: bool, argument: &str, inputs: &[Input<Ty>]) -> Option<String> {
    let mut placeholders = vec![];
    fill(argument, &mut |placeholder, _| placeholders.push(placeholder));
    match placeholders.as_slice() {
        [] => Some(if by_reference { argument.to_owned() } else { format!("&({argument})") }),
        [Placeholder::Argument(n)] if argument == format!("{{{n}}}") => {
            let sign = match (by_reference, inputs[*n].mode) {
                (true, Mode::Shared | Mode::Exclusive) | (false, Mode::Own) => "",
                (true, Mode::Own) => "*",
                (true, Mode::Reborrow) => "&**",
                (false, Mode::Shared) => "&",
                (false, Mode::Exclusive | Mode::Reborrow) => return None,
            };
            Some(format!("{sign}{argument}"))
        }
        _ => None,
    }
}

/// Compiles if the guard of the draft does; never becomes an operation.
pub fn question(draft: &Draft) -> Option<Draft> {
    let call = format!("{}.is_ok()", draft.guard.as_ref()?.full());
    let looked_at = |input: &Input<Ty>| Input { mode: Mode::Shared, ..input.clone() };
    let makes = Ty::prim("bool");
    Some(Draft {
        inputs: draft.inputs.iter().map(looked_at).collect(),
        ..Draft::aside(
            Callee::Builder { makes: makes.clone() },
            Call::template(&call, &call),
            makes,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_shown_to_a_guard_and_not_given_away() {
        let input = |ty: Ty, mode| Input { name: "x".to_owned(), ty, mode };
        let inputs = [
            input(Ty::prim("u8"), Mode::Own),
            input(Ty::prim("u8"), Mode::Exclusive),
            input(Ty::shared(Ty::prim("str")), Mode::Own),
            input(Ty::exclusive(Ty::Slice(Box::new(Ty::prim("u8")))), Mode::Reborrow),
        ];
        let shown = |by_reference, argument| shown(by_reference, argument, &inputs);
        assert_eq!(shown(false, "{0}").as_deref(), Some("{0}"));
        assert_eq!(shown(true, "{1}").as_deref(), Some("{1}"));
        assert_eq!(shown(true, "{2}").as_deref(), Some("*{2}"));
        assert_eq!(shown(true, "{3}").as_deref(), Some("&**{3}"));
        assert_eq!(shown(false, "|_| true").as_deref(), Some("&(|_| true)"));
        assert_eq!(shown(false, "Box::new({0})"), None, "that would move it");
    }
}
