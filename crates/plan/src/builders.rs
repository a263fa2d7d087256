//! Makes and takes apart values of the standard library.
//!
//! One flat table: what is not in it cannot be made, and whatever needs it is
//! skipped with that reason.

mod sized;

use crate::closures::{self, Calls};
use crate::draft::{Draft, mode_of};
use crate::fakes;
use crate::flows;
use crate::resolve::{is_float, is_integer};
use std::collections::BTreeSet;
use testsmith_model::api::{Api, TypeKind};
use testsmith_model::call::{Form, Treatment, Unwrap};
use testsmith_model::operation::{Input, MAX_INPUTS, Mode};
use testsmith_model::troubled;
use testsmith_model::ty::{Arg, Lifetime, TraitRef, Ty};
use testsmith_model::{Call, Callee};

/// A call on values of these types.
fn builder(call: Call, inputs: Vec<Ty>, output: &Ty) -> Draft {
    let flows = flows::of_signature(&inputs, output, &[], false, false);
    // How they are passed is settled when all rows are there.
    let inputs = inputs.into_iter().map(|ty| Input { name: String::new(), ty, mode: Mode::Own });
    let callee = Callee::Builder { makes: output.clone() };
    Draft {
        inputs: inputs.collect(),
        flows: flows.flows,
        acquires: flows.acquires,
        ..Draft::aside(callee, call, output.erase_lifetimes())
    }
}

/// A call as the compiler takes it, and as it is written in a test.
pub(crate) fn row(call: &str, show: &str, inputs: Vec<Ty>, output: &Ty) -> Draft {
    builder(Call::template(call, show), inputs, output)
}

fn plain(call: &str, inputs: Vec<Ty>, output: &Ty) -> Draft {
    row(call, call, inputs, output)
}

/// A call that gives an `Option` or a `Result`, of which the value is wanted.
fn unwrapped(unwrap: Unwrap, draft: Draft) -> Draft {
    Draft { call: Call { result: Treatment::Unwrapped(unwrap), ..draft.call }, ..draft }
}

fn some(call: &str, inputs: Vec<Ty>, output: &Ty) -> Draft {
    unwrapped(Unwrap::Some, plain(call, inputs, output))
}

fn ok(call: &str, inputs: Vec<Ty>, output: &Ty) -> Draft {
    unwrapped(Unwrap::Ok, plain(call, inputs, output))
}

fn string() -> Ty {
    Ty::adt("std::string::String", vec![])
}

fn vec_of(item: Ty) -> Ty {
    Ty::adt("std::vec::Vec", vec![item])
}

/// Decides how each argument is passed.
fn settle(api: &Api, mut drafts: Vec<Draft>) -> Vec<Draft> {
    for input in drafts.iter_mut().flat_map(|draft| &mut draft.inputs) {
        let (value, settled) = mode_of(api, &input.ty);
        (input.ty, input.mode) = (value.erase_lifetimes(), settled);
    }
    drafts
}

/// Ways to make a value of this type.
pub fn makers(api: &Api, ty: &Ty) -> Vec<Draft> {
    // An alias that was not resolved stands for a type of another crate.
    let local =
        |path: &str| api.types.get(path).is_some_and(|def| !matches!(def.kind, TypeKind::Alias(_)));
    let rows = match ty.path() {
        _ if api.is_fake(ty) => vec![],
        Some(path) if troubled::is_named_in(path) => of_the_test(ty),
        Some(path) if !path.starts_with("std::") && !local(path) => foreign(ty),
        _ => match ty {
            Ty::Ref { lifetime: Lifetime::Static, mutable: false, inner } => {
                lasting(api, inner, ty)
            }
            _ => maker_rows(ty),
        },
    };
    let of_fakes = if api.fakes.is_empty() { vec![] } else { fakes::makers(api, ty) };
    settle(api, rows.into_iter().chain(of_fakes).collect())
}

