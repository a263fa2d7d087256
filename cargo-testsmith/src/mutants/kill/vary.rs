//! Variations of sequences that reach a mutant and do not tell it: other literals, and other
//! values of an enum. Whether they are legal and what they show is for the worker to say.

use testsmith_engines::Rng;
use testsmith_model::sequence::Literal;
use testsmith_model::{Edit, EditStep, OpId, Plan, Sequence, Ty, TypeId};

/// Changes of one variation.
const MAX_CHANGES: usize = 3;
/// Characters of a text that was repeated.
const MAX_TEXT: usize = 140;

pub struct Variations<'v> {
    plan: &'v Plan,
    rng: Rng,
    /// Per type, what takes nothing and makes one of it.
    constants: Vec<Vec<OpId>>,
}

impl<'v> Variations<'v> {
    pub fn new(plan: &'v Plan) -> Variations<'v> {
        let mut constants = vec![vec![]; plan.types.len()];
        for op in plan.op_ids() {
            let operation = plan.operation(op);
            if operation.inputs.is_empty() && crate::suite::is_worth_showing(operation) {
                constants[operation.output.index()].push(op);
            }
        }
        Variations { plan, rng: Rng::new(1), constants }
    }

    /// The place of one of so many, the first ones more often.
    pub fn early(&mut self, of: usize) -> usize {
        self.rng.below(of).min(self.rng.below(of))
    }

    /// One variation; none if there is nothing to vary, or if it is not legal.
    pub fn vary(&mut self, sequence: &Sequence) -> Option<Sequence> {
        let mut edit = Edit::of(sequence);
        let places: Vec<usize> = (0..edit.len()).filter(|at| self.is_open(&edit, *at)).collect();
        if places.is_empty() {
            return None;
        }
        for _ in 0..=self.rng.below(MAX_CHANGES) {
            let at = places[self.rng.below(places.len())];
            if let Some(step) = self.other(&edit, at) {
                edit = edit.replace(at, step);
            }
        }
        edit.build(self.plan).ok().filter(|varied| varied != sequence)
    }

    fn is_open(&self, edit: &Edit, at: usize) -> bool {
        match &edit.steps[at] {
            EditStep::Literal(..) => true,
            EditStep::Call(op, args) => {
                let output = self.plan.operation(*op).output;
                args.is_empty() && self.constants[output.index()].len() > 1
            }
        }
    }

    fn other(&mut self, edit: &Edit, at: usize) -> Option<EditStep> {
        match &edit.steps[at] {
            EditStep::Literal(ty, literal) => {
                let literal = self.other_literal(edit, *ty, literal)?;
                Some(EditStep::Literal(*ty, literal))
            }
            EditStep::Call(op, _) => {
                let others = &self.constants[self.plan.operation(*op).output.index()];
                let other = others[self.rng.below(others.len())];
                Some(EditStep::Call(other, Default::default()))
            }
        }
    }

    /// A neighbour, the value of another literal of the sequence, or one that the crate names.
    fn other_literal(&mut self, edit: &Edit, ty: TypeId, literal: &Literal) -> Option<Literal> {
        match self.rng.below(3) {
            0 => Some(within(&self.plan.ty(ty).ty, self.neighbour(ty, literal))),
            1 => {
                let of_type = |step: &EditStep| match step {
                    EditStep::Literal(other, value) if *other == ty => Some(value.clone()),
                    _ => None,
                };
                let others: Vec<Literal> = edit.steps.iter().filter_map(of_type).collect();
                Some(others[self.rng.below(others.len())].clone())
            }
            _ => self.of_the_crate(ty),
        }
    }

    /// A literal that stands in the crate, or one that is always worth trying.
    fn of_the_crate(&mut self, ty: TypeId) -> Option<Literal> {
        let (_, pool) = self.plan.literals.iter().find(|(known, _)| *known == ty)?;
        (!pool.is_empty()).then(|| pool[self.rng.below(pool.len())].clone())
    }

    fn neighbour(&mut self, ty: TypeId, literal: &Literal) -> Literal {
        match literal {
            Literal::Bool(value) => Literal::Bool(!value),
            Literal::Int(value) => {
                let ways = [1, -1, *value, 10];
                Literal::Int(value.saturating_add(ways[self.rng.below(ways.len())]))
            }
            Literal::Char(value) => {
                let next = char::from_u32(*value as u32 + 1).unwrap_or('a');
                Literal::Char(next)
            }
            Literal::Float(bits) => {
                let by = [1.0, -1.0, 0.5][self.rng.below(3)];
                Literal::Float((f64::from_bits(*bits) + by).to_bits())
            }
            Literal::Str(text) => Literal::Str(self.edited(ty, text).into()),
        }
    }

    /// A text with one character more, less or other, or the same again and again.
    fn edited(&mut self, ty: TypeId, text: &str) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        if self.rng.chance(1, 16) && !characters.is_empty() {
            let times = 2 + self.rng.below(MAX_TEXT / characters.len().min(MAX_TEXT) + 1);
            return text.repeat(times).chars().take(MAX_TEXT).collect();
        }
        let new = self.character(ty, &characters);
        let at = self.rng.below(characters.len() + 1);
        match (self.rng.below(3), at < characters.len()) {
            (0, true) => drop(characters.remove(at)),
            (1, true) => characters[at] = new,
            _ => characters.insert(at, new),
        }
        characters.into_iter().collect()
    }

