//! Laws: claims about values that every type of a kind has to keep.
//!
//! A law is an operation that returns whether the claim holds. So it is
//! compiled only for the types that have the traits, called like everything
//! else, shrunk like everything else, and printed as the assertion it is.

use crate::draft::{Draft, mode_of};
use crate::flows;
use testsmith_model::api::{Api, Docs};
use testsmith_model::operation::OperationKind;
use testsmith_model::ty::{Lifetime, Ty};

/// One law, as data.
pub struct Law {
    pub name: &'static str,
    /// How many values of the type it is about.
    pub values: usize,
    /// Whether it takes the value itself, as iterators do, or a reference.
    pub owned: bool,
    /// A generic function `law` over `T` that returns whether the law holds.
    pub function: &'static str,
    /// The same as a person would assert it; `{T}` is the type.
    pub show: &'static str,
}

/// Iterators may never end, so only so many items are looked at.
macro_rules! items {
    () => {
        "1000"
    };
}

pub static LAWS: &[Law] = &[
    Law {
        name: "Eq is reflexive",
        values: 1,
        owned: false,
        function: "fn law<T: Eq>(a: &T) -> bool { a == a }",
        show: "{.0} == {.0}",
    },
    Law {
        name: "PartialEq is symmetric",
        values: 2,
        owned: false,
        function: "fn law<T: PartialEq>(a: &T, b: &T) -> bool { (a == b) == (b == a) }",
        show: "({.0} == {.1}) == ({.1} == {.0})",
    },
    Law {
        name: "Eq is transitive",
        values: 3,
        owned: false,
        function: "fn law<T: Eq>(a: &T, b: &T, c: &T) -> bool { !(a == b && b == c) || a == c }",
        show: "!({.0} == {.1} && {.1} == {.2}) || {.0} == {.2}",
    },
    Law {
        name: "equal values have equal hashes",
        values: 2,
        owned: false,
        function: "fn law<T: Eq + std::hash::Hash>(a: &T, b: &T) -> bool { \
                   fn hash<T: std::hash::Hash>(x: &T) -> u64 { \
                   let mut hasher = std::hash::DefaultHasher::new(); x.hash(&mut hasher); \
                   std::hash::Hasher::finish(&hasher) } a != b || hash(a) == hash(b) }",
        show: "{.0} != {.1} || hash_of(&{.0}) == hash_of(&{.1})",
    },
    Law {
        name: "Ord is antisymmetric",
        values: 2,
        owned: false,
        function: "fn law<T: Ord>(a: &T, b: &T) -> bool { a.cmp(b) == b.cmp(a).reverse() }",
        show: "{.0}.cmp(&{.1}) == {.1}.cmp(&{.0}).reverse()",
    },
    Law {
        name: "Ord is transitive",
        values: 3,
        owned: false,
        function: "fn law<T: Ord>(a: &T, b: &T, c: &T) -> bool { \
                   !(a.cmp(b).is_le() && b.cmp(c).is_le()) || a.cmp(c).is_le() }",
        show: "!({.0} <= {.1} && {.1} <= {.2}) || {.0} <= {.2}",
    },
    Law {
        name: "Ord agrees with Eq",
        values: 2,
        owned: false,
        function: "fn law<T: Ord>(a: &T, b: &T) -> bool { a.cmp(b).is_eq() == (a == b) }",
        show: "{.0}.cmp(&{.1}).is_eq() == ({.0} == {.1})",
    },
    Law {
        name: "PartialOrd agrees with Ord",
        values: 2,
        owned: false,
        function: "fn law<T: Ord>(a: &T, b: &T) -> bool { a.partial_cmp(b) == Some(a.cmp(b)) }",
        show: "{.0}.partial_cmp(&{.1}) == Some({.0}.cmp(&{.1}))",
    },
    Law {
        name: "a clone equals its original",
        values: 1,
        owned: false,
        function: "fn law<T: Eq + Clone>(a: &T) -> bool { a.clone() == *a }",
        show: "{.0}.clone() == {.0}",
    },
    Law {
        name: "what is displayed parses back",
        values: 1,
        owned: false,
        function: "fn law<T: Eq + std::fmt::Display + std::str::FromStr>(a: &T) -> bool { \
                   a.to_string().parse::<T>().map_or(true, |b| b == *a) }",
        show: "{.0}.to_string().parse::<{T}>().map_or(true, |back| {.0} == back)",
    },
    Law {
        name: "size_hint bounds the items",
        values: 1,
        owned: true,
        function: concat!(
            "fn law<T: Iterator>(a: T) -> bool { let (low, high) = a.size_hint(); let n = a.take(",
            items!(),
            ").count(); n == ",
            items!(),
            " || (low <= n && high.map_or(true, |high| n <= high)) }"
        ),
        show: "{ let (low, high) = {.0}.size_hint(); let n = {.0}.count(); \
               low <= n && high.map_or(true, |high| n <= high) }",
    },
    Law {
        name: "an exact size is exact",
        values: 1,
        owned: true,
        function: concat!(
            "fn law<T: ExactSizeIterator>(a: T) -> bool { let len = a.len(); let n = a.take(",
            items!(),
            ").count(); n == ",
            items!(),
            " || n == len }"
        ),
        show: "{ let len = {.0}.len(); {.0}.count() == len }",
    },
    Law {
        name: "next_back agrees with next",
        values: 1,
        owned: true,
        function: concat!(
            "fn law<T: DoubleEndedIterator + Clone>(a: T) -> bool where T::Item: PartialEq { \
             let forward: Vec<T::Item> = a.clone().take(",
            items!(),
            ").collect(); let mut back: Vec<T::Item> = a.rev().take(",
            items!(),
            ").collect(); back.reverse(); forward.len() == ",
            items!(),
            " || forward == back }"
        ),
        show: "{ let forward: Vec<_> = {.0}.clone().collect(); \
               let mut back: Vec<_> = {.0}.rev().collect(); back.reverse(); forward == back }",
    },
    Law {
        name: "a fused iterator stays at its end",
        values: 1,
        owned: true,
        function: concat!(
            "fn law<T: std::iter::FusedIterator>(mut a: T) -> bool { \
             let n = a.by_ref().take(",
            items!(),
            ").count(); n == ",
            items!(),
            " || (a.next().is_none() && a.next().is_none()) }"
        ),
        show: "{ let mut iter = {.0}; iter.by_ref().count(); iter.next().is_none() }",
    },
];

