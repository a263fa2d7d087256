//! Clauses as a person would write them, and as our own attributes accept them.

use crate::contracts::Clause;
use crate::table::Atom;
use crate::template::Form;
use crate::vocabulary::{Reading, inside, query_of, reading_of, tuple};
use testsmith_model::call::Form as CallForm;
use testsmith_model::observation::{Occasion, Term, Watch};
use testsmith_model::relation::Relation;
use testsmith_model::{Mode, OpId, OperationKind, Plan, TypeId};

/// The words of the tuple of one watch.
pub(crate) struct Words<'w> {
    plan: &'w Plan,
    watch: &'w Watch,
}

/// A value of a tuple.
struct Place {
    text: String,
    /// Whether it is there by reference.
    reference: bool,
}

impl<'w> Words<'w> {
    pub(crate) fn new(plan: &'w Plan, watch: &'w Watch) -> Words<'w> {
        Words { plan, watch }
    }

    /// `old(self.is_empty()) ==> self.len() == 1`
    pub(crate) fn clause(&self, clause: &Clause) -> String {
        let atom = self.atom(&clause.atom, true);
        let said = match &clause.when {
            None => atom,
            Some(when) => format!("old({}) ==> {atom}", self.atom(when, false)),
        };
        match self.watch.occasion {
            Occasion::Pair { first, .. } => {
                format!("after {}: {said}", self.plan.operation(first).callee.name())
            }
            _ => said,
        }
    }

    /// A condition on columns; those before the call are `old`, if that is to be told.
    pub(crate) fn atom(&self, atom: &Atom, tell_old: bool) -> String {
        let after = atom.variables().any(|column| column >= self.watch.before.len());
        let side = |column: u16| self.column(usize::from(column), tell_old && after);
        let (a, b) = (side(atom.a), side(atom.b));
        match atom.form {
            Form::Says { yes: true } => a,
            Form::Says { yes: false } if a.contains(" == ") => a.replacen(" == ", " != ", 1),
            Form::Says { yes: false } => format!("!{a}"),
            Form::Constant { relation } => {
                let c = self.constant(usize::from(atom.a), atom.c);
                match (self.is_name(usize::from(atom.a)), relation) {
                    (false, _) => format!("{a} {} {c}", relation.text()),
                    // Not every enum can be compared.
                    (true, Relation::Equal) => format!("matches!({a}, {c})"),
                    (true, _) => format!("!matches!({a}, {c})"),
                }
            }
            Form::Pair { relation, plus } => {
                let wrapped = |text: String| {
                    if text.contains(" == ") { format!("({text})") } else { text }
                };
                let plus = match plus {
                    0 => String::new(),
                    n if n < 0 => format!(" - {}", -n),
                    n => format!(" + {n}"),
                };
                let (a, b) = (wrapped(a), wrapped(b));
                // A size that shrinks is written without a difference that could wrap.
                match plus.strip_prefix(" - ") {
                    Some(less) => format!("{a} + {less} {} {b}", relation.text()),
                    None => format!("{a} {} {b}{plus}", relation.text()),
                }
            }
            Form::Means { relation } => format!("{a} == ({b} {} 0)", relation.text()),
        }
    }

    /// How a predicate is known in the store: with `$` for each value.
    pub(crate) fn predicate(&self, term: &Term) -> String {
        let place = |_: u8| Place { text: "$".to_owned(), reference: true };
        self.term(term, &place)
    }

    pub(crate) fn column(&self, column: usize, tell_old: bool) -> String {
        let before = self.watch.before.len();
        // Of values there is no time before.
        let of_values = matches!(self.watch.occasion, Occasion::Values { .. });
        // What was given to the first of two calls, and what it gave, is there to stay.
        let stays = |term: &Term| {
            let pair = matches!(self.watch.occasion, Occasion::Pair { .. });
            pair && matches!(term, Term::Itself { .. } | Term::Inside { .. })
        };
        match column.checked_sub(before) {
            Some(after) => self.spoken(&self.watch.after[after]),
            None if tell_old && !of_values && !stays(&self.watch.before[column]) => {
                format!("old({})", self.spoken(&self.watch.before[column]))
            }
            None => self.spoken(&self.watch.before[column]),
        }
    }

    fn spoken(&self, term: &Term) -> String {
        self.term(term, &|at| self.place(at))
    }

    fn term(&self, term: &Term, place: &dyn Fn(u8) -> Place) -> String {
        match *term {
            Term::Itself { at } => {
                let Place { text, reference } = place(at);
                self.read(self.ty(at), &text, usize::from(reference))
            }
            Term::Inside { at } => place(at).text,
            Term::Query { op, at } => {
                let text = self.asked(op, &place(at).text, &[]);
                self.read(self.plan.operation(op).output, &text, 0)
            }
            Term::With { op, at, with } => {
                let text = self.asked(op, &place(at).text, &[place(with)]);
                self.read(self.plan.operation(op).output, &text, 0)
            }
            Term::WithTwo { op, at, with, and } => {
                let text = self.asked(op, &place(at).text, &[place(with), place(and)]);
                self.read(self.plan.operation(op).output, &text, 0)
            }
            Term::Equal { at, with } => {
                let value = |at: u8| {
                    let Place { text, reference } = place(at);
                    if reference { format!("*{text}") } else { text }
                };
                format!("{} == {}", value(at), value(with))
            }
        }
    }

    /// A call of a query, or a field.
    fn asked(&self, op: OpId, of: &str, others: &[Place]) -> String {
        let operation = self.plan.operation(op);
        let name = operation.callee.name();
        let argument = |(n, Place { text, reference }): (usize, &Place)| {
            let by_value = operation.inputs[n + 1].mode == Mode::Own;
            match (by_value, reference) {
                (true, true) => format!("*{text}"),
                (false, false) => format!("&{text}"),
                _ => text.clone(),
            }
        };
        match operation.kind {
            OperationKind::Field => format!("{of}.{name}"),
            _ => {
                let arguments: Vec<String> = others.iter().enumerate().map(argument).collect();
                format!("{of}.{name}({})", arguments.join(", "))
            }
        }
    }

    /// What is read of a value with this text, behind so many references more.
    fn read(&self, ty: TypeId, text: &str, references: usize) -> String {
        let Some((reading, behind)) = reading_of(self.plan, ty) else { return text.to_owned() };
        let stars = "*".repeat(behind + references);
        match reading {
            Reading::Answer | Reading::Number { .. } | Reading::Char | Reading::Name { .. } => {
                format!("{stars}{text}")
            }
            Reading::Order => format!("({stars}{text} as i8)"),
            Reading::Variant(method) => format!("{text}.{method}()"),
            Reading::Length => format!("{text}.len()"),
        }
    }

    pub(crate) fn constant(&self, column: usize, c: i64) -> String {
        match (self.reading(column), u32::try_from(c).ok().and_then(char::from_u32)) {
            (Some(Reading::Char), Some(char)) => format!("{char:?}"),
            (Some(Reading::Name { of, .. }), _) => {
                let info = self.plan.ty(of);
                let name = usize::try_from(c).ok().and_then(|n| info.variants.get(n));
                name.map_or_else(|| "_".to_owned(), |name| format!("{}::{name}", info.ty.name()))
            }
            _ => c.to_string(),
        }
    }

    /// How the answers of a column are read.
    fn reading(&self, column: usize) -> Option<Reading> {
        let term = self.watch.before.iter().chain(&self.watch.after).nth(column)?;
        let ty = match term {
            Term::Itself { at } => self.ty(*at),
            // A number, in whatever it stands.
            Term::Inside { at } => return inside(&self.plan.ty(self.ty(*at)).ty),
            term => self.plan.operation(query_of(term)?).output,
        };
        reading_of(self.plan, ty).map(|(reading, _)| reading)
    }

    fn is_name(&self, column: usize) -> bool {
        matches!(self.reading(column), Some(Reading::Name { .. }))
    }

    fn ty(&self, at: u8) -> TypeId {
        tuple(self.plan, &self.watch.occasion)[usize::from(at)]
    }

    fn place(&self, at: u8) -> Place {
        let n = usize::from(at);
        match self.watch.occasion {
            Occasion::Call { op } => self.place_of(op, n),
            Occasion::Values { .. } => {
                let text = if n == 0 { "self" } else { "other" };
                Place { text: text.to_owned(), reference: true }
            }
            Occasion::Pair { first, second } => {
                let one = self.plan.operation(first).inputs.len();
                let named = |prefix: &str, place: Place| Place {
                    text: format!("{prefix}{}", place.text),
                    ..place
                };
                let two = self.plan.operation(second).inputs.len();
                match n.checked_sub(one) {
                    None => self.place_of(first, n),
                    Some(0) => named("first_", self.place_of(first, n)),
                    Some(n) if n == two => self.place_of(second, n),
                    Some(n) => named("next_", self.place_of(second, n)),
                }
            }
        }
    }

    /// A value of the tuple of a call.
    fn place_of(&self, op: OpId, n: usize) -> Place {
        let operation = self.plan.operation(op);
        let Some(input) = operation.inputs.get(n) else {
            return Place { text: "ret".to_owned(), reference: false };
        };
        let method = match &operation.call.form {
            CallForm::Member { method, .. } => *method,
            CallForm::TraitMember { .. } => input.name == "self",
            _ => false,
        };
        let text = match input.name.as_str() {
            _ if n == 0 && method => "self".to_owned(),
            "" => format!("a{n}"),
            name => name.to_owned(),
        };
        Place { text, reference: matches!(input.mode, Mode::Shared | Mode::Exclusive) }
    }
}
