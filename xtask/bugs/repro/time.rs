//! krate = "time"
//! buggy = "0.3.1"
//! fixed = "0.3.2"
//! class = "wrong answer"
//! what = "a date made from an ISO year below zero, a week and a weekday is off by a day"
//! sequence = "Date::from_iso_week_date(-1, 1, Monday), to_iso_week_date"
//! source = "CHANGELOG 0.3.2: Constructing a Date from its ISO year, week, and weekday now returns the correct value"
use time::{Date, Weekday::Monday};
#[test]
fn repro() {
    let d = Date::from_iso_week_date(-1, 1, Monday).unwrap();
    assert_eq!(d.to_iso_week_date(), (-1, 1, Monday));
}
