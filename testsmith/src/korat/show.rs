//! Structures for people: a tree of text, Graphviz, or Rust.
//!
//! Works on the twin, so it shows private fields and shared objects that a
//! `Debug` of the real value could not.

use std::fmt::{self, Write};

use super::trail::Trail;

/// A value as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A plain value in Rust syntax.
    Atom(String),
    /// `None` or a null pointer.
    Nothing,
    /// `Some(..)`.
    Some(Box<Shown>),
    /// A struct or variant with named fields.
    Record {
        name: String,
        fields: Vec<(String, Shown)>,
    },
    /// A tuple struct or variant.
    Call {
        name: String,
        parts: Vec<Shown>,
    },
    Tuple(Vec<Shown>),
    Sequence(Vec<Shown>),
    Array(Vec<Shown>),
    /// `RefCell::new(..)` and the like.
    Wrapped(&'static str, Box<Shown>),
    /// What a pointer points at, the first time.
    Object {
        number: usize,
        maker: &'static str,
        inside: Box<Shown>,
    },
    /// A pointer to an object shown elsewhere.
    Link(usize),
    /// A weak pointer.
    Weak(usize),
    /// The elements of a vector that indexes point into.
    Arena {
        name: &'static str,
        slots: Vec<Shown>,
    },
    /// An index into the arena of this name.
    Index {
        arena: &'static str,
        at: Box<Shown>,
    },
}

/// Numbers the objects of a structure while it is shown.
pub struct Shower<'a> {
    /// Where a twin's arenas tell how much of them is used; real values know.
    trail: Option<&'a Trail>,
    numbers: Vec<*const ()>,
    shown: Vec<bool>,
}

impl<'a> Shower<'a> {
    pub(crate) fn new(trail: &'a Trail) -> Self {
        Shower { trail: Some(trail), numbers: Vec::new(), shown: Vec::new() }
    }

    /// For a real value.
    pub(crate) fn real() -> Self {
        Shower { trail: None, numbers: Vec::new(), shown: Vec::new() }
    }

    /// The number of an object that nothing else points at.
    pub(crate) fn fresh(&mut self) -> usize {
        self.numbers.push(std::ptr::null());
        self.shown.push(true);
        self.numbers.len() - 1
    }

    pub(crate) fn number(&mut self, place: *const ()) -> usize {
        if let Some(at) = self.numbers.iter().position(|p| *p == place) {
            return at;
        }
        self.numbers.push(place);
        self.shown.push(false);
        self.numbers.len() - 1
    }

    /// `Ok` with a new number the first time, `Err` with the known one after.
    pub(crate) fn enter(&mut self, place: *const ()) -> Result<usize, usize> {
        let number = self.number(place);
        if std::mem::replace(&mut self.shown[number], true) { Err(number) } else { Ok(number) }
    }

    pub(crate) fn arena_len(&self, class: u32) -> usize {
        let trail = self.trail.expect("only twins ask");
        (trail.inner.borrow().classes[class as usize].high + 1) as usize
    }
}

impl Shown {
    /// A plain value.
    pub fn atom(value: &impl fmt::Debug) -> Shown {
        Shown::Atom(format!("{value:?}"))
    }

    /// A struct or variant; tuple-like when its fields are numbered.
    pub fn record(name: &str, fields: Vec<(&str, Shown)>) -> Shown {
        let name = name.to_owned();
        if fields.is_empty() {
            return Shown::Atom(name);
        }
        if fields[0].0.starts_with(|c: char| c.is_ascii_digit()) {
            return Shown::Call { name, parts: fields.into_iter().map(|(_, part)| part).collect() };
        }
        let fields = fields.into_iter().map(|(field, value)| (field.to_owned(), value));
        Shown::Record { name, fields: fields.collect() }
    }

    /// The elements of an arena, given how they are shown as a vector.
    pub fn arena(name: &'static str, items: Shown) -> Shown {
        match items {
            Shown::Sequence(slots) => Shown::Arena { name, slots },
            other => other,
        }
    }

    /// An index into an arena.
    pub fn index(arena: &'static str, at: Shown) -> Shown {
        Shown::Index { arena, at: Box::new(at) }
    }

