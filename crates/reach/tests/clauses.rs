//! What clauses may say: each row is a condition on values, and what it means in Rust. The
//! search has to give values that satisfy the one, and they are tried on the other.
#![allow(
    clippy::iter_nth_zero,
    clippy::iter_skip_zero,
    clippy::double_ended_iterator_last,
    clippy::chars_next_cmp,
    clippy::manual_ignore_case_cmp,
    clippy::needless_as_bytes,
    reason = "clauses are as people write them, not as they could be shorter"
)]

mod support;

use support::{found, param};
use testsmith_reach::{
    Argument, Concrete, Function, Goal, Mode, Reached, Search, Sort, System, TypeDef, Variant,
};

/// A function of values with one precondition.
fn system(sorts: &[(&str, Sort)], clause: &str) -> System {
    let params = sorts.iter().map(|(name, sort)| param(name, sort.clone(), Mode::Own)).collect();
    let light = ["Red", "Amber"].map(|name| Variant { name: name.to_owned(), fields: vec![] });
    let code = Variant {
        name: "Code".to_owned(),
        fields: vec![(String::new(), Sort::Int { width: 8, signed: false })],
    };
    System {
        types: vec![TypeDef {
            name: "Light".to_owned(),
            variants: Some(light.into_iter().chain([code]).collect()),
            invariants: vec![],
        }],
        functions: vec![Function::new("f", None, params, Sort::Unit).requires(clause)],
        ..System::default()
    }
}

/// The values that satisfy a condition.
fn values(sorts: &[(&str, Sort)], clause: &str) -> Vec<Concrete> {
    let system = system(sorts, clause);
    let mut search = Search::new(&system, Goal::precondition(&system, 0), 0);
    let _ = search.next_state();
    assert_eq!(search.free().collect::<Vec<_>>(), Vec::<&testsmith_reach::Free>::new(), "{clause}");
    let found = found(&system, Goal::precondition(&system, 0), 0);
    let value = |argument: Argument| match argument {
        Argument::Value(value) => value,
        Argument::Object(_) => panic!("there are no objects"),
    };
    found.goal.into_iter().map(value).collect()
}

fn is_contradictory(sorts: &[(&str, Sort)], clause: &str) -> bool {
    let system = system(sorts, clause);
    let goal = Goal::precondition(&system, 0);
    let reached = Search::new(&system, goal, 0).next_state();
    matches!(reached, Reached::Contradictory | Reached::Unsatisfied { .. })
}

fn ints(values: &[Concrete]) -> Vec<i128> {
    let int = |value: &Concrete| match value {
        Concrete::Int(number) => *number,
        other => panic!("{other} is no number"),
    };
    values.iter().map(int).collect()
}

fn int(width: u32, signed: bool) -> Sort {
    Sort::Int { width, signed }
}

#[test]
fn numbers_have_their_width_and_overflow_is_a_panic() {
    let byte = [("x", int(8, false))];
    assert_eq!(ints(&values(&byte, "x.checked_add(1).is_none()")), [255]);
    assert!(is_contradictory(&byte, "x + 1 == 0"), "it would panic");
    assert_eq!(ints(&values(&byte, "x.wrapping_add(1) == 0")), [255]);
    assert_eq!(ints(&values(&byte, "x.saturating_sub(7) == 200")), [207]);
    let signed = [("x", int(8, true))];
    assert_eq!(ints(&values(&signed, "x.signum() < 0 && x < -100 && x % 100 == -28")), [-128]);
    let pair = [("a", int(64, false)), ("b", int(32, false))];
    let [a, b] = ints(&values(&pair, "a as u32 == b && a > 4294967296 && b == 7"))[..] else {
        panic!("two numbers")
    };
    assert_eq!((a as u32, b), (7, 7));
}

#[test]
fn literals_are_chosen_among_in_the_type_that_is_asked_for() {
    for (width, signed) in [(16, false), (32, true), (64, false)] {
        let sorts = [("b", Sort::Bool), ("n", int(width, signed))];
        let clause = "(if b { 1000 } else { 200 }) + n == 203";
        assert_eq!(values(&sorts, clause), [Concrete::Bool(false), Concrete::Int(3)]);
        let clause = "n == match b { true => 7, false => 9 } && n > 8";
        assert_eq!(values(&sorts, clause), [Concrete::Bool(false), Concrete::Int(9)]);
        assert!(is_contradictory(&sorts, "(if b { 1000 } else { 200 }) == n && n == 201"));
    }
}

