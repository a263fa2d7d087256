//! Puts under plain `cargo test`, and what their failures look like.

use std::collections::{BTreeMap, HashMap};

use testsmith::put::{Expectation, Limits, Put, Source, check};
use testsmith::{Input, assume, invariant, put};

#[put]
fn pushing_makes_it_longer(mut list: Vec<i32>, x: i32) {
    assume!(list.len() < 4);
    let before = list.len();
    list.push(x);
    assert_eq!(list.len(), before + 1);
}

#[put(should_panic)]
fn an_index_past_the_end_panics(list: Vec<u8>) {
    let _ = list[list.len()];
}

#[put(should_panic = "divide by zero")]
fn dividing_by_zero_panics_with_its_text(x: i32) {
    let zero = std::hint::black_box(0);
    let _ = x / zero;
}

#[put(len(text = 8), cases = 64)]
fn every_type_can_be_a_parameter(
    text: &str,
    slice: &[u16],
    changed: &mut [u8],
    map: BTreeMap<u8, char>,
    table: HashMap<u8, bool>,
    nested: Option<Result<Box<i64>, (u8, f32)>>,
    array: [i8; 3],
) {
    changed.reverse();
    assert!(text.len() <= 8);
    assert!(slice.len() <= 4 && map.len() <= 4 && table.len() <= 4);
    let _ = (nested, array);
}

#[put]
#[should_panic(expected = "divide by zero")]
fn the_attribute_of_the_standard_library_means_the_option(x: i32) {
    let zero = std::hint::black_box(0);
    let _ = x / zero;
}

#[put]
#[ignore = "it would fail"]
fn a_put_can_be_ignored(x: u8) {
    assert!(x > 300_u16 as u8);
}

#[put(allow_empty)]
fn a_put_without_inputs_may_be_allowed(x: u8) {
    assume!(x % 4 == 3 && x % 8 == 4);
}

#[put]
fn assumptions_that_few_inputs_meet_get_more_of_them(x: u32, y: u32) {
    assume!(x == y && x > 1000);
    assert!(y > 1000);
}

mod inner {
    pub(super) use testsmith::put as property;

    #[derive(testsmith::Input, Clone, Copy)]
    pub(super) struct Point {
        pub x: u8,
    }

    mod tests {
        use super::property;

        #[property(values(corner = [super::Point { x: 1 }, super::Point { x: 2 }]))]
        fn types_of_the_module_around_can_be_parameters(
            point: super::Point,
            list: Vec<self::super::Point>,
            corner: &super::Point,
        ) {
            assert!(usize::from(point.x) <= 255 && list.len() <= 4 && corner.x < 3);
        }
    }
}

#[put(values(x = [2, 3, 5]))]
fn candidate_values_are_the_only_ones(x: u32) {
    assert!([2, 3, 5].contains(&x));
}

#[derive(Input, Debug, Clone, PartialEq)]
#[input(invariant = Self::is_sorted)]
struct Sorted {
    items: Vec<u8>,
}

impl Sorted {
    fn is_sorted(&self) -> bool {
        self.items.is_sorted()
    }
}

#[derive(Input, Debug, Clone, PartialEq)]
enum Tree {
    Leaf,
    Node(Box<Tree>, i8, Box<Tree>),
}

impl Tree {
    fn depth(&self) -> usize {
        match self {
            Tree::Leaf => 1,
            Tree::Node(left, _, right) => 1 + left.depth().max(right.depth()),
        }
    }
}

#[put]
fn derived_inputs_meet_their_invariant(list: Sorted) {
    assert!(list.items.windows(2).all(|pair| pair[0] <= pair[1]));
}

#[derive(Input)]
struct Lawful {
    low: u8,
    high: u8,
}

impl Lawful {
    fn rep_ok(&self) -> bool {
        self.low < self.high
    }
}

#[put]
fn a_method_called_rep_ok_restricts_inputs(pair: Lawful) {
    assert!(pair.low < pair.high);
}

#[invariant(self.low < 100)]
#[derive(Input)]
struct Declared {
    low: u8,
}

#[put]
fn an_invariant_of_the_type_restricts_inputs(value: Declared) {
    assert!(value.low < 100);
}

#[derive(Input)]
#[input(invariant = |value: &Blocks| value.0 != 7)]
struct Blocks(u8, u8);

#[invariant(self.0 < 100)]
impl Blocks {
    pub fn raise(&mut self) {
        self.1 |= 1;
    }
}

#[invariant(self.1 > 9, self.1 != 50)]
impl Blocks {
    pub fn lower(&mut self) {
        self.1 -= 1;
    }

    /// Admits what the expression admits, because that one is named.
    fn rep_ok(&self) -> bool {
        false
    }
}

#[put]
fn invariants_of_blocks_restrict_inputs_beside_a_named_one(mut value: Blocks) {
    assert!(value.0 < 100 && value.0 != 7 && value.1 > 9 && value.1 != 50);
    assert!(!value.rep_ok());
    assume!(value.1 > 10 && value.1 != 51);
    value.lower();
    assume!(value.1 != 50);
    value.raise();
}

#[put(depth = 3)]
fn recursive_types_are_bounded_in_depth(tree: Tree) {
    assert!(tree.depth() <= 3);
}

const LIMITS: Limits = Limits { len: 16, depth: 4 };

