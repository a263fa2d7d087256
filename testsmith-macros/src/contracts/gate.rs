//! When a clause is checked, as a `cfg` predicate in the user's own crate.
//!
//! The predicate is decided where the clause stands and not here, except for the
//! features `always` and `never`, which the whole build shares.

use proc_macro2::TokenStream;
use quote::quote;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate {
    /// As the features say; with debug assertions if they say nothing.
    Default,
    /// With debug assertions.
    Debug,
    /// In the crate's own unit tests.
    Test,
}

impl Gate {
    pub fn word(self) -> &'static str {
        match self {
            Gate::Default => "default",
            Gate::Debug => "debug",
            Gate::Test => "test",
        }
    }

    /// The predicate inside `cfg(..)`.
    pub fn cfg(self) -> TokenStream {
        let always = cfg!(feature = "always");
        match self {
            _ if cfg!(feature = "never") && !always => quote!(any()),
            Gate::Default if always => quote!(all()),
            Gate::Default | Gate::Debug => quote!(debug_assertions),
            Gate::Test => quote!(test),
        }
    }
}

/// True where any of the gates is open.
pub fn any(gates: impl IntoIterator<Item = Gate>) -> TokenStream {
    let mut seen: Vec<String> = Vec::new();
    let mut predicates = Vec::new();
    for gate in gates {
        let predicate = gate.cfg();
        if !seen.contains(&predicate.to_string()) {
            seen.push(predicate.to_string());
            predicates.push(predicate);
        }
    }
    match predicates.as_slice() {
        [one] => one.clone(),
        several => quote!(any(#(#several),*)),
    }
}
