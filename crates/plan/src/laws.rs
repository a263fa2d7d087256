//! Laws: claims about values that every type of a kind has to keep.
//!
//! A law is an operation that returns whether the claim holds. So it is
//! compiled only for the types that have the traits and methods, called like
//! everything else, shrunk like everything else, and printed as the assertion
//! it is. The laws themselves are data: one file each in `laws/`, and a module
//! of the same name in `fixtures/laws` with a type that breaks it and one that
//! only seems to.

mod bounds;

pub use bounds::question;

use crate::draft::{Draft, mode_of};
use crate::flows;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use testsmith_model::api::{Api, Docs};
use testsmith_model::call::Form;
use testsmith_model::operation::{Input, MAX_INPUTS, Mode, OperationKind};
use testsmith_model::ty::{Lifetime, Ty};
use testsmith_model::{Call, Callee};

/// One law, as its file has it. In its texts `{T}` is the type, `{name}` one
/// of the names in `any`, `{ITEMS}` how many items are looked at.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Law {
    pub name: String,
    /// Why it matters, in a clause.
    pub why: String,
    /// What `T` has to implement. Without it, the law is a convention about
    /// methods that a type may have under these names.
    pub bounds: Option<String>,
    /// Methods that take nothing but the value.
    #[serde(default)]
    methods: Vec<String>,
    /// Methods that take whatever the law hands them.
    #[serde(default)]
    has: Vec<String>,
    /// Methods by which a type shows that the law is not meant for it.
    #[serde(default)]
    lacks: Vec<String>,
    /// One law for each of these methods that a type has.
    #[serde(default)]
    any: Vec<String>,
    /// One law for each two methods whose names have these forms; `{x}` is the same in both.
    #[serde(default)]
    pairs: Vec<[String; 2]>,
    /// Whether the second of them is no method but makes a value.
    #[serde(default)]
    free: bool,
    /// What `{form}` may be; the compiler says which it can be.
    #[serde(default)]
    forms: Vec<String>,
    /// Whether many types have reasons not to keep it, so that it is suspicious at most.
    #[serde(default)]
    pub weak: bool,
    /// Further values: what this method takes besides the value.
    arguments_of: Option<String>,
    /// One law for every method that only looks at its value; `{call}` is the call.
    #[serde(default)]
    queries: bool,
    /// How many values of the type it is about.
    #[serde(default = "one")]
    pub values: usize,
    /// Whether it takes the values themselves or references.
    #[serde(default)]
    owned: bool,
    /// The law, by its file, that a type most likely breaks too where it breaks this one.
    pub follows: Option<String>,
    /// What has to be true of `a`, `b`, `c`.
    holds: String,
    /// The same as a person would assert it in a test.
    show: String,
}

fn one() -> usize {
    1
}

/// Iterators may never end, so only so many items are looked at.
const ITEMS: &str = "1000";

/// The texts of the laws, by the names of their files.
macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../laws/", $name, ".toml")))),*]
    };
}

