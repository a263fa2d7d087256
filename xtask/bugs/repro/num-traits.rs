//! krate = "num-traits"
//! buggy = "0.2.8"
//! fixed = "0.2.9"
//! class = "panic"
//! what = "parsing a float from text in a radix slices the text inside a character where a sign may stand"
//! sequence = "f32::from_str_radix(\"™0.2\", 10)"
//! source = "RELEASES 0.2.9: Fixed a panic in floating point from_str_radix on invalid signs"
use num_traits::Num;
#[test]
fn repro() {
    assert!(<f32 as Num>::from_str_radix("™0.2", 10).is_err());
}
