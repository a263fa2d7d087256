//! Checks of what the caller gave, told from failures of the code's own making.

use crate::facts::Facts;
use crate::guesses::is_by_zero;

/// What the language and its library say of themselves; all else was written by a person.
pub(crate) const OF_THE_LANGUAGE: [&str; 9] = [
    "assertion",
    "attempt to",
    "already borrowed",
    "already mutably borrowed",
    "called `",
    "char boundary",
    "entered unreachable code",
    "index",
    "not implemented",
];

impl Facts<'_> {
    /// The call was given a zero, and something is divided by it as far as can be seen, or was
    /// to be divided. If there were several, each may be right, and only both together wrong.
    pub fn divides_by_a_given_zero(&self) -> bool {
        let zeros = self.times_given(0);
        let by_zero = self.panic().is_some_and(|panic| is_by_zero(&panic.message));
        let alone = zeros == 1 || self.by_one_zero;
        zeros > 0 && (self.divides() || by_zero && alone && !self.has_a_divisor_of_its_own())
    }

    /// The function that was called divides by something that it made itself.
    fn has_a_divisor_of_its_own(&self) -> bool {
        let origin = self.panic().and_then(|panic| panic.origin.as_deref());
        let Some(origin) = origin.filter(|_| self.is_in_the_entry() && !self.is_made_by_a_macro())
        else {
            return false;
        };
        let inputs = self.operation.map(|operation| operation.inputs.as_slice());
        let is_given =
            |word: &str| inputs.unwrap_or_default().iter().any(|input| input.name == word);
        let after = origin.statement.split(['/', '%']).skip(1);
        let first = |text: &str| -> String {
            let text = text.trim_start_matches(['=', '(', '*', '&', ' ']);
            text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        let mut divisors = after.map(first).filter(|word| !word.is_empty()).peekable();
        divisors.peek().is_some() && !divisors.any(|word| is_given(&word))
    }

    /// The code itself says that this cannot happen.
    pub fn is_unreachable(&self) -> bool {
        self.says(&["entered unreachable code"])
            || self.panics_by(&["unreachable", "debug_unreachable"])
    }

    /// The function that was called looks at nothing but parameters, and what it was given is none
    /// of what it knows.
    pub fn knows_no_such_parameter(&self) -> bool {
        let origin = self.panic().and_then(|panic| panic.origin.as_deref());
        let matched = origin.filter(|_| self.is_in_the_entry()).map_or("", |it| &it.matched);
        let inputs = self.operation.map(|operation| operation.inputs.as_slice());
        let is_given = |word: &str| {
            let mut names = inputs.unwrap_or_default().iter().map(|input| input.name.as_str());
            names.any(|name| name == word && name != "self")
        };
        let mut words = matched
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .peekable();
        words.peek().is_some() && words.all(is_given)
    }

    /// An assertion fails that speaks of a parameter in its own words.
    pub fn asserts_a_parameter(&self) -> bool {
        let said = self.panic().and_then(|panic| panic.message.strip_prefix("assertion failed: "));
        let words = || said.unwrap_or_default().split(|c: char| !c.is_alphanumeric() && c != '_');
        let inputs = self.operation.map(|operation| operation.inputs.as_slice());
        let mut names = inputs.unwrap_or_default().iter().map(|input| input.name.as_str());
        names.any(|name| !name.is_empty() && name != "self" && words().any(|word| word == name))
    }

    /// Code that a macro wrote says something that a person wrote. What it looked at before is
    /// not known.
    pub fn refuses_in_a_macro(&self) -> bool {
        self.is_made_by_a_macro() && !self.says(&OF_THE_LANGUAGE)
    }

    /// It was given a number with a fraction that lies outside of the whole, from nought to one, and
    /// may be as far outside of what it says a place in.
    pub fn given_a_share_beyond_the_whole(&self) -> bool {
        self.floats.iter().any(|number| !(0.0..=1.0).contains(number))
    }

    /// It was given a number with a fraction that nothing is finer than, or none at all, alone or in
    /// a list: whoever goes on until it is fine enough, or by such steps, does so for ever.
    pub fn given_nothing_to_stop_at(&self) -> bool {
        let mut given = self.floats.iter().chain(&self.floats_in_lists);
        given.any(|number| number.is_nan() || *number < f64::from(f32::MIN_POSITIVE))
    }
}
