//! What is written about a trait, for the solver.
//!
//! Made once for each trait, by what the macro wrote. A clause that the solver does not
//! understand is found here, before the first call: a fake that could not keep its contract
//! is not made at all.

use super::value::FakeValue;
use testsmith_reach::{
    Clause, Constant, Fake, FnId, Free, Function, Mode, Param, Sort, System, TypeDef, TypeId,
    Variant,
};

/// The type of the fake itself among those of the system.
const OWN: TypeId = 0;

/// The types that values of a trait have.
#[derive(Debug, Default)]
pub struct Sorts {
    types: Vec<TypeDef>,
    /// Their paths, by which they are told apart.
    paths: Vec<&'static str>,
}

impl Sorts {
    /// An enum, by its variants and what they hold.
    pub fn enumeration(
        &mut self,
        path: &'static str,
        name: &str,
        variants: impl FnOnce(&mut Sorts) -> Vec<(&'static str, Vec<(&'static str, Sort)>)>,
    ) -> Sort {
        if let Some(known) = self.paths.iter().position(|known| *known == path) {
            return Sort::Enum(known);
        }
        let variants = variants(self).into_iter().map(|(name, fields)| Variant {
            name: name.to_owned(),
            fields: fields.into_iter().map(|(name, sort)| (name.to_owned(), sort)).collect(),
        });
        let variants = Some(variants.collect());
        self.types.push(TypeDef { name: name.to_owned(), variants, invariants: vec![] });
        self.paths.push(path);
        Sort::Enum(self.types.len() - 1)
    }
}

/// The sort of a type.
pub type SortOf = fn(&mut Sorts) -> Sort;

/// A method of a trait as the macro read it.
#[derive(Debug)]
pub struct Method {
    pub name: &'static str,
    pub pure: bool,
    pub params: Vec<(&'static str, SortOf)>,
    pub ret: SortOf,
    pub requires: &'static [&'static str],
    pub ensures: &'static [&'static str],
    /// What a provided query computes. It is not faked; clauses may speak of it.
    pub body: Option<&'static str>,
}

/// Collects what there is to know of a trait.
#[derive(Debug)]
pub struct Describing {
    fake: &'static str,
    sorts: Sorts,
    system: System,
}

impl Describing {
    /// A trait without methods, and the name of its fake.
    pub fn new(name: &'static str, fake: &'static str) -> Describing {
        let own = TypeDef { name: name.to_owned(), variants: None, invariants: vec![] };
        let sorts = Sorts { types: vec![own], paths: vec![""] };
        Describing { fake, sorts, system: System::default() }
    }

    pub fn method(mut self, method: Method) -> Describing {
        let mode = if method.pure { Mode::Shared } else { Mode::Exclusive };
        let own = Param { name: "self".to_owned(), sort: Sort::Object(OWN), mode };
        let mut params = vec![own];
        for (name, sort) in method.params {
            let sort = sort(&mut self.sorts);
            params.push(Param { name: name.to_owned(), sort, mode: Mode::Own });
        }
        let ret = (method.ret)(&mut self.sorts);
        let clauses = |texts: &[&str]| texts.iter().map(|text| Clause::new(text)).collect();
        self.system.functions.push(Function {
            pure: method.pure,
            requires: clauses(method.requires),
            ensures: clauses(method.ensures),
            body: method.body.map(str::to_owned),
            ..Function::new(method.name, Some(OWN), params, ret)
        });
        self
    }

    /// A constant that a clause speaks of. Variants of enums are known without.
    pub fn constant<T: FakeValue>(mut self, words: &str, value: &T) -> Describing {
        let sort = T::sort(&mut self.sorts);
        if !matches!(sort, Sort::Enum(_)) {
            let text = value.to_concrete().to_string();
            self.system.constants.insert(words.to_owned(), Constant { sort, text });
        }
        self
    }

    pub fn done(mut self) -> Description {
        self.system.types = self.sorts.types;
        let mut unknown = Fake::new(&self.system, OWN).untranslated();
        // A precondition is for the caller to keep, and is checked as it is written.
        self.system.functions = forgetting(&self.system, &unknown);
        unknown = Fake::new(&self.system, OWN).untranslated();
        // A provided query that is not understood is none. What clauses say of it is not
        // understood then, and told.
        let is_body = |function: &Function, system: &System| {
            let (of, body) = (function.path(system), function.body.as_ref());
            body.is_some() && unknown.iter().any(|it| it.of == of)
        };
        let kept: Vec<bool> =
            self.system.functions.iter().map(|it| !is_body(it, &self.system)).collect();
        if kept.contains(&false) {
            let mut kept = kept.into_iter();
            self.system.functions.retain(|_| kept.next().unwrap_or(true));
            unknown = Fake::new(&self.system, OWN).untranslated();
        }
        let problems = unknown.into_iter();
        let problems = problems.map(|it| format!("`{}` of {}: {}", it.clause, it.of, it.why));
        Description { fake: self.fake, system: self.system, problems: problems.collect() }
    }
}

/// The functions without the preconditions that are not understood.
fn forgetting(system: &System, unknown: &[Free]) -> Vec<Function> {
    let without = |function: &Function| {
        let path = function.path(system);
        let is_known = |clause: &Clause| {
            !unknown.iter().any(|free| free.of == path && free.clause == clause.text)
        };
        let requires = function.requires.iter().filter(|it| is_known(it)).cloned().collect();
        Function { requires, ..function.clone() }
    };
    system.functions.iter().map(without).collect()
}

/// A trait as its fakes know it.
#[derive(Debug)]
pub struct Description {
    pub(super) fake: &'static str,
    pub(super) system: System,
    /// Clauses that cannot be kept, and why.
    pub(super) problems: Vec<String>,
}

impl Description {
    pub(super) fn answers(&self) -> Fake<'_> {
        Fake::new(&self.system, OWN)
    }

    pub(super) fn function(&self, name: &str) -> FnId {
        let position = self.system.functions.iter().position(|it| it.name == name);
        position.expect("the macro describes every method that it fakes")
    }
}