    /// A picture in text: one line per object, children indented.
    pub fn picture(&self) -> String {
        let mut text = String::new();
        self.draw(&mut text, "", self.has_links());
        text
    }

    /// Whether there is more to it than a plain value.
    pub(crate) fn has_parts(&self) -> bool {
        !self.children().is_empty()
    }

    fn has_links(&self) -> bool {
        match self {
            Shown::Link(_) | Shown::Weak(_) => true,
            other => other.children().iter().any(|(_, child)| child.has_links()),
        }
    }

    pub(crate) fn children(&self) -> Vec<(String, &Shown)> {
        let numbered = |parts: &'_ [Shown]| -> Vec<String> {
            (0..parts.len()).map(|i| i.to_string()).collect()
        };
        match self {
            Shown::Record { fields, .. } => fields.iter().map(|(n, v)| (n.clone(), v)).collect(),
            Shown::Call { parts, .. } | Shown::Tuple(parts) => {
                numbered(parts).into_iter().zip(parts).collect()
            }
            Shown::Sequence(parts) | Shown::Array(parts) | Shown::Arena { slots: parts, .. } => {
                numbered(parts).into_iter().map(|n| format!("[{n}]")).zip(parts).collect()
            }
            Shown::Some(inside)
            | Shown::Wrapped(_, inside)
            | Shown::Object { inside, .. }
            | Shown::Index { at: inside, .. } => vec![(String::new(), inside)],
            _ => Vec::new(),
        }
    }

    /// What fits on one line: the name and the plain fields.
    fn line(&self, numbers: bool) -> (String, Vec<(String, &Shown)>) {
        let (number, record) = self.peel();
        let mut text = match number {
            Some(number) if numbers => format!("#{number} "),
            _ => String::new(),
        };
        let mut deeper = Vec::new();
        let name = match record {
            Shown::Record { name, .. } | Shown::Call { name, .. } => name.clone(),
            Shown::Sequence(parts) | Shown::Arena { slots: parts, .. } => {
                format!("{} elements", parts.len())
            }
            Shown::Array(_) => "array".to_owned(),
            Shown::Tuple(_) => "tuple".to_owned(),
            flat => flat.flat(),
        };
        text.push_str(&name);
        for (field, child) in record.children() {
            match child.peel().1.is_flat() {
                true => write!(text, " {field}={}", child.flat()).expect("writing to a string"),
                false => deeper.push((field, child)),
            }
        }
        (text, deeper)
    }

    /// Through `Some`, pointers and cells to what they hold.
    fn peel(&self) -> (Option<usize>, &Shown) {
        let mut number = None;
        let mut at = self;
        loop {
            at = match at {
                Shown::Some(inside) | Shown::Wrapped(_, inside) => inside,
                Shown::Index { at, .. } => at,
                Shown::Object { number: n, inside, .. } => {
                    number = Some(*n);
                    inside
                }
                other => return (number, other),
            };
        }
    }

    fn is_flat(&self) -> bool {
        let simple = |parts: &[Shown]| parts.iter().all(|p| matches!(p.peel().1, Shown::Atom(_)));
        match self {
            Shown::Record { .. } => false,
            Shown::Call { parts, .. } | Shown::Tuple(parts) => simple(parts),
            Shown::Sequence(parts) | Shown::Array(parts) | Shown::Arena { slots: parts, .. } => {
                simple(parts)
            }
            _ => true,
        }
    }

    fn flat(&self) -> String {
        let list = |parts: &[Shown]| {
            let parts: Vec<String> = parts.iter().map(Shown::flat).collect();
            parts.join(", ")
        };
        match self {
            Shown::Atom(text) => text.trim_end_matches(".into()").to_owned(),
            Shown::Nothing => "-".to_owned(),
            Shown::Link(number) => format!("-> #{number}"),
            Shown::Weak(number) => format!("~> #{number}"),
            Shown::Tuple(parts) => format!("({})", list(parts)),
            Shown::Sequence(parts) | Shown::Array(parts) | Shown::Arena { slots: parts, .. } => {
                format!("[{}]", list(parts))
            }
            Shown::Call { name, parts } => format!("{name}({})", list(parts)),
            other => other.peel().1.flat(),
        }
    }

    fn draw(&self, text: &mut String, indent: &str, numbers: bool) {
        let (line, deeper) = self.line(numbers);
        text.push_str(&line);
        text.push('\n');
        let last = deeper.len().saturating_sub(1);
        for (at, (field, child)) in deeper.iter().enumerate() {
            let (branch, below) = if at == last { ("`- ", "   ") } else { ("|- ", "|  ") };
            write!(text, "{indent}{branch}{field}: ").expect("writing to a string");
            child.draw(text, &format!("{indent}{below}"), numbers);
        }
    }

    /// A Graphviz digraph.
    pub fn graphviz(&self) -> String {
        let mut graph =
            Graph { text: "digraph structure {\n  node [shape=box];\n".into(), extra: 0 };
        graph.node(self, "root");
        graph.text.push_str("}\n");
        graph.text
    }

    /// A Rust expression that rebuilds the value inside its module, unless it
    /// shares objects: those have no expression.
    pub fn rust(&self) -> Option<String> {
        let mut text = String::new();
        self.write_rust(&mut text).then_some(text)
    }

    fn write_rust(&self, text: &mut String) -> bool {
        let mut list = |open: &str, parts: &[Shown], close: &str| {
            text.push_str(open);
            for (at, part) in parts.iter().enumerate() {
                text.push_str(if at > 0 { ", " } else { "" });
                if !part.write_rust(text) {
                    return false;
                }
            }
            text.push_str(close);
            true
        };
        match self {
            Shown::Atom(atom) => {
                text.push_str(atom);
                true
            }
            Shown::Nothing => {
                text.push_str("None");
                true
            }
            Shown::Some(inside) => list("Some(", std::slice::from_ref(inside), ")"),
            Shown::Record { name, fields } => {
                write!(text, "{name} {{ ").expect("writing to a string");
                for (at, (field, value)) in fields.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(text, "{comma}{field}: ").expect("writing to a string");
                    if !value.write_rust(text) {
                        return false;
                    }
                }
                text.push_str(" }");
                true
            }
            Shown::Call { name, parts } => list(&format!("{name}("), parts, ")"),
            Shown::Tuple(parts) => list("(", parts, if parts.len() == 1 { ",)" } else { ")" }),
            Shown::Sequence(parts) | Shown::Arena { slots: parts, .. } => {
                list("[", parts, "].into()")
            }
            Shown::Index { at, .. } => at.write_rust(text),
            Shown::Array(parts) => list("[", parts, "]"),
            Shown::Wrapped(maker, inside) => {
                list(&format!("{maker}("), std::slice::from_ref(inside), ")")
            }
            Shown::Object { maker, inside, .. } if maker.ends_with("::new") => {
                list(&format!("{maker}("), std::slice::from_ref(inside), ")")
            }
            Shown::Object { .. } | Shown::Link(_) | Shown::Weak(_) => false,
        }
    }
}

struct Graph {
    text: String,
    extra: usize,
}

impl Graph {
    fn node(&mut self, shown: &Shown, name: &str) {
        let (line, deeper) = shown.line(false);
        let label = line.replace('"', "'");
        writeln!(self.text, "  {name} [label=\"{label}\"];").expect("writing to a string");
        for (field, child) in shown.peel().1.children() {
            if let Shown::Link(to) | Shown::Weak(to) = child.peel().1 {
                let style =
                    if matches!(child.peel().1, Shown::Weak(_)) { " style=dashed" } else { "" };
                writeln!(self.text, "  {name} -> n{to} [label=\"{field}\"{style}];")
                    .expect("writing to a string");
            }
        }
        for (field, child) in deeper {
            let to = match child.peel().0 {
                Some(number) => format!("n{number}"),
                None => {
                    self.extra += 1;
                    format!("x{}", self.extra)
                }
            };
            writeln!(self.text, "  {name} -> {to} [label=\"{field}\"];")
                .expect("writing to a string");
            self.node(child, &to);
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.picture())
    }
}