#[test]
fn texts_are_found_by_length_prefix_and_class() {
    let text = [("t", Sort::Text)];
    let one = |clause: &str| match &values(&text, clause)[..] {
        [Concrete::Text(text)] => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(one("t == \"open sesame\""), "open sesame");
    let word = one("t.len() == 5 && t.starts_with(\"x-\") && t.ends_with(char::is_numeric)");
    assert!(word.len() == 5 && word.starts_with("x-") && word.ends_with(char::is_numeric));
    let word = one("t.contains(\"mid\") && !t.starts_with('m') && t.chars().count() == 4");
    assert!(word.contains("mid") && !word.starts_with('m') && word.chars().count() == 4);
    let word = one("t.chars().any(|c| c.is_ascii_uppercase()) && t.bytes().all(|b| b > b'A')");
    assert!(word.chars().any(|c| c.is_ascii_uppercase()) && word.bytes().all(|b| b > b'A'));
    let word = one("\"kx\" < t && t < \"kz\" && t.len() == 3");
    assert!(("kx".."kz").contains(&word.as_str()) && word.len() == 3);
}

#[test]
fn variants_options_and_tuples_are_found_by_what_they_hold() {
    let light = [("l", Sort::Enum(0))];
    assert_eq!(values(&light, "matches!(l, Light::Code(n) if n > 200)")[0].to_string().len(), 9);
    assert_eq!(values(&light, "l == Light::Amber")[0].to_string(), "Amber");
    let code = "match l { Light::Red => false, Light::Code(n) => n == 3, _ => false }";
    assert_eq!(values(&light, code)[0].to_string(), "Code(3)");
    let option = [("o", Sort::Option(Box::new(int(16, true))))];
    assert_eq!(values(&option, "o.is_some_and(|n| n < -32000 && n % 7 == 0)").len(), 1);
    assert_eq!(values(&option, "o.is_none()")[0].to_string(), "None");
    assert_eq!(values(&option, "o == Some(-5)")[0].to_string(), "Some(-5)");
    assert_eq!(values(&option, "o.unwrap() == 4")[0].to_string(), "Some(4)");
    let tuple = [("p", Sort::Tuple(vec![Sort::Bool, Sort::Char]))];
    assert_eq!(values(&tuple, "p.0 && p.1 == 'é'")[0].to_string(), "(true, 'é')");
}

#[test]
fn sequences_are_found_by_their_elements_and_order() {
    let list = [("v", Sort::Seq(Box::new(int(32, true))))];
    let one = |clause: &str| match &values(&list, clause)[..] {
        [Concrete::Seq(items)] => ints(items),
        other => panic!("{other:?}"),
    };
    assert_eq!(one("v.is_empty()"), []);
    let items = one("v.len() == 3 && v[1] == 9 && v.first() == Some(&4) && v.is_sorted()");
    assert!(items.len() == 3 && items[..2] == [4, 9] && items[2] >= 9, "{items:?}");
    let items = one("v.iter().sum::<i32>() == 100 && v.len() == 2 && forall(v, |x| *x > 40)");
    assert!(items.iter().sum::<i128>() == 100 && items.iter().all(|x| *x > 40), "{items:?}");
    let items = one("v.len() == 4 && forall(1..4, |i| v[i] == v[i - 1] + 5)");
    assert!(items.windows(2).all(|pair| pair[1] == pair[0] + 5), "{items:?}");
    assert!(is_contradictory(&list, "v.len() == 2 && v[2] == 0"), "it would panic");
}

#[test]
fn floats_are_found_by_order_and_what_is_not_a_number_is_none_of_it() {
    let float = [("x", Sort::Float { width: 64 })];
    let one = |clause: &str| match &values(&float, clause)[..] {
        [Concrete::Float { bits, .. }] => f64::from_bits(*bits),
        other => panic!("{other:?}"),
    };
    let x = one("0.25 < x && x < 0.26");
    assert!(0.25 < x && x < 0.26);
    assert!(one("x.is_nan()").is_nan());
    assert!(one("x < -1e300 && x.is_finite()") < -1e300);
    assert_eq!(one("x + 1.5 == 4.0"), 2.5);
    assert!(is_contradictory(&float, "x < x"));
}

#[test]
fn what_only_a_long_text_satisfies_is_not_called_contradictory() {
    let missed = |sort: Sort, clause: &str| {
        let system = system(&[("x", sort)], clause);
        Search::new(&system, Goal::precondition(&system, 0), 0).next_state()
    };
    let long = missed(Sort::Text, "x.len() == 37 && x.chars().nth(30) == Some('k')");
    assert!(matches!(long, Reached::Found(_)), "{long:?}");
    let longer = missed(Sort::Text, "x.len() == 3700");
    assert!(matches!(longer, Reached::Unsatisfied { .. }), "{longer:?}");
    let never = missed(Sort::Int { width: 8, signed: false }, "x > 7 && x < 7");
    assert!(matches!(never, Reached::Contradictory), "{never:?}");
}

/// A clause as the search reads it and as the compiler does.
macro_rules! clauses {
    ($name:ident: $ty:ty; $($clause:expr),* $(,)?) => {
        vec![$((stringify!($clause), Box::new(|$name: $ty| $clause) as Box<dyn Fn($ty) -> bool>)),*]
    };
}

/// Every list of up to three numbers below three.
fn lists() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![vec![]];
    for from in 0..27 {
        let Some(list) = all.get(from).cloned().filter(|list| list.len() < 3) else { continue };
        all.extend((0..3).map(|item| [list.clone(), vec![item]].concat()));
    }
    all
}