/// Values of the module that stands beside the tests.
fn of_the_test(ty: &Ty) -> Vec<Draft> {
    match troubled::item_of(ty) {
        Some(item) => {
            vec![plain("troubled::Items::new({0})", vec![vec_of(item.clone())], ty)]
        }
        None => vec![plain("troubled::Counted::new({0})", vec![Ty::prim("i32")], ty)],
    }
}

/// Types of other crates: what they can be made of is a guess that the
/// compiler judges.
fn foreign(ty: &Ty) -> Vec<Draft> {
    let default = Form::TraitMember {
        of: Some(ty.clone()),
        trait_: TraitRef::new("std::default::Default", vec![]),
        name: "default".to_owned(),
        generics: vec![],
    };
    let mut rows = vec![builder(Call::new(default, vec![]), vec![], ty)];
    let items = match (ty.type_arg(0), ty.type_arg(1)) {
        (Some(key), Some(value)) => vec![key.clone(), Ty::Tuple(vec![key.clone(), value.clone()])],
        (Some(item), None) => vec![item.clone()],
        _ => vec![],
    };
    for item in items {
        let call = format!("Vec::into_iter({{0}}).collect::<{ty}>()");
        rows.push(row(&call, "{.0}.into_iter().collect()", vec![vec_of(item)], ty));
    }
    // A type without parts is its own value.
    if let Ty::Adt { path, args } = ty
        && args.is_empty()
    {
        let unit = Form::Constant { path: path.clone(), by_reference: false };
        rows.push(builder(Call::new(unit, vec![]), vec![], ty));
    }
    rows
}

/// A reference that lasts for ever, to what is never freed.
fn lasting(api: &Api, inner: &Ty, ty: &Ty) -> Vec<Draft> {
    match inner {
        Ty::Slice(item) => vec![plain("&*Vec::leak({0})", vec![vec_of((**item).clone())], ty)],
        Ty::Adt { .. } if !api.is_unsized(inner) => {
            vec![plain("&*Box::leak(Box::new({0}))", vec![inner.clone()], ty)]
        }
        _ => vec![],
    }
}

/// Ways to get at what is inside a value of this type.
pub fn takers(api: &Api, ty: &Ty) -> Vec<Draft> {
    settle(api, taker_rows(ty))
}

/// The text that a value is printed as, where texts are parsed to such values: what nobody would
/// think of as a literal is a text, too.
pub fn printed(api: &Api, ty: &Ty) -> Vec<Draft> {
    let call = "{ fn text<T: std::fmt::Display + std::str::FromStr>(x: &T) -> String { \
                x.to_string() } text({0}) }";
    settle(api, vec![row(call, "{.0}.to_string()", vec![Ty::shared(ty.clone())], &string())])
}

/// `&x` as a value: what is behind the reference is borrowed by the call.
pub fn borrowers(api: &Api, ty: &Ty) -> Vec<Draft> {
    match ty {
        Ty::Ref { lifetime, inner, .. }
            if *lifetime != Lifetime::Static && !api.is_unsized(inner) =>
        {
            settle(api, vec![plain("{0}", vec![ty.clone()], ty)])
        }
        // Whether it has a size is for the compiler to say.
        Ty::Ref { lifetime, mutable, inner }
            if *lifetime != Lifetime::Static && matches!(**inner, Ty::Assoc { .. }) =>
        {
            let mut draft = plain("{0}", vec![ty.clone()], ty);
            let mode = if *mutable { Mode::Exclusive } else { Mode::Shared };
            for input in &mut draft.inputs {
                (input.ty, input.mode) = (inner.erase_lifetimes(), mode);
            }
            vec![draft]
        }
        _ => vec![],
    }
}

