//! Writes the hidden constants in which a tool finds the clauses.
//!
//! rustdoc JSON shows constants with their values, and `#[doc(hidden)]` keeps
//! them out of the user's own documentation. Only public items get one: a tool
//! cannot call the others. `testsmith::contracts::Record` reads the text back.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, ItemImpl, Visibility};

use super::clause::Clause;
use super::gather::Contract;
use super::text;

/// What a record says besides the clauses.
pub struct RecordedItem<'a> {
    pub item: &'a str,
    pub name: &'a str,
    pub pure: bool,
    pub model: bool,
    pub precheck: Option<String>,
    /// The `#[cfg(..)]` of the item.
    pub conditions: Vec<Attribute>,
}

/// The constant; empty if there is nothing to say.
pub fn constant(
    subject: &RecordedItem<'_>,
    clauses: &[Clause],
    visibility: &Visibility,
) -> TokenStream {
    if clauses.is_empty() && !subject.pure && !subject.model {
        return TokenStream::new();
    }
    let numbered: Vec<(usize, &Clause)> = clauses.iter().enumerate().collect();
    let (free, bound): (Vec<_>, Vec<_>) =
        numbered.into_iter().partition(|(_, clause)| clause.gate.when().is_none());
    let says_something = !free.is_empty() || subject.pure || subject.model;
    let mut constants = match says_something {
        true => one(subject, &free, visibility, None),
        false => TokenStream::new(),
    };
    // A clause under a `cfg_attr` has a record of its own, which is there when it is.
    for clause in bound {
        constants.extend(one(subject, &[clause], visibility, clause.1.gate.when()));
    }
    constants
}

fn one(
    subject: &RecordedItem<'_>,
    clauses: &[(usize, &Clause)],
    visibility: &Visibility,
    when: Option<TokenStream>,
) -> TokenStream {
    let text = content(subject, clauses);
    // The hash keeps two records of one name apart, for instance where an
    // attribute was imported under another name and expands on its own.
    let plain: String =
        subject.name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let name = format_ident!(
        "__TESTSMITH_CONTRACT_{}_{:08x}",
        plain,
        hash(&text),
        span = Span::mixed_site()
    );
    let when = when.map(|when| quote!(#[cfg(#when)]));
    let conditions = &subject.conditions;
    quote! {
        #(#conditions)*
        #when
        #[doc(hidden)]
        #[allow(non_upper_case_globals, dead_code, clippy::redundant_static_lifetimes)]
        #visibility const #name: &'static str = #text;
    }
}

/// The constants for an implementation of a trait, in which there is no room
/// for them: they stand beside it.
pub fn of_implementation(
    block: &ItemImpl,
    method: &str,
    contract: &Contract,
    conditions: Vec<Attribute>,
) -> TokenStream {
    let Some((_, path, _)) = &block.trait_ else { return TokenStream::new() };
    let ty = text::of(block.self_ty.to_token_stream());
    let name = format!("<{ty} as {}>::{method}", text::of(path.to_token_stream()));
    let subject = RecordedItem {
        item: "impl-fn",
        name: &name,
        pure: contract.pure.is_some(),
        model: contract.model,
        precheck: None,
        conditions,
    };
    constant(&subject, &contract.clauses, &syn::parse_quote!(pub))
}

fn content(subject: &RecordedItem<'_>, clauses: &[(usize, &Clause)]) -> String {
    let mut text = format!("testsmith-contract 1\nitem {}\nname {}", subject.item, subject.name);
    for (key, present) in [("pure", subject.pure), ("model", subject.model)] {
        if present {
            text.push('\n');
            text.push_str(key);
        }
    }
    if let Some(precheck) = &subject.precheck {
        text.push_str("\nprecheck ");
        text.push_str(precheck);
    }
    for (index, clause) in clauses {
        let (file, line, column) = clause.place();
        let place = format!("{file}:{line}:{column}");
        let index = index.to_string();
        let fields =
            [clause.kind.word(), clause.gate.word(), &index, &place, &clause.text, &clause.message];
        let fields: Vec<String> = fields.iter().map(|field| escape(field)).collect();
        text.push_str("\nclause ");
        text.push_str(&fields.join("; "));
    }
    text
}

/// One line, no bare separator; `testsmith` has the reverse.
pub fn escape(field: &str) -> String {
    field.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace(';', "\\,")
}

fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
