//! Texts and numbers that calls made on the way, written out.
//!
//! Whoever reads the test sees then what the failing call was given, and what made it is neither
//! needed nor to blame.

use super::{Claim, Confirmer};
use testsmith_lab::Error;
use testsmith_model::outcome::Value;
use testsmith_model::sequence::Literal;
use testsmith_model::{Edit, EditStep, Plan, Sequence};

impl Confirmer<'_> {
    /// The sequence with what can be written as a literal written so, where that is shorter and
    /// the claim is kept.
    pub(super) fn spelled(
        &mut self,
        claim: &Claim,
        sequence: Sequence,
        right: bool,
    ) -> Result<Sequence, Error> {
        let Some(before) = super::lasting::without_the_last(self.plan, &sequence) else {
            return Ok(sequence);
        };
        let made = match self.workers.checked.run(&before, true) {
            Err(Error::Worker(_)) => return Ok(sequence),
            outcome => outcome?.values,
        };
        // What comes last stands for the most.
        for at in (0..before.len()).rev() {
            let Some(candidate) = written(self.plan, &sequence, at, &made) else { continue };
            if candidate.len() < sequence.len() && self.keeps(claim, &candidate, right)? {
                return Ok(candidate);
            }
        }
        Ok(sequence)
    }
}

/// The sequence with one value as a literal, without what only that needed.
fn written(plan: &Plan, sequence: &Sequence, at: usize, made: &[Value]) -> Option<Sequence> {
    let mut edit = Edit::of(sequence);
    let EditStep::Call(..) = edit.steps[at] else { return None };
    let ty = edit.steps[at].ty(plan);
    let (_, known) = plan.literals.iter().find(|(of, _)| *of == ty)?;
    let literal = match known.first()? {
        Literal::Int(_) => Literal::Int(made.get(at)?.text.as_ref()?.parse().ok()?),
        Literal::Str(_) => Literal::Str(text_of(made.get(at)?.text.as_ref()?)?.into()),
        _ => return None,
    };
    edit.steps[at] = EditStep::Literal(ty, literal);
    let last = edit.len() - 1;
    edit.needed(plan, last).build(plan).ok()
}

/// The text that is shown so, in quotes.
fn text_of(shown: &str) -> Option<String> {
    let mut rest = shown.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut text = String::new();
    while let Some(c) = rest.next() {
        match c {
            '"' => return None,
            '\\' => match rest.next()? {
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                '0' => text.push('\0'),
                c @ ('\\' | '"' | '\'') => text.push(c),
                'u' => {
                    let digits: String =
                        rest.by_ref().skip_while(|c| *c == '{').take_while(|c| *c != '}').collect();
                    text.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                }
                _ => return None,
            },
            c => text.push(c),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_is_shown() {
        for text in ["", "1/-2147483648", "a\"b\\c'd", "\n\r\t\0\u{7}\u{301}é", "{}"] {
            assert_eq!(text_of(&format!("{text:?}")).as_deref(), Some(text));
        }
        for shown in ["a", "\"a", "\"a\"b\"", "\"\\x\"", "Some(\"a\")"] {
            assert_eq!(text_of(shown), None, "{shown}");
        }
    }
}
