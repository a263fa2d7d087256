//! What the documentation of an item says that a judge has to know.
//!
//! The words themselves are read by `panics` and `prose`; here they are asked.

use crate::ids::ids;
use crate::paths::is_hidden;
use crate::{panics, prose};
use rustdoc_types as doc;
use rustdoc_types::{Item, ItemEnum};
use testsmith_model::api::Docs;

pub fn docs(item: &Item) -> Docs {
    let text = item.docs.as_deref().unwrap_or_default();
    Docs {
        weak: false,
        panics_section: panics::has_section(text),
        says_it_panics: panics::says_so(text),
        mentions_panic: text.to_ascii_lowercase().contains("panic"),
        announces_panics: panics::announces(text),
        inexact: prose::is_inexact(text),
        gives_nan: prose::gives_nan(text),
        keeps_memory: prose::keeps_memory(text),
        endless: prose::is_endless(text),
        order: prose::order(text),
        demands: demands(item, text),
        ids: match &item.inner {
            ItemEnum::Function(function) => ids(function),
            _ => vec![],
        },
        deprecated: item.deprecation.is_some(),
        hidden: is_hidden(item),
    }
}

/// What a trait says of a function, with the names that an impl has for the parameters.
pub fn docs_in_trait(defined: &Item, function: &doc::Function) -> Docs {
    let mut said = docs(defined);
    if let ItemEnum::Function(in_trait) = &defined.inner {
        let names = in_trait.sig.inputs.iter().zip(&function.sig.inputs);
        let keys = names.filter(|((name, _), _)| said.ids.contains(name));
        said.ids = keys.map(|(_, (name, _))| name.clone()).collect();
    }
    said
}

/// The parameters that stand in a sentence that demands something of whoever calls the function.
fn demands(item: &Item, text: &str) -> Vec<String> {
    let ItemEnum::Function(function) = &item.inner else { return vec![] };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let text = text.replace('\n', " ");
    let demanded = |name: &str| {
        let quoted = format!("`{name}`");
        text.split(". ").filter(|sentence| prose::demands(sentence)).any(|sentence| {
            // A single letter may be a word of its own.
            let named = sentence.split(|c| !is_word(c)).any(|word| word == name);
            if name == "a" { sentence.contains(&quoted) } else { named }
        })
    };
    let names = function.sig.inputs.iter().map(|(name, _)| name);
    names.filter(|name| *name != "self" && demanded(name)).cloned().collect()
}