/// A put made by hand, so that its failure can be looked at.
fn failing(
    run: fn(&mut Source<'_>),
    call: fn(&mut Source<'_>) -> String,
    name: &'static str,
) -> String {
    let store: &'static str = Box::leak(format!("{name}.cases").into_boxed_str());
    let folder = env!("CARGO_TARGET_TMPDIR");
    let _ = std::fs::remove_file(std::path::Path::new(folder).join(store));
    let put = Put {
        module: name,
        name,
        manifest_dir: folder,
        file: file!(),
        line: line!(),
        expectation: Expectation::Returns,
        cases: 2_000,
        run,
        call,
        max_bytes: || 64,
        bounds: "",
        store,
        identity: "",
        allow_empty: false,
    };
    let message = |put: &Put| {
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(put)))
            .expect_err("the put fails");
        payload.downcast_ref::<String>().expect("a text").clone()
    };
    let first = message(&put);
    let again = message(&put);
    assert!(again.contains("a stored case"), "the second run starts with it: {again}");
    first
}

#[test]
fn a_failing_list_is_shrunk_to_the_elements_that_matter() {
    fn decode(source: &mut Source<'_>) -> Vec<u32> {
        source.parameter("list", LIMITS, Vec::decode)
    }
    let text = failing(
        |source| assert!(decode(source).iter().all(|x| *x < 1000), "too large"),
        |source| format!("check({})", decode(source).expression()),
        "shrunk_list",
    );
    assert!(text.contains("check(vec![1000])"), "{text}");
    assert!(text.contains("too large\n    at testsmith/tests/puts.rs:"), "{text}");
}

#[test]
fn a_failing_number_is_shrunk_to_the_least_one() {
    fn decode(source: &mut Source<'_>) -> i32 {
        source.parameter("x", LIMITS, i32::decode)
    }
    let text = failing(
        |source| assert!(decode(source) > -77),
        |source| format!("check({})", decode(source).expression()),
        "shrunk_number",
    );
    assert!(text.contains("check(-77)"), "{text}");
}

/// A put made by hand.
fn by_hand(run: fn(&mut Source<'_>), name: &'static str) -> Put {
    Put {
        module: name,
        name,
        manifest_dir: env!("CARGO_TARGET_TMPDIR"),
        file: file!(),
        line: line!(),
        expectation: Expectation::Returns,
        cases: 16,
        run,
        call: |_| String::from("it()"),
        max_bytes: || 64,
        bounds: "",
        store: "nothing.cases",
        identity: "",
        allow_empty: false,
    }
}

#[test]
fn a_put_that_refuses_every_input_fails_unless_that_is_allowed() {
    fn run(source: &mut Source<'_>) {
        let x = source.parameter("x", LIMITS, u8::decode);
        source.complete();
        assume!(x % 4 == 3 && x % 8 == 4);
    }
    let put = by_hand(run, "empty");
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&put)));
    let text = payload.expect_err("it fails").downcast_ref::<String>().expect("a text").clone();
    assert!(text.starts_with("the put empty has tested nothing"), "{text}");
    assert!(text.contains("refused all 1036 inputs"), "{text}");
    check(&Put { allow_empty: true, ..put });
}

#[test]
fn a_panic_while_the_input_is_made_is_never_the_expected_one() {
    fn run(source: &mut Source<'_>) {
        let x = source.parameter("x", LIMITS, u8::decode);
        assert!(x > 255_u8.wrapping_add(1), "rep_ok fails");
        source.complete();
        panic!("as expected");
    }
    let put = Put { expectation: Expectation::Panics, ..by_hand(run, "broken_input") };
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&put)));
    let text = payload.expect_err("it fails").downcast_ref::<String>().expect("a text").clone();
    assert!(text.contains("making the input panics: rep_ok fails"), "{text}");
}

#[test]
fn expressions_are_rust() {
    let tree = Tree::Node(Box::new(Tree::Leaf), -1, Box::new(Tree::Leaf));
    assert_eq!(tree.expression(), "Tree::Node(Box::new(Tree::Leaf), -1, Box::new(Tree::Leaf))");
    assert_eq!(Sorted { items: vec![1] }.expression(), "Sorted { items: vec![1] }");
    assert_eq!((1u8,).expression(), "(1,)");
    let map = BTreeMap::from([(1u8, std::rc::Rc::new(2u8))]);
    assert_eq!(map.expression(), "std::collections::BTreeMap::from([(1, std::rc::Rc::new(2))])");
    assert_eq!(Some(String::from("a\"b")).expression(), "Some(String::from(\"a\\\"b\"))");
    assert_eq!(f64::NAN.expression(), "f64::from_bits(0x7ff8000000000000)");
}

#[cfg(feature = "arbitrary")]
mod arbitrary {
    use testsmith::put::{ByArbitrary, Input, Source};

    #[test]
    fn a_value_by_arbitrary_is_written_as_the_bytes_it_was_made_of() {
        let bytes = [1, 42, 0, 0, 0, 0, 0, 0, 0];
        let mut source = Source::new(&bytes);
        let value: ByArbitrary<u32> = source.parameter("x", super::LIMITS, ByArbitrary::decode);
        assert_eq!(value.value, 42);
        let text = value.expression();
        assert_eq!(text, "testsmith::put::ByArbitrary::from_bytes(&[42, 0, 0, 0, 0, 0, 0, 0])");
    }
}
