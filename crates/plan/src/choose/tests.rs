//! What is chosen for bounds of all kinds.

use super::*;
use std::collections::BTreeMap;
use testsmith_model::api::{CallableKind, Docs, Impl, Param, Safety, TraitDef, TypeDef, TypeKind};

fn bound(path: &str, args: Vec<Ty>) -> Bound {
    Bound::Trait(TraitRef::new(path, args))
}

fn generics(params: Vec<(&str, Vec<Bound>)>) -> Generics {
    let each = |(name, bounds): (&str, Vec<Bound>)| Param {
        name: name.to_owned(),
        kind: ParamKind::Type { bounds, default: None, synthetic: false },
    };
    Generics { params: params.into_iter().map(each).collect(), ..Generics::default() }
}

/// A method of `a::Set<K>` with these generics of its own.
fn method(own: Generics) -> Callable {
    Callable {
        callee: testsmith_model::Callee::item("a::Set::method"),
        derived: false,
        kind: CallableKind::Inherent,
        self_ty: Some(Ty::adt("a::Set", vec![Ty::Param("K".into())])),
        trait_: None,
        generics: vec![generics(vec![("K", vec![])]), own],
        outer_generics: 1,
        inputs: vec![],
        output: Ty::unit(),
        safety: Safety::Safe,
        is_async: false,
        guarded: false,
        docs: Docs::default(),
        place: None,
    }
}

fn check(api: &Api, own: Generics, expected: &[(&str, &str)]) {
    let (callable, menus) = (method(own), menus());
    let mut chooser = Chooser::new(api, &callable.generics, &menus[0]);
    let with = chooser.substitution(&callable, &Substitution::new());
    for (name, ty) in expected {
        let chosen = with[*name].as_type().expect("a type parameter").to_string();
        assert_eq!(chosen, *ty, "{name}");
    }
}

#[test]
fn self_in_a_bound_is_the_type_of_the_impl() {
    let own =
        generics(vec![("R", vec![bound("std::borrow::Borrow", vec![Ty::Param("Self".into())])])]);
    check(&Api::default(), own, &[("K", "i32"), ("R", "a::Set<i32>")]);
}

#[test]
fn what_an_impl_lends_is_preferred_to_the_type_itself() {
    let param = || Ty::Param("K".into());
    let key = Ty::adt("a::Key", vec![param()]);
    let mut api = Api::default();
    let known = Impl {
        generics: generics(vec![("K", vec![])]),
        trait_: TraitRef::new("std::borrow::Borrow", vec![param()]),
        for_: key.clone(),
        assoc: vec![],
    };
    api.impls.entry("std::borrow::Borrow".into()).or_default().push(known);
    let mut own = generics(vec![("Q", vec![])]);
    let lent = bound("std::borrow::Borrow", vec![Ty::Param("Q".into())]);
    own.predicates.push((key, vec![lent]));
    check(&api, own, &[("K", "i32"), ("Q", "i32")]);
}

#[test]
fn what_is_converted_from_may_be_the_target_itself() {
    let mut own = generics(vec![("R", vec![])]);
    let arc = Ty::adt("std::sync::Arc", vec![Ty::Param("K".into())]);
    let from = bound("std::convert::From", vec![Ty::Param("R".into())]);
    own.predicates.push((arc, vec![from]));
    check(&Api::default(), own, &[("R", "std::sync::Arc<i32>")]);
}

#[test]
fn a_parameter_follows_from_an_associated_type_of_another() {
    let mut api = Api::default();
    let graph = TraitDef {
        path: "a::Graph".into(),
        generics: Generics::default(),
        is_dyn_compatible: true,
    };
    api.traits.insert("a::Graph".into(), graph);
    let known = Impl {
        trait_: TraitRef::new("a::Graph", vec![]),
        for_: Ty::adt("a::Net", vec![]),
        generics: Generics::default(),
        assoc: vec![("Node".to_owned(), Ty::prim("u8"))],
    };
    api.impls.insert("a::Graph".into(), vec![known]);
    let mut graph = TraitRef::new("a::Graph", vec![]);
    graph.assoc.push(("Node".to_owned(), Ty::Param("N".into())));
    let own = generics(vec![("N", vec![]), ("G", vec![Bound::Trait(graph)])]);
    check(&api, own, &[("G", "a::Net"), ("N", "u8")]);
}

#[test]
fn an_item_waits_for_the_parameters_in_its_bounds() {
    let pair = Ty::Tuple(vec![Ty::Param("A".into()), Ty::Param("A".into())]);
    let mut own = generics(vec![
        ("I", vec![bound("std::iter::IntoIterator", vec![])]),
        ("A", vec![bound("std::convert::AsRef", vec![Ty::prim("str")])]),
    ]);
    let item =
        Ty::Assoc { self_ty: Box::new(Ty::Param("I".into())), trait_: None, name: "Item".into() };
    own.predicates.push((item, vec![bound("std::borrow::Borrow", vec![pair])]));
    let string = "std::string::String";
    let expected = format!("std::vec::Vec<({string}, {string})>");
    check(&Api::default(), own, &[("I", expected.as_str())]);
}

