//! Turns the outcome of one clause around, to see whether anything notices.
//!
//! A clause that is never evaluated promises nothing. With the feature `flip`
//! a test can ask which clauses were evaluated in this thread, make one of them
//! fail on purpose, and see the violation. Without the feature none of this is
//! compiled. Not meant for anything but tests.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::check::StaticClause;
use super::violation::Kind;

/// Which clause.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ClauseId {
    pub kind: Kind,
    /// `file:line:column`.
    pub place: String,
    /// The condition as written.
    pub text: String,
}

thread_local! {
    static SEEN: RefCell<BTreeSet<ClauseId>> = const { RefCell::new(BTreeSet::new()) };
    static ARMED: RefCell<Option<ClauseId>> = const { RefCell::new(None) };
}

/// The clauses evaluated in this thread so far.
pub fn seen() -> Vec<ClauseId> {
    SEEN.with_borrow(|seen| seen.iter().cloned().collect())
}

/// Runs code with the outcome of the clause turned around in this thread.
pub fn flipping<R>(clause: &ClauseId, code: impl FnOnce() -> R) -> R {
    struct Disarm;
    impl Drop for Disarm {
        fn drop(&mut self) {
            ARMED.with_borrow_mut(|armed| *armed = None);
        }
    }
    ARMED.with_borrow_mut(|armed| *armed = Some(clause.clone()));
    let _disarm = Disarm;
    code()
}

pub(super) fn is_armed() -> bool {
    ARMED.with_borrow(Option::is_some)
}

pub(super) fn outcome(clause: &'static StaticClause, outcome: bool) -> bool {
    let place = format!("{}:{}:{}", clause.file, clause.line, clause.column);
    let id = ClauseId { kind: clause.kind, place, text: clause.text.to_owned() };
    let flip = ARMED.with_borrow(|armed| armed.as_ref() == Some(&id));
    SEEN.with_borrow_mut(|seen| seen.insert(id));
    outcome != flip
}