fn maker_rows(ty: &Ty) -> Vec<Draft> {
    match ty {
        Ty::Tuple(items) if items.len() == 1 => vec![plain("({0},)", items.clone(), ty)],
        Ty::Tuple(items) => vec![plain(&listed("(", items.len(), ")"), items.clone(), ty)],
        Ty::Array(item, len) => array(item, len, ty),
        Ty::Ref { lifetime, mutable, inner } if *lifetime != Lifetime::Static => {
            reference(inner, *mutable, ty)
        }
        Ty::FnPtr { inputs, output } => closures::catalogue(inputs, output, Calls::Pointer)
            .into_iter()
            .filter(|closure| !closure.panics)
            .map(|closure| {
                let call = Call::template(&closure.text, &closure.text);
                builder(Call { closures: vec![closure.kind], ..call }, vec![], ty)
            })
            .collect(),
        Ty::Adt { path, .. } if path.starts_with("std::") => std_value(path, ty),
        Ty::Assoc { self_ty, .. } => {
            meanings(self_ty).into_iter().map(|known| plain("{0}", vec![known], ty)).collect()
        }
        _ => vec![],
    }
}

/// What an associated type of this one may be that only the compiler knows: a type that it is
/// made of, or a plain one.
fn meanings(of: &Ty) -> BTreeSet<Ty> {
    let mut found: BTreeSet<Ty> = ["bool", "i32", "u8", "u64", "usize"].map(Ty::prim).into();
    found.insert(string());
    of.walk(&mut |part| {
        let plain = matches!(part, Ty::Prim(_) | Ty::Adt { .. } | Ty::Tuple(_));
        if plain && part != of {
            found.insert(part.clone());
        }
    });
    found
}

fn listed(open: &str, len: usize, close: &str) -> String {
    let places: Vec<String> = (0..len).map(|n| format!("{{{n}}}")).collect();
    format!("{open}{}{close}", places.join(", "))
}

fn array(item: &Ty, len: &str, ty: &Ty) -> Vec<Draft> {
    match len.parse::<usize>() {
        Ok(len) if len <= MAX_INPUTS.min(8) => {
            vec![plain(&listed("[", len, "]"), vec![item.clone(); len], ty)]
        }
        _ => vec![
            plain(&format!("[{{0}}; {len}]"), vec![item.clone()], ty),
            plain("{ let x = {0}; std::array::from_fn(|_| x.clone()) }", vec![item.clone()], ty),
        ],
    }
}

/// References to what has no size of its own.
fn reference(inner: &Ty, mutable: bool, ty: &Ty) -> Vec<Draft> {
    let owner = |owner: Ty| if mutable { Ty::exclusive(owner) } else { Ty::shared(owner) };
    let text = match (inner, mutable) {
        (Ty::Prim(name), false) if name == "str" => ("as_str", string()),
        (Ty::Prim(name), true) if name == "str" => ("as_mut_str", string()),
        (Ty::Slice(item), false) => ("as_slice", vec_of((**item).clone())),
        (Ty::Slice(item), true) => ("as_mut_slice", vec_of((**item).clone())),
        (Ty::Adt { path, .. }, false) if path == "std::path::Path" => {
            ("as_path", Ty::adt("std::path::PathBuf", vec![]))
        }
        (Ty::Adt { path, .. }, false) if path == "std::ffi::OsStr" => {
            ("as_os_str", Ty::adt("std::ffi::OsString", vec![]))
        }
        _ => return vec![],
    };
    let (method, owned) = text;
    let call = format!("<{owned}>::{method}({{0}})");
    vec![row(&call, &format!("{{.0}}.{method}()"), vec![owner(owned)], ty)]
}

