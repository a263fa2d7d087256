//! krate = "jiff"
//! buggy = "0.2.34"
//! fixed = "0.2.35"
//! class = "wrong answer"
//! what = "parsing a negative duration shorter than a second loses its sign"
//! sequence = "SignedDuration::from_millis(-500), to_string, parse"
//! source = "CHANGELOG 0.2.35: Fixes a bug where the sign in a duration could be ignored while parsing (#613)"
use jiff::SignedDuration;
#[test]
fn repro() {
    let d = SignedDuration::from_millis(-500);
    assert_eq!(d.to_string().parse::<SignedDuration>().unwrap(), d);
}