#[test]
fn lists_are_found_where_there_are_some_and_only_then() {
    let clauses = clauses![v: &[u8];
        v.iter().skip(1).take(1).all(|x| *x == 2) && v.len() > 1,
        v.iter().filter(|x| **x > 0).nth(1) == Some(&2),
        v.iter().filter(|x| **x > 0).skip(1).count() == 2,
        v.iter().rev().nth(0) == Some(&1) && v[0] == 2,
        v.windows(2).all(|pair| pair[0] < pair[1]) && v.len() == 3,
        v.windows(2).any(|pair| pair[0] == pair[1] + 2),
        v.iter().zip(v.iter().skip(1)).all(|(a, b)| *a == *b) && v.len() == 3,
        v.iter().max() == Some(&1) && v.iter().min() == Some(&1) && v.len() == 2,
        v.iter().min() == Some(&2) && v.contains(&1),
        v.iter().position(|x| *x == 2) == Some(2),
        v.iter().find(|x| **x > 0) == Some(&2) && v.contains(&1),
        v.iter().last() == Some(&0) && v.first() == Some(&1),
        v.iter().filter(|x| **x == 1).last() == v.last() && v.len() == 2,
        v.iter().enumerate().all(|(n, x)| usize::from(*x) == n) && v.len() == 3,
        v.iter().filter(|x| **x > 0).enumerate().all(|(n, x)| usize::from(*x) == n + 1) && v.len() == 3,
        v.iter().take_while(|x| **x == 2).count() == 2 && v.len() == 3,
        v.iter().skip_while(|x| **x == 2).count() == 1 && v.len() == 3,
        v.iter().step_by(2).all(|x| *x == 1) && v.len() == 3,
        v.iter().fold(0u8, |sum, x| 2 * sum + x) == 9,
        v.iter().product::<u8>() == 4 && v.len() == 3,
        v.len() > 1 && v[1..].contains(&2) && !v[..1].contains(&2),
        v.len() > 1 && v[..v.len() - 1] == v[1..],
        v.starts_with(&[1, 2]) && v.ends_with(&[2, 0]),
        v.starts_with(&[1, 2]) && v.ends_with(&[1, 0]),
        v.iter().is_sorted_by(|a, b| *a > *b) && v.len() == 3 && v[1] == 0,
        v.is_sorted() && v.len() == 3 && v[0] > v[2],
        v.iter().eq(v.iter().skip(0)) && v.len() == 1,
        v.get(1).map_or(0, |x| *x + 1) == 3,
        v.first().filter(|x| **x > 1).or(v.last()) == Some(&1),
        (0..2).all(|n| v.get(n).is_some_and(|x| *x == 1)),
    ];
    let sorts = [("v", Sort::Seq(Box::new(int(8, false))))];
    for (clause, holds) in &clauses {
        for (wanted, text) in [(true, clause.to_string()), (false, format!("!({clause})"))] {
            let text = format!("v.len() <= 3 && v.iter().all(|x| *x < 3) && ({text})");
            let expected = lists().iter().any(|list| holds_so(holds, list) == Some(wanted));
            assert_eq!(!is_contradictory(&sorts, &text), expected, "{text}");
            if expected {
                let [Concrete::Seq(items)] = &values(&sorts, &text)[..] else { panic!("{text}") };
                let list: Vec<u8> = ints(items).into_iter().map(|n| n as u8).collect();
                assert_eq!(holds_so(holds, &list), Some(wanted), "{text}: {list:?}");
            }
        }
    }
}

