//! The way to every goal, by hand: each precondition can be met, by calls that are
//! legal themselves.

use std::collections::BTreeSet;

use subject_goals::pairs::{ahead, level, risen, together};
use subject_goals::*;

/// Notes goals that were reached, by the numbers they give.
#[derive(Default)]
struct Reached(BTreeSet<u8>);

impl Reached {
    /// Calls a goal after asking whether its precondition holds.
    fn note(&mut self, legal: Result<(), usize>, goal: impl FnOnce() -> u8) {
        assert_eq!(legal, Ok(()), "after {:?}", self.0);
        let number = goal();
        assert!(self.0.insert(number), "goal {number} is there twice");
    }
}

/// `goal!(reached, path::function(arguments))` or `goal!(reached, object.method(arguments))`,
/// where each goes by the name of the function that tells whether it may be called.
macro_rules! goal {
    ($reached:ident, $asked:path => $called:path, $($argument:expr),+) => {
        $reached.note($asked($(&$argument),+), || $called($($argument.clone()),+))
    };
    ($reached:ident, $object:ident . $asked:ident => $called:ident $(, $argument:expr)*) => {
        $reached.note($object.$asked($(&$argument),*), || $object.$called($($argument),*))
    };
}