#[test]
fn a_closure_inside_the_receiver_is_a_function_pointer() {
    let mut filter = TraitRef::new("std::ops::Fn", vec![Ty::Tuple(vec![Ty::prim("u8")])]);
    filter.assoc.push(("Output".into(), Ty::prim("bool")));
    let generics = generics(vec![("K", vec![Bound::Trait(filter)])]);
    let mut callable = method(Generics::default());
    callable.generics[0] = generics;
    let menus = menus();
    let api = Api::default();
    let mut chooser = Chooser::new(&api, &callable.generics, &menus[0]);
    let with = chooser.substitution(&callable, &Substitution::new());
    assert_eq!(with["K"].as_type().unwrap().to_string(), "fn(u8) -> bool");
}

#[test]
fn the_lifetimes_of_chosen_types_are_one() {
    let callable = method(generics(vec![("R", vec![])]));
    let menus = menus();
    let api = Api::default();
    let mut chooser = Chooser::new(&api, &callable.generics, &menus[0]);
    let fixed = [("R".to_owned(), Arg::Type(Ty::shared(Ty::prim("u8"))))];
    let with = chooser.substitution(&callable, &fixed.into());
    let Some(Ty::Ref { lifetime, .. }) = with["R"].as_type() else { panic!("a reference") };
    assert_ne!(*lifetime, Lifetime::Elided);
}

#[test]
fn a_parameter_that_an_alias_writes_out_is_what_it_says() {
    let param = |name: &str| Ty::Param(name.into());
    let inline =
        |len: &str| Ty::Adt { path: "a::Inline".into(), args: vec![Arg::Const(len.into())] };
    let raw = |args: Vec<Ty>| Ty::adt("a::Raw", args);
    let constant = |name: &str| Param {
        name: name.to_owned(),
        kind: ParamKind::Const { ty: Ty::prim("usize"), default: None },
    };
    let mut own = generics(vec![("U", vec![])]);
    own.params.push(constant("N"));
    let alias = |path: &str, generics: Generics, target: Ty| {
        let def = TypeDef { path: path.into(), generics, kind: TypeKind::Alias(target) };
        (path.to_owned(), def)
    };
    let api = Api {
        types: BTreeMap::from([
            alias("a::List", own, raw(vec![param("U"), inline("N")])),
            // It has no size, so nothing is made of it.
            alias("a::Bare", generics(vec![("U", vec![])]), raw(vec![param("U"), Ty::prim("str")])),
            (
                "a::Raw".to_owned(),
                TypeDef {
                    path: "a::Raw".into(),
                    generics: generics(vec![("T", vec![]), ("S", vec![])]),
                    kind: TypeKind::Struct,
                },
            ),
        ]),
        unsized_types: ["a::Bare".to_owned()].into(),
        ..Api::default()
    };
    let storage = bound("elsewhere::Storage", vec![]);
    let callable = Callable {
        self_ty: Some(raw(vec![param("K"), param("S")])),
        generics: vec![generics(vec![("K", vec![]), ("S", vec![storage])])],
        ..method(Generics::default())
    };
    let menus = menus();
    let mut chooser = Chooser::new(&api, &callable.generics, &menus[0]);
    let with = chooser.substitution(&callable, &Substitution::new());
    assert_eq!(with["K"].as_type().unwrap().to_string(), "i32");
    assert_eq!(with["S"].as_type().unwrap().to_string(), "a::Inline<4>");
}

#[test]
fn an_alias_of_numbers_comes_before_one_of_what_another_crate_makes() {
    let ratio = |arg: Ty| Ty::adt("a::Ratio", vec![arg]);
    let def = |path: &str, generics: Generics, kind: TypeKind| {
        (path.to_owned(), TypeDef { path: path.into(), generics, kind })
    };
    let big = TypeKind::Alias(ratio(Ty::adt("big::Int", vec![])));
    let alias = |name: &str| TypeKind::Alias(ratio(Ty::prim(name)));
    let api = Api {
        krate: "a".into(),
        types: BTreeMap::from([
            def("a::BigRatio", Generics::default(), big),
            def("a::Ratio16", Generics::default(), alias("i16")),
            def("a::Ratio32", Generics::default(), alias("i32")),
            def("a::Ratio", generics(vec![("T", vec![])]), TypeKind::Struct),
        ]),
        ..Api::default()
    };
    let callable = Callable {
        self_ty: Some(ratio(Ty::Param("T".into()))),
        generics: vec![generics(vec![("T", vec![])])],
        ..method(Generics::default())
    };
    let menus = menus();
    let mut chooser = Chooser::new(&api, &callable.generics, &menus[0]);
    let with = chooser.substitution(&callable, &Substitution::new());
    assert_eq!(with["T"].as_type().unwrap().to_string(), "i32", "as where nothing is said");
    let mut chooser = Chooser::new(&api, &callable.generics, &menus[2]);
    let with = chooser.substitution(&callable, &Substitution::new());
    assert_eq!(with["T"].as_type().unwrap().to_string(), "i16");
}
