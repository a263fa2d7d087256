//! Texts: that bytes are UTF-8 is one fact about the input, not a path for every shape.
//!
//! `core::str::from_utf8` is still run from its own code, so its result is laid
//! out as the compiler has it. But first it is decided, as one condition on all
//! bytes, that they are a text, or else where and how they cease to be one. The
//! result depends on nothing more, so the code then runs without terms.

use super::{End, Machine, OnReturn, Reason, Value};
use crate::ir::FunctionId;
use testsmith_solver::term::Term;

impl Machine<'_> {
    /// Enters `from_utf8`, whose last two arguments are the slice.
    pub(super) fn check_text(
        &mut self,
        callee: FunctionId,
        args: &[Value],
        dst: u32,
    ) -> Result<(), End> {
        let (bytes, terms) = self.text_bytes(args)?;
        let Some(terms) = terms else {
            return self.enter(callee, args, dst, OnReturn::Continue);
        };
        let valid = self.interpreter.pool.utf8_valid(&terms);
        let outcome = std::str::from_utf8(&bytes);
        self.decide(valid, outcome.is_ok(), Reason::Enumerated)?;
        if let Err(error) = outcome {
            let len = error.error_len().map(|len| len as u8);
            let hit = self.interpreter.pool.utf8_error(&terms, error.valid_up_to(), len);
            self.one_of(valid, hit, Reason::Enumerated)?;
        }
        self.enter(callee, args, dst, OnReturn::Continue)?;
        self.blind_above.get_or_insert(self.frames.len());
        Ok(())
    }

    /// Whether the bytes of a slice are a text, as a condition and with no decision.
    pub(super) fn is_text(&mut self, args: &[Value]) -> Result<Value, End> {
        let (bytes, terms) = self.text_bytes(args)?;
        let bits = u128::from(std::str::from_utf8(&bytes).is_ok());
        let Some(terms) = terms else { return Ok(Value::concrete(bits)) };
        let valid = self.interpreter.pool.utf8_valid(&terms);
        Ok(self.value(bits, valid))
    }

    /// The bytes of the slice that ends the arguments, and their terms if there are any.
    fn text_bytes(&mut self, args: &[Value]) -> Result<(Vec<u8>, Option<Vec<Term>>), End> {
        let [.., start, len] = args else {
            return Err(End::Unsupported("a text that is passed in another way".to_owned()));
        };
        let (start, len) = (self.address(*start)?, self.address(*len)?);
        let mut values = vec![];
        for index in 0..len {
            values.push(self.fetch(start + index, 1)?);
        }
        let bytes = values.iter().map(|value| value.bits as u8).collect();
        if self.blind_above.is_some() || values.iter().all(|value| value.term.is_none()) {
            return Ok((bytes, None));
        }
        Ok((bytes, Some(values.iter().map(|value| self.term(*value, 8)).collect())))
    }

    /// Called when a frame was left: code that ran without terms may be done.
    pub(super) fn see_again(&mut self) {
        if self.blind_above.is_some_and(|depth| self.frames.len() < depth) {
            self.blind_above = None;
        }
    }
}
