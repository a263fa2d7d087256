//! What clauses may say: each row is a condition on values, and what it means in Rust. The
//! search has to give values that satisfy the one, and they are tried on the other.

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
    matches!(reached, Reached::Contradictory | Reached::Unsatisfied)
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
    let long = missed(Sort::Text, "x.len() == 37");
    assert!(matches!(long, Reached::Unsatisfied), "{long:?}");
    let never = missed(Sort::Int { width: 8, signed: false }, "x > 7 && x < 7");
    assert!(matches!(never, Reached::Contradictory), "{never:?}");
}
