//! How the host and the worker write values to each other.
//!
//! A plain little-endian encoding without field names: both ends are built
//! from the same source in the same run, so there is nothing to be compatible
//! with. It exists because the harness must build fast and so links no serde.

use crate::operation::*;
use crate::outcome::*;
use crate::sequence::{Literal, Sequence, Step};
use crate::ty::Ty;
use std::sync::Arc;

/// The bytes end early or do not mean a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("malformed message between host and worker")
    }
}

impl std::error::Error for Malformed {}

/// A list in a message is never longer than this.
const MAX_ITEMS: u32 = 1 << 26;

pub trait Wire: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed>;

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![];
        self.put(&mut out);
        out
    }

    fn from_bytes(mut bytes: &[u8]) -> Result<Self, Malformed> {
        let value = Self::take(&mut bytes)?;
        if bytes.is_empty() { Ok(value) } else { Err(Malformed) }
    }
}

macro_rules! wire_numbers {
    ($($name:ty),*) => {$(
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
                let (head, rest) = bytes.split_first_chunk().ok_or(Malformed)?;
                *bytes = rest;
                Ok(<$name>::from_le_bytes(*head))
            }
        }
    )*};
}

wire_numbers!(u8, u16, u32, u64, i32, i64, i128);

/// Structs field by field, enums by the number of the variant.
#[macro_export]
macro_rules! wire {
    (struct $name:ident { $($field:tt),* $(,)? }) => {
        impl $crate::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::wire::Wire::put(&self.$field, out);)*
                let _ = out;
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, $crate::wire::Malformed> {
                Ok($name { $($field: $crate::wire::Wire::take(bytes)?),* })
            }
        }
    };
    (enum $name:ident { $($number:literal => $variant:ident { $($field:tt: $bind:ident),* }),* $(,)? }) => {
        impl $crate::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $($name::$variant { $($field: $bind),* } => {
                        out.push($number);
                        $($crate::wire::Wire::put($bind, out);)*
                    })*
                }
            }
            fn take(bytes: &mut &[u8]) -> Result<Self, $crate::wire::Malformed> {
                match <u8 as $crate::wire::Wire>::take(bytes)? {
                    $($number => Ok($name::$variant {
                        $($field: $crate::wire::Wire::take(bytes)?),*
                    }),)*
                    _ => Err($crate::wire::Malformed),
                }
            }
        }
    };
}

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        Ok(u8::take(bytes)? != 0)
    }
}

impl Wire for char {
    fn put(&self, out: &mut Vec<u8>) {
        u32::from(*self).put(out);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        char::from_u32(u32::take(bytes)?).ok_or(Malformed)
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        out.extend_from_slice(self.as_bytes());
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        let len = u32::take(bytes)? as usize;
        let (head, rest) = bytes.split_at_checked(len).ok_or(Malformed)?;
        *bytes = rest;
        String::from_utf8(head.to_vec()).map_err(|_| Malformed)
    }
}

impl Wire for Arc<str> {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_string().put(out);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        String::take(bytes).map(Arc::from)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        self.iter().for_each(|item| item.put(out));
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        let len = u32::take(bytes)?;
        if len > MAX_ITEMS {
            return Err(Malformed);
        }
        (0..len).map(|_| T::take(bytes)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        Ok(if bool::take(bytes)? { Some(T::take(bytes)?) } else { None })
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        Ok((A::take(bytes)?, B::take(bytes)?))
    }
}

wire!(struct OpId { 0 });
wire!(struct TypeId { 0 });
wire!(enum Mode { 0 => Own {}, 1 => Shared {}, 2 => Exclusive {}, 3 => Reborrow {} });
wire!(struct Input { name, ty, mode });
wire!(struct Flow { input, kind });
wire!(struct Acquire { into, from, kind });
wire!(enum FlowKind { 0 => Loan { mutable: m }, 1 => Inherit {} });
wire!(enum OperationKind {
    0 => Free {}, 1 => Inherent {}, 2 => LocalTrait {}, 3 => ForeignTrait {}, 4 => Constructor {},
    5 => Projection {}, 6 => Field {}, 7 => Constant {}, 8 => Builder {}, 9 => Law {},
});
wire!(struct Abilities {
    copy, clone, debug, partial_eq, eq, hash, needs_drop,
});
wire!(enum Literal {
    0 => Bool { 0: v }, 1 => Char { 0: v }, 2 => Int { 0: v }, 3 => Float { 0: v }, 4 => Str { 0: v },
});
wire!(struct Value { text });
wire!(struct Panic { message, file, line, column, own, origin });
wire!(struct Origin { statement, function, matched });
wire!(enum Phase { 0 => Calling {}, 1 => Dropping {}, 2 => Observing {} });
wire!(enum Ending {
    0 => Completed {}, 1 => Panicked { 0: p }, 2 => Inapplicable {},
    3 => Signal { number: n, note: t }, 4 => OutOfMemory { requested: r },
    5 => TimedOut { after_ms: a, waits: w }, 6 => Exited { code: c }, 7 => Broken {},
    8 => Differs { checked: c, released: r }, 9 => Memory { 0: m },
    10 => Exception { clause: c, held: h, broken: b, cause: w },
    11 => Unguarded { stopped: s, unchecked: u },
});
wire!(enum MemoryError {
    0 => Overrun {}, 1 => Underrun {}, 2 => WriteAfterFree {}, 3 => DoubleFree {},
    4 => InvalidFree {}, 5 => WrongLayout {}, 6 => Leak {}, 7 => DroppedTwice {}, 8 => DeadElement {},
    9 => InvalidText {}, 10 => InvalidValue {},
});
wire!(struct Outcome { ending, step, phase, values, new_edges });