static FILES: &[(&str, &str)] = files![
    "a_clone_equals_its_original"
    "a_default_is_empty"
    "a_fused_iterator_stays_at_its_end"
    "a_key_leads_to_its_value"
    "a_mutable_view_runs_both_ways"
    "a_mutable_view_shows_the_same"
    "a_range_is_a_part_of_everything"
    "an_exact_size_is_exact"
    "an_inserted_entry_is_found"
    "an_inserted_number_is_contained"
    "an_inserted_value_is_contained"
    "capacity_is_at_least_len"
    "clear_takes_out_everything"
    "clone_from_equals_its_original"
    "collecting_the_items_gives_an_equal_value"
    "consuming_views_yield_len_items"
    "count_and_last_agree_with_next"
    "counts_agree_with_what_is_counted"
    "eq_is_reflexive"
    "eq_is_symmetric"
    "eq_is_transitive"
    "equal_values_answer_alike"
    "equal_values_have_equal_hashes"
    "extending_by_nothing_changes_nothing"
    "extending_the_default_is_collecting"
    "get_agrees_with_iter"
    "get_finds_what_is_contained"
    "is_empty_agrees_with_len"
    "ne_is_the_opposite_of_eq"
    "next_back_agrees_with_next"
    "nth_agrees_with_next"
    "numbers_keep_the_order"
    "operators_agree_with_partial_cmp"
    "ord_agrees_with_eq"
    "ord_is_antisymmetric"
    "ord_is_transitive"
    "owned_and_borrowed_iteration_agree"
    "partial_ord_agrees_with_eq"
    "partial_ord_agrees_with_ord"
    "partial_ord_is_dual"
    "queries_are_repeatable"
    "retaining_every_entry_loses_nothing"
    "retaining_every_item_loses_nothing"
    "retaining_no_entry_leaves_nothing"
    "retaining_no_item_leaves_nothing"
    "size_hint_bounds_the_items"
    "the_first_is_what_iter_yields_first"
    "the_greatest_is_the_greatest_of_iter"
    "the_last_is_what_iter_yields_last"
    "the_least_is_the_least_of_iter"
    "the_two_ends_meet"
    "the_whole_range_is_everything"
    "views_yield_len_items"
    "what_is_converted_converts_back"
    "what_is_displayed_parses_back"
    "what_is_seen_is_what_is_taken"
    "what_is_sorted_is_in_order"
    "what_is_yielded_is_contained"
];

/// All laws, with the names of their files.
pub static LAWS: LazyLock<Vec<(&str, Law)>> = LazyLock::new(|| {
    let read = |text: &str| -> Law { toml::from_str(text).expect("a test reads every law") };
    FILES.iter().map(|(file, text)| (*file, read(text))).collect()
});

impl Law {
    /// The law as it is told, without a place for a name.
    pub fn told(&self) -> String {
        let names = match (self.queries, self.any.as_slice()) {
            (true, _) => "a query".to_owned(),
            (false, names) => names.join("/"),
        };
        let told = self.name.replace("{name}", &names);
        match self.pairs.first() {
            Some([one, other]) => told.replace("{one}", one).replace("{other}", other),
            None => told,
        }
    }

    /// The claim that this law makes about a type.
    fn callee(&self, file: &str, ty: &Ty) -> Callee {
        Callee::Claim { claim: self.name.clone(), of: ty.clone(), law: Some(file.to_owned()) }
    }

    /// The same law with one of its names in place.
    fn named(&self, name: &str) -> Law {
        let put = |text: &String| text.replace("{name}", name);
        Law {
            name: put(&self.name),
            arguments_of: self.arguments_of.as_ref().map(put),
            holds: put(&self.holds),
            show: put(&self.show),
            ..self.clone()
        }
    }

    /// The same law about these two methods, in each of its forms.
    fn paired<'l>(&'l self, one: &'l str, other: &'l str) -> impl Iterator<Item = Law> + 'l {
        let plain = [String::new()];
        let forms = if self.forms.is_empty() { plain.to_vec() } else { self.forms.clone() };
        forms.into_iter().map(move |form| {
            let put = |text: &String| {
                let text = text.replace("{form}", &form);
                text.replace("{one}", one).replace("{other}", other)
            };
            Law {
                name: put(&self.name),
                holds: put(&self.holds),
                show: put(&self.show),
                ..self.clone()
            }
        })
    }

    /// The methods of a type that its pairs speak of.
    fn pairs_of(&self, api: &Api, ty: &Ty) -> BTreeSet<(String, String)> {
        let mut found = BTreeSet::new();
        if self.pairs.is_empty() {
            return found;
        }
        for callable in &api.callables {
            let name = callable.callee.name();
            if !is_member(&callable.callee, ty, name) || method(api, ty, name) != Some(1) {
                continue;
            }
            for [one, other] in &self.pairs {
                let Some(x) = fits(name, one) else { continue };
                let other = other.replace("{x}", x);
                let is_there = match self.free {
                    true => makes_from_one(api, ty, &other),
                    false => method(api, ty, &other) == Some(1),
                };
                if is_there {
                    found.insert((name.to_owned(), other));
                }
            }
        }
        found
    }
}

