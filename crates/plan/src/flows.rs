//! Which borrows run from the arguments of a call into its result.
//!
//! Works on signatures before lifetimes are erased. Where the signature leaves
//! doubt, everything that could flow does.

use testsmith_model::api::Generics;
use testsmith_model::operation::{Acquire, Flow, FlowKind};
use testsmith_model::ty::{Arg, Lifetime, Ty};

/// The borrows of one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flows {
    pub flows: Vec<Flow>,
    pub acquires: Vec<Acquire>,
    /// An argument is `&'a mut X<'a>`: borrowed by itself for ever.
    pub borrows_itself: bool,
}

/// The lifetimes of one input. Elided ones get a name of their own.
struct InputLifetimes {
    top: Option<(String, bool)>,
    nested: Vec<String>,
}

/// `is_method` says that the first input is `self`; `hidden` that the result
/// has lifetimes which its type does not show.
pub fn of_signature(
    inputs: &[Ty],
    output: &Ty,
    generics: &[Generics],
    is_method: bool,
    hidden: bool,
) -> Flows {
    let relate = Outlives::new(generics);
    let inputs: Vec<InputLifetimes> =
        inputs.iter().enumerate().map(|(n, ty)| lifetimes_of_input(n, ty)).collect();
    let mut flows = vec![];
    if hidden {
        for (n, input) in inputs.iter().enumerate() {
            if let Some((_, mutable)) = input.top {
                flows.push(flow(n, FlowKind::Loan { mutable }));
            } else if !input.nested.is_empty() {
                flows.push(flow(n, FlowKind::Inherit));
            }
        }
    } else {
        let names = output_lifetimes(output, &inputs, is_method);
        for (n, input) in inputs.iter().enumerate() {
            let any = |name: &String| names.iter().any(|out| relate.may_flow(name, out));
            match &input.top {
                Some((name, mutable)) if any(name) => {
                    flows.push(flow(n, FlowKind::Loan { mutable: *mutable }));
                }
                _ if input.nested.iter().any(any) => flows.push(flow(n, FlowKind::Inherit)),
                _ => {}
            }
        }
    }
    let borrows_itself = inputs.iter().any(|input| match &input.top {
        Some((name, true)) => input.nested.contains(name),
        _ => false,
    });
    Flows { flows, acquires: acquires(&inputs, &relate), borrows_itself }
}

fn flow(input: usize, kind: FlowKind) -> Flow {
    Flow { input: input as u8, kind }
}

/// `push(&mut Vec<&'a T>, &'a T)`: the first may hold what the second borrows.
/// Also where the first is moved: what shares its region lives on.
fn acquires(inputs: &[InputLifetimes], relate: &Outlives) -> Vec<Acquire> {
    let mut found = vec![];
    for (into, container) in inputs.iter().enumerate() {
        for (from, other) in inputs.iter().enumerate().filter(|(from, _)| *from != into) {
            let any =
                |name: &String| container.nested.iter().any(|held| relate.may_flow(name, held));
            let kind = match &other.top {
                Some((name, mutable)) if any(name) => FlowKind::Loan { mutable: *mutable },
                _ if other.nested.iter().any(any) => FlowKind::Inherit,
                _ => continue,
            };
            found.push(Acquire { into: into as u8, from: from as u8, kind });
        }
    }
    found
}

fn lifetimes_of_input(n: usize, ty: &Ty) -> InputLifetimes {
    let mut fresh = 0;
    let mut name = |lifetime: &Lifetime| match lifetime {
        Lifetime::Static => None,
        Lifetime::Named(name) => Some(name.clone()),
        Lifetime::Elided => {
            fresh += 1;
            Some(format!("input {n} elided {fresh}"))
        }
    };
    match ty {
        Ty::Ref { lifetime, mutable, inner } => {
            let top = name(lifetime).map(|name| (name, *mutable));
            InputLifetimes { top, nested: collect(inner, &mut name) }
        }
        ty => InputLifetimes { top: None, nested: collect(ty, &mut name) },
    }
}

