//! How far a type keeps a convention.
//!
//! A convention rests on names: `len` need not be about what `keys` yields. So it has to
//! earn its place on each type: by holding for nearly all of many different values, or by
//! holding for all of many that were made without some call, and failing only after that.
//! What a trait promises needs no support.

use std::collections::BTreeSet;

/// How many different values a claim was asked about, and what came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Support {
    pub held: usize,
    pub broken: usize,
    /// Values that keep it, made without what every value was made with that does not, and with
    /// no fewer calls.
    pub apart: usize,
    /// Values that were made with it, whether they keep it or not.
    pub with: usize,
}

/// One value that a claim was asked about.
#[derive(Clone, Debug)]
pub struct Asked {
    pub held: bool,
    /// The names of the calls that made it.
    pub calls: BTreeSet<String>,
    /// How many calls made it.
    pub size: usize,
    /// How much there is to be seen of it.
    pub shown: usize,
}

/// A convention that holds for fewer different values has not been seen to hold.
const LEAST: usize = 8;
/// Of so many different values it may fail for one.
const ONE_IN: usize = 6;
/// A call that spoils values does so with one of so many.
const SPOILT_ONE_IN: usize = 4;

impl Support {
    /// What came of asking, and the calls, two at the most, one of which every value was made
    /// with that does not keep the claim, if enough were made without them that do. One of them is
    /// of the few that it takes.
    pub fn of(asked: &[Asked], takes: &BTreeSet<String>) -> (Support, Vec<String>) {
        let broken: Vec<&Asked> = asked.iter().filter(|value| !value.held).collect();
        let held = asked.len() - broken.len();
        let best = explanations(&broken, takes)
            .into_iter()
            .map(|calls| (apart(asked, &broken, &calls), calls))
            // Of those that tell as many apart the first, which has fewer calls.
            .fold((0, vec![]), |best, next| if next.0 > best.0 { next } else { best });
        let with = asked.iter().filter(|value| is_made_with(value, &best.1)).count();
        let support = Support { held, broken: broken.len(), apart: best.0, with };
        let told = if support.is_apart() { best.1 } else { vec![] };
        (support, told.into_iter().cloned().collect())
    }

    /// The calls, two at the most, one of which every value was made with that does not keep the
    /// claim, and the fewest of the others first: of these more has to be known where too few were
    /// made without them.
    pub fn suspects(asked: &[Asked], takes: &BTreeSet<String>) -> Vec<Vec<String>> {
        let (held, broken): (Vec<&Asked>, Vec<&Asked>) = asked.iter().partition(|it| it.held);
        let mut suspects = explanations(&broken, takes);
        suspects.sort_by_key(|calls| held.iter().filter(|it| is_made_with(it, calls)).count());
        let owned = |calls: Vec<&String>| calls.into_iter().cloned().collect();
        suspects.into_iter().map(owned).collect()
    }

    pub fn all(self) -> usize {
        self.held + self.broken
    }

    /// Whether the type keeps the convention but for a few values, or but for what some call
    /// leaves.
    pub fn is_earned(self) -> bool {
        let nearly_all = self.held >= LEAST && self.broken * ONE_IN <= self.all();
        nearly_all || self.is_apart()
    }

    fn is_apart(self) -> bool {
        self.apart >= LEAST
    }

    /// Whether it is known which call spoils a value: one that most values do without, and that
    /// does not leave nearly all as they should be.
    pub fn is_spoiled(self) -> bool {
        self.is_apart() && self.with * 2 <= self.all() && self.broken * SPOILT_ONE_IN >= self.with
    }
}

/// The calls, two at the most, one of which all of these were made with, and one of which is of the
/// few that it takes; those alone first.
fn explanations<'a>(broken: &[&'a Asked], takes: &BTreeSet<String>) -> Vec<Vec<&'a String>> {
    let names: BTreeSet<&String> = broken.iter().flat_map(|value| &value.calls).collect();
    let names: Vec<&String> = names.into_iter().collect();
    let alone = names.iter().map(|name| vec![*name]);
    let pairs = names.iter().enumerate().flat_map(|(n, one)| {
        let (names, one) = (&names, *one);
        names[n + 1..].iter().map(move |other| vec![one, *other])
    });
    let explains = |calls: &Vec<&String>| {
        calls.iter().any(|name| takes.contains(*name))
            && broken.iter().all(|value| is_made_with(value, calls))
    };
    alone.chain(pairs).filter(explains).collect()
}

fn is_made_with(value: &Asked, calls: &[&String]) -> bool {
    calls.iter().any(|name| value.calls.contains(*name))
}

