//! Fields that are the same in every structure: `#[korat(skip)]` and
//! `#[korat(default = ..)]`. Their types need not be enumerable, and a
//! predicate that looks at them decides nothing by it.

use std::ops::Deref;

use crate::korat::cell::TwinType;
use crate::korat::reach::Reach;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::Builder;

/// What a predicate sees in place of a fixed field.
pub struct Fixed<T>(*const T);

impl<T> Deref for Fixed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the space keeps the value as long as its twins.
        unsafe { &*self.0 }
    }
}

impl<T: 'static> TwinType for Fixed<T> {
    const INLINE: bool = true;

    fn share(&self) -> Self {
        Fixed(self.0)
    }

    fn reach(&self, _: &mut Reach) {}

    fn show(&self, _: &mut Shower) -> Shown {
        unreachable!("the owner of the field shows it as it is written")
    }
}

impl Builder<'_> {
    /// A field with this value in every structure.
    pub fn fixed<T: 'static>(&mut self, value: T) -> Fixed<T> {
        Fixed(self.keep(vec![value]))
    }
}
