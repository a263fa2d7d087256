//! Where a clause stands decides what it can say.

use testsmith::*;

struct Unique(u32);

struct Holder {
    inner: Unique,
    items: Vec<Unique>,
}

impl Holder {
    #[ensures(self.inner.0 == old(self.inner).0)]
    fn of_what_cannot_be_copied(&mut self) {}

    #[ensures(self.items.is_empty())]
    fn with_a_result_that_borrows(&mut self) -> &mut Unique {
        &mut self.inner
    }
}

#[invariant(self.items.len() < 9)]
impl Holder {
    #[cfg_attr(all(), pure)]
    pub fn depends_on_a_cfg(&self) {}
}

fn main() {}
