//! One function with its contract.
//!
//! Where checks are on, its body is what [`Checks`] writes; where they are off,
//! it is the user's own, token for token. Beside it stand the hidden items that
//! tools read.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, FnArg, ItemFn, Path, Signature, Visibility, parse_quote};

use super::checks::Checks;
use super::clause::Clause;
use super::gate::{self, Gate};
use super::gather::Contract;
use super::names::{self, SelfKind};
use super::old;
use super::restrictions::{self, Neighbours};
use super::{precheck, record};

/// Where a function stands, which decides what may be written beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// The attribute stands on the function alone: only `pub` tells that it is
    /// not a method of a trait's implementation.
    Unknown,
    Inherent,
    TraitImpl,
    Trait,
}

pub struct Setting<'a> {
    pub host: Host,
    /// The name people know the function by.
    pub name: String,
    pub neighbours: &'a Neighbours,
    pub invariant: Option<InvariantPlan>,
}

/// Which invariant checks a method gets.
pub struct InvariantPlan {
    pub gate: Gate,
    /// Statements that must come first.
    pub setup: TokenStream,
    /// Something to call with `(&Self, During)`.
    pub checker: TokenStream,
    /// An expression for `&Self` if the method works on an object.
    pub object: Option<TokenStream>,
    pub before: bool,
    /// The conditions are seen not to reach another contract.
    pub plain: bool,
    /// They can be evaluated at any time, even on an object that is at work.
    pub total: bool,
    pub after: bool,
    /// Checks of the objects that the result holds.
    pub result_checks: Option<TokenStream>,
}

pub struct Expanded {
    pub function: TokenStream,
    /// The hidden items that belong beside it.
    pub siblings: TokenStream,
}