fn std_value(path: &str, ty: &Ty) -> Vec<Draft> {
    let arg = |n: usize| ty.type_arg(n).cloned().unwrap_or_else(Ty::unit);
    let zero = |call: &str| plain(call, vec![], ty);
    let one = |call: &str, input: Ty| plain(call, vec![input], ty);
    let name = ty.name();
    match path {
        "std::option::Option" => vec![one("Some({0})", arg(0)), zero("None")],
        "std::result::Result" => vec![one("Ok({0})", arg(0)), one("Err({0})", arg(1))],
        "std::vec::Vec" => vec_makers(ty, arg(0)),
        "std::collections::VecDeque"
        | "std::collections::BTreeSet"
        | "std::collections::HashSet"
        | "std::collections::BinaryHeap"
        | "std::collections::LinkedList" => {
            let call = format!("Vec::into_iter({{0}}).collect::<{ty}>()");
            vec![row(&call, "{.0}.into_iter().collect()", vec![vec_of(arg(0))], ty)]
        }
        "std::collections::BTreeMap" | "std::collections::HashMap" => {
            let call = format!("Vec::into_iter({{0}}).collect::<{ty}>()");
            let pairs = vec_of(Ty::Tuple(vec![arg(0), arg(1)]));
            vec![row(&call, "{.0}.into_iter().collect()", vec![pairs], ty)]
        }
        "std::vec::IntoIter" => {
            vec![row("Vec::into_iter({0})", "{.0}.into_iter()", vec![vec_of(arg(0))], ty)]
        }
        "std::iter::Flatten" => match arg(0).type_arg(0) {
            Some(option) => {
                let (call, list) = ("Vec::into_iter({0}).flatten()", vec_of(option.clone()));
                vec![row(call, "{.0}.into_iter().flatten()", vec![list], ty)]
            }
            None => vec![],
        },
        "std::slice::Iter" => {
            let slice = Ty::shared(Ty::Slice(Box::new(arg(0))));
            vec![plain("<[_]>::iter({0})", vec![slice], ty)]
        }
        "std::str::Chars" => vec![plain("str::chars({0})", vec![Ty::shared(Ty::prim("str"))], ty)],
        "std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc" => pointer(name, &arg(0), ty),
        "std::ops::Range" => vec![plain("{0}..{1}", vec![arg(0), arg(0)], ty)],
        "std::ops::RangeInclusive" => vec![plain("{0}..={1}", vec![arg(0), arg(0)], ty)],
        "std::ops::RangeFrom" => vec![one("{0}..", arg(0))],
        "std::ops::RangeTo" => vec![one("..{0}", arg(0))],
        "std::ops::RangeToInclusive" => vec![one("..={0}", arg(0))],
        "std::ops::RangeFull" => vec![zero("..")],
        "std::ops::Bound" => vec![
            one("std::ops::Bound::Included({0})", arg(0)),
            one("std::ops::Bound::Excluded({0})", arg(0)),
            zero("std::ops::Bound::Unbounded"),
        ],
        "std::cmp::Ordering" => ["Less", "Equal", "Greater"]
            .iter()
            .map(|choice| zero(&format!("std::cmp::Ordering::{choice}")))
            .collect(),
        "std::cmp::Reverse" | "std::num::Wrapping" | "std::num::Saturating" => {
            vec![one(&format!("{path}({{0}})"), arg(0))]
        }
        "std::cell::Cell" | "std::cell::RefCell" | "std::sync::Mutex" | "std::sync::RwLock"
        | "std::io::Cursor" => vec![one(&format!("{path}::new({{0}})"), arg(0))],
        "std::future::Ready" => vec![one("std::future::ready({0})", arg(0))],
        "std::io::Chain" => {
            let call = "std::io::Read::chain({0}, {1})";
            vec![plain(call, vec![arg(0), arg(1)], ty)]
        }
        "std::marker::PhantomData" => vec![zero("std::marker::PhantomData")],
        "std::hash::RandomState" | "std::hash::DefaultHasher" => {
            vec![zero(&format!("{path}::new()"))]
        }
        "std::hash::BuildHasherDefault" => vec![zero("std::default::Default::default()")],
        "std::borrow::Cow" => cow(ty),
        "std::pin::Pin" => match arg(0) {
            Ty::Adt { path, args } if path == "std::boxed::Box" => match args.first() {
                Some(Arg::Type(inner)) => vec![one("Box::pin({0})", inner.clone())],
                _ => vec![],
            },
            reference @ Ty::Ref { .. } => vec![one("std::pin::Pin::new({0})", reference)],
            _ => vec![],
        },
        _ => plain_value(path, name, ty),
    }
}

