//! The shortest sequence of public calls that builds a given structure.
//!
//! The calls are named by the caller, since nothing here knows a type's
//! public API. States are compared, not pictures: two equal values are one.

/// A call that changes a value, with the text to show for it.
pub type Call<'a, T> = (String, Box<dyn Fn(&mut T) + 'a>);

/// The most states to look at before giving up.
const MAX_STATES: usize = 100_000;

/// The calls, in order, that lead from `start` to `wanted`, if at most `depth`
/// of them do.
pub fn call_sequence<T: Clone + PartialEq>(
    start: T,
    calls: &[Call<'_, T>],
    wanted: &T,
    depth: usize,
) -> Option<Vec<String>> {
    let mut states: Vec<(T, Vec<usize>)> = vec![(start, Vec::new())];
    let mut at = 0;
    while at < states.len() && states.len() < MAX_STATES {
        if states[at].0 == *wanted {
            return Some(states[at].1.iter().map(|call| calls[*call].0.clone()).collect());
        }
        for (number, (_, call)) in calls.iter().enumerate() {
            let (value, path) = &states[at];
            if path.len() == depth {
                break;
            }
            let mut next = value.clone();
            call(&mut next);
            if !states.iter().any(|(known, _)| *known == next) {
                let path = path.iter().copied().chain([number]).collect();
                states.push((next, path));
            }
        }
        at += 1;
    }
    None
}