/// What `{x}` is in a name of this form.
fn fits<'n>(name: &'n str, form: &str) -> Option<&'n str> {
    // A name in full leaves nothing open.
    let Some((before, after)) = form.split_once("{x}") else {
        return (name == form).then_some("");
    };
    let x = name.strip_prefix(before)?.strip_suffix(after)?;
    // A whole name stands for anything, and part of one begins and ends with a word.
    let bare = before.is_empty() && after.is_empty();
    (bare || !x.is_empty() || !(before.ends_with('_') || after.starts_with('_'))).then_some(x)
}

/// Whether the type has a function with this name that takes one argument.
fn makes_from_one(api: &Api, ty: &Ty, name: &str) -> bool {
    let is_it = |callable: &testsmith_model::api::Callable| {
        is_member(&callable.callee, ty, name)
            && !callable.is_unsafe
            && matches!(callable.inputs.as_slice(), [(name, _)] if name != "self")
    };
    api.callables.iter().any(is_it)
}

/// The law in a file.
pub fn law(file: &str) -> Option<&'static Law> {
    LAWS.iter().find(|(known, _)| *known == file).map(|(_, law)| law)
}

/// The laws that may hold for a type; which of them apply the compiler says.
/// What methods take is seen in the drafts accepted so far.
pub fn of_type(api: &Api, ty: &Ty, accepted: &[Draft]) -> Vec<Draft> {
    let mut drafts = vec![];
    for (file, law) in LAWS.iter().filter(|(_, law)| !law.queries) {
        if law.any.is_empty() && law.pairs.is_empty() {
            drafts.extend(draft(api, ty, file, law, accepted));
        }
        for (one, other) in law.pairs_of(api, ty) {
            let laws = law.paired(&one, &other);
            drafts.extend(laws.filter_map(|law| draft(api, ty, file, &law, accepted)));
        }
        for name in law.any.iter().filter(|name| method(api, ty, name).is_some()) {
            drafts.extend(draft(api, ty, file, &law.named(name), accepted));
        }
    }
    drafts
}

/// The number of arguments of a method with this name, the value included.
fn method(api: &Api, ty: &Ty, name: &str) -> Option<usize> {
    let is_it = |callable: &&testsmith_model::api::Callable| {
        is_member(&callable.callee, ty, name) && !callable.is_unsafe && !callable.inputs.is_empty()
    };
    api.callables.iter().find(is_it).map(|callable| callable.inputs.len())
}

/// Whether it is the member with this name of a type of the crate, whatever the
/// type's arguments.
fn is_member(callee: &Callee, ty: &Ty, name: &str) -> bool {
    let same = |of: &Ty| of.path().is_some() && of.path() == ty.path();
    matches!(callee, Callee::Member { of, name: known } if known == name && same(of))
}

fn draft(api: &Api, ty: &Ty, file: &str, law: &Law, accepted: &[Draft]) -> Option<Draft> {
    let plain = law.methods.iter().all(|name| method(api, ty, name) == Some(1));
    let has = |name: &String| method(api, ty, name).is_some();
    if !plain || !law.has.iter().all(has) || law.lacks.iter().any(has) {
        return None;
    }
    if !law.bounds.as_deref().is_none_or(|wanted| bounds::may_hold(api, ty, wanted)) {
        return None;
    }
    let passed = if law.owned { ty.clone() } else { Ty::shared(ty.clone()) };
    let mut inputs = vec![passed; law.values];
    if let Some(name) = &law.arguments_of {
        inputs.extend(arguments(ty, name, accepted)?);
    }
    let put = |text: &str| one_line(text).replace("{T}", &ty.to_string()).replace("{ITEMS}", ITEMS);
    let holds = put(&law.holds);
    let places: Vec<String> = (0..inputs.len()).map(|n| format!("{{{n}}}")).collect();
    let letters = ["a", "b", "c"];
    let call = match &law.bounds {
        Some(bounds) => {
            let by = if law.owned { "mut " } else { "" };
            let of = if law.owned { "T" } else { "&T" };
            let parameters: Vec<String> =
                (0..law.values).map(|n| format!("{by}{}: {of}", letters[n])).collect();
            format!(
                "{{ fn law<T>({}) -> bool where {bounds} {{ {holds} }} law({}) }}",
                parameters.join(", "),
                places.join(", ")
            )
        }
        None => {
            let bind = |(letter, place): (&&str, &String)| format!("let mut {letter} = {place}; ");
            let bound: String = letters.iter().zip(&places).map(bind).collect();
            format!("{{ {bound}{holds} }}")
        }
    };
    let show = law.show.replace("<{T}>::", &format!("{}::", ty.as_prefix()?));
    // A convention calls methods that are judged on their own when they panic.
    let docs = Docs { mentions_panic: law.bounds.is_none(), weak: law.weak, ..Docs::default() };
    let (inputs, flows) = signature(api, &inputs);
    Some(Draft {
        flows: flows.flows,
        acquires: flows.acquires,
        ..claim(law.callee(file, ty), Call::template(&call, &put(&show)), inputs, docs)
    })
}

