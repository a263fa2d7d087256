//! Reading compiled Rust: LLVM bitcode becomes the compact form of [`crate::ir`].
//!
//! The one place of this crate with `unsafe`: it calls LLVM's C interface.
//! Nothing is executed here, and no value is symbolic.

/// Calls a function of LLVM's C interface on references of the live module.
macro_rules! llvm {
    ($module:expr, $name:ident($($arg:expr),* $(,)?)) => {{
        let api = &$module.api;
        // SAFETY: every reference passed comes from this live module and is of the kind
        // that the function expects; the callers check kinds before they ask.
        unsafe { (api.$name)($($arg),*) }
    }};
}

mod api;
mod constant;
mod instruction;
mod intrinsic;
mod lower;
mod program;
mod shape;

pub use api::{LlvmError, library_of};
pub use program::{FUNCTION_REGION, Program};