/// How many values keep the claim that were made without these calls, but with no fewer than the
/// smallest that does not keep it, and are no smaller: of an empty collection most claims hold,
/// and any call that fills it would explain where they do not.
fn apart(asked: &[Asked], broken: &[&Asked], calls: &[&String]) -> usize {
    let least = |of: fn(&Asked) -> usize| broken.iter().map(|value| of(value)).min();
    let (size, shown) = (least(|value| value.size), least(|value| value.shown));
    let as_large = |value: &Asked| Some(value.size) >= size && Some(value.shown) >= shown;
    let apart = |value: &&Asked| {
        let held = value.held && !broken.is_empty();
        held && as_large(value) && !is_made_with(value, calls)
    };
    asked.iter().filter(apart).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_convention_is_earned_by_nearly_all_of_many_values() {
        let earned = |held, broken| Support { held, broken, ..Support::default() }.is_earned();
        assert!(earned(8, 0) && earned(10, 2) && earned(60, 4));
        assert!(!earned(7, 0), "too few");
        assert!(!earned(52, 12) && !earned(8, 2) && !earned(0, 64), "too often broken");
    }

    /// So many values that were made by these calls and keep the claim or not.
    fn values(number: usize, held: bool, calls: &str) -> Vec<Asked> {
        let calls: Vec<String> = calls.split(' ').map(str::to_owned).collect();
        let size = calls.len();
        vec![Asked { held, calls: calls.into_iter().collect(), size, shown: size }; number]
    }

    fn of_broken(asked: &[Asked]) -> BTreeSet<String> {
        let broken = asked.iter().filter(|value| !value.held);
        broken.flat_map(|value| value.calls.clone()).collect()
    }

    fn check(asked: &[Vec<Asked>]) -> Option<Vec<String>> {
        let asked = asked.concat();
        let (support, calls) = Support::of(&asked, &of_broken(&asked));
        support.is_earned().then_some(calls)
    }

    #[test]
    fn a_convention_is_earned_by_what_was_made_without_a_call() {
        let back = || values(8, true, "new push_back");
        let front = || values(8, false, "new push_front");
        assert_eq!(check(&[back(), front()]), Some(vec!["push_front".to_owned()]));
        let taken = || values(8, false, "new push_back pop_front");
        let both = ["pop_front", "push_front"].map(str::to_owned).to_vec();
        assert_eq!(check(&[back(), front(), taken()]), Some(both), "either of two calls");
        let swapped = values(8, false, "new push_back swap");
        assert_eq!(check(&[back(), front(), taken(), swapped]), None, "one of three");
    }

    #[test]
    fn the_calls_that_few_others_were_made_with_are_suspected_first() {
        let held = values(3, true, "new push_back reserve");
        let broken =
            [values(2, false, "new push_back pop_front"), values(1, false, "new push_front")];
        let asked = [held, broken.concat()].concat();
        let suspects = Support::suspects(&asked, &of_broken(&asked));
        assert_eq!(suspects[0], ["pop_front", "push_front"]);
        assert!(suspects[1..].iter().all(|calls| calls.len() == 2 || calls == &["new"]));
    }

    #[test]
    fn what_is_smaller_than_all_that_breaks_it_earns_nothing() {
        let broken = values(8, false, "new insert insert");
        assert_eq!(check(&[values(9, true, "unit"), broken.clone()]), None);
        let as_large = values(8, true, "unit extend reserve");
        assert!(check(&[as_large, broken.clone()]).is_some());
        let same = values(8, true, "new insert remove");
        assert_eq!(check(&[same, broken]), None, "made with the same call");
    }

    #[test]
    fn what_shows_less_than_all_that_breaks_it_earns_nothing() {
        let showing = |shown: usize, values: Vec<Asked>| -> Vec<Asked> {
            values.into_iter().map(|value| Asked { shown, ..value }).collect()
        };
        let broken = || showing(6, values(8, false, "new insert insert"));
        let cleared = || values(9, true, "new push clear");
        assert_eq!(check(&[showing(2, cleared()), broken()]), None);
        assert!(check(&[showing(6, cleared()), broken()]).is_some());
    }

    #[test]
    fn a_call_that_most_values_do_without_spoils_those_that_were_made_with_it() {
        let spoiled = |asked: &[Vec<Asked>]| {
            let asked = asked.concat();
            Support::of(&asked, &of_broken(&asked)).0.is_spoiled()
        };
        let sound = || values(50, true, "new push push");
        let spilt = || values(10, false, "new push spill");
        assert!(spoiled(&[sound(), spilt()]));
        assert!(!spoiled(&[sound(), spilt(), values(31, true, "new spill")]), "it hardly does");
        let filled = values(10, false, "new push");
        let empty = values(9, true, "new reserve");
        assert!(!spoiled(&[empty, filled]), "most are made with it");
    }

    #[test]
    fn a_call_that_it_does_not_take_explains_nothing() {
        let sound = values(20, true, "new push push push");
        let spilt = values(10, false, "new push spill turn");
        let asked = [sound, spilt].concat();
        let told = |name: &str| Support::of(&asked, &BTreeSet::from([name.to_owned()])).1;
        assert_eq!(told("spill"), ["spill"]);
        assert_eq!(told("turn"), ["turn"]);
        assert!(told("pop").is_empty());
    }
}
