//! Parameters that are keys by the name of their type: `NodeIndex`, `G::NodeId`.
//!
//! Such a name is often an alias of a plain number, and is gone when the type
//! has been resolved.

use rustdoc_types::{
    AssocItemConstraintKind, Function, GenericArg, GenericArgs, GenericBound, GenericParamDefKind,
    Term, Type, WherePredicate,
};

/// The last words of such types.
const ENDS: [&str; 5] = ["Handle", "Id", "Idx", "Index", "Key"];

/// The names of the parameters that are, or hold, keys.
pub(crate) fn ids(function: &Function) -> Vec<String> {
    let names = Names { function };
    let inputs = function.sig.inputs.iter();
    inputs.filter(|(_, ty)| names.in_type(ty, true)).map(|(name, _)| name.clone()).collect()
}

struct Names<'n> {
    function: &'n Function,
}

impl Names<'_> {
    fn in_type(&self, ty: &Type, look_up: bool) -> bool {
        match ty {
            Type::ResolvedPath(path) => {
                is_id(&path.path)
                    || path.args.as_ref().is_some_and(|args| self.in_args(args, look_up))
            }
            Type::QualifiedPath { name, .. } => is_id(name),
            // Bounds may speak of the parameter itself.
            Type::Generic(name) => look_up && self.in_bounds_of(name),
            Type::ImplTrait(bounds) => bounds.iter().any(|bound| self.in_bound(bound, look_up)),
            Type::BorrowedRef { type_, .. } | Type::Slice(type_) | Type::Array { type_, .. } => {
                self.in_type(type_, look_up)
            }
            Type::Tuple(items) => items.iter().any(|item| self.in_type(item, look_up)),
            _ => false,
        }
    }

    fn in_bounds_of(&self, param: &str) -> bool {
        let generics = &self.function.generics;
        let declared = generics.params.iter().any(|one| match &one.kind {
            GenericParamDefKind::Type { bounds, .. } if one.name == param => {
                bounds.iter().any(|bound| self.in_bound(bound, false))
            }
            _ => false,
        });
        declared
            || generics.where_predicates.iter().any(|predicate| match predicate {
                WherePredicate::BoundPredicate { type_: Type::Generic(name), bounds, .. } => {
                    name == param && bounds.iter().any(|bound| self.in_bound(bound, false))
                }
                _ => false,
            })
    }

    fn in_bound(&self, bound: &GenericBound, look_up: bool) -> bool {
        match bound {
            GenericBound::TraitBound { trait_, .. } => {
                trait_.args.as_ref().is_some_and(|args| self.in_args(args, look_up))
            }
            _ => false,
        }
    }

    fn in_args(&self, args: &GenericArgs, look_up: bool) -> bool {
        let GenericArgs::AngleBracketed { args, constraints } = args else { return false };
        let given = args.iter().any(|arg| match arg {
            GenericArg::Type(ty) => self.in_type(ty, look_up),
            _ => false,
        });
        given
            || constraints.iter().any(|constraint| match &constraint.binding {
                AssocItemConstraintKind::Equality(Term::Type(ty)) => self.in_type(ty, look_up),
                _ => false,
            })
    }
}

fn is_id(path: &str) -> bool {
    let last = path.rsplit("::").next().unwrap_or(path);
    ENDS.iter().any(|end| last.ends_with(end))
}
