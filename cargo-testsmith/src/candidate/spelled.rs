//! Texts and numbers that calls made on the way, written out.
//!
//! Whoever reads the test sees then what the failing call was given, and what made it is neither
//! needed nor to blame: it may turn out that the test itself is.

use super::{Claim, Confirmer};
use testsmith_judge::Severity;
use testsmith_lab::Error;
use testsmith_model::outcome::Value;
use testsmith_model::sequence::Literal;
use testsmith_model::{Edit, EditStep, Plan, Sequence};

impl Confirmer<'_> {
    /// The sequence with what can be written as a literal written so, where it fails as before
    /// and what made it is not needed otherwise; and what it has to keep then.
    pub(super) fn spelled(
        &mut self,
        claim: &Claim,
        sequence: Sequence,
    ) -> Result<(Sequence, Claim), Error> {
        let given = (sequence, claim.clone());
        let (sequence, Claim::Fails { class, known, .. }) = (&given.0, claim) else {
            return Ok(given);
        };
        let Some(before) = super::lasting::without_the_last(self.plan, sequence) else {
            return Ok(given);
        };
        let made = match self.workers.checked.run(&before, true) {
            Err(Error::Worker(_)) => return Ok(given),
            outcome => outcome?.values,
        };
        let (class, known) = (class.clone(), known.clone());
        let claim = Claim::Fails { class, severity: Severity::Illegal, known };
        // What comes last stands for the most.
        for at in (0..before.len()).rev() {
            let Some(candidate) = written(self.plan, sequence, at, &made) else { continue };
            if self.keeps(&claim, &candidate, false)? {
                return Ok((candidate, claim));
            }
        }
        Ok(given)
    }
}

/// The sequence with one value as a literal; none if it is shown by what the rest needs as well.
fn written(plan: &Plan, sequence: &Sequence, at: usize, made: &[Value]) -> Option<Sequence> {
    let mut edit = Edit::of(sequence);
    let EditStep::Call(_, args) = edit.steps[at].clone() else { return None };
    let ty = edit.steps[at].ty(plan);
    let (_, known) = plan.literals.iter().find(|(of, _)| *of == ty)?;
    let literal = match known.first()? {
        Literal::Int(_) => Literal::Int(made.get(at)?.text.as_ref()?.parse().ok()?),
        Literal::Str(_) => Literal::Str(text_of(made.get(at)?.text.as_ref()?)?.into()),
        _ => return None,
    };
    edit.steps[at] = EditStep::Literal(ty, literal);
    let needs = edit.needs(plan, edit.len() - 1);
    let gone = !args.is_empty() && args.iter().all(|arg| !needs[*arg as usize]);
    gone.then(|| edit.keep(&needs).build(plan).ok()).flatten()
}

/// The text that is shown so, in quotes.
fn text_of(shown: &str) -> Option<String> {
    syn::parse_str::<syn::LitStr>(shown).ok().map(|text| text.value())
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
