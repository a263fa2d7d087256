//! Contracts that rest: clauses that break or panic while another clause is evaluated, or
//! while another panic is under way, are neither raised nor in the way.

use testsmith::contracts::{Kind, violation_of};
use testsmith::*;

/// Its clauses have no value for an empty slice, and its body has one.
#[requires(items[0] < 100)]
#[ensures(ret >= items[0] || *items.last().unwrap() == 0)]
fn greatest(items: &[u32]) -> u32 {
    helper(items)
}

fn helper(items: &[u32]) -> u32 {
    items.iter().copied().max().unwrap_or(0)
}

/// Captures what may not be there.
#[ensures(items[0] == old(items[0]))]
fn keeps_the_first(items: &mut Vec<u32>) -> usize {
    items.push(1);
    items.len()
}

fn length_with_one_more(items: &[u32]) -> usize {
    keeps_the_first(&mut items.to_vec())
}

#[requires(greatest(items) < 100)]
#[ensures(ret == greatest(items))]
#[ensures(length_with_one_more(items) == items.len() + 1)]
fn asks(items: &[u32]) -> u32 {
    helper(items)
}

#[test]
fn a_clause_without_a_value_is_not_in_the_way_of_another_clause() {
    assert_eq!((asks(&[]), asks(&[3, 4])), (0, 4));
    let violation = violation_of(|| greatest(&[])).expect("by itself it is due");
    assert_eq!((violation.kind, violation.panicked.is_some()), (Kind::Requires, true));
    let violation = violation_of(|| keeps_the_first(&mut Vec::new())).expect("so is this");
    assert_eq!((violation.kind, violation.panicked.is_some()), (Kind::Ensures, true));
}

/// Breaks contracts when it goes.
struct Careless;

impl Drop for Careless {
    fn drop(&mut self) {
        let _ = (greatest(&[]), greatest(&[100]), keeps_the_first(&mut Vec::new()));
    }
}

#[test]
fn clauses_that_break_or_panic_during_another_panic_do_not_abort() {
    let result = std::panic::catch_unwind(|| {
        let _careless = Careless;
        panic!("the first");
    });
    let payload = result.expect_err("it panics");
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"the first"));
}

/// Everything that a broken clause may look at: what can be copied, what can be lent, and
/// what can only be owned.
struct Tray {
    cups: Vec<u8>,
}

impl Tray {
    #[requires(n < 3 && *out < 9 && pair.0 < 9 && first.is_none() && self.cups.len() < 9)]
    #[ensures(self.cups.len() == old(self.cups.len()) + ret, *out == old(n), name != Some("x"))]
    fn fill(
        &mut self,
        n: usize,
        out: &mut usize,
        pair: (u8, char),
        first: Option<u8>,
        name: Option<&str>,
    ) -> usize {
        self.cups.resize(self.cups.len() + n, pair.0);
        *out = if name == Some("y") { 7 } else { n };
        n
    }

    #[requires(!text.is_empty() && list.len() < 3)]
    #[ensures(ret.0.len() == old(text.len()) && self.cups.is_empty())]
    fn name(&self, text: String, ref list: Vec<u8>) -> (String, usize) {
        (text + if list.is_empty() { "" } else { "!" }, list.len())
    }
}

#[test]
fn a_broken_clause_shows_whatever_it_looked_at() {
    let fill = |n, out, pair, first, name| {
        let mut tray = Tray { cups: vec![1] };
        let mut out = out;
        violation_of(|| tray.fill(n, &mut out, pair, first, name)).map(|v| v.clause.text)
    };
    assert_eq!(fill(2, 1, (1, 'a'), None, None), None);
    for violation in [
        fill(3, 1, (1, 'a'), None, None),
        fill(2, 9, (1, 'a'), None, None),
        fill(2, 1, (9, 'a'), None, None),
        fill(2, 1, (1, 'a'), Some(1), None),
    ] {
        assert!(violation.is_some_and(|text| text.starts_with("n < 3")));
    }
    assert_eq!(fill(2, 1, (1, 'a'), None, Some("x")).as_deref(), Some("name != Some(\"x\")"));
    assert_eq!(fill(2, 1, (1, 'a'), None, Some("y")).as_deref(), Some("*out == old(n)"));
    let tray = Tray { cups: vec![] };
    assert_eq!(tray.name("a".to_owned(), vec![]).0, "a");
    let violation = violation_of(|| tray.name("a".to_owned(), vec![1])).expect("it is longer");
    assert_eq!((violation.kind, violation.olds[0].value.as_str()), (Kind::Ensures, "1"));
    let violation = violation_of(|| tray.name(String::new(), vec![])).expect("it is empty");
    let labels: Vec<&str> = violation.arguments.iter().map(|note| note.label.as_str()).collect();
    assert_eq!((violation.kind, labels), (Kind::Requires, vec!["text", "list"]));
}
