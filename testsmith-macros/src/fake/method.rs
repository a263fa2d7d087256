//! One method of a trait: whether it can be faked, and how it is written.

use super::runtime;
use crate::contracts::{Contract, Kind, text};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, Expr, FnArg, GenericArgument, GenericParam, Ident, Lifetime, Pat, Path,
    PathArguments, ReturnType, Signature, TraitItemFn, Type,
};

/// Types of the standard library that the solver has no values of.
const UNSUPPORTED: [&str; 11] = [
    "VecDeque", "Box", "Rc", "Arc", "Cow", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "str",
    "Self",
];
/// Types whose arguments are values again.
const OF_VALUES: [&str; 3] = ["Option", "Result", "Vec"];

/// A method that a fake has an answer for, or a provided query that clauses may speak of.
pub struct Faked {
    signature: Signature,
    conditions: Vec<Attribute>,
    params: Vec<(Ident, Type)>,
    answer: Type,
    pure: bool,
    requires: Vec<String>,
    ensures: Vec<String>,
    /// The clauses as expressions.
    pub clauses: Vec<Expr>,
    /// The body of a provided query.
    pub body: Option<String>,
}

/// Reads a method; nothing of a provided one that is no query.
pub fn read(owner: &Ident, method: &TraitItemFn) -> syn::Result<Option<Faked>> {
    let mut attributes = method.attrs.clone();
    let mut contract = Contract::default();
    // A mistake in a clause is reported by `#[contract_trait]`.
    if contract.take(&mut attributes).is_err() {
        return Ok(None);
    }
    let pure = contract.pure.is_some() || contract.model;
    let signature = supported(owner, &method.sig, pure);
    let (params, answer) = match (&method.default, signature) {
        (None, signature) => signature?,
        (Some(_), Ok(signature)) if pure => signature,
        (Some(_), _) => return Ok(None),
    };
    let mut faked = Faked {
        signature: method.sig.clone(),
        conditions: attributes.into_iter().filter(|it| it.path().is_ident("cfg")).collect(),
        params,
        answer,
        pure,
        requires: vec![],
        ensures: vec![],
        clauses: vec![],
        body: method.default.as_ref().map(|body| text::of(body.to_token_stream())),
    };
    for clause in contract.clauses {
        faked.clauses.push(clause.condition.expr().clone());
        match clause.kind {
            Kind::Requires => faked.requires.push(clause.text),
            Kind::Ensures => faked.ensures.push(clause.text),
            Kind::Invariant | Kind::Loop => {
                faked.requires.push(clause.text.clone());
                faked.ensures.push(clause.text);
            }
        }
    }
    Ok(Some(faked))
}

/// The parameters after `self` and the answer, if a fake can handle them all.
fn supported(
    owner: &Ident,
    signature: &Signature,
    pure: bool,
) -> syn::Result<(Vec<(Ident, Type)>, Type)> {
    let path = format!("`{owner}::{}`", signature.ident);
    let remedy = "a fake cannot do that; a method with a default body is left as it is";
    let refuse = |tokens: &dyn ToTokens, what: String| {
        Err(syn::Error::new_spanned(tokens.to_token_stream(), format!("{path} {what}: {remedy}")))
    };
    if signature.asyncness.is_some() {
        return refuse(&signature.ident, "is `async`".to_owned());
    }
    if signature.unsafety.is_some() {
        return refuse(&signature.ident, "is `unsafe`".to_owned());
    }
    let mut generic = signature.generics.params.iter();
    if let Some(parameter) = generic.find(|it| !matches!(it, GenericParam::Lifetime(_))) {
        return refuse(parameter, format!("is generic over `{}`", spelled(parameter)));
    }
    let mut inputs = signature.inputs.iter();
    match inputs.next() {
        Some(FnArg::Receiver(receiver)) if receiver.colon_token.is_none() => {}
        Some(FnArg::Receiver(receiver)) => {
            return refuse(receiver, format!("takes `self` as `{}`", spelled(&receiver.ty)));
        }
        _ => return refuse(&signature.ident, "has no `self`".to_owned()),
    }
    let mut params = vec![];
    for input in inputs {
        let FnArg::Typed(typed) = input else { continue };
        // Another pattern is refused by `#[contract_trait]`.
        let Pat::Ident(pattern) = &*typed.pat else { continue };
        if !is_supported(&typed.ty, true) && (pure || !is_passed_over(&typed.ty)) {
            return refuse(&typed.ty, format!("takes `{}`", spelled(&typed.ty)));
        }
        params.push((pattern.ident.clone(), (*typed.ty).clone()));
    }
    let answer = match &signature.output {
        ReturnType::Default => syn::parse_quote!(()),
        ReturnType::Type(_, ty) if is_supported(ty, false) => (**ty).clone(),
        ReturnType::Type(_, ty) => return refuse(ty, format!("gives `{}`", spelled(ty))),
    };
    Ok((params, answer))
}