/// Types of std without parameters that matter to us.
fn plain_value(path: &str, name: &str, ty: &Ty) -> Vec<Draft> {
    let zero = |call: &str| plain(call, vec![], ty);
    let with = |call: &str, inputs: &[&str]| {
        plain(call, inputs.iter().map(|name| Ty::prim(name)).collect(), ty)
    };
    match path {
        "std::time::Duration" => vec![
            with("std::time::Duration::from_secs({0})", &["u64"]),
            with("std::time::Duration::from_millis({0})", &["u64"]),
            with("std::time::Duration::from_nanos({0})", &["u64"]),
            zero("std::time::Duration::MAX"),
        ],
        "std::time::SystemTime" => vec![
            zero("std::time::UNIX_EPOCH"),
            some(
                "std::time::UNIX_EPOCH.checked_add({0})",
                vec![Ty::adt("std::time::Duration", vec![])],
                ty,
            ),
        ],
        "std::path::PathBuf" | "std::ffi::OsString" => {
            vec![plain(&format!("{path}::from({{0}})"), vec![string()], ty)]
        }
        "std::ffi::CString" => vec![ok("std::ffi::CString::new({0})", vec![string()], ty)],
        "std::net::Ipv4Addr" => {
            vec![with("std::net::Ipv4Addr::new({0}, {1}, {2}, {3})", &["u8"; 4])]
        }
        "std::net::Ipv6Addr" => vec![with("std::net::Ipv6Addr::from({0})", &["u128"])],
        "std::net::IpAddr" => vec![
            plain("std::net::IpAddr::V4({0})", vec![Ty::adt("std::net::Ipv4Addr", vec![])], ty),
            plain("std::net::IpAddr::V6({0})", vec![Ty::adt("std::net::Ipv6Addr", vec![])], ty),
        ],
        "std::net::SocketAddr" => vec![plain(
            "std::net::SocketAddr::new({0}, {1})",
            vec![Ty::adt("std::net::IpAddr", vec![]), Ty::prim("u16")],
            ty,
        )],
        "std::io::SeekFrom" => vec![
            with("std::io::SeekFrom::Start({0})", &["u64"]),
            with("std::io::SeekFrom::Current({0})", &["i64"]),
            with("std::io::SeekFrom::End({0})", &["i64"]),
        ],
        "std::task::Waker" => vec![zero("std::task::Waker::noop().clone()")],
        "std::fmt::Error" => vec![zero("std::fmt::Error")],
        "std::io::Error" => vec![zero("std::io::Error::from(std::io::ErrorKind::Other)")],
        "std::alloc::Layout" => vec![ok(
            "std::alloc::Layout::from_size_align({0}, {1})",
            vec![Ty::prim("usize"), Ty::prim("usize")],
            ty,
        )],
        "std::num::NonZero" => match ty.type_arg(0) {
            Some(inner) => vec![some("std::num::NonZero::new({0})", vec![inner.clone()], ty)],
            None => vec![],
        },
        _ => match name.strip_prefix("NonZero") {
            Some(inner) if path.starts_with("std::num::") => {
                let inner = Ty::prim(&inner.to_lowercase());
                vec![some(&format!("{path}::new({{0}})"), vec![inner], ty)]
            }
            _ => vec![],
        },
    }
}

/// Elements of a vector that is made of them one by one.
pub const MAX_ELEMENTS: usize = 4;

fn vec_makers(ty: &Ty, item: Ty) -> Vec<Draft> {
    let mut makers = vec![plain("Vec::new()", vec![], ty)];
    for len in 1..=MAX_ELEMENTS {
        makers.push(plain(&listed("vec![", len, "]"), vec![item.clone(); len], ty));
    }
    if item == Ty::prim("u8") {
        makers.push(row("String::into_bytes({0})", "{.0}.into_bytes()", vec![string()], ty));
    }
    makers.extend(sized::vectors(ty, &item));
    makers
}