    /// A character of the text, of a text that stands in the crate, or any other.
    fn character(&mut self, ty: TypeId, text: &[char]) -> char {
        const MORE: [char; 10] = ['0', '1', '9', 'a', 'Z', '.', '-', ' ', '\0', 'é'];
        let known = match self.rng.below(3) {
            0 => text.to_vec(),
            1 => match self.of_the_crate(ty) {
                Some(Literal::Str(other)) => other.chars().collect(),
                _ => vec![],
            },
            _ => vec![],
        };
        let from = if known.is_empty() { &MORE[..] } else { &known };
        from[self.rng.below(from.len())]
    }
}

/// The nearest number that a type has room for.
fn within(ty: &Ty, literal: Literal) -> Literal {
    let (Ty::Prim(name), Literal::Int(value)) = (ty, &literal) else { return literal };
    let (sign, bits) = name.split_at(1);
    let bits: u32 = if bits == "size" { 64 } else { bits.parse().unwrap_or(128) };
    let (least, most) = match (sign, bits) {
        ("u", 0..128) => (0, (1i128 << bits) - 1),
        ("i", 0..128) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        // Those past the range of an `i128` wrap.
        _ => return literal,
    };
    Literal::Int((*value).clamp(least, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::operation::{Abilities, Mode, TypeInfo};
    use testsmith_model::{Operation, Step};

    #[test]
    fn two_numbers_come_to_be_the_same() {
        let info = |name: &str| {
            TypeInfo::owned(Ty::prim(name), Abilities { copy: true, ..Abilities::default() })
        };
        let both = [(TypeId(0), Mode::Own), (TypeId(0), Mode::Own)];
        let plan = Plan {
            types: vec![info("u8"), info("bool")],
            operations: vec![Operation::of_types(&both, TypeId(1))],
            ..Plan::default()
        };
        let number = |value: i128| Step::Literal(TypeId(0), Literal::Int(value));
        let sequence = |one: i128, other: i128| {
            Sequence::from_steps(vec![
                number(one),
                number(other),
                Step::Call(OpId(0), Box::new([2, 1])),
            ])
        };
        let mut variations = Variations::new(&plan);
        let varied: Vec<Sequence> =
            (0..200).filter_map(|_| variations.vary(&sequence(3, 90))).collect();
        for wanted in [sequence(3, 3), sequence(90, 90), sequence(4, 90), sequence(3, 89)] {
            assert!(varied.contains(&wanted), "{wanted:?}");
        }
        assert!(!varied.contains(&sequence(3, 90)), "it is no variation of itself");
    }

    #[test]
    fn numbers_stay_within_their_types() {
        let check = |name: &str, value: i128| match within(&Ty::prim(name), Literal::Int(value)) {
            Literal::Int(value) => value,
            _ => unreachable!("a number stays one"),
        };
        assert_eq!([check("u8", 256), check("u8", -1), check("u8", 7)], [255, 0, 7]);
        assert_eq!([check("i8", 128), check("i8", -129)], [127, -128]);
        assert_eq!(check("usize", i128::MAX), u64::MAX.into());
    }
}