/// Whether a type may be one of values. Of a name that is not known the compiler decides.
fn is_supported(ty: &Type, is_parameter: bool) -> bool {
    match ty {
        Type::Paren(inner) => is_supported(&inner.elem, is_parameter),
        Type::Group(inner) => is_supported(&inner.elem, is_parameter),
        Type::Tuple(tuple) => tuple.elems.iter().all(|part| is_supported(part, false)),
        Type::Reference(reference) if reference.mutability.is_some() => false,
        Type::Reference(reference) => {
            let inner = &*reference.elem;
            is_text(inner)
                || is_list(inner)
                || is_parameter
                    && !matches!(inner, Type::Reference(_))
                    && is_supported(inner, false)
        }
        Type::Path(path) => {
            let segments = &path.path.segments;
            let begins_with_self = segments.first().is_some_and(|first| first.ident == "Self");
            let Some(last) = segments.last() else { return false };
            let known = UNSUPPORTED.iter().any(|name| last.ident == name);
            if path.qself.is_some() || begins_with_self || known {
                return false;
            }
            match &last.arguments {
                PathArguments::None => true,
                PathArguments::AngleBracketed(arguments)
                    if OF_VALUES.iter().any(|name| last.ident == name) =>
                {
                    arguments.args.iter().all(|argument| {
                        matches!(argument, GenericArgument::Type(ty) if is_supported(ty, false))
                    })
                }
                _ => false,
            }
        }
        _ => false,
    }
}

fn is_text(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("str"))
}

/// Whether a fake may be given it without a look at it: it has a size and a name.
fn is_passed_over(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) if reference.mutability.is_none() => {
            !matches!(&*reference.elem, Type::Reference(_)) && is_passed_over(&reference.elem)
        }
        Type::Path(path) => {
            let mut segments = path.path.segments.iter();
            path.qself.is_none()
                && segments.all(|segment| segment.ident != "Self" && segment.ident != "str")
        }
        _ => false,
    }
}

/// A slice of values that borrow nothing.
fn is_list(ty: &Type) -> bool {
    let Type::Slice(slice) = ty else { return false };
    !matches!(&*slice.elem, Type::Reference(_)) && is_supported(&slice.elem, false)
}

/// What has no size is a value only behind its reference.
fn is_behind_reference(ty: &Type) -> bool {
    is_text(ty) || is_list(ty)
}

fn spelled(tokens: &impl ToTokens) -> String {
    // Of an expression `<` would be an operator.
    text::of(tokens.to_token_stream()).replace(" < ", "<").replace(" >", ">")
}

/// References of signatures live for any time, where their lifetimes have no name.
struct Static;

impl VisitMut for Static {
    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        reference.lifetime = Some(Lifetime::new("'static", proc_macro2::Span::call_site()));
        syn::visit_mut::visit_type_reference_mut(self, reference);
    }
}

/// The type whose values the solver has: of `&T` that of `T`, but `&str` and `&[T]` themselves.
fn value_type(ty: &Type) -> Type {
    match ty {
        Type::Reference(reference) if !is_behind_reference(&reference.elem) => {
            (*reference.elem).clone()
        }
        ty => {
            let mut ty = ty.clone();
            Static.visit_type_mut(&mut ty);
            ty
        }
    }
}

impl Faked {
    pub fn name(&self) -> &Ident {
        &self.signature.ident
    }

    /// `.method(..)`, for the solver.
    pub fn description(&self) -> TokenStream {
        let runtime = runtime();
        let name = self.signature.ident.unraw().to_string();
        let pure = self.pure;
        let sort = |ty: &Type| {
            let ty = value_type(ty);
            quote!(<#ty as #runtime::FakeValue>::sort)
        };
        let params = self.params.iter().map(|(name, ty)| {
            let words = name.unraw().to_string();
            // What a query answers may hang on its arguments, so that these have to be known.
            let sort = match pure {
                true => sort(ty),
                false => {
                    let ty = value_type(ty);
                    quote!({
                        #[allow(unused_imports)]
                        use #runtime::{KindOfAnything as _, KindOfValue as _};
                        (&&#runtime::Kind::<#ty>::new()).sort()
                    })
                }
            };
            quote!((#words, #sort))
        });
        let answer = sort(&self.answer);
        let (requires, ensures) = (&self.requires, &self.ensures);
        let body = match &self.body {
            Some(body) => quote!(::std::option::Option::Some(#body)),
            None => quote!(::std::option::Option::None),
        };
        quote! {
            .method(#runtime::Method {
                name: #name,
                pure: #pure,
                params: ::std::vec![#(#params),*],
                ret: #answer,
                requires: &[#(#requires),*],
                ensures: &[#(#ensures),*],
                body: #body,
            })
        }
    }

    /// The method of the fake.
    pub fn implementation(&self) -> TokenStream {
        let runtime = runtime();
        let (conditions, signature) = (&self.conditions, &self.signature);
        let name = self.signature.ident.unraw().to_string();
        let verb = if self.pure { quote!(ask) } else { quote!(call) };
        let given = self.params.iter().map(|(name, ty)| {
            let borrowed = matches!(ty, Type::Reference(reference)
                if !is_behind_reference(&reference.elem));
            let value = if borrowed { quote!(#name) } else { quote!(&#name) };
            match self.pure {
                true => quote!(#runtime::Argument::of_value(#value)),
                false => quote!({
                    #[allow(unused_imports)]
                    use #runtime::{GivenAnything as _, GivenShown as _, GivenValue as _};
                    (&&&#runtime::Given(#value)).argument()
                }),
            }
        });
        quote! {
            #(#conditions)*
            #signature {
                self.worn.#verb(#name, ::std::vec![#(#given),*])
            }
        }
    }

    /// The same method of a trait that the one with the contracts repeats.
    pub fn forwarded(&self, contracts: &Path) -> TokenStream {
        let (conditions, signature) = (&self.conditions, &self.signature);
        let name = &self.signature.ident;
        let given = self.params.iter().map(|(name, _)| name);
        quote! {
            #(#conditions)*
            #signature {
                <Self as #contracts>::#name(self, #(#given),*)
            }
        }
    }
}
