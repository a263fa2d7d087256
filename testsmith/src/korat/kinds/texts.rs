//! Texts: `String`, the boxed and shared kinds of `str`, and `&'static str`.
//!
//! A predicate sees a `String` in place of each that owns its letters.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use super::plain::convert;
use crate::korat::cell::TwinType;
use crate::korat::finitize::{MAX_DOMAIN, Plain};
use crate::korat::reach::Reach;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::{Builder, Choices};
use crate::korat::{Korat, Realizer};

impl TwinType for String {
    const INLINE: bool = false;

    fn share(&self) -> Self {
        self.clone()
    }

    fn reach(&self, _: &mut Reach) {}

    fn show(&self, _: &mut Shower) -> Shown {
        Shown::Atom(format!("{self:?}.into()"))
    }
}

/// Every string over an alphabet, shortest first. A domain of chars is the
/// alphabet (of `ab` by default); a domain of texts is taken as it stands.
fn texts(builder: &mut Builder) -> Vec<String> {
    let given = builder.given().unwrap_or_else(|| vec!['a'.into(), 'b'.into()]);
    if given.iter().any(|value| matches!(value, Plain::Text(_))) {
        let texts = convert(builder, given, "a text", |value| match value {
            Plain::Text(t) => Some(t.clone()),
            _ => None,
        });
        return texts.values;
    }
    let letters = convert(builder, given, "a char", |value| match value {
        Plain::Char(c) => Some(*c),
        _ => None,
    });
    let (least, most) = builder.length_bounds();
    let mut texts = Vec::new();
    let mut layer = vec![String::new()];
    for length in 0..=most {
        if length >= least {
            texts.extend(layer.iter().cloned());
        }
        if length == most || texts.len() > MAX_DOMAIN {
            break;
        }
        let longer = layer
            .iter()
            .flat_map(|text| letters.values.iter().map(move |letter| format!("{text}{letter}")));
        layer = longer.take(MAX_DOMAIN + 1).collect();
    }
    texts
}

macro_rules! owned_texts {
    ($($real:ty)*) => {$(
        impl Korat for $real {
            type Twin = String;

            fn class_name() -> String {
                stringify!($real).to_owned()
            }

            fn choices(builder: &mut Builder) -> Choices<String> {
                Choices::plain(texts(builder))
            }

            fn realize(twin: &String, _: &mut Realizer) -> Self {
                twin.as_str().into()
            }

            fn twin_rep_ok(_: &String) -> bool {
                true
            }

            fn real_rep_ok(&self) -> bool {
                true
            }

            fn show_real(&self, shower: &mut Shower) -> Shown {
                TwinType::show(&String::from(&**self), shower)
            }
        }
    )*};
}
owned_texts!(String Box<str> Rc<str> Arc<str>);

impl TwinType for &'static str {
    const INLINE: bool = false;

    fn share(&self) -> Self {
        self
    }

    fn reach(&self, _: &mut Reach) {}

    fn show(&self, _: &mut Shower) -> Shown {
        Shown::atom(self)
    }
}

thread_local! {
    /// Texts live as long as the program, so each is made only once.
    static LASTING: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

fn lasting(text: String) -> &'static str {
    LASTING.with_borrow_mut(|known| match known.get(text.as_str()) {
        Some(known) => known,
        None => {
            let text: &'static str = text.leak();
            known.insert(text);
            text
        }
    })
}

impl Korat for &'static str {
    type Twin = Self;

    fn class_name() -> String {
        "&str".to_owned()
    }

    fn choices(builder: &mut Builder) -> Choices<Self> {
        Choices::plain(texts(builder).into_iter().map(lasting).collect())
    }

    fn realize(twin: &Self, _: &mut Realizer) -> Self {
        twin
    }

    fn twin_rep_ok(_: &Self) -> bool {
        true
    }

    fn real_rep_ok(&self) -> bool {
        true
    }

    fn show_real(&self, shower: &mut Shower) -> Shown {
        TwinType::show(self, shower)
    }
}