/// The worker does not look into types, so only their text travels.
impl Wire for TypeInfo {
    fn put(&self, out: &mut Vec<u8>) {
        self.ty.to_string().put(out);
        self.abilities.put(out);
        self.pointee.put(out);
        self.is_reference.put(out);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        Ok(TypeInfo {
            ty: Ty::Unknown(String::take(bytes)?),
            abilities: Wire::take(bytes)?,
            pointee: Wire::take(bytes)?,
            is_reference: Wire::take(bytes)?,
            variants: vec![],
            is_fake: false,
        })
    }
}

/// What is called and how it is written stays at home: the worker has its thunk.
impl Wire for Operation {
    fn put(&self, out: &mut Vec<u8>) {
        self.kind.put(out);
        self.inputs.put(out);
        self.flows.put(out);
        self.acquires.put(out);
        self.panics_by_design.put(out);
        self.output.put(out);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        Ok(Operation {
            kind: Wire::take(bytes)?,
            inputs: Wire::take(bytes)?,
            flows: Wire::take(bytes)?,
            acquires: Wire::take(bytes)?,
            panics_by_design: Wire::take(bytes)?,
            ..Operation::of_types(&[], Wire::take(bytes)?)
        })
    }
}

/// Skips and names stay at home: the worker has no use for them.
impl Wire for Plan {
    fn put(&self, out: &mut Vec<u8>) {
        self.types.put(out);
        self.operations.put(out);
        self.literals.put(out);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        Ok(Plan {
            types: Wire::take(bytes)?,
            operations: Wire::take(bytes)?,
            literals: Wire::take(bytes)?,
            ..Plan::default()
        })
    }
}

impl Wire for Step {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Step::Literal(ty, literal) => {
                out.push(0);
                ty.put(out);
                literal.put(out);
            }
            Step::Call(op, args) => {
                out.push(1);
                op.put(out);
                out.push(args.len() as u8);
                args.iter().for_each(|arg| arg.put(out));
            }
        }
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        match u8::take(bytes)? {
            0 => Ok(Step::Literal(Wire::take(bytes)?, Wire::take(bytes)?)),
            1 => {
                let op = Wire::take(bytes)?;
                let len = u8::take(bytes)?;
                let args: Result<Vec<u32>, Malformed> =
                    (0..len).map(|_| u32::take(bytes)).collect();
                Ok(Step::Call(op, args?.into()))
            }
            _ => Err(Malformed),
        }
    }
}

impl Wire for Sequence {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        self.steps().for_each(|step| step.put(out));
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        Vec::<Step>::take(bytes).map(Sequence::from_steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_survives_the_wire() {
        let outcome = Outcome {
            ending: Ending::Panicked(Panic {
                message: "index out of bounds".into(),
                file: "src/lib.rs".into(),
                line: 7,
                column: 3,
                own: true,
                origin: Some(Box::new(Origin {
                    statement: "v[3]".into(),
                    function: "get".into(),
                    matched: "v".into(),
                })),
            }),
            step: 2,
            phase: Phase::Dropping,
            values: vec![Value { text: Some("é".into()) }],
            new_edges: 5,
        };
        assert_eq!(Outcome::from_bytes(&outcome.to_bytes()), Ok(outcome));
    }

    #[test]
    fn a_sequence_survives_the_wire() {
        let sequence = Sequence::from_steps(vec![
            Step::Literal(TypeId(3), Literal::Int(-1)),
            Step::Literal(TypeId(4), Literal::Str("x".into())),
            Step::Call(OpId(9), Box::new([2, 1])),
        ]);
        assert_eq!(Sequence::from_bytes(&sequence.to_bytes()), Ok(sequence));
    }

    #[test]
    fn bytes_cut_short_are_malformed() {
        let bytes = "hello".to_owned().to_bytes();
        for end in 0..bytes.len() {
            assert_eq!(String::from_bytes(&bytes[..end]), Err(Malformed));
        }
    }
}
