//! Types and traits as Rust writes them.

use super::{Arg, Bound, Lifetime, TraitRef, Ty};
use std::fmt;

/// Prints a type with elided lifetimes, as in the annotation of a `let`.
impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_ty(self, "'_", f)
    }
}

/// Prints a trait the way it is named in a bound or a qualified path.
impl fmt::Display for TraitRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_trait(self, "'_", f)
    }
}

/// A type printed with `'static` in the place of every lifetime.
pub struct Erased<'t>(pub(super) &'t Ty);

impl fmt::Display for Erased<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_ty(self.0, "'static", f)
    }
}

fn write_list<T>(
    items: &[T],
    f: &mut fmt::Formatter<'_>,
    mut each: impl FnMut(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            f.write_str(", ")?;
        }
        each(item, f)?;
    }
    Ok(())
}

fn write_lifetime(lifetime: &Lifetime, elided: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match lifetime {
        Lifetime::Static => f.write_str("'static"),
        _ => f.write_str(elided),
    }
}

fn write_ty(ty: &Ty, elided: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match ty {
        Ty::Prim(name) | Ty::Param(name) | Ty::Unknown(name) => f.write_str(name),
        Ty::Omitted | Ty::Within(_) => f.write_str("_"),
        Ty::Adt { path, args } => {
            f.write_str(path)?;
            let omitted = |arg: &Arg| *arg == Arg::Type(Ty::Omitted);
            let written = args.iter().position(omitted).unwrap_or(args.len());
            write_args(&args[..written], &[], elided, f)
        }
        Ty::Ref { lifetime, mutable, inner } => {
            f.write_str("&")?;
            if *lifetime == Lifetime::Static || elided == "'static" {
                f.write_str("'static ")?;
            }
            f.write_str(if *mutable { "mut " } else { "" })?;
            let parens = matches!(&**inner, Ty::Dyn { bounds, lifetime } if bounds.len() + usize::from(lifetime.is_some()) > 1);
            if parens {
                f.write_str("(")?;
            }
            write_ty(inner, elided, f)?;
            if parens { f.write_str(")") } else { Ok(()) }
        }
        Ty::Ptr { mutable, inner } => {
            f.write_str(if *mutable { "*mut " } else { "*const " })?;
            write_ty(inner, elided, f)
        }
        Ty::Slice(inner) => {
            f.write_str("[")?;
            write_ty(inner, elided, f)?;
            f.write_str("]")
        }
        Ty::Array(inner, len) => {
            f.write_str("[")?;
            write_ty(inner, elided, f)?;
            write!(f, "; {len}]")
        }
        Ty::Tuple(items) => {
            f.write_str("(")?;
            write_list(items, f, |item, f| write_ty(item, elided, f))?;
            f.write_str(if items.len() == 1 { ",)" } else { ")" })
        }
        Ty::FnPtr { inputs, output } => {
            // A function pointer is for all lifetimes that its signature elides.
            f.write_str("fn(")?;
            write_list(inputs, f, |input, f| write_ty(input, "'_", f))?;
            f.write_str(")")?;
            write_output(output, "'_", f)
        }
        Ty::Dyn { bounds, lifetime } => {
            f.write_str("dyn ")?;
            write_bounds(bounds, elided, f)?;
            match lifetime {
                Some(lifetime) => {
                    f.write_str(" + ")?;
                    write_lifetime(lifetime, elided, f)
                }
                None => Ok(()),
            }
        }
        Ty::Impl(bounds) => {
            let traits: Vec<TraitRef> =
                bounds.iter().filter_map(Bound::as_trait).cloned().collect();
            f.write_str("impl ")?;
            write_bounds(&traits, elided, f)
        }
        Ty::Assoc { self_ty, trait_, name } => {
            f.write_str("<")?;
            write_ty(self_ty, elided, f)?;
            if let Some(trait_) = trait_ {
                f.write_str(" as ")?;
                write_trait(trait_, elided, f)?;
            }
            write!(f, ">::{name}")
        }
    }
}

fn write_bounds(bounds: &[TraitRef], elided: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (n, bound) in bounds.iter().enumerate() {
        if n > 0 {
            f.write_str(" + ")?;
        }
        write_trait(bound, elided, f)?;
    }
    Ok(())
}

fn write_output(output: &Ty, elided: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if output.is_unit() {
        return Ok(());
    }
    f.write_str(" -> ")?;
    write_ty(output, elided, f)
}

fn write_trait(trait_: &TraitRef, elided: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&trait_.path)?;
    if let Some((inputs, output)) = trait_.signature() {
        f.write_str("(")?;
        write_list(inputs, f, |input, f| write_ty(input, elided, f))?;
        f.write_str(")")?;
        return write_output(&output, elided, f);
    }
    write_args(&trait_.args, &trait_.assoc, elided, f)
}

fn write_args(
    args: &[Arg],
    assoc: &[(String, Ty)],
    elided: &str,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if args.is_empty() && assoc.is_empty() {
        return Ok(());
    }
    f.write_str("<")?;
    write_list(args, f, |arg, f| match arg {
        Arg::Lifetime(lifetime) => write_lifetime(lifetime, elided, f),
        Arg::Type(ty) => write_ty(ty, elided, f),
        Arg::Const(text) => f.write_str(text),
    })?;
    for (n, (name, ty)) in assoc.iter().enumerate() {
        if n > 0 || !args.is_empty() {
            f.write_str(", ")?;
        }
        write!(f, "{name} = ")?;
        write_ty(ty, elided, f)?;
    }
    f.write_str(">")
}
