//! Attributes and types that mean nothing to the search.

use testsmith::{Korat, korat_test};

#[derive(Korat)]
struct Wrong {
    #[korat(value = 3)]
    size: u8,
}

#[derive(Korat)]
struct Borrowing<'a> {
    text: &'a str,
}

#[korat_test(scope = 2, limit = 3)]
fn unknown_settings_are_named(size: u8) {
    assert!(size < 3);
}

fn main() {}
