//! What impls of std traits offer beyond the methods they write down.
//!
//! `fmt` and `hash` cannot be called as they stand; iterators have provided
//! methods that rustdoc does not list.

use crate::draft::{Draft, mode_of};
use crate::resolve;
use testsmith_model::api::{Api, Callable};
use testsmith_model::operation::{Flow, FlowKind, OperationKind};
use testsmith_model::ty::{Lifetime, Ty};

/// Iterators may never end, so a collection takes this many items at most.
pub const MAX_COLLECTED: usize = 1000;

/// Replaces methods whose own arguments nobody can make: `fmt`, `hash`.
pub fn rewrite(api: &Api, callable: &Callable, self_ty: &Ty) -> Option<Draft> {
    let trait_ = callable.trait_.as_ref()?;
    if !trait_.path.starts_with("std::") {
        return None;
    }
    let format = match (trait_.name(), callable.name.as_str()) {
        ("Debug", "fmt") => "?",
        ("Display", "fmt") => "",
        ("LowerHex", "fmt") => "x",
        ("UpperHex", "fmt") => "X",
        ("Binary", "fmt") => "b",
        ("Octal", "fmt") => "o",
        ("LowerExp", "fmt") => "e",
        ("UpperExp", "fmt") => "E",
        ("Hash", "hash") => {
            let call = "{ let mut hasher = std::hash::DefaultHasher::new(); \
                        std::hash::Hash::hash({0}, &mut hasher); \
                        std::hash::Hasher::finish(&hasher) }";
            return Some(observer(api, callable, self_ty, call, Ty::prim("u64")));
        }
        _ => return None,
    };
    let spec = if format.is_empty() { "{}".to_owned() } else { format!("{{:{format}}}") };
    let call = format!("format!(\"{spec}\", {{0}})");
    Some(observer(api, callable, self_ty, &call, Ty::adt("std::string::String", vec![])))
}

fn observer(api: &Api, callable: &Callable, self_ty: &Ty, call: &str, output: Ty) -> Draft {
    let (value, mode) = mode_of(api, &Ty::shared(self_ty.clone()));
    Draft {
        kind: OperationKind::ForeignTrait,
        inputs: vec![("self".to_owned(), value.erase_lifetimes(), mode)],
        docs: callable.docs.clone(),
        place: callable.place.clone(),
        ..Draft::aside(callable.path.clone(), call.to_owned(), output)
    }
}

/// Provided methods of iterators, for one concrete type. Which of them the
/// type really has is for the compiler to say.
pub fn iterator_methods(api: &Api, ty: &Ty, kind: OperationKind) -> Vec<Draft> {
    let item = Ty::Assoc {
        self_ty: Box::new(ty.clone()),
        trait_: Some(Box::new(testsmith_model::ty::TraitRef::new("std::iter::Iterator", vec![]))),
        name: "Item".into(),
    };
    let item = resolve::normalize(api, &item);
    if matches!(item, Ty::Assoc { .. }) {
        return vec![];
    }
    let option = |ty: Ty| Ty::adt("std::option::Option", vec![ty]);
    let usize_ = || Ty::prim("usize");
    let exclusive =
        Ty::Ref { lifetime: Lifetime::Elided, mutable: true, inner: Box::new(ty.clone()) };
    let shared = Ty::shared(ty.clone());
    let hint = Ty::Tuple(vec![usize_(), option(usize_())]);
    let list = Ty::adt("std::vec::Vec", vec![item.clone()]);
    let take = format!(".take({MAX_COLLECTED}).collect::<Vec<_>>()");
    let rows: Vec<(&str, String, Ty, bool, Ty)> = vec![
        ("next", "Iterator::next({0})".into(), exclusive.clone(), false, option(item.clone())),
        ("nth", "Iterator::nth({0}, {1})".into(), exclusive.clone(), true, option(item.clone())),
        ("size_hint", "Iterator::size_hint({0})".into(), shared.clone(), false, hint),
        (
            "collect",
            format!("Iterator::take({{0}}, {MAX_COLLECTED}).collect::<Vec<_>>()"),
            ty.clone(),
            false,
            list.clone(),
        ),
        ("next_back", "DoubleEndedIterator::next_back({0})".into(), exclusive, false, option(item)),
        ("rev", format!("Iterator::rev({{0}}){take}"), ty.clone(), false, list),
        ("len", "ExactSizeIterator::len({0})".into(), shared, false, usize_()),
    ];
    let draft = |(name, call, receiver, index, output): (&str, String, Ty, bool, Ty)| {
        let mut signature = vec![receiver];
        if index {
            signature.push(usize_());
        }
        // What an iterator hands out is what it borrows, never the iterator itself.
        let inherit = Flow { input: 0, kind: FlowKind::Inherit };
        let flows = if ty.borrows() && output.borrows() { vec![inherit] } else { vec![] };
        let inputs = signature.iter().enumerate().map(|(n, ty)| {
            let (value, mode) = mode_of(api, ty);
            let name = if n == 0 { "self" } else { "n" };
            (name.to_owned(), value.erase_lifetimes(), mode)
        });
        Draft {
            kind,
            inputs: inputs.collect(),
            flows,
            ..Draft::aside(format!("<{ty} as Iterator>::{name}"), call, output.erase_lifetimes())
        }
    };
    rows.into_iter().map(draft).collect()
}
