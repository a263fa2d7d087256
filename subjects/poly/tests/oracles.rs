//! What `cargo testsmith` asks about every polynomial and every stack it makes.

use subject_poly::{PStack, Poly};

/// The representation invariant of the thesis's figure 2-2.
#[testsmith::oracle]
pub fn poly_is_well_formed(poly: &Poly) -> bool {
    poly.rep_ok()
}

/// That of its figure 5-2.
#[testsmith::oracle]
pub fn stack_is_well_formed(stack: &PStack) -> Result<(), String> {
    stack.rep_ok()
}