/// What a method of the type takes besides the value, as an accepted draft has it.
fn arguments(ty: &Ty, name: &str, accepted: &[Draft]) -> Option<Vec<Ty>> {
    let is_it = |draft: &&Draft| {
        is_member(&draft.callee, ty, name)
            && !draft.panics_by_design
            && draft.inputs.first().is_some_and(|first| first.ty == *ty)
    };
    let found = accepted.iter().find(is_it)?;
    let passed = |input: &Input<Ty>| match input.mode {
        Mode::Own | Mode::Reborrow => input.ty.clone(),
        Mode::Shared => Ty::shared(input.ty.clone()),
        Mode::Exclusive => Ty::exclusive(input.ty.clone()),
    };
    Some(found.inputs[1..].iter().map(passed).collect())
}

/// The laws about a method that only looks at its value.
pub fn of_query(api: &Api, draft: &Draft) -> Vec<Draft> {
    let Some(Input { name: receiver, ty, mode }) = draft.inputs.first() else { return vec![] };
    let local = ty.path().is_some_and(|path| api.types.contains_key(path));
    let method = matches!(draft.kind, OperationKind::Inherent | OperationKind::LocalTrait);
    if !method || !local || receiver != "self" || *mode != Mode::Shared || !can_repeat(draft) {
        return vec![];
    }
    let laws = LAWS.iter().filter(|(_, law)| law.queries);
    laws.filter_map(|(file, law)| about_query(ty, draft, file, law)).collect()
}

fn about_query(ty: &Ty, draft: &Draft, file: &str, law: &Law) -> Option<Draft> {
    let law = law.named(draft.callee.name());
    let (mut inputs, mut full) = (draft.inputs.clone(), one_line(&law.holds));
    let mut show = law.show.clone();
    if law.values > 1 {
        // The other value is the last argument, so that all others keep their places. One that
        // borrows would have to borrow from the same.
        let twin = inputs.len();
        if twin + 1 > MAX_INPUTS || ty.borrows() || tells_of_storage(draft.callee.name()) {
            return None;
        }
        inputs.push(Input { name: String::new(), ty: ty.clone(), mode: Mode::Shared });
        let called = draft.call.full().replace("{0}", &format!("{{{twin}}}"));
        full = full.replace("{call of twin}", &called).replace("{twin}", &format!("{{{twin}}}"));
        let others: Vec<String> = (1..twin).map(|n| format!("{{{n}}}")).collect();
        let called = format!("{{.{twin}}}.{}({})", draft.callee.name(), others.join(", "));
        show = show.replace("{call of twin}", &called).replace("{.twin}", &format!("{{.{twin}}}"));
    }
    let about = Some(Box::new(draft.call.clone()));
    let call = Call::new(Form::Template { full: format!("{{ {full} }}"), show, about }, vec![]);
    let docs = Docs { mentions_panic: true, weak: law.weak, ..Docs::default() };
    Some(claim(law.callee(file, ty), call, inputs, docs))
}

/// Whether a method of this name says how a value is stored, which equal ones may differ in.
fn tells_of_storage(name: &str) -> bool {
    let words = ["addr", "allocated", "bytes", "capacity", "inline", "memory", "ptr", "spilled"];
    name.split('_').any(|word| words.contains(&word))
}

