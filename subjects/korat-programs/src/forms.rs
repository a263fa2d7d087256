//! Generators where their failure is not the predicate's: negated, stored,
//! compared, in conditions, closures, guards of a match and behind functions
//! that say the opposite.
//!
//! Each form looks at two conjunctions of clauses, `then` and `otherwise`, or
//! at one number of the root. What the forms mean is in `evaluate`.

/// The methods `form` and `part` of a kind, given its `clause`.
macro_rules! forms {
    ($kind:ident, $field:ident) => {
        #[korat]
        impl $kind {
            /// Whether all clauses of a part hold.
            fn part(&self, at: usize, then: bool) -> bool {
                for inner in chosen(at, then).iter() {
                    if !self.clause(*inner) {
                        return false;
                    }
                }
                true
            }

            fn form(&self, at: usize) -> bool {
                match word(at) {
                    "not" => !self.part(at, true),
                    "stored" => {
                        let ok = self.part(at, true);
                        let other = self.part(at, false);
                        !ok && other
                    }
                    "chosen" => {
                        if self.part(at, true) {
                            self.part(at, false)
                        } else {
                            strict(at)
                        }
                    }
                    "either" => self.part(at, true) || self.part(at, false),
                    "differ" => self.part(at, true) != self.part(at, false),
                    "counted" => {
                        usize::from(self.part(at, true)) + usize::from(self.part(at, false)) == 1
                    }
                    "guarded" => match number(at) {
                        0 if self.part(at, true) => strict(at),
                        1 | 2 if !self.part(at, true) => self.part(at, false),
                        _ => !strict(at),
                    },
                    "any" => [true, false].iter().any(|then: &bool| self.part(at, *then)),
                    "every" => [true, false].iter().all(|then: &bool| self.part(at, *then)),
                    "every clause" => chosen(at, true).iter().all(|inner| {
                        if !self.clause(*inner) {
                            return false;
                        }
                        strict(at) || self.part(at, false)
                    }),
                    "no clause" => !chosen(at, true).iter().all(|inner| self.clause(*inner)),
                    "none or" => Some(at).is_none_or(|at| self.part(at, true)),
                    "some and" => !Some(at).is_some_and(|at| self.part(at, true)),
                    "opposite" => opposite(|| self.part(at, true)),
                    "strange" => strange().all(|then: &bool| self.part(at, *then)),
                    "strange part" => strange().part(&|then: bool| self.part(at, then)),
                    "tried" => self.tried(at).is_some() == strict(at),
                    _ => self.direct(at),
                }
            }

            /// A part that fails by nothing.
            fn tried(&self, at: usize) -> Option<u8> {
                let ok = self.part(at, true);
                ok.then_some(1)?;
                self.part(at, false).then_some(2)
            }

            fn direct(&self, at: usize) -> bool {
                match word(at) {
                    "direct not" => !korat::holds(&self.$field, |value: &u8| passes(at, *value)),
                    "direct let" => {
                        let ok = korat::holds(&self.$field, |value: &u8| passes(at, *value));
                        ok == strict(at)
                    }
                    "direct or" => {
                        korat::holds(&self.$field, |value: &u8| passes(at, *value))
                            || self.part(at, true)
                    }
                    "direct if" => {
                        if korat::holds(&self.$field, |value: &u8| passes(at, *value)) {
                            return self.part(at, true);
                        }
                        !self.part(at, false)
                    }
                    "direct match" => match korat::holds(&self.$field, |v: &u8| passes(at, *v)) {
                        true => self.part(at, true),
                        false => strict(at),
                    },
                    "direct closure" => {
                        let check = || korat::holds(&self.$field, |value: &u8| passes(at, *value));
                        !check() && self.part(at, true)
                    }
                    "direct and" => {
                        korat::holds(&self.$field, |value: &u8| passes(at, *value))
                            & self.part(at, true)
                    }
                    "direct while" => {
                        let mut rounds = 0;
                        while rounds < 2 && korat::holds(&self.$field, |v: &u8| passes(at, *v)) {
                            rounds += 1;
                        }
                        rounds == 0
                    }
                    _ => {
                        fn said(yes: bool) -> bool {
                            !yes
                        }
                        said(korat::holds(&self.$field, |value: &u8| passes(at, *value)))
                    }
                }
            }
        }
    };
}

pub(crate) use forms;

/// The forms with parts, and those that look at the root's number.
pub const FORMS: &[&str] = &[
    "not",
    "stored",
    "chosen",
    "either",
    "differ",
    "counted",
    "guarded",
    "any",
    "every",
    "every clause",
    "no clause",
    "none or",
    "some and",
    "opposite",
    "strange",
    "strange part",
    "tried",
    "direct not",
    "direct let",
    "direct or",
    "direct if",
    "direct match",
    "direct closure",
    "direct and",
    "direct while",
    "direct said",
];

/// A function that the search knows nothing of.
pub fn opposite(check: impl Fn() -> bool) -> bool {
    !check()
}

/// Something with methods that are called like others and mean the opposite.
pub struct Strange;

pub fn strange() -> Strange {
    Strange
}

impl Strange {
    /// Whether not all is true.
    pub fn all(&self, check: impl Fn(&bool) -> bool) -> bool {
        !(check(&true) && check(&false))
    }

    /// Whether not both parts are fine.
    pub fn part(&self, check: &dyn Fn(bool) -> bool) -> bool {
        !(check(true) && check(false))
    }
}
