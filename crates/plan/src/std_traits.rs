//! What impls of std traits offer beyond the methods they write down.
//!
//! `fmt` and `hash` cannot be called as they stand; iterators have provided
//! methods that rustdoc does not list.

use crate::draft::{Draft, mode_of};
use crate::resolve;
use testsmith_model::api::{Api, Callable};
use testsmith_model::call::{Form, Treatment};
use testsmith_model::operation::{Flow, FlowKind, Input, Mode, OperationKind};
use testsmith_model::ty::{Lifetime, TraitRef, Ty};
use testsmith_model::{Call, Callee};

/// Iterators may never end, so a collection takes this many items at most.
pub const MAX_COLLECTED: usize = 1000;

/// Replaces methods whose own arguments nobody can make: `fmt`, `hash`.
pub fn rewrite(api: &Api, callable: &Callable, self_ty: &Ty) -> Option<Draft> {
    let trait_ = callable.trait_.as_ref()?;
    if !trait_.path.starts_with("std::") {
        return None;
    }
    let format = match (trait_.name(), callable.callee.name()) {
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
            let call = Call::template(call, call);
            return Some(observer(api, callable, self_ty, call, Ty::prim("u64")));
        }
        ("Future", "poll") => return polled(api, callable, trait_, self_ty),
        _ => return None,
    };
    let call = Call::new(Form::Format(format.to_owned()), vec!["{0}".to_owned()]);
    Some(observer(api, callable, self_ty, call, Ty::adt("std::string::String", vec![])))
}

/// A future is polled to its end, not once.
fn polled(api: &Api, callable: &Callable, trait_: &TraitRef, self_ty: &Ty) -> Option<Draft> {
    let output = Ty::Assoc {
        self_ty: Box::new(self_ty.clone()),
        trait_: Some(Box::new(trait_.clone())),
        name: "Output".to_owned(),
    };
    let output = resolve::normalize(api, &output);
    if matches!(output, Ty::Assoc { .. }) {
        return None;
    }
    let call = Call { result: Treatment::Awaited, ..Call::template("{0}", "{0}") };
    let inherit = Flow { input: 0, kind: FlowKind::Inherit };
    let flows = if self_ty.borrows() && output.borrows() { vec![inherit] } else { vec![] };
    let input = Input { name: "self".to_owned(), ty: self_ty.erase_lifetimes(), mode: Mode::Own };
    let draft = observer(api, callable, self_ty, call, output.erase_lifetimes());
    Some(Draft { inputs: vec![input], flows, ..draft })
}

fn observer(api: &Api, callable: &Callable, self_ty: &Ty, call: Call, output: Ty) -> Draft {
    let (value, mode) = mode_of(api, &Ty::shared(self_ty.clone()));
    Draft {
        kind: OperationKind::ForeignTrait,
        inputs: vec![Input { name: "self".to_owned(), ty: value.erase_lifetimes(), mode }],
        docs: callable.docs.clone(),
        place: callable.place.clone(),
        derived: callable.derived,
        ..Draft::aside(callable.callee.clone(), call, output)
    }
}

/// Provided methods of iterators, for one concrete type. Which of them the
/// type really has is for the compiler to say.
pub fn iterator_methods(api: &Api, ty: &Ty, kind: OperationKind) -> Vec<Draft> {
    let item = Ty::Assoc {
        self_ty: Box::new(ty.clone()),
        trait_: Some(Box::new(TraitRef::new("std::iter::Iterator", vec![]))),
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
    let collect = ".collect::<Vec<_>>()";
    let rows: Vec<Row> = vec![
        row("Iterator", "next", &["{0}"], exclusive.clone(), option(item.clone())),
        row("Iterator", "nth", &["{0}", "{1}"], exclusive.clone(), option(item.clone())),
        row("Iterator", "size_hint", &["{0}"], shared.clone(), hint),
        Row {
            name: "collect",
            then: Treatment::Followed(collect.to_owned()),
            ..row(
                "Iterator",
                "take",
                &["{0}", &MAX_COLLECTED.to_string()],
                ty.clone(),
                list.clone(),
            )
        },
        row("DoubleEndedIterator", "next_back", &["{0}"], exclusive, option(item)),
        Row {
            then: Treatment::Followed(format!(".take({MAX_COLLECTED}){collect}")),
            ..row("Iterator", "rev", &["{0}"], ty.clone(), list)
        },
        row("ExactSizeIterator", "len", &["{0}"], shared, usize_()),
    ];
    rows.into_iter().map(|row| row.draft(api, ty, kind)).collect()
}

/// A provided method of iterators.
struct Row {
    /// What the operation is known by; what is called first is in the form.
    name: &'static str,
    form: Form,
    args: Vec<String>,
    receiver: Ty,
    then: Treatment,
    output: Ty,
}

fn row(trait_: &str, name: &'static str, args: &[&str], receiver: Ty, output: Ty) -> Row {
    let trait_ = TraitRef::new(trait_, vec![]);
    let form = Form::TraitMember { of: None, trait_, name: name.to_owned(), generics: vec![] };
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    Row { name, form, args, receiver, then: Treatment::Kept, output }
}

impl Row {
    fn draft(self, api: &Api, ty: &Ty, kind: OperationKind) -> Draft {
        let mut signature = vec![("self", self.receiver)];
        if self.name == "nth" {
            signature.push(("n", Ty::prim("usize")));
        }
        // What an iterator hands out is what it borrows, never the iterator itself.
        let inherit = Flow { input: 0, kind: FlowKind::Inherit };
        let flows = if ty.borrows() && self.output.borrows() { vec![inherit] } else { vec![] };
        let inputs = signature.iter().map(|(name, ty)| {
            let (value, mode) = mode_of(api, ty);
            Input { name: (*name).to_owned(), ty: value.erase_lifetimes(), mode }
        });
        let callee = Callee::TraitMember {
            of: ty.clone(),
            trait_: TraitRef::new("Iterator", vec![]),
            name: self.name.to_owned(),
        };
        let call = Call { result: self.then, ..Call::new(self.form, self.args) };
        let inputs = inputs.collect();
        Draft { kind, inputs, flows, ..Draft::aside(callee, call, self.output.erase_lifetimes()) }
    }
}
