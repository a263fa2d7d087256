//! Generic functions whose types the user spells out: `Stack::<u8>::push`.
//!
//! The plan chooses types of its own; here the user's take their place before anything
//! is planned, in the function and in whatever makes its receiver.

use anyhow::{Context, Result, bail};
use quote::ToTokens;
use testsmith_model::api::{Api, Callable, ParamKind};
use testsmith_model::call::Form;
use testsmith_model::ty::{Arg, Lifetime, Substitution, Ty};
use testsmith_model::{Callee, Plan};

use crate::exit::Usage;

/// Whether types are spelled out in a path.
pub fn is_spelled(asked: &str) -> bool {
    asked.contains('<')
}

/// What was spelled out.
pub struct Spelled {
    /// The part of the API that it needs.
    pub api: Api,
    /// The path without types.
    pub plain: String,
    /// The types of the function itself.
    own: Vec<Arg>,
}

impl Spelled {
    /// Writes the types into the calls of the plan: arguments alone may not tell them.
    pub fn write_into(&self, plan: &mut Plan) {
        let text = |arg: &Arg| match arg {
            Arg::Type(ty) => ty.to_string(),
            Arg::Const(text) => text.clone(),
            Arg::Lifetime(_) => "'_".to_owned(),
        };
        for operation in plan.operations.iter_mut().filter(|op| op.path() == self.plain) {
            let form = &mut operation.call.form;
            if let Form::Function { generics, .. } | Form::Member { generics, .. } = form
                && generics.is_empty()
            {
                *generics = self.own.iter().map(text).collect();
            }
        }
    }
}

/// Reads a path with types, against the API that it is of.
pub fn read_path(api: &Api, asked: &str) -> Result<Spelled> {
    let path: syn::ExprPath = syn::parse_str(asked)
        .map_err(|_| Usage(format!("{asked} is not the path of a function")))?;
    let mut segments: Vec<syn::PathSegment> = path.path.segments.into_iter().collect();
    if segments.first().is_some_and(|first| first.ident == api.krate) {
        segments.remove(0);
    }
    let names: Vec<String> = segments.iter().map(|segment| segment.ident.to_string()).collect();
    let plain = format!("{}::{}", api.krate, names.join("::"));
    let own = arguments(segments.last().context("a path has a last part")?)?;
    let owner = match segments.len() {
        0 | 1 => vec![],
        count => arguments(&segments[count - 2])?,
    };
    let mut callables = vec![];
    for callable in &api.callables {
        let is_it = callable.callee.to_string() == plain;
        let same_owner = || {
            let owner = plain.rsplit_once("::").map_or("", |(owner, _)| owner);
            callable.self_ty.as_ref().and_then(Ty::path) == Some(owner)
        };
        if is_it || same_owner() {
            let mut changed = callable.clone();
            bind(&mut changed, &owner, if is_it { &own } else { &[] })
                .with_context(|| format!("{asked} cannot be called"))?;
            callables.push(changed);
        }
    }
    if !callables.iter().any(|callable| callable.callee.to_string() == plain) {
        return Err(Usage(format!("{} has no public function {plain}", api.krate)).into());
    }
    Ok(Spelled { api: Api { callables, ..api.clone() }, plain, own })
}

/// Puts what was spelled out in the place of the parameters.
fn bind(callable: &mut Callable, owner: &[Arg], own: &[Arg]) -> Result<()> {
    let mut with = Substitution::new();
    if let Some(Ty::Adt { args, .. }) = &callable.self_ty {
        let formal = args.iter().filter(|arg| !matches!(arg, Arg::Lifetime(_)));
        for (formal, given) in formal.zip(owner) {
            match formal {
                Arg::Type(Ty::Param(name)) | Arg::Const(name) => {
                    with.insert(name.clone(), given.clone());
                }
                // An implementation for one type is for no other.
                _ => {}
            }
        }
    }
    let of_function = callable.generics.iter().skip(callable.outer_generics);
    let named: Vec<String> = of_function
        .flat_map(|generics| &generics.params)
        .filter(|param| match &param.kind {
            ParamKind::Lifetime => false,
            ParamKind::Type { synthetic, .. } => !synthetic,
            ParamKind::Const { .. } => true,
        })
        .map(|param| param.name.clone())
        .collect();
    if !own.is_empty() && own.len() != named.len() {
        bail!("it has {} generic parameters of its own, not {}", named.len(), own.len());
    }
    with.extend(named.into_iter().zip(own.iter().cloned()));
    for (_, ty) in &mut callable.inputs {
        *ty = ty.substitute(&with);
    }
    callable.output = callable.output.substitute(&with);
    if let Callee::Member { of, .. } | Callee::TraitMember { of, .. } = &mut callable.callee {
        *of = of.substitute(&with);
    }
    callable.self_ty = callable.self_ty.as_ref().map(|ty| ty.substitute(&with));
    for generics in &mut callable.generics {
        generics.params.retain(|param| !with.contains_key(&param.name));
        let open = |ty: &Ty| ty.any(|part| matches!(part, Ty::Param(n) if with.contains_key(n)));
        generics.predicates.retain(|(ty, _)| !open(ty));
    }
    Ok(())
}

fn arguments(segment: &syn::PathSegment) -> Result<Vec<Arg>> {
    let syn::PathArguments::AngleBracketed(list) = &segment.arguments else { return Ok(vec![]) };
    let mut found = vec![];
    for argument in &list.args {
        match argument {
            syn::GenericArgument::Lifetime(_) => {}
            syn::GenericArgument::Type(ty) => found.push(Arg::Type(read(ty)?)),
            other => found.push(Arg::Const(other.to_token_stream().to_string())),
        }
    }
    Ok(found)
}

/// A type as the plan knows types.
fn read(ty: &syn::Type) -> Result<Ty> {
    let text = || ty.to_token_stream().to_string();
    Ok(match ty {
        syn::Type::Tuple(tuple) => Ty::Tuple(tuple.elems.iter().map(read).collect::<Result<_>>()?),
        syn::Type::Array(array) => {
            Ty::Array(Box::new(read(&array.elem)?), array.len.to_token_stream().to_string())
        }
        syn::Type::Slice(slice) => Ty::Slice(Box::new(read(&slice.elem)?)),
        syn::Type::Reference(reference) => Ty::Ref {
            lifetime: Lifetime::Static,
            mutable: reference.mutability.is_some(),
            inner: Box::new(read(&reference.elem)?),
        },
        syn::Type::Path(path) => {
            let last = path.path.segments.last().context("a path has a last part")?;
            let names: Vec<String> =
                path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let args = arguments(last)?;
            let full = |path: &str| Ty::Adt { path: path.to_owned(), args: args.clone() };
            match names.join("::").as_str() {
                "String" => full("std::string::String"),
                "Vec" => full("std::vec::Vec"),
                "Option" => full("std::option::Option"),
                "Result" => full("std::result::Result"),
                "Box" => full("std::boxed::Box"),
                name if args.is_empty()
                    && name.starts_with(char::is_lowercase)
                    && names.len() == 1 =>
                {
                    Ty::prim(name)
                }
                name => full(name),
            }
        }
        _ => return Err(Usage(format!("{} cannot be spelled out here", text())).into()),
    })
}
