//! When a clause is checked, as a `cfg` predicate in the user's own crate.
//!
//! The predicate is decided where the clause stands and not here, except for the
//! features `always` and `never`, which the whole build shares.

use proc_macro2::TokenStream;
use quote::quote;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gate {
    level: Level,
    /// A further predicate, of a `cfg_attr` around the clause. Kept for as long as the
    /// compiler runs, so that a gate can be handed around like a number.
    when: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Default,
    Debug,
    Test,
}

impl Gate {
    /// As the features say; with debug assertions if they say nothing.
    pub const DEFAULT: Gate = Gate { level: Level::Default, when: None };
    /// With debug assertions.
    pub const DEBUG: Gate = Gate { level: Level::Debug, when: None };
    /// In the crate's own unit tests.
    pub const TEST: Gate = Gate { level: Level::Test, when: None };

    /// The same gate, open only where the predicate holds too.
    pub fn only_where(self, predicate: &TokenStream) -> Gate {
        Gate { when: Some(Box::leak(predicate.to_string().into_boxed_str())), ..self }
    }

    /// The predicate of the `cfg_attr` around the clause.
    pub fn when(self) -> Option<TokenStream> {
        self.when.map(|text| text.parse().expect("it was tokens before"))
    }

    pub fn word(self) -> &'static str {
        match self.level {
            Level::Default => "default",
            Level::Debug => "debug",
            Level::Test => "test",
        }
    }

    /// The predicate inside `cfg(..)`.
    pub fn cfg(self) -> TokenStream {
        let always = cfg!(feature = "always");
        let level = match self.level {
            _ if cfg!(feature = "never") && !always => quote!(any()),
            Level::Default if always => quote!(all()),
            Level::Default | Level::Debug => quote!(debug_assertions),
            Level::Test => quote!(test),
        };
        match self.when() {
            Some(when) => quote!(all(#when, #level)),
            None => level,
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
