//! What the expansions of the attributes call. Not for people: names and
//! signatures change without notice.
//!
//! The hot path is [`holds`]; everything about a broken clause is behind
//! [`violated`], which is cold and never inlined.

use std::any::Any;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};

pub use super::logic::forall;
pub use super::plain::{AnyOther, Known, OfStandard};
pub use super::purity::{ByDebug, ByEquality, ByNothing, Sampler, Snapshot, Watch};
pub use super::scope::{Depth, Object, Running, Scope, Tracking, deeper, in_clause};
use super::scope::{is_due, is_due_untracked};
pub use super::show::{Notes, Show, WithDebug, WithoutDebug};
use super::violation::{Clause, Violation, keep};
pub use super::violation::{Kind, Moment};

/// A clause as the macros write it down.
#[derive(Debug)]
pub struct StaticClause {
    pub kind: Kind,
    pub index: u32,
    pub function: &'static str,
    pub text: &'static str,
    /// Empty if there is none.
    pub message: &'static str,
    pub file: &'static str,
    pub line: u32,
    pub column: u32,
}

/// In which function a clause is evaluated, and when: known when compiling.
#[derive(Debug)]
pub struct Occasion {
    /// Empty where only the path tells.
    pub function: &'static str,
    /// Found only when needed: the compiler's name for the function.
    pub path: fn() -> &'static str,
    pub moment: Moment,
}

/// In which call a clause is evaluated. Two words, so that nothing has to be
/// written to memory as long as no clause fails.
#[derive(Clone, Copy, Debug)]
pub struct During {
    pub occasion: &'static Occasion,
    pub depth: Depth,
}

impl During {
    /// Whether an invariant of the object that has no value is to be raised.
    pub fn is_due<T: ?Sized>(self, object: &T) -> bool {
        is_due(self.depth, Object::of(object))
    }
}

/// Implemented for nothing: a type that declares an invariant has a method of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` declares no invariant",
    label = "which invariant?",
    note = "write `#[invariant(condition)]` on the type, or the condition here"
)]
pub trait Declares {}

/// What stands in for the hidden method of a type that declares no invariant.
pub trait Undeclared {
    fn __testsmith_invariant(&self, _: During)
    where
        Self: Declares,
    {
    }
}

impl<T: ?Sized> Undeclared for T {}

/// Evaluates a clause. The closure may only read, which the compiler checks.
#[inline(always)]
pub fn holds(clause: &'static StaticClause, condition: impl Fn() -> bool) -> bool {
    #[cfg(feature = "flip")]
    return super::flip::outcome(clause, condition());
    #[cfg(not(feature = "flip"))]
    {
        let _ = clause;
        condition()
    }
}

/// Evaluates a clause that may panic; nothing if it did.
#[inline(always)]
pub fn attempt(
    clause: &'static StaticClause,
    condition: impl Fn() -> bool,
) -> Result<bool, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(|| holds(clause, condition)))
}

/// Whether a precondition is met, asked by a tool: one that panics is not.
pub fn is_met(condition: impl FnOnce() -> bool) -> bool {
    in_clause(|| catch_unwind(AssertUnwindSafe(condition))).unwrap_or(false)
}

/// Captures a value for `old(..)` by code that may panic.
#[inline(always)]
pub fn capture<T>(evaluate: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(evaluate))
}

/// Raises the panic of a clause that has no value: evaluating it panicked. A clause that
/// is not due, because another one is being evaluated, may have no value.
#[cold]
#[inline(never)]
#[track_caller]
pub fn undefined(
    clause: &'static StaticClause,
    during: During,
    due: bool,
    payload: Box<dyn Any + Send>,
) {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&'static str>().copied());
    // A payload that is no text is how somebody leaves code on purpose.
    let Some(text) = text else { resume_unwind(payload) };
    if due && raises(clause) {
        let text = text.lines().next().unwrap_or_default().to_owned();
        raise(clause, during, Notes::default(), false, Some(text))
    }
}

/// Gives a closure clause its result: `|ret| ..` takes it by reference.
#[inline(always)]
pub fn with_result<R: ?Sized>(result: &R, condition: impl Fn(&R) -> bool) -> bool {
    condition(result)
}

/// The same while explaining, where notes are taken on the way.
pub fn explain_result<R: ?Sized>(result: &R, condition: impl FnOnce(&R) -> bool) -> bool {
    condition(result)
}

/// Runs a body that may return early, as a closure that is called once. Being
/// `FnOnce` lets it return what it borrowed.
#[inline(always)]
pub fn run<R>(body: impl FnOnce() -> R) -> R {
    body()
}

