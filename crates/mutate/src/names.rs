//! Names that stand in mutated text.

/// The crate with the switch; no other has this name.
pub(crate) const SWITCH: &str = "testsmith_switch";

/// The name of the n-th operand.
pub(crate) fn operand(n: usize) -> String {
    format!("__{n}")
}
