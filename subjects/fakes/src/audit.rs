//! Moves money between accounts that nobody has written yet.

use crate::{Account, Refusal};

/// Why nothing was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmoved {
    NoAmount,
    Refused(Refusal),
}

/// Moves an amount, or nothing at all.
pub fn transfer(from: &mut dyn Account, to: &mut dyn Account, amount: u32) -> Result<(), Unmoved> {
    if amount == 0 {
        return Err(Unmoved::NoAmount);
    }
    from.withdraw(amount).map_err(Unmoved::Refused)?;
    to.deposit(amount);
    Ok(())
}

/// The same by someone who forgot that a withdrawal may be refused.
pub fn careless_transfer(from: &mut dyn Account, to: &mut dyn Account, amount: u32) {
    let _ = from.withdraw(amount);
    to.deposit(amount);
}
