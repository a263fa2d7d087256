//! krate = "fpdec"
//! buggy = "0.9.0"
//! fixed = "0.10.3"
//! class = "panic"
//! what = "converting a decimal below one with many digits to a float panics"
//! sequence = "\"0.123456789012345678\".parse::<Decimal>(), f32::try_from"
//! source = "mamrhein/fpdec.rs issue 13"
use fpdec::Decimal;
#[test]
fn repro() {
    let d: Decimal = "0.123456789012345678".parse().unwrap();
    let f = f32::try_from(d).unwrap();
    assert!((f - 0.12345679).abs() < 1e-6, "{f}");
    let f = f64::try_from(d).unwrap();
    assert!((f - 0.123456789012345678).abs() < 1e-9, "{f}");
}
