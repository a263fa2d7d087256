//! What the parameters of one type must be for it to equal another.

use super::{Arg, Lifetime, Substitution, Ty};

/// Finds what the parameters in `pattern` must be for it to equal `concrete`.
pub fn unify(pattern: &Ty, concrete: &Ty, with: &mut Substitution) -> bool {
    match (pattern, concrete) {
        (Ty::Param(name), _) => match with.get(name) {
            Some(Arg::Type(bound)) => {
                bound == concrete || bound.erase_lifetimes() == concrete.erase_lifetimes()
            }
            Some(_) => false,
            None => {
                with.insert(name.clone(), Arg::Type(concrete.clone()));
                true
            }
        },
        (Ty::Adt { path: a, args: x }, Ty::Adt { path: b, args: y }) => {
            let types = |args: &[Arg]| -> Vec<Arg> {
                args.iter().filter(|arg| !matches!(arg, Arg::Lifetime(_))).cloned().collect()
            };
            let lifetimes = |args: &[Arg]| -> Vec<Arg> {
                args.iter().filter(|arg| matches!(arg, Arg::Lifetime(_))).cloned().collect()
            };
            let (p, c) = (types(x), types(y));
            a == b
                && p.len() == c.len()
                && p.iter().zip(&c).all(|(p, c)| unify_arg(p, c, with))
                && lifetimes(x).iter().zip(&lifetimes(y)).all(|(p, c)| unify_arg(p, c, with))
        }
        (
            Ty::Ref { lifetime: p, mutable: a, inner: x },
            Ty::Ref { lifetime: c, mutable: b, inner: y },
        ) => a == b && unify_lifetime(p, c, with) && unify(x, y, with),
        (Ty::Ptr { mutable: a, inner: x }, Ty::Ptr { mutable: b, inner: y }) => {
            a == b && unify(x, y, with)
        }
        (Ty::Slice(x), Ty::Slice(y)) => unify(x, y, with),
        (Ty::Array(x, n), Ty::Array(y, m)) => {
            unify(x, y, with) && unify_arg(&Arg::Const(n.clone()), &Arg::Const(m.clone()), with)
        }
        (Ty::Tuple(x), Ty::Tuple(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| unify(x, y, with))
        }
        _ => pattern == concrete,
    }
}

pub fn unify_arg(pattern: &Arg, concrete: &Arg, with: &mut Substitution) -> bool {
    match (pattern, concrete) {
        (Arg::Type(p), Arg::Type(c)) => unify(p, c, with),
        (Arg::Lifetime(p), Arg::Lifetime(c)) => unify_lifetime(p, c, with),
        (Arg::Const(p), Arg::Const(c)) => {
            let is_name = p.starts_with(|c: char| c.is_alphabetic() || c == '_');
            match with.get(p) {
                Some(Arg::Const(bound)) => bound == c,
                None if is_name => {
                    with.insert(p.clone(), Arg::Const(c.clone()));
                    true
                }
                _ => p == c,
            }
        }
        _ => false,
    }
}

/// Lifetimes never refuse: regions are for the compiler to relate.
fn unify_lifetime(pattern: &Lifetime, concrete: &Lifetime, with: &mut Substitution) -> bool {
    if let Lifetime::Named(name) = pattern {
        with.entry(name.clone()).or_insert_with(|| Arg::Lifetime(concrete.clone()));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unification_binds_types_and_lifetimes() {
        let pattern = Ty::Adt {
            path: "a::Iter".into(),
            args: vec![
                Arg::Lifetime(Lifetime::Named("'x".into())),
                Arg::Type(Ty::Param("T".into())),
            ],
        };
        let concrete = Ty::Adt {
            path: "a::Iter".into(),
            args: vec![Arg::Lifetime(Lifetime::Named("'b".into())), Arg::Type(Ty::prim("u8"))],
        };
        let mut with = Substitution::new();
        assert!(unify(&pattern, &concrete, &mut with));
        assert_eq!(with["T"], Arg::Type(Ty::prim("u8")));
        assert_eq!(with["'x"], Arg::Lifetime(Lifetime::Named("'b".into())));
        assert!(!unify(&pattern, &Ty::prim("u8"), &mut Substitution::new()));
    }
}