/// Whether the same call can be written twice and its results compared: nothing
/// is moved, no closure keeps a count, and the answer is none that may differ
/// by its nature.
fn can_repeat(draft: &Draft) -> bool {
    let copied = |ty: &Ty| match ty {
        Ty::Prim(_) => true,
        Ty::Ref { mutable, .. } => !mutable,
        _ => false,
    };
    let mut others = draft.inputs[1..].iter();
    let arguments = others.all(|input| match input.mode {
        Mode::Own => copied(&input.ty),
        Mode::Shared => true,
        Mode::Exclusive | Mode::Reborrow => false,
    });
    let fleeting = |ty: &Ty| {
        matches!(ty, Ty::Ptr { .. } | Ty::FnPtr { .. } | Ty::Ref { mutable: true, .. })
            || ty.path().is_some_and(|path| path.starts_with("std::time::"))
    };
    let answer = !draft.output.is_unit() && !draft.output.any(fleeting);
    arguments && answer && !draft.call.has_closures() && !draft.docs.hidden
}

/// A law takes values of one type, so what they borrow has one region.
pub(crate) fn signature(api: &Api, inputs: &[Ty]) -> (Vec<Input<Ty>>, flows::Flows) {
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
    let input = |ty: &Ty| {
        let (value, mode) = mode_of(api, ty);
        Input { name: String::new(), ty: value.erase_lifetimes(), mode }
    };
    (inputs.iter().map(input).collect(), flows)
}

/// An operation that returns whether a claim holds.
pub(crate) fn claim(callee: Callee, call: Call, inputs: Vec<Input<Ty>>, docs: Docs) -> Draft {
    let kind = OperationKind::Law;
    Draft { kind, inputs, docs, ..Draft::aside(callee, call, Ty::prim("bool")) }
}

/// Probes stand on one line each, so that the compiler's words have a place.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_law_is_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/laws");
        let there: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        let read: BTreeSet<String> = LAWS.iter().map(|(file, _)| (*file).to_owned()).collect();
        assert_eq!(there, read);
        let mut followed = LAWS.iter().filter_map(|(_, law)| law.follows.as_deref());
        assert!(followed.all(|file| law(file).is_some_and(|law| law.follows.is_none())));
    }

    #[test]
    fn a_method_that_moves_an_argument_is_no_query() {
        let holder = Ty::adt("a::Holder", vec![]);
        let mut api = Api::default();
        let kind = testsmith_model::api::TypeKind::Struct;
        let def = testsmith_model::api::TypeDef {
            path: "a::Holder".into(),
            generics: Default::default(),
            kind,
        };
        api.types.insert("a::Holder".into(), def);
        let form =
            Form::Member { of: holder.clone(), name: "get".into(), generics: vec![], method: true };
        let input = |name: &str, mode| Input { name: name.into(), ty: holder.clone(), mode };
        let mut draft = Draft {
            kind: OperationKind::Inherent,
            inputs: vec![input("self", Mode::Shared)],
            ..Draft::aside(
                Callee::member(&holder, "get"),
                Call::new(form, vec!["{0}".into()]),
                Ty::prim("u8"),
            )
        };
        let laws = of_query(&api, &draft);
        let twice = laws.iter().find(|law| law.inputs.len() == 1).unwrap();
        assert_eq!(twice.path(), "get answers the same twice, for a::Holder");
        assert!(twice.call.full().contains("<a::Holder>::get({0})"), "{}", twice.call.full());
        let alike = laws.iter().find(|law| law.inputs.len() == 2).unwrap();
        assert!(alike.call.full().contains("<a::Holder>::get({1})"), "{}", alike.call.full());
        assert!(super::law("queries_are_repeatable").is_some());
        draft.inputs.push(input("by", Mode::Own));
        assert!(of_query(&api, &draft).is_empty());
    }

    #[test]
    fn names_fit_a_form_by_whole_words() {
        assert_eq!(fits("line_count", "{x}_count"), Some("line"));
        assert_eq!(fits("peek", "peek{x}"), Some(""));
        assert_eq!(fits("last", "last"), Some(""));
        assert_eq!(fits("lasts", "last"), None);
        assert_eq!(fits("to_", "to_{x}"), None);
        assert_eq!(fits("account", "{x}_count"), None);
    }
}