fn pointer(name: &str, inner: &Ty, ty: &Ty) -> Vec<Draft> {
    let from = |owned: Ty| {
        let (name, generics) = ("from".to_owned(), vec![]);
        let form = Form::Member { of: ty.clone(), name, generics, method: false };
        vec![builder(Call::new(form, vec!["{0}".to_owned()]), vec![owned], ty)]
    };
    match inner {
        Ty::Prim(prim) if prim == "str" => from(string()),
        Ty::Slice(item) => from(vec_of((**item).clone())),
        Ty::Adt { path, .. } if path == "std::path::Path" => {
            from(Ty::adt("std::path::PathBuf", vec![]))
        }
        Ty::Dyn { .. } => vec![],
        inner => {
            let module = match name {
                "Box" => "Box",
                "Rc" => "std::rc::Rc",
                _ => "std::sync::Arc",
            };
            vec![plain(&format!("{module}::new({{0}})"), vec![inner.clone()], ty)]
        }
    }
}

fn cow(ty: &Ty) -> Vec<Draft> {
    let Some(target) = ty.type_arg(0) else { return vec![] };
    let owned = match target {
        Ty::Prim(name) if name == "str" => string(),
        Ty::Slice(item) => vec_of((**item).clone()),
        Ty::Adt { path, .. } if path == "std::path::Path" => Ty::adt("std::path::PathBuf", vec![]),
        sized => sized.clone(),
    };
    vec![
        plain("std::borrow::Cow::Owned({0})", vec![owned], ty),
        plain("std::borrow::Cow::Borrowed({0})", vec![Ty::shared(target.clone())], ty),
    ]
}

