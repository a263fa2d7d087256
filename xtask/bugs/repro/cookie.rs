//! krate = "cookie"
//! buggy = "0.7.5"
//! fixed = "0.7.6"
//! class = "panic"
//! what = "a cookie whose Max-Age is too large panics out of a function that gives a Result"
//! sequence = "Cookie::parse(\"a=b; Max-Age=9223372036854775807\")"
//! source = "RUSTSEC-2017-0005"
#[test]
fn repro() {
    let _ = cookie::Cookie::parse("a=b; Max-Age=9223372036854775807");
}
