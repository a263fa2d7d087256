//! Public aliases say which instances of a generic type are meant to be used, and name
//! some that nothing else names.

use crate::choose::Chooser;
use testsmith_model::api::{Api, Callable, ParamKind, TypeDef, TypeKind};
use testsmith_model::ty::{Arg, Substitution, Ty};

/// Settles the parameters of a callable that an alias writes out: `S` of `RawList<T, S>`
/// where `type List<T, const N: usize> = RawList<T, Inline<N>>`. Where a type has several
/// aliases, some turns at the menu take another, and most do without.
pub fn take(chooser: &Chooser, callable: &Callable, with: &mut Substitution) {
    let turn = match chooser.menu.turn {
        0 => 0,
        2 => 1,
        3 => 2,
        _ => return,
    };
    let inputs = callable.inputs.iter().map(|(_, ty)| ty);
    let of_trait = callable.trait_.iter().flat_map(|trait_| trait_.args.iter());
    let types = callable.self_ty.iter().chain(of_trait.filter_map(Arg::as_type));
    for ty in types.chain(inputs).chain([&callable.output]) {
        ty.walk(&mut |ty| {
            if let Ty::Adt { path, args } = ty
                && let Some((def, written)) = in_turn(chooser, path).get(turn)
            {
                bind(chooser, def, written, args, with);
            }
        });
    }
}

/// Whether a local type has aliases.
pub fn has_some(api: &Api, path: &str) -> bool {
    !aliases_of(api, path).is_empty()
}

/// The aliases of a local type: first those of the type that is chosen where nothing is said,
/// last those that name a type of another crate, whose values are what that crate makes them.
fn in_turn<'a>(chooser: &Chooser<'a>, path: &str) -> Vec<(&'a TypeDef, &'a [Arg])> {
    let mut aliases = aliases_of(chooser.api, path);
    // The first of the first menu, whichever is asked now.
    let first = Ty::prim("i32");
    aliases.sort_by_key(|(_, args)| {
        let usual = args.iter().any(|arg| arg.as_type() == Some(&first));
        (args.iter().any(|arg| is_foreign(chooser.api, arg)), !usual)
    });
    aliases
}

/// The aliases of a local type that have a size, with the arguments they write.
fn aliases_of<'a>(api: &'a Api, path: &str) -> Vec<(&'a TypeDef, &'a [Arg])> {
    if !api.types.contains_key(path) {
        return vec![];
    }
    let each = |def: &'a TypeDef| match &def.kind {
        TypeKind::Alias(Ty::Adt { path: target, args }) if target == path => {
            (!api.unsized_types.contains(&def.path)).then_some((def, args.as_slice()))
        }
        _ => None,
    };
    api.types.values().filter_map(each).collect()
}

/// Whether an argument names a type that is neither of the crate nor of std.
fn is_foreign(api: &Api, arg: &Arg) -> bool {
    let of_others = |ty: &Ty| ty.path().is_some_and(|path| api.is_elsewhere(path));
    arg.as_type().is_some_and(|ty| ty.any(of_others))
}

fn bind(
    chooser: &Chooser,
    def: &TypeDef,
    written: &[Arg],
    wanted: &[Arg],
    with: &mut Substitution,
) {
    let values = |args: &[Arg]| -> Vec<Arg> {
        args.iter().filter(|arg| !matches!(arg, Arg::Lifetime(_))).cloned().collect()
    };
    let (written, wanted) = (values(written), values(wanted));
    if written.len() != wanted.len() {
        return;
    }
    let own = own_parameters(chooser, def, &written, &wanted);
    let params = def.generics.params.iter().filter_map(|param| own.get(&param.name));
    let alias = Ty::Adt { path: def.path.clone(), args: params.cloned().collect() };
    let has_no_name = |ty: &Ty| ty.any(|ty| matches!(ty, Ty::Unknown(_) | Ty::Omitted));
    for (written, wanted) in written.iter().zip(&wanted) {
        let Some(name) = parameter(wanted) else { continue };
        let chosen = match written.substitute(&own) {
            Arg::Type(ty) if has_no_name(&ty) => Arg::Type(Ty::Within(Box::new(alias.clone()))),
            chosen => chosen,
        };
        // What the alias leaves open is for the callable to choose.
        if chosen != *wanted {
            with.entry(name).or_insert(chosen);
        }
    }
}

/// What the parameters of the alias stand for: those of the callable where it hands them
/// on as they are, else their defaults, else anything.
fn own_parameters(
    chooser: &Chooser,
    def: &TypeDef,
    written: &[Arg],
    wanted: &[Arg],
) -> Substitution {
    let mut own = Substitution::new();
    for param in &def.generics.params {
        let handed_on = written.iter().position(|arg| parameter(arg).as_ref() == Some(&param.name));
        let chosen = match (&param.kind, handed_on) {
            (ParamKind::Lifetime, _) => continue,
            (ParamKind::Type { default: Some(ty), .. }, _) => Arg::Type(ty.substitute(&own)),
            (ParamKind::Const { default: Some(value), .. }, _) => Arg::Const(value.clone()),
            (_, Some(at)) => wanted[at].clone(),
            (ParamKind::Type { .. }, None) => Arg::Type(chooser.menu.first.clone()),
            (ParamKind::Const { ty, .. }, None) => Arg::Const(chooser.constant(ty)),
        };
        own.insert(param.name.clone(), chosen);
    }
    own
}

/// The name of the parameter that an argument is.
fn parameter(arg: &Arg) -> Option<String> {
    match arg {
        Arg::Type(Ty::Param(name)) => Some(name.clone()),
        Arg::Const(text) if text.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
            Some(text.clone())
        }
        _ => None,
    }
}