fn taker_rows(ty: &Ty) -> Vec<Draft> {
    let arg = |n: usize| ty.type_arg(n).cloned();
    let owned = |call: &str, show: &str, output: Option<Ty>| match output {
        Some(output) if !output.is_unit() && output != Ty::prim("!") => {
            Some(row(call, show, vec![ty.clone()], &output))
        }
        _ => None,
    };
    let taken = |unwrap: Unwrap, output: Option<Ty>| {
        owned("{0}", "{.0}", output).map(|draft| unwrapped(unwrap, draft))
    };
    let drafts = match ty {
        Ty::Tuple(items) => items
            .iter()
            .enumerate()
            .map(|(n, item)| {
                let call = format!("{{0}}.{n}");
                owned(&call, &format!("{{.0}}.{n}"), Some(item.clone()))
            })
            .collect(),
        Ty::Ref { inner, .. } if is_integer(inner) || is_float(inner) => {
            vec![Some(plain("*{0}", vec![Ty::shared((**inner).clone())], inner))]
        }
        Ty::Ref { inner, .. } if matches!(&**inner, Ty::Prim(name) if name == "bool" || name == "char") =>
        {
            vec![Some(plain("*{0}", vec![Ty::shared((**inner).clone())], inner))]
        }
        Ty::Ref { mutable: false, inner, .. } => match &**inner {
            Ty::Slice(item) => {
                let output = vec_of((**item).clone());
                vec![Some(row("<[_]>::to_vec({0})", "{.0}.to_vec()", vec![ty.clone()], &output))]
            }
            Ty::Prim(name) if name == "str" => {
                vec![Some(row(
                    "str::to_owned({0})",
                    "{.0}.to_owned()",
                    vec![ty.clone()],
                    &string(),
                ))]
            }
            _ => vec![],
        },
        Ty::Adt { path, .. } => match path.as_str() {
            "std::option::Option" => vec![taken(Unwrap::Some, arg(0))],
            "std::task::Poll" => {
                let ready = "match {0} { std::task::Poll::Ready(x) => x, _ => {!} }";
                vec![owned(ready, ready, arg(0))]
            }
            "std::result::Result" => vec![taken(Unwrap::Ok, arg(0)), taken(Unwrap::Err, arg(1))],
            "std::boxed::Box" if arg(0).is_some_and(|inner| !inner.is_unsized()) => {
                vec![owned("*{0}", "*{.0}", arg(0))]
            }
            "std::vec::Vec" => match arg(0) {
                Some(item) => {
                    let list = vec![Ty::exclusive(ty.clone())];
                    let popped = row("Vec::pop({0})", "{.0}.pop()", list, &item);
                    vec![Some(unwrapped(Unwrap::Some, popped))]
                }
                None => vec![],
            },
            "std::borrow::Cow" if arg(0) == Some(Ty::prim("str")) => {
                vec![owned(
                    "std::borrow::Cow::into_owned({0})",
                    "{.0}.into_owned()",
                    Some(string()),
                )]
            }
            _ => vec![],
        },
        _ => vec![],
    };
    drafts.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::operation::FlowKind;

    #[test]
    fn a_type_that_only_the_compiler_knows_is_made_of_what_it_may_be() {
        let array = Ty::Array(Box::new(Ty::prim("u16")), "3".to_owned());
        let trait_ = Some(Box::new(TraitRef::new("b::Places", vec![])));
        let thing = Ty::Assoc { self_ty: Box::new(array), trait_, name: "Thing".to_owned() };
        let api = Api::default();
        let makers = makers(&api, &thing);
        let of_items = makers.iter().any(|draft| draft.inputs[0].ty == Ty::prim("u16"));
        assert!(of_items && makers.len() > 1);
        // It may be borrowed like any other value.
        let borrowed = borrowers(&api, &Ty::shared(thing.clone()));
        assert_eq!((&borrowed[0].inputs[0].ty, borrowed[0].inputs[0].mode), (&thing, Mode::Shared));
        assert_eq!(borrowed[0].flows[0].kind, FlowKind::Loan { mutable: false });
    }

    #[test]
    fn some_of_a_reference_borrows_the_value() {
        let option = Ty::adt("std::option::Option", vec![Ty::shared(Ty::prim("i32"))]);
        let makers = makers(&Api::default(), &option);
        assert_eq!(makers[0].inputs[0].mode, Mode::Shared);
        assert_eq!(makers[0].flows[0].kind, FlowKind::Loan { mutable: false });
        let takers = takers(&Api::default(), &option);
        assert_eq!(takers[0].flows[0].kind, FlowKind::Inherit);
    }

    #[test]
    fn a_slice_is_borrowed_from_a_vector() {
        let slice = Ty::exclusive(Ty::Slice(Box::new(Ty::prim("u8"))));
        let makers = makers(&Api::default(), &slice);
        assert_eq!(makers[0].call.full(), "<std::vec::Vec<u8>>::as_mut_slice({0})");
        assert_eq!(makers[0].inputs[0].ty.to_string(), "std::vec::Vec<u8>");
    }

    #[test]
    fn a_reference_as_a_value_borrows_what_it_points_at() {
        let ty = Ty::exclusive(Ty::adt("a::List", vec![]));
        let borrowers = borrowers(&Api::default(), &ty);
        assert_eq!(borrowers[0].inputs[0].mode, Mode::Exclusive);
        assert_eq!(borrowers[0].flows[0].kind, FlowKind::Loan { mutable: true });
    }

    #[test]
    fn values_of_other_crates_types_are_guessed() {
        let map = Ty::adt("b::Map", vec![Ty::prim("u8"), Ty::prim("i8")]);
        let calls: Vec<String> =
            makers(&Api::default(), &map).into_iter().map(|draft| draft.call.full()).collect();
        assert_eq!(calls[0], "<b::Map<u8, i8> as std::default::Default>::default()");
        assert!(calls[1..].iter().all(|call| call.contains("collect::<b::Map<u8, i8>>()")));
        let zone = makers(&Api::default(), &Ty::adt("b::Utc", vec![]));
        assert_eq!(zone.last().map(|draft| draft.call.full()).as_deref(), Some("b::Utc"));
    }
}
