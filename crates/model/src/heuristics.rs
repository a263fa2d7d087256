//! The parts of the random engine that can be switched off, one by one.
//!
//! With all of them off, what is left is the random walk: the baseline that
//! each of them is measured against.

/// One thing that directs the random engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heuristic {
    Components,
    Pruning,
    Clones,
    Growing,
    Repetition,
    Duplicates,
    Panics,
    Arguments,
    Yield,
    Limits,
    Texts,
    Stateful,
    Twins,
    Interruptions,
    Laws,
    Sizes,
    Reach,
    Variety,
}

impl Heuristic {
    pub const ALL: [Heuristic; 18] = [
        Heuristic::Components,
        Heuristic::Pruning,
        Heuristic::Clones,
        Heuristic::Growing,
        Heuristic::Repetition,
        Heuristic::Duplicates,
        Heuristic::Panics,
        Heuristic::Arguments,
        Heuristic::Yield,
        Heuristic::Limits,
        Heuristic::Texts,
        Heuristic::Stateful,
        Heuristic::Twins,
        Heuristic::Interruptions,
        Heuristic::Laws,
        Heuristic::Sizes,
        Heuristic::Reach,
        Heuristic::Variety,
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Heuristic::Components => "components",
            Heuristic::Pruning => "pruning",
            Heuristic::Clones => "clones",
            Heuristic::Growing => "growing",
            Heuristic::Repetition => "repetition",
            Heuristic::Duplicates => "duplicates",
            Heuristic::Panics => "panics",
            Heuristic::Arguments => "arguments",
            Heuristic::Yield => "yield",
            Heuristic::Limits => "limits",
            Heuristic::Texts => "texts",
            Heuristic::Stateful => "stateful",
            Heuristic::Twins => "twins",
            Heuristic::Interruptions => "interruptions",
            Heuristic::Laws => "laws",
            Heuristic::Sizes => "sizes",
            Heuristic::Reach => "reach",
            Heuristic::Variety => "variety",
        }
    }

    /// What it does, in a clause.
    pub fn what(self) -> &'static str {
        match self {
            Heuristic::Components => "new sequences start from values of earlier legal ones",
            Heuristic::Pruning => "a value equal to one already kept is not kept again",
            Heuristic::Clones => "a kept value is cloned, and its sequence not run again",
            Heuristic::Growing => "a sequence goes on after its first call",
            Heuristic::Repetition => "in one sequence of ten, a call is repeated up to 100 times",
            Heuristic::Duplicates => "a call is not made again after exactly the same steps",
            Heuristic::Panics => "operations that panic are called less",
            Heuristic::Arguments => "arguments with which an operation panics are passed less",
            Heuristic::Yield => {
                "operations that reach new code, or never completed, are called more"
            }
            Heuristic::Limits => {
                "numbers with which a call hung or took much memory are not passed"
            }
            Heuristic::Texts => "texts are put together from others, not only taken from the code",
            Heuristic::Stateful => {
                "where nothing new is found, calls are made that would break inferred contracts"
            }
            Heuristic::Twins => "equal values that can be told apart are passed together",
            Heuristic::Interruptions => {
                "code of the test panics when it is called back, and the sequence goes on"
            }
            Heuristic::Laws => "values are asked whether they keep the laws of their kind",
            Heuristic::Sizes => {
                "now and then texts and lists are made of up to 100,000 elements at once"
            }
            Heuristic::Reach => {
                "states are searched for by contracts where a precondition was never met"
            }
            Heuristic::Variety => "one number or letter in four is not of the pool of its type",
        }
    }

    pub fn named(name: &str) -> Option<Heuristic> {
        Heuristic::ALL.into_iter().find(|heuristic| heuristic.name() == name)
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of heuristics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heuristics(pub(crate) u32);

impl Heuristics {
    pub const ALL: Heuristics = Heuristics((1 << Heuristic::ALL.len()) - 1);

    /// A random walk: it goes on as long as nothing panics, asks for laws, and learns nothing.
    pub fn walk() -> Heuristics {
        Heuristics(Heuristic::Growing.bit() | Heuristic::Laws.bit())
    }

    #[must_use]
    pub fn without(self, heuristic: Heuristic) -> Heuristics {
        Heuristics(self.0 & !heuristic.bit())
    }

    #[inline]
    pub fn has(self, heuristic: Heuristic) -> bool {
        self.0 & heuristic.bit() != 0
    }
}

/// Everything is on unless it is switched off.
impl Default for Heuristics {
    fn default() -> Heuristics {
        Heuristics::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_heuristic_has_a_switch_of_its_own() {
        for one in Heuristic::ALL {
            let rest = Heuristics::ALL.without(one);
            assert!(!rest.has(one));
            assert!(Heuristic::ALL.iter().all(|other| *other == one || rest.has(*other)));
            assert_eq!(Heuristic::named(one.name()), Some(one));
        }
    }
}
