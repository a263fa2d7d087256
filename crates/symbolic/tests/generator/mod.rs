//! Programs with known truth, made from a seed.
//!
//! Every program takes one to three bytes, so its truth is found by running all
//! inputs. Templates give the shape (memory, unwinding, hashing …), random
//! expressions and rare conditions the rest; about half carry a bug. The same
//! seed gives the same programs. Nothing here runs or judges them.

#![allow(dead_code, reason = "the test and the bench use their parts")]

mod hashing;
mod meeting;
mod memory;
mod numbers;
mod render;
pub mod trial;
mod unwinding;
mod world;

pub use render::source;

/// What a program is to do on every input.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    Returns,
    Panics,
}

/// What its outcome is a function of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Nature {
    /// The input alone: the runs of all inputs are the truth.
    Determined,
    /// The input and something else: "holds" is wrong unless one of these assumptions is
    /// named with it.
    Depends(&'static [&'static str]),
}

/// The outcome depends on what earlier runs left in statics.
pub const FRESH: &[&str] = &["fresh-process"];

/// A program: the items it needs and the body of its function over `input`.
#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub family: &'static str,
    pub items: String,
    pub body: String,
    pub input_len: usize,
    pub expected: Expected,
    pub nature: Nature,
    /// Whether each input needs a process of its own: statics, exits, endless loops.
    pub alone: bool,
}

/// A template: the family it belongs to, and what makes a program from it.
pub type Template = (&'static str, fn(&mut Choice) -> Draft);

/// What a template gives; the rest of a program is added by [`programs`].
pub struct Draft {
    items: String,
    body: String,
    input_len: usize,
    expected: Expected,
    nature: Nature,
    alone: bool,
}

impl Draft {
    fn new(input_len: usize, body: String) -> Draft {
        Draft {
            items: String::new(),
            body,
            input_len,
            expected: Expected::Returns,
            nature: Nature::Determined,
            alone: false,
        }
    }

    fn items(self, items: impl Into<String>) -> Draft {
        Draft { items: items.into(), ..self }
    }

    fn panics(self) -> Draft {
        Draft { expected: Expected::Panics, ..self }
    }

    fn alone(self) -> Draft {
        Draft { alone: true, ..self }
    }

    fn depends(self, assumptions: &'static [&'static str]) -> Draft {
        Draft { nature: Nature::Depends(assumptions), ..self }
    }
}

/// `count` programs, going round the templates.
pub fn programs(seed: u64, count: usize) -> Vec<Program> {
    let templates: Vec<Template> = [
        memory::TEMPLATES,
        unwinding::TEMPLATES,
        hashing::TEMPLATES,
        world::TEMPLATES,
        numbers::TEMPLATES,
        meeting::TEMPLATES,
    ]
    .concat();
    let program = |index: usize| {
        let (family, template) = templates[index % templates.len()];
        let mut choice = Choice(seed ^ (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let draft = template(&mut choice);
        Program {
            name: format!("p{index}"),
            family,
            items: draft.items,
            body: draft.body,
            input_len: draft.input_len,
            expected: draft.expected,
            nature: draft.nature,
            alone: draft.alone,
        }
    };
    (0..count).map(program).collect()
}

/// How many templates there are: as many programs have each once.
pub fn templates() -> usize {
    memory::TEMPLATES.len()
        + unwinding::TEMPLATES.len()
        + hashing::TEMPLATES.len()
        + world::TEMPLATES.len()
        + numbers::TEMPLATES.len()
        + meeting::TEMPLATES.len()
}

/// Random choices that depend on the seed alone.
pub struct Choice(u64);

impl Choice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }

    /// A byte-valued expression over these variables that never panics.
    fn expression(&mut self, variables: &[&str], depth: u32) -> String {
        if depth == 0 || self.below(5) == 0 {
            return match self.below(3) {
                0 => format!("{}u8", self.byte()),
                _ => self.one(variables).to_owned(),
            };
        }
        let a = self.expression(variables, depth - 1);
        let b = self.expression(variables, depth - 1);
        match self.below(11) {
            0 => format!("({a}).wrapping_add({b})"),
            1 => format!("({a}).wrapping_sub({b})"),
            2 => format!("({a}).wrapping_mul({b})"),
            3 => format!("(({a}) ^ ({b}))"),
            4 => format!("(({a}) & ({b}))"),
            5 => format!("(({a}) / (({b}) | 1))"),
            6 => format!("(({a}) % (({b}) | 1))"),
            7 => format!("({a}).rotate_left(u32::from({b}) & 7)"),
            8 => format!("({a}).saturating_sub({b})"),
            9 => format!("({a}).max({b})"),
            _ => {
                let condition = self.condition(variables, depth - 1);
                format!("(if {condition} {{ {a} }} else {{ {b} }})")
            }
        }
    }

    /// A condition over these variables, now and then turned round twice.
    fn condition(&mut self, variables: &[&str], depth: u32) -> String {
        let a = self.expression(variables, depth);
        let b = self.expression(variables, depth.saturating_sub(1));
        let operator = self.one(&["<", "<=", "==", "!=", ">", ">="]);
        let plain = match self.below(4) {
            0 => format!("(({a}) as i8) {operator} (({b}) as i8)"),
            _ => format!("({a}) {operator} ({b})"),
        };
        match self.below(4) {
            0 => format!("!({plain})"),
            1 => format!("!(!({plain}))"),
            _ => format!("({plain})"),
        }
    }

    /// True on few inputs, or on none.
    fn rare(&mut self, variables: &[&str]) -> String {
        let value = self.expression(variables, 2);
        format!("(({value}) == {}u8)", self.byte())
    }

    /// Zero, or one on few inputs: added to a result it is a bug.
    fn bug(&mut self, variables: &[&str]) -> String {
        match self.below(2) {
            0 => "0u8".to_owned(),
            _ => format!("u8::from({})", self.rare(variables)),
        }
    }
}
