//! Inputs of types that implement `arbitrary::Arbitrary`.

use super::{Input, Limits, Source, reject};

/// A value made by its `Arbitrary` from at most as many bytes as a collection may
/// have elements, eight times over.
#[derive(Clone, Debug)]
pub struct ByArbitrary<T> {
    /// The value.
    pub value: T,
    bytes: Vec<u8>,
}

impl<T: for<'a> arbitrary::Arbitrary<'a>> ByArbitrary<T> {
    /// Makes the value, or ends the run if the bytes stand for none.
    pub fn from_bytes(bytes: &[u8]) -> ByArbitrary<T> {
        match T::arbitrary(&mut arbitrary::Unstructured::new(bytes)) {
            Ok(value) => ByArbitrary { value, bytes: bytes.to_vec() },
            Err(_) => reject(),
        }
    }
}

impl<T: for<'a> arbitrary::Arbitrary<'a>> Input for ByArbitrary<T> {
    fn decode(source: &mut Source<'_>) -> ByArbitrary<T> {
        let words = source.list(|source| source.number::<8>());
        ByArbitrary::from_bytes(&words.concat())
    }

    fn max_bytes(limits: Limits) -> usize {
        1 + 8 * limits.len
    }

    fn expression(&self) -> String {
        format!("testsmith::put::ByArbitrary::from_bytes(&{:?})", self.bytes)
    }
}