/// The laws that may hold for a type; which of them apply the compiler says.
pub fn of_type(api: &Api, ty: &Ty) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = LAWS.iter().map(|law| draft(api, ty, law)).collect();
    drafts.extend(of_collection(api, ty));
    drafts
}

fn draft(api: &Api, ty: &Ty, law: &Law) -> Draft {
    let places: Vec<String> = (0..law.values).map(|n| format!("{{{n}}}")).collect();
    let call = format!("{{ {} law({}) }}", law.function, places.join(", "));
    let passed = if law.owned { ty.clone() } else { Ty::shared(ty.clone()) };
    let show = law.show.replace("{T}", &ty.to_string());
    claim(api, law.name, ty, call, show, vec![passed; law.values])
}

/// `len`, `is_empty` and `iter`, where a type has them under these names.
fn of_collection(api: &Api, ty: &Ty) -> Vec<Draft> {
    let Some(path) = ty.path() else { return vec![] };
    let has = |name: &str| {
        let wanted = format!("{path}::{name}");
        api.callables.iter().any(|c| c.path == wanted && c.inputs.len() == 1 && !c.is_unsafe)
    };
    let shared = || vec![Ty::shared(ty.clone())];
    let mut drafts = vec![];
    if has("len") && has("is_empty") {
        let call = format!("<{ty}>::is_empty({{0}}) == (<{ty}>::len({{0}}) == 0usize)");
        let show = "{.0}.is_empty() == ({.0}.len() == 0)".to_owned();
        drafts.push(claim(api, "is_empty agrees with len", ty, call, show, shared()));
    }
    if has("len") && has("iter") {
        let call = format!("<{ty}>::iter({{0}}).count() == <{ty}>::len({{0}})");
        let show = "{.0}.iter().count() == {.0}.len()".to_owned();
        drafts.push(claim(api, "iter yields len items", ty, call, show, shared()));
    }
    drafts
}

fn claim(api: &Api, name: &str, ty: &Ty, call: String, show: String, inputs: Vec<Ty>) -> Draft {
    // A law takes values of one type, so what they borrow has one region.
    let region = Lifetime::Named("the region of the law".to_owned());
    let named = |ty: &Ty| match ty {
        Ty::Ref { lifetime, mutable, inner } => Ty::Ref {
            lifetime: lifetime.clone(),
            mutable: *mutable,
            inner: Box::new(inner.with_lifetimes(&region)),
        },
        ty => ty.with_lifetimes(&region),
    };
    let signature: Vec<Ty> = inputs.iter().map(named).collect();
    let flows = flows::of_signature(&signature, &Ty::prim("bool"), &[], false, false);
    let input = |ty: Ty| {
        let (value, mode) = mode_of(api, &ty);
        (String::new(), value.erase_lifetimes(), mode)
    };
    Draft {
        path: format!("{name}, for {ty}"),
        kind: OperationKind::Law,
        call,
        show,
        inputs: inputs.into_iter().map(input).collect(),
        output: Ty::prim("bool"),
        flows: flows.flows,
        acquires: flows.acquires,
        docs: Docs::default(),
        place: None,
        callable: None,
        core: false,
        panics_by_design: false,
        guard: None,
    }
}
