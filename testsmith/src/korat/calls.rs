//! The shortest sequence of public calls that builds a given structure.
//!
//! `#[korat(calls)]` on the public `impl` block of a type lists its calls;
//! their arguments take the values that plain fields of the same type take in
//! the search. A breadth-first search over the structures that calls lead to
//! compares canonical forms, so a type needs neither `Clone` nor `PartialEq`:
//! a structure is built again by repeating its calls. Calls that panic and
//! structures that break `rep_ok` lead nowhere. A call that does not return is
//! the business of whoever runs this; see `testing`.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Korat;
use super::finitize::{Finitization, FinitizeError, Plain};
use super::guard;
use super::search::Search;
use super::show::{Shower, Shown};
use super::space::Space;

/// The most structures to look at before giving up.
const MAX_STRUCTURES: usize = 5_000;
/// The most calls to try before giving up.
const MAX_TRIES: usize = 100_000;
/// The most combinations of arguments of one call.
const MAX_ARGUMENTS: usize = 200;

/// The values of plain fields, by the names of their types.
pub(crate) type Values = BTreeMap<&'static str, Vec<Plain>>;

/// A type that says which calls build and change its values.
pub trait Calls: Korat {
    /// Adds the calls to `api`.
    fn calls(api: &mut Api<Self>);
}

/// The calls of a type, each with every combination of its arguments.
pub struct Api<T> {
    scope: usize,
    values: Values,
    starts: Vec<(String, Start<T>)>,
    changes: Vec<(String, Change<T>)>,
}

type Start<T> = Box<dyn Fn() -> T>;
type Change<T> = Box<dyn Fn(T) -> T>;

/// How a call takes an argument.
#[doc(hidden)]
pub struct Argument {
    /// The plain type it is made of.
    pub of: &'static str,
    pub borrowed: bool,
}

impl<T: Korat> Api<T> {
    /// The calls of `T`, with arguments as large as the fields of a search.
    pub(crate) fn new(bounds: &Bounds) -> Self
    where
        T: Calls,
    {
        let Bounds { scope, values } = bounds;
        let (scope, values) = (*scope, values.clone());
        let mut api = Api { scope, values, starts: Vec::new(), changes: Vec::new() };
        T::calls(&mut api);
        api
    }

    /// A call that makes a value.
    pub fn start<A: Korat + Clone>(&mut self, name: &str, how: &[Argument], call: fn(A) -> T) {
        for (arguments, text) in self.arguments::<A>(how) {
            let make = move || call(arguments.clone());
            self.starts.push((format!("{name}({text})"), Box::new(make)));
        }
    }

    /// A call that changes a value.
    pub fn change<A: Korat + Clone>(&mut self, name: &str, how: &[Argument], call: fn(T, A) -> T) {
        for (arguments, text) in self.arguments::<A>(how) {
            let change = move |value| call(value, arguments.clone());
            self.changes.push((format!("{name}({text})"), Box::new(change)));
        }
    }

    /// Every combination of arguments, and how it is written.
    fn arguments<A: Korat>(&self, how: &[Argument]) -> Vec<(A, String)> {
        let mut finitization = Finitization::new(self.scope);
        for (at, argument) in how.iter().enumerate() {
            if let Some(values) = self.values.get(argument.of) {
                finitization = finitization.field(&format!("input.{at}"), values.clone());
            }
        }
        let Ok(mut run) = Search::<A>::within(finitization).try_run() else { return Vec::new() };
        let mut all = Vec::new();
        while run.advance() && all.len() < MAX_ARGUMENTS {
            let parts = match run.current().shown() {
                Shown::Tuple(parts) => parts,
                _ => Vec::new(),
            };
            let texts: Option<Vec<String>> =
                how.iter().zip(&parts).map(|(how, part)| how.write(part)).collect();
            all.extend(texts.map(|texts| (run.current().realize(), texts.join(", "))));
        }
        all
    }

