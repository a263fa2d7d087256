//! Makes vectors of many elements in one step.
//!
//! How many is an argument, which whoever calls knows by its name. Bugs sit where
//! chunks and tables end, and nobody gets there element by element.

use super::{plain, row};
use crate::draft::Draft;
use crate::resolve::is_integer;
use testsmith_model::operation::SIZE;
use testsmith_model::ty::Ty;

/// The same element again and again, and different ones where that is easy.
pub(super) fn vectors(ty: &Ty, item: &Ty) -> Vec<Draft> {
    let size = Ty::prim("usize");
    let same = plain("vec![{0}; {1}]", vec![item.clone(), size.clone()], ty);
    let mut makers = vec![sized(same, 1)];
    let different = |each: &str, inputs: Vec<Ty>| {
        let call = format!("(0..{{0}}){each}.collect::<{ty}>()");
        sized(row(&call, &format!("(0..{{0}}){each}.collect::<Vec<_>>()"), inputs, ty), 0)
    };
    match item {
        Ty::Prim(_) if is_wide(item) => makers.push(different("", vec![item.clone()])),
        Ty::Prim(name) if is_integer(item) => {
            makers.push(different(&format!(".map(|n| n as {name})"), vec![size]));
        }
        Ty::Adt { path, .. } if path == "std::string::String" => {
            makers.push(different(".map(|n| n.to_string())", vec![size]));
        }
        Ty::Tuple(items) => makers.extend(pairs(ty, items)),
        _ => {}
    }
    makers
}

/// Different keys, each with the same value.
fn pairs(ty: &Ty, items: &[Ty]) -> Option<Draft> {
    let [key, value] = items else { return None };
    if !is_wide(key) {
        return None;
    }
    // An argument is there once.
    let call = format!(
        "{{ let value = {{1}}; (0..{{0}}).map(|n| (n, value.clone())).collect::<{ty}>() }}"
    );
    let show = "(0..{0}).map(|n| (n, {1}.clone())).collect::<Vec<_>>()";
    Some(sized(row(&call, show, vec![key.clone(), value.clone()], ty), 0))
}

/// With an argument that says how many.
fn sized(mut draft: Draft, at: usize) -> Draft {
    draft.inputs[at].name = SIZE.to_owned();
    draft
}

/// Whether all sizes are numbers of this type.
fn is_wide(ty: &Ty) -> bool {
    let narrow = ["i8", "u8", "i16", "u16"];
    is_integer(ty) && !matches!(ty, Ty::Prim(name) if narrow.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(item: Ty) -> Vec<(String, String)> {
        let ty = Ty::adt("std::vec::Vec", vec![item.clone()]);
        let named = |draft: &Draft| {
            let sizes: Vec<String> = draft
                .inputs
                .iter()
                .filter(|input| input.name == SIZE)
                .map(|input| input.ty.to_string())
                .collect();
            (draft.call.full(), sizes.join(" "))
        };
        vectors(&ty, &item).iter().map(named).collect()
    }

    #[test]
    fn each_maker_has_one_argument_that_says_how_many() {
        let bytes = calls(Ty::prim("u8"));
        assert_eq!(bytes[0], ("vec![{0}; {1}]".to_owned(), "usize".to_owned()));
        assert!(bytes[1].0.contains("n as u8") && bytes[1].1 == "usize");
        let numbers = calls(Ty::prim("i32"));
        assert!(numbers[1].0.starts_with("(0..{0}).collect") && numbers[1].1 == "i32");
        assert_eq!(calls(Ty::Tuple(vec![Ty::prim("u64"), Ty::prim("bool")])).len(), 2);
        assert_eq!(calls(Ty::adt("a::Thing", vec![])).len(), 1);
    }
}
