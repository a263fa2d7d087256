//! In which order functions and bounds are tried, and how long each may take.
//!
//! Every function is tried with small bounds before any is tried with larger ones; what
//! time was too short for is tried again with what is left in the end. The verdict names
//! the last bound that was complete. Knows no clock and explores nothing itself: an
//! `Explorer` says how much time is left and what was found.

use std::time::Duration;

use anyhow::Result;

use super::functions::Function;
use super::put::{About, Explored, Settled};
use super::report;

/// A put gets at least so long.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// Whoever explores one function with one bound, and knows how much time is left.
pub trait Explorer {
    fn remaining(&self) -> Duration;
    fn interrupted(&self) -> bool;
    fn explore(&mut self, function: &Function, len: usize, time: Duration) -> Result<Explored>;
}

/// What is known of a function so far.
pub struct FunctionProgress {
    pub function: Function,
    pub lens: Vec<usize>,
    /// The last that was said of it.
    pub last: Option<Explored>,
    over: bool,
    /// The bound that time was too short for, and that time.
    short: Option<(usize, Duration)>,
    told: bool,
}

impl FunctionProgress {
    pub fn new(lens: Vec<usize>, function: Function) -> FunctionProgress {
        FunctionProgress { function, lens, last: None, over: false, short: None, told: false }
    }

    /// Tells what is said of it once nothing more will be tried.
    fn tell_if_settled(&mut self, each: &mut dyn FnMut(&Explored)) {
        if let (true, Some(last)) = (self.over && self.short.is_none() && !self.told, &self.last) {
            self.told = true;
            each(last);
        }
    }
}

/// Explores with growing bounds, all functions at each before the next, none for longer
/// than `longest`.
pub fn climb(
    explorer: &mut dyn Explorer,
    longest: Duration,
    in_progress: &mut [FunctionProgress],
    each: &mut dyn FnMut(&Explored),
) -> Result<()> {
    let rounds = in_progress.iter().map(|progress| progress.lens.len()).max().unwrap_or(0);
    for round in 0..rounds {
        let count = in_progress.len();
        for (index, progress) in in_progress.iter_mut().enumerate() {
            let Some(len) = progress.lens.get(round).copied().filter(|_| !progress.over) else {
                continue;
            };
            let remaining = explorer.remaining();
            if remaining.is_zero() || explorer.interrupted() {
                break;
            }
            let share = (remaining / (count - index) as u32).max(LEAST_TIME).min(remaining);
            try_bound(explorer, progress, len, share.min(longest))?;
            progress.over |= round + 1 == progress.lens.len();
            progress.tell_if_settled(each);
        }
    }
    try_again(explorer, longest, in_progress)?;
    for progress in in_progress.iter_mut() {
        (progress.over, progress.short) = (true, None);
        progress.tell_if_settled(each);
    }
    Ok(())
}

/// Gives the time that is left to functions for which it was too short, if each gets
/// decidedly more than it had; what holds then climbs on.
fn try_again(
    explorer: &mut dyn Explorer,
    longest: Duration,
    in_progress: &mut [FunctionProgress],
) -> Result<()> {
    loop {
        let count = in_progress.iter().filter(|progress| progress.short.is_some()).count();
        let mut tried = false;
        for (index, progress) in
            in_progress.iter_mut().filter(|progress| progress.short.is_some()).enumerate()
        {
            let share = (explorer.remaining() / (count - index) as u32).min(longest);
            let Some((len, _)) = progress.short.take_if(|(_, had)| share >= *had * 2) else {
                continue;
            };
            if explorer.interrupted() {
                return Ok(());
            }
            tried = true;
            try_bound(explorer, progress, len, share)?;
            let higher: Vec<usize> = progress.lens.iter().copied().filter(|l| *l > len).collect();
            for len in higher {
                let remaining = explorer.remaining().min(share);
                if progress.over || remaining.is_zero() {
                    break;
                }
                try_bound(explorer, progress, len, remaining)?;
            }
        }
        if !tried {
            return Ok(());
        }
    }
}

