//! A generator directs the search only where its failure is the predicate's.
//! Each case lost structures when it directed the search wherever it stood.

#![allow(
    clippy::match_like_matches_macro,
    clippy::nonminimal_bool,
    reason = "each form is written out as somebody might write it"
)]

use testsmith::korat::{Finitization, Search, brute_force};
use testsmith::{Korat, korat};

/// The number of structures, which is the same with generators, without, and
/// by brute force.
fn check<T: Korat>() -> u64 {
    let finitization = Finitization::new(2);
    let expected = brute_force::<T>(&finitization).expect("a space").len() as u64;
    for generators in [true, false] {
        let search = Search::<T>::within(finitization.clone()).generators(generators);
        assert_eq!(search.run().count_valid(), expected, "generators {generators}");
    }
    expected
}

/// A pair with a predicate, and how many pairs of numbers up to two satisfy it.
macro_rules! pairs {
    ($($name:ident: |$this:ident| $body:expr => $count:literal;)*) => {$(
        #[test]
        fn $name() {
            #[derive(Korat)]
            struct Pair {
                #[korat(values = 0..=2)]
                a: u8,
                #[korat(values = 0..=2)]
                b: u8,
            }

            #[korat]
            impl Pair {
                fn rep_ok(&self) -> bool {
                    let $this = self;
                    $body
                }

                #[allow(dead_code)]
                fn a_is_small(&self) -> bool {
                    korat::holds(&self.a, korat::less(1))
                }

                #[allow(dead_code)]
                fn a_is_large(&self) -> bool {
                    !self.a_is_small()
                }

                #[allow(dead_code)]
                fn tried(&self) -> Option<u8> {
                    self.a_is_small().then_some(1)
                }
            }
            assert_eq!(check::<Pair>(), $count);
        }
    )*};
}

/// A function that the search knows nothing of.
fn opposite(check: impl Fn() -> bool) -> bool {
    !check()
}

pairs! {
    negated: |it| !korat::holds(&it.a, korat::less(1)) => 6;
    negated_twice: |it| !!korat::holds(&it.a, korat::less(1)) => 3;
    stored: |it| {
        let small = korat::holds(&it.a, korat::less(1));
        !small
    } => 6;
    stored_and_used_later: |it| {
        let small = korat::holds(&it.a, korat::less(1));
        it.b == 0 || small
    } => 5;
    compared: |it| korat::holds(&it.a, korat::less(1)) == (it.b == 0) => 5;
    one_of_two: |it| korat::holds(&it.a, korat::less(1)) || it.b == 0 => 5;
    a_condition: |it| {
        if korat::holds(&it.a, korat::less(1)) { it.b == 0 } else { it.b == 1 }
    } => 3;
    a_guard: |it| match it.b {
        0 if korat::holds(&it.a, korat::less(1)) => false,
        _ => true,
    } => 8;
    a_scrutinee: |it| match korat::holds(&it.a, korat::less(1)) {
        true => it.b == 0,
        false => it.b == 2,
    } => 3;
    in_a_closure: |it| {
        let small = || korat::holds(&it.a, korat::less(1));
        !small()
    } => 6;
    of_any: |it| [1u8, 2].iter().any(|n| korat::holds(&it.a, korat::equal(*n))) => 6;
    of_all: |it| [0u8, 1].iter().all(|n| korat::holds(&it.a, korat::greater(*n))) => 3;
    not_of_all: |it| ![0u8, 1].iter().all(|n| korat::holds(&it.a, korat::greater(*n))) => 6;
    behind_a_function_that_negates: |it| it.a_is_large() => 6;
    behind_a_function_that_is_negated: |it| !it.a_is_small() => 6;
    behind_two_functions: |it| !it.a_is_large() && it.b == 0 => 1;
    behind_a_function_of_others: |it| opposite(|| it.a_is_small()) => 6;
    behind_an_option: |it| it.tried().is_none() => 6;
    behind_an_option_that_is_wanted: |it| it.tried().is_some() => 3;
    counted: |it| usize::from(it.a_is_small()) + usize::from(it.b == 0) == 1 => 4;
    a_loop_that_ends_by_it: |it| {
        let mut rounds = 0;
        while rounds < 2 && korat::holds(&it.a, korat::less(1)) {
            rounds += 1;
        }
        rounds == 0
    } => 6;
    chains_negated: |it| !korat::ascending(&[korat::field(&it.a), korat::field(&it.b)]) => 6;
    a_macro: |it| matches!(it.b, 0 if !korat::holds(&it.a, korat::less(1))) => 2;
}

#[derive(Korat)]
struct Small {
    #[korat(values = 0..=2)]
    a: u8,
}

#[korat]
impl Small {
    fn rep_ok(&self) -> Result<(), String> {
        if !korat::holds(&self.a, korat::less(2)) {
            return Err(format!("{} is too large", self.a));
        }
        let odd = korat::holds(&self.a, korat::equal(1));
        if odd { Ok(()) } else { self.even() }
    }

    fn even(&self) -> Result<(), String> {
        korat::holds(&self.a, korat::equal(0)).then_some(()).ok_or("neither".to_owned())
    }
}

#[test]
fn predicates_that_say_why_not_are_directed_where_they_fail() {
    assert_eq!(check::<Small>(), 2);
    let mut run = Search::<Small>::new(2).run();
    assert_eq!((run.count_valid(), run.stats().candidates), (2, 2), "no candidate is wasted");
}

#[test]
fn another_predicate_may_look_for_what_fails() {
    for generators in [true, false] {
        let search = Search::<Small>::new(2).generators(generators);
        let mut broken = search.satisfying(|small| small.rep_ok().is_err()).run();
        assert_eq!(broken.count_valid(), 1, "generators {generators}");
    }
}

/// The node's own method, in a block of its own, is told that its failure is
/// the predicate's.
#[derive(Korat)]
struct List {
    head: Option<Box<Node>>,
}

#[derive(Korat)]
#[korat(unconstrained)]
struct Node {
    #[korat(values = 0..=9)]
    key: u8,
    next: Option<Box<Node>>,
}

#[korat]
impl Node {
    fn zero(&self) -> bool {
        korat::holds(&self.key, korat::equal(0)) && self.next.as_ref().is_none_or(|n| n.zero())
    }
}

#[korat]
impl List {
    fn rep_ok(&self) -> bool {
        let Some(head) = &self.head else { return true };
        head.zero()
    }
}

#[test]
fn methods_of_other_types_direct_the_search() {
    let mut run = Search::<List>::new(3).run();
    assert_eq!(run.count_valid(), 4);
    assert_eq!(run.stats().candidates, 4, "no key but zero is tried");
}
