//! Laws: claims about values that every type of a kind has to keep.
//!
//! A law is an operation that returns whether the claim holds. So it is
//! compiled only for the types that have the traits and methods, called like
//! everything else, shrunk like everything else, and printed as the assertion
//! it is. The laws themselves are data: one file each in `laws/`, and a module
//! of the same name in `fixtures/laws` with a type that breaks it and one that
//! only seems to.

mod bounds;
mod expand;
mod files;
mod members;
mod queries;
mod views;

pub use bounds::question;
pub use queries::{of_maker, of_query, of_reader};

use crate::draft::{Draft, mode_of};
use crate::flows;
use files::FILES;
use members::{arguments, method};
use serde::Deserialize;
use std::sync::LazyLock;
use testsmith_model::api::{Api, Docs};
use testsmith_model::operation::{Input, OperationKind};
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
    /// Whether both take arguments, and the same ones: `{arguments}`.
    #[serde(default)]
    taking: bool,
    /// Whether the second of them is no method but makes a value.
    #[serde(default)]
    free: bool,
    /// Whether it makes it of all parts of what the first gives: `{parts}`.
    #[serde(default)]
    parts: bool,
    /// One law for each of these traits that a type implements: `{trait}`, and its sign `{sign}`.
    #[serde(default)]
    operators: Vec<[String; 2]>,
    /// One law for each method that changes its value and takes nothing else.
    #[serde(default)]
    changes: bool,
    /// One law for each function that makes a value and whose arguments are all named like
    /// queries; `{call}` is the call, `{given}` the arguments, `{shown}` what the queries of
    /// `made` answer, and `{parts}` those answers in `shown` one by one.
    given: Option<Given>,
    /// One law for each function that is given a list or a text and nothing else, and gives a
    /// number beside what it read: `{call}` is the call, `{0}` what it is given, and `{taken}`
    /// that number, in an `Option`.
    #[serde(default)]
    reads: bool,
    /// What `{form}` may be; the compiler says which it can be.
    #[serde(default)]
    forms: Vec<String>,
    /// Whether it has to hold for every value although what it calls may panic: it speaks of no
    /// trait alone, and needs no support by other values.
    #[serde(default)]
    sure: bool,
    /// Whether many types have reasons not to keep it, so that it is suspicious at most.
    #[serde(default)]
    pub weak: bool,
    /// Further values: what this method takes besides the value.
    arguments_of: Option<String>,
    /// One further value: a number.
    #[serde(default)]
    number: bool,
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

/// Which of those that make values a law is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Given {
    /// Those that take everything.
    Taken,
    /// Those that can refuse, by an `Option` or a `Result`.
    Refusable,
}

/// Iterators may never end, so only so many items are looked at.
const ITEMS: &str = "1000";

/// All laws, with the names of their files.
pub static LAWS: LazyLock<Vec<(&str, Law)>> = LazyLock::new(|| {
    let read = |text: &str| -> Law { toml::from_str(text).expect("a test reads every law") };
    FILES.iter().map(|(file, text)| (*file, read(text))).collect()
});

impl Law {
    /// The law as it is told, without a place for a name.
    pub fn told(&self) -> String {
        let names = match self.any.as_slice() {
            _ if self.queries => "a query".to_owned(),
            _ if self.changes => "a change".to_owned(),
            names => names.join("/"),
        };
        let sign = self.operators.first().map_or("", |[_, sign]| sign);
        let told = self.name.replace("{name}", &names).replace("{sign}", sign);
        let told = told.replace("{maker}", "a maker").replace("{reader}", "a reader");
        match self.pairs.first() {
            Some([one, other]) => told.replace("{one}", one).replace("{other}", other),
            None => told,
        }
    }

    /// Whether a type has to earn it: it is about names, and may mean nothing here.
    pub fn is_a_convention(&self) -> bool {
        self.bounds.is_none() && !self.sure
    }