/// What a clause says of a list; none if it panics.
fn holds_so(holds: &dyn Fn(&[u8]) -> bool, list: &[u8]) -> Option<bool> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| holds(list))).ok()
}

#[test]
fn texts_are_found_where_there_are_some_and_only_then() {
    let clauses = clauses![t: &str;
        t.chars().skip(1).all(|c| c == 'b') && t.len() == 3 && t.starts_with('a'),
        t.chars().nth(2) == Some('a') && !t.contains("aa"),
        t.chars().rev().nth(0) == Some('b') && t.chars().next() == Some('a'),
        t.chars().filter(|c| *c == 'a').count() == 2 && t.ends_with("b"),
        t.strip_prefix("ab").is_some_and(|rest| rest == "a"),
        t.strip_suffix("b").is_some_and(|rest| rest.len() == 2 && rest.ends_with('a')),
        t.starts_with(['a', 'c']) && t.len() == 1,
        t.ends_with('b') && t.is_empty(),
        t.len() == 3 && t[1..] == *"ba",
        t.len() == 3 && t[..2].contains('b') && !t[1..].contains('b'),
        t.to_ascii_uppercase() == "AB",
        t.char_indices().all(|(n, c)| (n == 1) == (c == 'b')) && t.len() == 3,
        t.as_bytes().len() == 2 && t.bytes().all(|b| b == b'b'),
        t < "aab" && t.len() == 3,
    ];
    let mut all = vec![String::new()];
    for from in 0..7 {
        let text: String = all[from].clone();
        all.extend(["a", "b"].map(|c| text.clone() + c));
    }
    let sorts = [("t", Sort::Text)];
    for (clause, holds) in &clauses {
        let text = format!("t.len() <= 3 && t.chars().all(|c| c == 'a' || c == 'b') && ({clause})");
        let expected = all.iter().any(|text| holds(text));
        assert_eq!(!is_contradictory(&sorts, &text), expected, "{text}");
        if expected {
            let [Concrete::Text(found)] = &values(&sorts, &text)[..] else { panic!("{text}") };
            assert!(holds(found), "{text}: {found:?}");
        }
    }
}

#[test]
fn characters_beyond_ascii_are_found_where_clauses_ask_for_them() {
    let sorts = [("t", Sort::Text)];
    let clauses = clauses![t: &str;
        !t.is_ascii() && t.len() == 3 && t.chars().count() == 2,
        t.starts_with("größ") && t.len() == 9 && t.chars().count() == 7,
        t.chars().count() == 1 && t.len() == 4,
        t.chars().all(|c| c == 'é') && t.len() == 6,
        t.contains('\n') && t.len() == 2,
    ];
    for (clause, holds) in &clauses {
        let [Concrete::Text(found)] = &values(&sorts, clause)[..] else { panic!("{clause}") };
        assert!(holds(found), "{clause}: {found:?}");
    }
    assert!(is_contradictory(&sorts, "t.is_ascii() && t.contains('é')"));
    assert!(is_contradictory(&sorts, "t.chars().all(|c| c == 'é') && t.len() == 5"));
}