    /// The calls that build a structure isomorphic to `wanted`, as statements
    /// about a variable of this name; or how many structures were tried.
    pub(crate) fn reach(&self, wanted: &T, name: &str) -> Result<Vec<String>, usize> {
        let Some(wanted) = form(wanted) else { return Err(0) };
        let mut known: HashSet<String> = HashSet::new();
        let mut paths: Vec<(usize, Vec<usize>)> = Vec::new();
        let found = |start: usize, path: &[usize]| {
            let start = format!("let mut {name} = {};", self.starts[start].0);
            let calls = path.iter().map(|call| format!("{name}.{};", self.changes[*call].0));
            std::iter::once(start).chain(calls).collect()
        };
        for (start, (_, make)) in self.starts.iter().enumerate() {
            let Some(form) = attempt(make) else { continue };
            if form == wanted {
                return Ok(found(start, &[]));
            }
            if known.insert(form) {
                paths.push((start, Vec::new()));
            }
        }
        let (mut at, mut tries) = (0, 0);
        while at < paths.len() && paths.len() < MAX_STRUCTURES && tries < MAX_TRIES {
            let (start, path) = paths[at].clone();
            for (call, (_, change)) in self.changes.iter().enumerate() {
                tries += 1;
                let made = attempt(|| change(self.build(start, &path)));
                let Some(form) = made else { continue };
                let path: Vec<usize> = path.iter().copied().chain([call]).collect();
                if form == wanted {
                    return Ok(found(start, &path));
                }
                if known.insert(form) {
                    paths.push((start, path));
                }
            }
            at += 1;
        }
        Err(known.len())
    }

    fn build(&self, start: usize, path: &[usize]) -> T {
        path.iter().fold((self.starts[start].1)(), |value, call| (self.changes[*call].1)(value))
    }
}

/// The form of a value, if making it does not panic and it is valid.
fn attempt<T: Korat>(make: impl Fn() -> T) -> Option<String> {
    let value = guard::quietly(|| catch_unwind(AssertUnwindSafe(make))).ok()?;
    form(&value)
}

/// What isomorphic structures have in common, if this is a valid one.
fn form<T: Korat>(value: &T) -> Option<String> {
    let valid = guard::quietly(|| catch_unwind(AssertUnwindSafe(|| value.real_rep_ok())));
    if !valid.unwrap_or(false) {
        return None;
    }
    let canonical = value.show_real(&mut Shower::real()).canonical()?;
    Some(format!("{canonical:?}"))
}

impl Argument {
    fn write(&self, shown: &Shown) -> Option<String> {
        let text = shown.rust()?;
        if !self.borrowed {
            return Some(text);
        }
        let text = text.trim_end_matches(".into()");
        // A text that is borrowed is a literal.
        Some(if text.starts_with('"') { text.to_owned() } else { format!("&{text}") })
    }
}

/// The shortest sequence of public calls that builds a structure isomorphic to
/// `wanted`, with arguments from the domains of a finitization.
///
/// `None` when none was found among the first few thousand structures.
pub fn calls_that_build<T: Calls>(
    wanted: &T,
    finitization: &Finitization,
) -> Result<Option<Vec<String>>, FinitizeError> {
    let (space, _) = Space::build::<T>(finitization)?;
    let bounds = Bounds { scope: finitization.scope, values: space.values };
    Ok(Api::<T>::new(&bounds).reach(wanted, "value").ok())
}

/// Finds the calls for one input of a test, where its type lists them.
#[doc(hidden)]
pub struct Sequence<'a, T> {
    pub wanted: &'a T,
    pub name: &'static str,
    pub bounds: &'a Bounds,
}

/// How large the arguments of calls may be.
pub struct Bounds {
    pub(crate) scope: usize,
    pub(crate) values: Values,
}

/// For types with [`Calls`].
#[doc(hidden)]
pub trait Listed {
    fn text(&self) -> Option<String>;
}

impl<T: Calls> Listed for Sequence<'_, T> {
    fn text(&self) -> Option<String> {
        let api = Api::<T>::new(self.bounds);
        let name = self.name;
        Some(match api.reach(self.wanted, name) {
            Ok(calls) => format!("public calls that build {name}:\n    {}\n", calls.join("\n    ")),
            Err(tried) => format!(
                "no public calls found that build {name}: none of the {tried} structures that \
                 were reached\n"
            ),
        })
    }
}

/// For all others. Method lookup prefers [`Listed`], which needs one reference
/// less.
#[doc(hidden)]
pub trait Unlisted {
    fn text(&self) -> Option<String> {
        None
    }
}

impl<T> Unlisted for &Sequence<'_, T> {}