    /// Whether it compiles for every type that has the traits, whatever else the type has.
    fn speaks_of_traits_alone(&self) -> bool {
        let names = [&self.methods, &self.has, &self.any, &self.forms];
        let for_each = !self.pairs.is_empty() || !self.operators.is_empty() || self.changes;
        let values = self.number || self.arguments_of.is_some() || self.given.is_some();
        let values = values || self.reads;
        self.bounds.is_some()
            && names.iter().all(|names| names.is_empty())
            && !(for_each || values || self.queries)
    }

    /// What is known of panics in it: the methods that it calls are judged on their own.
    fn docs(&self) -> Docs {
        Docs {
            mentions_panic: self.is_a_convention(),
            panics_section: self.sure,
            weak: self.weak,
            ..Docs::default()
        }
    }

    /// The claim that this law makes about a type.
    fn callee(&self, file: &str, ty: &Ty) -> Callee {
        Callee::Claim { claim: self.name.clone(), of: ty.clone(), law: Some(file.to_owned()) }
    }
}

/// The law in a file.
pub fn law(file: &str) -> Option<&'static Law> {
    LAWS.iter().find(|(known, _)| *known == file).map(|(_, law)| law)
}

/// The laws that may hold for a type; which of them apply the compiler says.
/// What methods take is seen in the drafts accepted so far.
pub fn of_type(api: &Api, ty: &Ty, accepted: &[Draft]) -> Vec<Draft> {
    let of_values =
        LAWS.iter().filter(|(_, law)| !(law.queries || law.reads || law.given.is_some()));
    let each = |(file, law): &(&str, Law)| {
        let laws = law.expanded(api, ty, accepted);
        laws.iter().filter_map(|law| draft(api, ty, file, law, accepted)).collect::<Vec<_>>()
    };
    of_values.flat_map(each).collect()
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
    if law.number {
        inputs.push(Ty::prim("usize"));
    }
    if inputs.len() > LETTERS.len() {
        return None;
    }
    let put = |text: &str| one_line(text).replace("{T}", &ty.to_string()).replace("{ITEMS}", ITEMS);
    let again = |n: usize| format!("again(&{})", LETTERS[n]);
    let holds = put(&law.holds.replace("{arguments}", &listed(law.values..inputs.len(), again)));
    let shown = |n: usize| match &inputs[n] {
        Ty::Prim(_) | Ty::Ref { .. } => format!("{{{n}}}"),
        _ => format!("{{{n}}}.clone()"),
    };
    let show = law.show.replace("{arguments}", &listed(law.values..inputs.len(), shown));
    let places: Vec<String> = (0..inputs.len()).map(|n| format!("{{{n}}}")).collect();
    let call = match &law.bounds {
        Some(bounds) => {
            let by = if law.owned { "mut " } else { "" };
            let of = if law.owned { "T" } else { "&T" };
            let parameters: Vec<String> =
                (0..law.values).map(|n| format!("{by}{}: {of}", LETTERS[n])).collect();
            format!(
                "{{ fn law<T>({}) -> bool where {bounds} {{ {holds} }} law({}) }}",
                parameters.join(", "),
                places.join(", ")
            )
        }
        None => {
            let bind = |(letter, place): (&&str, &String)| format!("let mut {letter} = {place}; ");
            let bound: String = LETTERS.iter().zip(&places).map(bind).collect();
            format!("{{ {bound}{holds} }}")
        }
    };
    let show = show.replace("<{T}>::", &format!("{}::", ty.as_prefix()?));
    let (inputs, flows) = signature(api, &inputs);
    Some(Draft {
        flows: flows.flows,
        acquires: flows.acquires,
        ..claim(law.callee(file, ty), Call::template(&call, &put(&show)), inputs, law.docs())
    })
}

/// What a law is asked of, by these names.
const LETTERS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// One text for each number, with commas in between.
fn listed(numbers: std::ops::Range<usize>, text: impl Fn(usize) -> String) -> String {
    numbers.map(text).collect::<Vec<_>>().join(", ")
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
    use super::members::fits;
    use super::*;
    use std::collections::BTreeSet;
    use testsmith_model::call::Form;
    use testsmith_model::operation::Mode;

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