/// What `old(..)` captured. It is there whenever postconditions are checked.
#[inline(always)]
pub fn captured<T>(value: &Option<T>) -> &T {
    value.as_ref().expect("old values are captured in every checked call")
}

/// The path of the function in which the closure stands.
pub fn path_of<F>(_: F) -> &'static str {
    path_of_type::<F>()
}

fn path_of_type<F>() -> &'static str {
    let name = std::any::type_name::<F>();
    // Also where the closure stands in a constant of the function.
    let end = name.find("::{{").unwrap_or(name.len());
    &name[..end]
}

/// The call that is running now, for clauses inside a body.
pub fn within<F>(_: F) -> During {
    let occasion =
        const { &Occasion { function: "", path: path_of_type::<F>, moment: Moment::Before } };
    // The body runs one level deeper than its own clauses.
    During { occasion, depth: Scope::begin(Tracking::Whole).depth().around() }
}

/// Whether a broken clause may be raised. Not while the thread is panicking
/// already: a second panic would abort the process and hide the first one.
#[cold]
#[inline(never)]
pub fn raises(clause: &'static StaticClause) -> bool {
    let panicking = std::thread::panicking();
    if panicking {
        let StaticClause { text, file, line, column, .. } = clause;
        eprintln!(
            "contract violated during another panic: {text}, written at {file}:{line}:{column}"
        );
    }
    !panicking
}

/// Raises the panic of a clause that does not hold, if it is due. That it is one call, and
/// that it may return, lets the checked function set up nothing before it.
#[cold]
#[inline(never)]
#[track_caller]
pub fn broken(clause: &'static StaticClause, during: During, explain: &dyn Fn(&mut Notes) -> bool) {
    if is_due_untracked(during.depth) && raises(clause) {
        violated(clause, during, explain);
    }
}

/// The same for an invariant of an object, which may be broken while a method of the
/// object runs.
#[cold]
#[inline(never)]
#[track_caller]
pub fn broken_for(
    clause: &'static StaticClause,
    during: During,
    object: Object,
    explain: &dyn Fn(&mut Notes) -> bool,
) {
    if is_due(during.depth, object) && raises(clause) {
        violated(clause, during, explain);
    }
}

/// Raises the panic of a broken clause. `explain` evaluates the clause again,
/// noting what it sees, and says whether it held this time.
///
/// That it does not return lets the explanation own what it looks at, so that
/// the checked function can keep it all in registers.
#[cold]
#[inline(never)]
#[track_caller]
pub fn violated(
    clause: &'static StaticClause,
    during: During,
    explain: &dyn Fn(&mut Notes) -> bool,
) -> ! {
    let mut notes = Notes::default();
    let again = in_clause(|| catch_unwind(AssertUnwindSafe(|| explain(&mut notes))));
    raise(clause, during, notes, matches!(again, Ok(true)) && !flipped(), None)
}

#[track_caller]
fn raise(
    clause: &'static StaticClause,
    during: During,
    notes: Notes,
    unsteady: bool,
    panicked: Option<String>,
) -> ! {
    let caller = Location::caller();
    let caller = (clause.kind == Kind::Requires && clause.line != caller.line())
        .then(|| format!("{}:{}:{}", caller.file(), caller.line(), caller.column()));
    let Occasion { function, path, moment } = during.occasion;
    let path = plain_path(path());
    let name = match *function {
        "" => path.rsplit("::").next().unwrap_or_default(),
        name => name,
    };
    let violation = Violation {
        kind: clause.kind,
        moment: *moment,
        clause: Clause {
            function: name.to_owned(),
            index: clause.index,
            text: clause.text.to_owned(),
            message: (!clause.message.is_empty()).then(|| clause.message.to_owned()),
            place: format!("{}:{}:{}", clause.file, clause.line, clause.column),
        },
        function: path,
        depth: during.depth.calls(),
        caller,
        values: notes.values,
        olds: notes.olds,
        arguments: notes.arguments,
        unsteady,
        panicked,
    };
    keep(&violation);
    panic!("{violation}");
}

fn flipped() -> bool {
    #[cfg(feature = "flip")]
    return super::flip::is_armed();
    #[cfg(not(feature = "flip"))]
    false
}

/// The path as a person wrote it: the methods that `#[contract_trait]` adds
/// carry the name of the method they stand for.
fn plain_path(path: &str) -> String {
    path.replace("__write_contract_trait_above_this_impl_for_", "")
}