pub fn expand(
    mut item: ItemFn,
    mut contract: Contract,
    setting: Setting<'_>,
) -> syn::Result<Expanded> {
    for clause in &mut contract.clauses {
        old::expand_unchanged(clause);
        restrictions::check(clause, setting.neighbours)?;
    }
    if contract.pure.is_some() || contract.model {
        check_pure_signature(&item.sig)?;
    }
    let siblings = siblings(&item, &contract, &setting);
    if contract.model {
        let cfg = Gate::DEFAULT.cfg();
        item.attrs.push(parse_quote!(#[cfg(#cfg)]));
        item.attrs.push(parse_quote!(#[allow(dead_code)]));
    }
    if contract.pure.is_some() {
        // A query that only clauses ask is not dead where nothing is checked.
        let cfg = Gate::DEFAULT.cfg();
        item.attrs.push(parse_quote!(#[cfg_attr(not(#cfg), allow(dead_code))]));
    }
    keep_used(&mut item.sig, &contract.clauses);
    let checks = Checks::new(&item, &contract, &setting)?;
    let uses = uses(&contract);
    let plain = &item.block;
    let block = match checks.cfg() {
        Some(cfg) => {
            let checked = checks.block()?;
            let (tracks_caller, pins) = (checks.tracks_caller, checks.pins());
            let block = parse_quote!({ #uses #[cfg(#cfg)] #checked #[cfg(not(#cfg))] #plain });
            if tracks_caller {
                item.attrs.push(parse_quote!(#[cfg_attr(#cfg, track_caller)]));
            }
            if let (true, Some(FnArg::Receiver(own))) = (pins, item.sig.inputs.first_mut()) {
                own.attrs.push(parse_quote!(#[cfg_attr(#cfg, allow(unused_mut))]));
            }
            Some(block)
        }
        None => uses.map(|uses| {
            let statements = &plain.stmts;
            parse_quote!({ #uses #(#statements)* })
        }),
    };
    if let Some(block) = block {
        item.block = block;
    }
    Ok(Expanded { function: quote!(#item), siblings })
}

/// A parameter that only clauses look at is used, also in a build without checks.
pub fn keep_used(signature: &mut Signature, clauses: &[Clause]) {
    for input in &mut signature.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let names: Vec<String> =
            names::bound(&typed.pat).iter().map(|bound| bound.ident.to_string()).collect();
        let mentions = |clause: &&Clause| {
            let expr = clause.condition.expr();
            names.iter().any(|name| names::mention(expr, name).is_some())
        };
        let gates: Vec<Gate> = clauses.iter().filter(mentions).map(|clause| clause.gate).collect();
        if !gates.is_empty() {
            let cfg = gate::any(gates);
            typed.attrs.push(parse_quote!(#[cfg_attr(not(#cfg), allow(unused_variables))]));
        }
    }
}

/// Attributes that another one took with it never run, and words of logic are
/// gone where nothing is checked: the compiler would call their imports unused.
pub fn uses(contract: &Contract) -> Option<TokenStream> {
    let mut paths: Vec<(Path, Option<TokenStream>)> = contract.taken.clone();
    for clause in &contract.clauses {
        let words = logic_words(clause.condition.expr());
        paths.extend(words.into_iter().map(|word| (word, clause.gate.when())));
    }
    let mut seen: Vec<String> = Vec::new();
    let mut uses = TokenStream::new();
    for (path, when) in &paths {
        let when = when.as_ref().map(|when| quote!(#[cfg(#when)]));
        let text = quote!(#when #path).to_string();
        if !seen.contains(&text) {
            seen.push(text);
            uses.extend(quote_spanned! {path.span()=>
                #when
                #[allow(unused_imports)]
                use #path as _;
            });
        }
    }
    (!uses.is_empty()).then_some(uses)
}

/// The names `forall`, `exists` and `implies` where an expression calls them.
fn logic_words(expr: &Expr) -> Vec<Path> {
    struct Words(Vec<Path>);
    impl<'ast> Visit<'ast> for Words {
        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            if let Expr::Path(function) = &*call.func
                && ["forall", "exists", "implies"].iter().any(|word| function.path.is_ident(word))
            {
                self.0.push(function.path.clone());
            }
            visit::visit_expr_call(self, call);
        }
    }
    let mut words = Words(Vec::new());
    words.visit_expr(expr);
    words.0
}

fn siblings(item: &ItemFn, contract: &Contract, setting: &Setting<'_>) -> TokenStream {
    let public = !matches!(item.vis, Visibility::Inherited);
    let allowed = match setting.host {
        Host::Unknown | Host::Inherent => public,
        Host::Trait | Host::TraitImpl => false,
    };
    if !allowed {
        return TokenStream::new();
    }
    let precheck = precheck::write(&item.sig, &setting.name, &contract.clauses, &item.vis);
    let subject = record::RecordedItem {
        item: "fn",
        name: &setting.name,
        pure: contract.pure.is_some(),
        model: contract.model,
        precheck: precheck.as_ref().map(|precheck| precheck.name.to_string()),
        conditions: conditions(&item.attrs),
    };
    let constant = record::constant(&subject, &contract.clauses, &item.vis);
    let conditions = &subject.conditions;
    let precheck = precheck.map(|precheck| precheck.function);
    let precheck = precheck.map(|function| quote!(#(#conditions)* #function));
    quote!(#constant #precheck)
}

/// The `#[cfg(..)]` of an item, which what stands beside it shares.
pub fn conditions(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

fn check_pure_signature(signature: &Signature) -> syn::Result<()> {
    for input in &signature.inputs {
        let unique = match input {
            FnArg::Receiver(receiver) => matches!(
                names::self_kind(receiver),
                SelfKind::Unique | SelfKind::Typed { unique: true, .. }
            ),
            FnArg::Typed(typed) => {
                matches!(&*typed.ty, syn::Type::Reference(reference) if reference.mutability.is_some())
            }
        };
        if unique {
            let error = "a pure function only looks: it may not take `&mut`";
            return Err(syn::Error::new_spanned(input, error));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    /// Where checks are off, the function is the user's own, token for token.
    #[test]
    fn the_unchecked_body_is_what_the_user_wrote() {
        let source = "{ let m = n.checked_sub(1)?; if m > 3 { return None; } Some(m) }";
        let item = format!("pub fn f(n: u32) -> Option<u32> {source}");
        let mut contract = Contract::default();
        contract.add("requires", quote!(n > 0)).expect("it parses");
        contract.add("ensures", quote!(ret < old(Some(n)))).expect("it parses");
        let neighbours = Neighbours::default();
        let setting = Setting {
            host: Host::Unknown,
            name: "f".into(),
            neighbours: &neighbours,
            invariant: None,
        };
        let item: ItemFn = syn::parse_str(&item).expect("it parses");
        let expanded = expand(item, contract, setting).expect("it expands");
        let function: ItemFn = syn::parse2(expanded.function).expect("it is a function");
        let [_, syn::Stmt::Expr(Expr::Block(unchecked), None)] = &*function.block.stmts else {
            panic!("a checked and an unchecked block");
        };
        let original: syn::Block = syn::parse_str(source).expect("it parses");
        assert_eq!(
            unchecked.block.to_token_stream().to_string(),
            original.to_token_stream().to_string()
        );
        assert_eq!(unchecked.attrs.len(), 1);
    }

    /// Expansions never contain `unsafe`, whatever the function is.
    #[test]
    fn no_expansion_is_unsafe() {
        for source in ["fn f(n: u32) {}", "async fn f(n: u32) {}", "const fn f(n: u32) {}"] {
            let mut contract = Contract::default();
            contract.add("requires", quote!(n > 0)).expect("it parses");
            contract.add("ensures", quote!(n == old(n))).expect("it parses");
            let neighbours = Neighbours::default();
            let setting = Setting {
                host: Host::Unknown,
                name: "f".into(),
                neighbours: &neighbours,
                invariant: None,
            };
            let item = syn::parse_str(source).expect("it parses");
            let expanded = expand(item, contract, setting).expect("it expands");
            assert!(!expanded.function.to_string().contains("unsafe"));
        }
    }
}
