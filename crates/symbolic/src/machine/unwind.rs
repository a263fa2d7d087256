//! Panics: what they run on their way up, and where they end.
//!
//! The library's own code is run: it counts panics, makes the payload and
//! raises the exception; destructors and `catch_unwind` are code like any
//! other. Only two things stand in for it: the message is not printed, and the
//! unwinder finds its landing pads in the program instead of in tables.
//!
//! A panic that nothing catches ends the path at once where every panic is a
//! failure: whatever its destructors do, it stays one.

use super::{End, Machine, OnReturn, Place, Reason, Value};
use crate::ir::{FunctionId, Origin};

/// The function by which a put refuses an input.
pub(super) const REJECT: &str = "testsmith::put::reject";

/// The state of the panics of a run.
#[derive(Default)]
pub(super) struct Unwinding {
    /// Whether an uncaught panic goes on to its end.
    explored: bool,
    /// Where the last panic started.
    place: Place,
    text_matches: Option<bool>,
    /// A panic whose text was looked at, to be started now.
    pending: Option<(FunctionId, Vec<Value>)>,
    /// The frame that makes a message nobody will see.
    lost_text: Option<usize>,
    rejecting: bool,
    /// What the landing pad is to find.
    exception: Value,
    caught: bool,
}

impl Unwinding {
    pub fn new(explored: bool) -> Unwinding {
        Unwinding { explored, ..Unwinding::default() }
    }
}

impl Machine<'_> {
    /// `panic_fmt(arguments, location)`: its text is looked at first, if that is asked for.
    pub(super) fn panic(&mut self, callee: FunctionId, args: &[Value]) -> Result<bool, End> {
        if self.frames.iter().any(|frame| frame.on_return == OnReturn::PanicText) {
            return Err(End::Crashed("a panic while the text of a panic is formatted".to_owned()));
        }
        // A destructor that panics while an input is refused: that input is not refused.
        let refuses = |frame: &super::Frame| frame.function.name == REJECT;
        self.unwinding.rejecting &= self.frames.last().is_some_and(refuses);
        if let Some(location) = args.last() {
            self.unwinding.place = self.location(*location).unwrap_or_default();
        }
        self.unwinding.pending = Some((callee, args.to_vec()));
        match self.text_check {
            Some(check) if !self.unwinding.rejecting => {
                self.enter(check, &args[..args.len() - 1], 0, OnReturn::PanicText)?;
            }
            _ => self.start_pending()?,
        }
        Ok(true)
    }

    /// What the program says of the text of a panic, which then takes its course.
    pub(super) fn text_looked_at(&mut self, matches: Value) -> Result<(), End> {
        let matches = self.extract(0, 1, matches);
        if let Some(condition) = matches.term {
            self.decide(condition, matches.bits == 1, Reason::Enumerated)?;
        }
        self.unwinding.text_matches = Some(matches.bits == 1);
        self.start_pending()
    }

    fn start_pending(&mut self) -> Result<(), End> {
        let Some((callee, args)) = self.unwinding.pending.clone() else { return Ok(()) };
        if !self.is_caught() {
            if !self.unwinding.explored {
                return Err(self.uncaught());
            }
            self.unwinding.lost_text = Some(self.frames.len());
        }
        self.enter(callee, &args, 0, OnReturn::Continue)
    }

    /// A panic with its payload, its place as third scalar: `panic_any` comes here directly.
    pub(super) fn panic_reaches_the_hook(&mut self, args: &[Value]) -> Result<(), End> {
        if self.unwinding.pending.take().is_some() {
            return Ok(());
        }
        if let Some(location) = args.get(2) {
            self.unwinding.place = self.location(*location).unwrap_or_default();
        }
        if self.text_check.is_some() {
            return Err(End::Unsupported("the text of a panic with a payload".to_owned()));
        }
        if !self.is_caught() && !self.unwinding.explored {
            return Err(self.uncaught());
        }
        Ok(())
    }

    /// An assumption is not met: the library unwinds with a payload of its own.
    pub(super) fn reject(&mut self) -> Result<(), End> {
        let lands = |frame: &super::Frame| frame.function.landing(frame.pc).is_some();
        if !self.frames.iter().any(lands) {
            return Err(End::Rejected);
        }
        self.unwinding.rejecting = true;
        Ok(())
    }

    pub(super) fn is_rejecting(&self) -> bool {
        self.unwinding.rejecting
    }

    /// Whether what is formatted now is the message of a panic that nothing catches, and no
    /// code of the program has a part in it.
    pub(super) fn text_is_lost(&self) -> bool {
        let Some(start) = self.unwinding.lost_text else { return false };
        let frames = self.frames.get(start..).unwrap_or_default();
        !frames.is_empty() && frames.iter().all(|frame| frame.function.origin != Origin::User)
    }

    /// Whether some frame catches what is raised now.
    fn is_caught(&self) -> bool {
        let catches = |frame: &super::Frame| {
            frame.function.landing(frame.pc).is_some_and(|landing| landing.catches)
        };
        self.frames.iter().any(catches)
    }

    fn uncaught(&self) -> End {
        if self.unwinding.rejecting {
            return End::Rejected;
        }
        let place = self.unwinding.place.clone();
        End::Panicked { place, text_matches: self.unwinding.text_matches }
    }

    /// The unwinder is asked to raise an exception.
    pub(super) fn raise(&mut self, exception: Value) -> Result<(), End> {
        self.unwinding.lost_text = None;
        self.panics_in_zone();
        self.unwind(exception)
    }

    /// Leaves frames until one has a landing pad for the call it is at.
    pub(super) fn unwind(&mut self, exception: Value) -> Result<(), End> {
        while let Some(frame) = self.frames.last() {
            if frame.on_return == OnReturn::PanicText {
                let why = "a panic while the text of a panic is formatted".to_owned();
                return Err(End::Crashed(why));
            }
            if let Some(landing) = frame.function.landing(frame.pc) {
                let (function, base) = (frame.function.clone(), frame.base);
                let pc = self.follow(&function, base, landing.edge);
                self.frames.last_mut().expect("a frame lands").pc = pc;
                self.unwinding.exception = exception;
                self.unwinding.caught = landing.catches;
                self.unwinding.rejecting &= !landing.catches;
                return Ok(());
            }
            let frame = self.frames.pop().expect("a frame is left");
            self.memory.pop_stack(frame.stack_mark);
            self.slots.truncate(frame.base);
            self.see_again();
            self.leave_table();
        }
        Err(self.uncaught())
    }

    /// What a landing pad finds: the exception, and a selector that is not zero if it is
    /// caught.
    pub(super) fn landed(&self) -> (Value, Value) {
        (self.unwinding.exception, Value::concrete(u128::from(self.unwinding.caught)))
    }
}
