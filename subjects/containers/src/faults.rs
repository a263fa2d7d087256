//! Seeded faults: small mistakes, switched on one at a time.
//!
//! They exist only under `cfg(feature = "faults")`; without it every question
//! is answered no at compile time.

/// Whether the fault of this name is switched on.
#[cfg(feature = "faults")]
pub(crate) fn seeded(name: &str) -> bool {
    switch::CURRENT.get() == name
}

/// Whether the fault of this name is switched on: never.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub(crate) fn seeded(_: &str) -> bool {
    false
}

#[cfg(feature = "faults")]
mod switch {
    use std::cell::Cell;

    /// The one that is switched on from the start: where a program is searched from outside,
    /// nobody calls `with_fault`.
    const FIRST: &str = match option_env!("CONTAINERS_FAULT") {
        Some(name) => name,
        None => "",
    };

    thread_local! {
        pub(super) static CURRENT: Cell<&'static str> = const { Cell::new(FIRST) };
    }

    /// Runs `body` with one fault switched on, on this thread.
    pub fn with_fault<R>(name: &'static str, body: impl FnOnce() -> R) -> R {
        struct Off;
        impl Drop for Off {
            fn drop(&mut self) {
                CURRENT.set(FIRST);
            }
        }
        CURRENT.set(name);
        let _off = Off;
        body()
    }
}

#[cfg(feature = "faults")]
pub use switch::with_fault;
