//! What is printed of a value can be pasted: the text is compiled here as it
//! was printed, and gives the same value.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use testsmith::Korat;
use testsmith::korat::{Search, Shown};

/// The text of tokens and that of a printed value differ in blanks only.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The printed values of a scope, in the order in which they are found.
fn printed<T: Korat>(scope: usize) -> Vec<(Shown, String)> {
    let mut run = Search::<T>::new(scope).run();
    let mut all = Vec::new();
    while run.advance() {
        let shown = run.current().shown();
        let text = shown.rust().expect("an expression");
        all.push((shown, squeezed(&text)));
    }
    all
}

/// Compiles an expression, and looks for its text among what is printed.
macro_rules! pasted {
    ($scope:literal, $type:ty, $value:expr) => {{
        let value: $type = $value;
        let text = squeezed(stringify!($value));
        let all = printed::<$type>($scope);
        let printed: Vec<&String> = all.iter().map(|(_, text)| text).collect();
        assert!(printed.contains(&&text), "{text} is none of {printed:#?}");
        let again: Vec<$type> = Search::<$type>::new($scope).run().collect();
        let at = all.iter().position(|(_, printed)| *printed == text).expect("just found");
        assert_eq!(format!("{value:?}"), format!("{:?}", again[at]));
    }};
}

#[derive(Korat, Debug)]
#[korat(unconstrained)]
struct Texts {
    #[korat(values = ["two\nlines", "a \"quote\""])]
    owned: String,
    #[korat(values = ["static"])]
    fixed: &'static str,
    #[korat(values = ["boxed"])]
    boxed: Box<str>,
    #[korat(values = ['\''])]
    letter: char,
}

#[derive(Korat, Debug)]
#[korat(unconstrained)]
struct Holders {
    #[korat(len = 0..=1)]
    items: Vec<u8>,
    #[korat(len = 1..=1)]
    queue: VecDeque<bool>,
    #[korat(len = 0..=1)]
    set: BTreeSet<u8>,
    cell: Cell<bool>,
    shared: Rc<RefCell<u8>>,
    guarded: Arc<Mutex<bool>>,
    result: Result<(), u8>,
    array: [bool; 2],
    pair: (u8, Option<Box<u8>>),
}

#[derive(Korat, Debug)]
#[korat(unconstrained)]
enum Numbers {
    Float(#[korat(values = [1.0, -0.5, f64::NAN, f64::NEG_INFINITY])] f64),
    Raw { r#type: i8 },
    Nothing,
}

#[derive(Korat, Debug)]
#[korat(unconstrained)]
struct Fixed {
    #[korat(skip)]
    cache: HashMap<u8, u8>,
    #[korat(default = BTreeMap::from([(1, 2)]))]
    table: BTreeMap<u8, u8>,
    kind: std::marker::PhantomData<String>,
}

#[test]
fn texts_are_printed_as_literals() {
    pasted!(
        1,
        Texts,
        Texts { owned: "a \"quote\"".into(), fixed: "static", boxed: "boxed".into(), letter: '\'' }
    );
    pasted!(
        1,
        Texts,
        Texts { owned: "two\nlines".into(), fixed: "static", boxed: "boxed".into(), letter: '\'' }
    );
}

#[test]
fn holders_are_printed_as_what_makes_them() {
    pasted!(
        1,
        Holders,
        Holders {
            items: [].into(),
            queue: [true].into(),
            set: [1].into(),
            cell: Cell::new(false),
            shared: Rc::new(RefCell::new(1)),
            guarded: Arc::new(std::sync::Mutex::new(false)),
            result: Err(0),
            array: [false, true],
            pair: (1, Some(Box::new(0)))
        }
    );
}

#[test]
fn numbers_that_are_none_and_raw_names_are_printed_as_written() {
    pasted!(1, Numbers, Numbers::Float(f64::NAN));
    pasted!(1, Numbers, Numbers::Float(-f64::INFINITY));
    pasted!(1, Numbers, Numbers::Float(-0.5));
    pasted!(1, Numbers, Numbers::Raw { r#type: 1 });
    pasted!(1, Numbers, Numbers::Nothing);
}

#[test]
fn fixed_fields_are_printed_as_their_attribute_says() {
    let all = Search::<Fixed>::new(1).run();
    assert!(all.into_iter().all(|fixed| fixed.cache.is_empty() && fixed.table.len() == 1));
    pasted!(
        1,
        Fixed,
        Fixed {
            cache: std::default::Default::default(),
            table: BTreeMap::from([(1, 2)]),
            kind: std::marker::PhantomData
        }
    );
}
