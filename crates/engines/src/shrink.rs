//! Shrinks a failing sequence.
//!
//! Proposes smaller sequences and is told whether they still fail in the same
//! way; runs nothing itself. Steps go before arguments, because a shorter test
//! is easier to read than one with smaller numbers.

use testsmith_model::sequence::{Builder, Literal};
use testsmith_model::{Plan, Sequence, Step};

/// A step with its arguments as slots.
#[derive(Clone)]
enum Flat {
    Literal(testsmith_model::TypeId, Literal),
    Call(testsmith_model::OpId, Vec<u32>),
}

/// No finding is worth more tries than this.
const MAX_TRIES: usize = 400;

/// The smallest sequence found. `fails` runs a candidate and says whether it
/// fails in the same way; the last step is always the failing one.
pub fn shrink(
    plan: &Plan,
    sequence: &Sequence,
    failing_step: usize,
    fails: &mut dyn FnMut(&Sequence) -> bool,
) -> Sequence {
    let mut steps = flatten(sequence);
    steps.truncate(failing_step + 1);
    let mut best = match build(plan, &steps) {
        Some(cut) if fails(&cut) => cut,
        _ => return sequence.clone(),
    };
    let mut tries = MAX_TRIES;
    let mut attempt = |candidate: Vec<Flat>, steps: &mut Vec<Flat>, best: &mut Sequence| {
        if tries == 0 {
            return false;
        }
        let Some(sequence) = build(plan, &candidate) else { return false };
        tries -= 1;
        let smaller = fails(&sequence);
        if smaller {
            *steps = candidate;
            *best = sequence;
        }
        smaller
    };
    // Each round may make room for the next; a handful settles it.
    for _ in 0..4 {
        let before = best.clone();
        let mut at = steps.len().saturating_sub(1);
        while at > 0 {
            at = at.min(steps.len() - 1);
            if at == 0 {
                break;
            }
            at -= 1;
            if let Some(without) = remove(&steps, at) {
                attempt(without, &mut steps, &mut best);
            }
        }
        for candidate in redirections(plan, &steps) {
            if attempt(candidate, &mut steps, &mut best) {
                break;
            }
        }
        for at in 0..steps.len() {
            for simpler in simpler_literals(&steps[at]) {
                let mut candidate = steps.clone();
                candidate[at] = simpler;
                if attempt(candidate, &mut steps, &mut best) {
                    break;
                }
            }
        }
        if best == before {
            break;
        }
    }
    best
}

fn flatten(sequence: &Sequence) -> Vec<Flat> {
    let flat = |(here, step): (usize, &Step)| match step {
        Step::Literal(ty, literal) => Flat::Literal(*ty, literal.clone()),
        Step::Call(op, back) => {
            Flat::Call(*op, back.iter().map(|distance| here as u32 - distance).collect())
        }
    };
    sequence.steps().enumerate().map(flat).collect()
}

fn build(plan: &Plan, steps: &[Flat]) -> Option<Sequence> {
    let mut builder = Builder::new(plan);
    for step in steps {
        match step {
            Flat::Literal(ty, literal) => builder.literal(*ty, literal.clone()).ok()?,
            Flat::Call(op, args) => builder.call(*op, args).ok()?,
        };
    }
    Some(builder.finish())
}

/// The steps without one of them and without all that depends on it; nothing
/// if the failing step depends on it too.
fn remove(steps: &[Flat], at: usize) -> Option<Vec<Flat>> {
    let mut gone = vec![false; steps.len()];
    gone[at] = true;
    let mut number = vec![0u32; steps.len()];
    let mut kept = vec![];
    for (here, step) in steps.iter().enumerate() {
        if let Flat::Call(_, args) = step {
            gone[here] |= args.iter().any(|arg| gone[*arg as usize]);
        }
        if gone[here] {
            continue;
        }
        number[here] = kept.len() as u32;
        kept.push(match step {
            Flat::Literal(ty, literal) => Flat::Literal(*ty, literal.clone()),
            Flat::Call(op, args) => {
                Flat::Call(*op, args.iter().map(|arg| number[*arg as usize]).collect())
            }
        });
    }
    (!gone[steps.len() - 1]).then_some(kept)
}

/// The same steps with one argument replaced by an earlier value of its type,
/// so that what made it can go.
fn redirections(plan: &Plan, steps: &[Flat]) -> Vec<Vec<Flat>> {
    let ty = |slot: usize| match &steps[slot] {
        Flat::Literal(ty, _) => *ty,
        Flat::Call(op, _) => plan.operation(*op).output,
    };
    let mut candidates = vec![];
    for (here, step) in steps.iter().enumerate() {
        let Flat::Call(op, args) = step else { continue };
        for (n, arg) in args.iter().enumerate() {
            let earlier = (0..*arg as usize).filter(|slot| ty(*slot) == ty(*arg as usize));
            for slot in earlier {
                let mut changed = args.clone();
                changed[n] = slot as u32;
                let mut candidate = steps.to_vec();
                candidate[here] = Flat::Call(*op, changed);
                // Only worth it if something can go afterwards.
                if let Some(shorter) = remove(&candidate, *arg as usize) {
                    candidates.push(shorter);
                }
            }
        }
    }
    candidates
}

fn simpler_literals(step: &Flat) -> Vec<Flat> {
    let Flat::Literal(ty, literal) = step else { return vec![] };
    let simpler: Vec<Literal> = match literal {
        Literal::Int(n) => {
            let cost = |n: i128| n.unsigned_abs();
            [0, 1, 2, 3, 10].into_iter().filter(|m| cost(*m) < cost(*n)).map(Literal::Int).collect()
        }
        Literal::Float(bits) if f64::from_bits(*bits) != 0.0 => {
            let simple = [0.0, 1.0].into_iter().filter(|f: &f64| f.to_bits() != *bits);
            simple.map(|f| Literal::Float(f.to_bits())).collect()
        }
        Literal::Str(text) if !text.is_empty() => {
            let first: String = text.chars().take(1).collect();
            let mut simple = vec![String::new(), "a".to_owned()];
            if text.chars().count() > 1 {
                simple.push(first);
            }
            simple
                .into_iter()
                .filter(|s| s.len() < text.len() || (s.len() == text.len() && **s < **text))
                .map(|s| Literal::Str(s.into()))
                .collect()
        }
        Literal::Char(c) if *c != 'a' => vec![Literal::Char('a')],
        _ => vec![],
    };
    simpler.into_iter().map(|literal| Flat::Literal(*ty, literal)).collect()
}