fn collect(ty: &Ty, name: &mut dyn FnMut(&Lifetime) -> Option<String>) -> Vec<String> {
    let mut names = vec![];
    ty.walk(&mut |ty| match ty {
        Ty::Ref { lifetime, .. } | Ty::Dyn { lifetime: Some(lifetime), .. } => {
            names.extend(name(lifetime));
        }
        Ty::Adt { args, .. } => {
            for arg in args {
                if let Arg::Lifetime(lifetime) = arg {
                    names.extend(name(lifetime));
                }
            }
        }
        _ => {}
    });
    names
}

/// The lifetimes in the output, elided ones resolved as the language does.
fn output_lifetimes(output: &Ty, inputs: &[InputLifetimes], is_method: bool) -> Vec<String> {
    let all: Vec<String> = inputs
        .iter()
        .flat_map(|input| input.top.iter().map(|(name, _)| name).chain(&input.nested))
        .cloned()
        .collect();
    let receiver = inputs.first().filter(|_| is_method).and_then(|input| input.top.as_ref());
    let mut elided = false;
    let mut names = collect(output, &mut |lifetime| match lifetime {
        Lifetime::Static => None,
        Lifetime::Named(name) => Some(name.clone()),
        Lifetime::Elided => {
            elided = true;
            None
        }
    });
    if elided {
        match receiver {
            Some((name, _)) => names.push(name.clone()),
            None => names.extend(all),
        }
    }
    names
}

/// `'a: 'b` lets a borrow of `'a` flow where `'b` is wanted; taken as a
/// symmetric relation, because that errs on the safe side.
struct Outlives(Vec<Vec<String>>);

impl Outlives {
    fn new(generics: &[Generics]) -> Outlives {
        let mut classes: Vec<Vec<String>> = vec![];
        for (a, b) in generics.iter().flat_map(|g| &g.outlives) {
            let (mut merged, rest): (Vec<_>, Vec<_>) =
                classes.into_iter().partition(|class| class.contains(a) || class.contains(b));
            let mut class: Vec<String> = merged.drain(..).flatten().collect();
            class.extend([a.clone(), b.clone()]);
            classes = rest;
            classes.push(class);
        }
        Outlives(classes)
    }

    fn may_flow(&self, from: &str, to: &str) -> bool {
        from == to
            || self.0.iter().any(|class| {
                class.iter().any(|name| name == from) && class.iter().any(|name| name == to)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, mutable: bool, inner: Ty) -> Ty {
        Ty::Ref { lifetime: Lifetime::Named(name.into()), mutable, inner: Box::new(inner) }
    }

    fn holder(name: &str) -> Ty {
        let lifetime = Lifetime::Named(name.into());
        Ty::Adt { path: "a::Holder".into(), args: vec![Arg::Lifetime(lifetime)] }
    }

    #[test]
    fn an_elided_result_borrows_the_receiver() {
        let list = Ty::adt("a::List", vec![]);
        let inputs = [Ty::exclusive(list), Ty::shared(Ty::prim("i32"))];
        let flows = of_signature(&inputs, &Ty::shared(Ty::prim("u8")), &[], true, false);
        assert_eq!(flows.flows, [flow(0, FlowKind::Loan { mutable: true })]);
    }

    #[test]
    fn a_lifetime_inside_the_receiver_is_inherited() {
        let inputs = [Ty::exclusive(holder("'a"))];
        let output = named("'a", false, Ty::prim("i32"));
        let flows = of_signature(&inputs, &output, &[], true, false);
        assert_eq!(flows.flows, [flow(0, FlowKind::Inherit)]);
    }

    #[test]
    fn a_container_acquires_what_is_put_in() {
        let inputs = [Ty::exclusive(holder("'a")), named("'a", false, Ty::prim("i32"))];
        let flows = of_signature(&inputs, &Ty::unit(), &[], true, false);
        let kind = FlowKind::Loan { mutable: false };
        assert_eq!(flows.acquires, [Acquire { into: 0, from: 1, kind }]);
    }

    #[test]
    fn a_receiver_borrowed_by_itself_is_noticed() {
        let inputs = [named("'a", true, holder("'a"))];
        assert!(of_signature(&inputs, &Ty::unit(), &[], true, false).borrows_itself);
    }
}