/// Explores one function with one bound.
fn try_bound(
    explorer: &mut dyn Explorer,
    progress: &mut FunctionProgress,
    len: usize,
    time: Duration,
) -> Result<()> {
    let put = explorer.explore(&progress.function, len, time)?;
    let ran_out = put.settled == Settled::Undecided && put.time >= time;
    progress.short = ran_out.then_some((len, time));
    settle(progress, put, len);
    Ok(())
}

/// Takes what was found at a bound into what is said of the function.
fn settle(progress: &mut FunctionProgress, mut put: Explored, len: usize) {
    let function = &progress.function;
    put.function = Some(About {
        path: function.path.clone(),
        receivers: function.receivers.clone(),
        len: function.varies.then_some(len),
        beyond: None,
        documented: function.documented,
    });
    match (&mut progress.last, put.settled) {
        (Some(last), Settled::Undecided)
            if put.mismatches == 0 && last.settled == Settled::Holds =>
        {
            let why = report::reasons(&put);
            last.time += put.time;
            if let Some(about) = &mut last.function {
                about.beyond = Some(why);
            }
            progress.over = true;
        }
        (_, settled) => {
            put.time += progress.last.as_ref().map_or(Duration::ZERO, |last| last.time);
            progress.over = settled != Settled::Holds;
            progress.last = Some(put);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::native::Description;
    use testsmith_solver::Statistics;

    /// Explores nothing: what each bound of each function needs is written down, and time
    /// passes by what is taken.
    struct Script {
        left: Duration,
        /// Function, bound, seconds; what is not written down needs none.
        needs: Vec<(&'static str, usize, u64)>,
        tried: Vec<(String, usize, u64)>,
        /// It is interrupted after so many explorations.
        patience: usize,
    }

    impl Explorer for Script {
        fn remaining(&self) -> Duration {
            self.left
        }

        fn interrupted(&self) -> bool {
            self.tried.len() >= self.patience
        }

        fn explore(&mut self, function: &Function, len: usize, time: Duration) -> Result<Explored> {
            self.tried.push((function.ident.clone(), len, time.as_secs()));
            let is_it = |need: &&(&str, usize, u64)| need.0 == function.ident && need.1 == len;
            let need = self.needs.iter().find(is_it).map_or(0, |need| need.2);
            let need = Duration::from_secs(need);
            let taken = need.min(time);
            self.left = self.left.saturating_sub(taken);
            let settled = if need > time { Settled::Undecided } else { Settled::Holds };
            Ok(explored(settled, taken))
        }
    }

    fn explored(settled: Settled, time: Duration) -> Explored {
        let voids = match settled {
            Settled::Undecided => vec![("time was up".to_owned(), 1)],
            _ => vec![],
        };
        Explored {
            module: String::new(),
            description: Description::default(),
            settled,
            paths: vec![],
            rejected: 0,
            cut: 0,
            cut_short: vec![],
            mismatches: 0,
            all_run: None,
            branches: (0, 0),
            sides_are_clear: true,
            voids,
            assumptions: vec![],
            steps: 0,
            time,
            queries: Statistics::default(),
            function: None,
        }
    }

    fn functions(names: &[&str]) -> Vec<FunctionProgress> {
        let function = |name: &&str| Function {
            ident: (*name).to_owned(),
            path: (*name).to_owned(),
            receivers: String::new(),
            parameters: vec![],
            body: vec![],
            guard: None,
            varies: true,
            documented: false,
        };
        let progress = |name| FunctionProgress::new(vec![2, 4, 8], function(name));
        names.iter().map(progress).collect()
    }

    struct Outcome {
        /// Function, last complete bound, verdict, whether a larger one was not decided.
        said: Vec<(String, Option<usize>, Settled, bool)>,
        tried: Vec<(String, usize, u64)>,
    }

    /// Climbs with so many seconds in all, and at most so many for one.
    fn check(
        whole: u64,
        longest: u64,
        names: &[&str],
        needs: &[(&'static str, usize, u64)],
    ) -> Outcome {
        let left = Duration::from_secs(whole);
        let mut script =
            Script { left, needs: needs.to_vec(), tried: vec![], patience: usize::MAX };
        let mut in_progress = functions(names);
        let mut said = vec![];
        climb(&mut script, Duration::from_secs(longest), &mut in_progress, &mut |put| {
            let about = put.function.clone().expect("it is about a function");
            said.push((about.path, about.len, put.settled, about.beyond.is_some()));
        })
        .expect("nothing goes wrong here");
        said.sort_by(|a, b| a.0.cmp(&b.0));
        Outcome { said, tried: script.tried }
    }

    #[test]
    fn what_time_was_too_short_for_is_tried_again_and_climbs_on() {
        // Ten seconds each at first; nobody but the first needs any, so it has thirty then.
        let found = check(40, 30, &["a", "b", "c", "d"], &[("a", 2, 25)]);
        assert_eq!(found.tried[0], ("a".to_owned(), 2, 10));
        let again: Vec<_> = found.tried.iter().filter(|tried| tried.0 == "a").collect();
        assert_eq!(again[1], &("a".to_owned(), 2, 30));
        assert_eq!(again.iter().map(|tried| tried.1).collect::<Vec<_>>(), [2, 2, 4, 8]);
        assert_eq!(found.said[0], ("a".to_owned(), Some(8), Settled::Holds, false));
        assert_eq!(found.said.len(), 4, "each is told once");
    }

    #[test]
    fn a_bound_is_not_tried_again_with_hardly_more_time_than_it_had() {
        let found = check(40, 15, &["a", "b", "c", "d"], &[("a", 2, 25)]);
        let tried = found.tried.iter().filter(|tried| tried.0 == "a").count();
        assert_eq!(tried, 1, "{:?}", found.tried);
        assert_eq!(found.said[0], ("a".to_owned(), Some(2), Settled::Undecided, false));
    }

    #[test]
    fn the_last_complete_bound_stays_when_a_second_try_is_too_short_as_well() {
        let found = check(40, 60, &["a", "b"], &[("a", 4, 1000), ("b", 8, 5)]);
        assert_eq!(found.said[0], ("a".to_owned(), Some(2), Settled::Holds, true));
        assert_eq!(found.said[1], ("b".to_owned(), Some(8), Settled::Holds, false));
        let times: Vec<u64> = found.tried.iter().filter(|t| t.0 == "a").map(|t| t.2).collect();
        assert!(times.iter().sum::<u64>() <= 40 + 20, "{:?}", found.tried);
    }

    #[test]
    fn small_bounds_of_all_come_before_larger_ones_of_any() {
        let found = check(100, 100, &["a", "b"], &[]);
        let order: Vec<(&str, usize)> =
            found.tried.iter().map(|tried| (tried.0.as_str(), tried.1)).collect();
        assert_eq!(order, [("a", 2), ("b", 2), ("a", 4), ("b", 4), ("a", 8), ("b", 8)]);
    }

    #[test]
    fn an_interruption_ends_it_and_what_was_found_is_told() {
        let (left, needs) = (Duration::from_secs(40), vec![("a", 2, 25)]);
        let mut script = Script { left, needs, tried: vec![], patience: 2 };
        let mut told = vec![];
        climb(&mut script, Duration::from_secs(30), &mut functions(&["a", "b", "c"]), &mut |put| {
            told.push(put.settled);
        })
        .expect("nothing goes wrong here");
        assert_eq!(script.tried.len(), 2, "{:?}", script.tried);
        assert_eq!(told, [Settled::Undecided, Settled::Holds]);
    }
}
