//! Fifty goals: functions whose precondition random calls hardly ever meet.
//!
//! A goal gives its number and does nothing else; the way there is what counts.
//! The contracts of everything that changes a state say what each query becomes,
//! so that the way can be found from them alone. `ways/reached.rs` goes all of
//! them by hand; it lies there and not in `tests`, where the search would find the
//! literals that it looks for.
#![forbid(unsafe_code)]

pub mod counts;
pub mod fields;
pub mod numbers;
pub mod pairs;
pub mod protocol;
pub mod sequences;
pub mod texts;
pub mod variants;

pub use counts::{Lift, Lock, Tower};
pub use fields::{Scale, Window};
pub use pairs::{Account, Cheque};
pub use protocol::{Link, Phase, Vault};
pub use sequences::Track;
pub use texts::Badge;
pub use variants::{Drawer, State, Trigger};
