//! Whether a value of the language is one: a text is UTF-8, a `char` a letter, a
//! `bool` true or false.
//!
//! Safe code cannot make another; where a call gives one, the crate has lied to the
//! compiler. Looks at what is inside of values of the standard library, too, and at no
//! type of the crate.

use crate::watched;
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;
use testsmith_model::outcome::MemoryError;

/// Of a list, so many elements are looked at.
const MAX_ELEMENTS: usize = 64;

pub trait Valid {
    /// What is wrong with it.
    fn fault(&self) -> Option<MemoryError>;
}

impl Valid for str {
    fn fault(&self) -> Option<MemoryError> {
        let (place, bytes) = (self.as_ptr().cast_mut(), self.len());
        // What lies in memory that is gone, or was never there, is not looked into: the memory
        // is the cause, and is seen by itself.
        if watched::is_junk(place) || isize::try_from(bytes).is_err() {
            return None;
        }
        let text = self.as_bytes();
        let wrong = std::str::from_utf8(text).is_err() && !watched::is_filled(text);
        wrong.then_some(MemoryError::InvalidText)
    }
}

impl Valid for String {
    fn fault(&self) -> Option<MemoryError> {
        self.as_str().fault()
    }
}

impl Valid for char {
    fn fault(&self) -> Option<MemoryError> {
        // SAFETY: a `char` is as large as a `u32`, which has no bits that it must not have.
        let bits = unsafe { std::ptr::from_ref(self).cast::<u32>().read() };
        char::from_u32(bits).is_none().then_some(MemoryError::InvalidValue)
    }
}

impl Valid for bool {
    fn fault(&self) -> Option<MemoryError> {
        // SAFETY: a `bool` is one byte, and a `u8` may be any.
        let bits = unsafe { std::ptr::from_ref(self).cast::<u8>().read() };
        (bits > 1).then_some(MemoryError::InvalidValue)
    }
}

impl<T: Valid + ?Sized> Valid for &T {
    fn fault(&self) -> Option<MemoryError> {
        (**self).fault()
    }
}

impl<T: Valid + ?Sized> Valid for Box<T> {
    fn fault(&self) -> Option<MemoryError> {
        (**self).fault()
    }
}

impl<T: Valid + ?Sized> Valid for Rc<T> {
    fn fault(&self) -> Option<MemoryError> {
        (**self).fault()
    }
}

impl<T: Valid + ?Sized> Valid for Arc<T> {
    fn fault(&self) -> Option<MemoryError> {
        (**self).fault()
    }
}

impl<T: Valid + ToOwned + ?Sized> Valid for Cow<'_, T> {
    fn fault(&self) -> Option<MemoryError> {
        (**self).fault()
    }
}

impl<T: Valid> Valid for Option<T> {
    fn fault(&self) -> Option<MemoryError> {
        self.as_ref()?.fault()
    }
}

impl<T: Valid, E> Valid for Result<T, E> {
    fn fault(&self) -> Option<MemoryError> {
        self.as_ref().ok()?.fault()
    }
}

impl<T: Valid> Valid for Vec<T> {
    fn fault(&self) -> Option<MemoryError> {
        self.iter().take(MAX_ELEMENTS).find_map(Valid::fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_known_wherever_it_is() {
        // SAFETY: none; this is what the check is for, and nothing else looks at it.
        let wrong = unsafe { String::from_utf8_unchecked(vec![b'a', 0xff]) };
        assert_eq!(wrong.as_str().fault(), Some(MemoryError::InvalidText));
        assert_eq!(
            Some(vec![Cow::Borrowed(wrong.as_str())]).fault(),
            Some(MemoryError::InvalidText)
        );
        assert_eq!(Ok::<_, ()>(wrong.into_boxed_str()).fault(), Some(MemoryError::InvalidText));
        assert_eq!(Ok::<_, ()>("é".to_owned()).fault(), None);
        assert_eq!((None::<String>.fault(), Err::<String, _>(()).fault()), (None, None));
    }

    #[test]
    fn a_char_and_a_bool_are_what_they_are() {
        assert_eq!(
            ('a'.fault(), char::MAX.fault(), true.fault(), false.fault()),
            Default::default()
        );
    }
}
