//! Numbers: an exact one, or a relation between two.

use testsmith::{ensures, requires};

/// Goal: a number behind a mask.
#[requires(n ^ 0x5a5a_5a5a_5a5a == 0xdead_beef_1234)]
#[ensures(ret == 1)]
pub fn masked(n: u64) -> u8 {
    1
}

/// Goal: two numbers by their sum and their difference, in 64 bits.
#[requires(a > b && u64::from(a) + u64::from(b) == 4_300_000_001)]
#[requires(a - b == 77_777_777)]
#[ensures(ret == 2)]
pub fn sum_and_difference(a: u32, b: u32) -> u8 {
    2
}

/// Goal: a product and a sum that both wrap around, in 16 bits.
#[requires(a.wrapping_mul(40_504) == b)]
#[requires(a.wrapping_add(b) == 12_345)]
#[ensures(ret == 3)]
pub fn wrapped(a: u16, b: u16) -> u8 {
    3
}

/// Goal: numbers of different sign with a fixed sum and a remainder.
#[requires(a < -1_000_000 && b > 0)]
#[requires(a.checked_add(b) == Some(-77_777) && b % 1009 == 1000)]
#[ensures(ret == 4)]
pub fn opposed(a: i32, b: i32) -> u8 {
    4
}

/// Goal: a number by three groups of its digits.
#[requires(n % 1000 == 123 && n / 1000 % 1000 == 456)]
#[requires(n / 1_000_000 == 987)]
#[ensures(ret == 5)]
pub fn grouped(n: u32) -> u8 {
    5
}

/// Goal: a sum that overflows to a fixed number, and a difference that does not.
#[requires(a.checked_add(b).is_none() && a.wrapping_add(b) == 271_828)]
#[requires(a.checked_sub(b) == Some(3_141_592))]
#[ensures(ret == 6)]
pub fn overflowed(a: u32, b: u32) -> u8 {
    6
}

/// Goal: a negative number near the least one, by its remainder.
#[requires(n < i64::MIN + 100_000 && n > i64::MIN + 1000)]
#[requires(n % 99_991 == -3)]
#[ensures(ret == 7)]
pub fn deep(n: i64) -> u8 {
    7
}
