//! Puts and their inputs.

use testsmith::{Input, assume, put as property};

/// Sorted by construction.
#[derive(Input)]
struct Sorted {
    items: Vec<u8>,
    bound: Option<Box<u8>>,
}

impl Sorted {
    fn rep_ok(&self) -> bool {
        self.items.is_sorted() && self.bound.is_none()
    }
}

#[property]
fn the_first_is_the_least(list: Sorted, extra: &mut Vec<u8>) {
    assume!(!list.items.is_empty());
    extra.push(list.items[0]);
    assert_eq!(list.items.iter().min(), extra.last());
}

#[property(len(text = 6), values(n = [1, 2]))]
#[should_panic(expected = "no")]
fn it_never_works(text: &str, n: u32) {
    assert!(text.len() > 6 && n > 2, "no");
}
