//! The text of a call for people: `a.next()` for
//! `<a::Iter<'_, i32> as std::iter::Iterator>::next({0})`.
//!
//! In two manners: explicit, which leaves little to the compiler, and plain, a
//! guess at what reads well and still means the same. Whoever uses the plain
//! one compiles the result, and falls back to the explicit one where it does
//! not. Both are templates, with placeholders for the arguments.

use testsmith_model::call::{Form, Treatment, Unwrap, interrupted, turbofish};
use testsmith_model::ty::{TraitRef, Ty};
use testsmith_model::{Call, Operation, Plan};

/// Traits whose methods everybody can call on a value.
const METHODS: [&str; 12] = [
    "Clone",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Extend",
    "IntoIterator",
    "Iterator",
    "Ord",
    "PartialOrd",
    "ToOwned",
    "ToString",
    "AsRef",
    "AsMut",
];
/// Traits whose functions everybody can call on a type.
const FUNCTIONS: [&str; 4] = ["Default", "From", "FromIterator", "TryFrom"];

/// Methods of prelude traits: written as `x.name()` these may win over ours.
const PRELUDE_METHODS: [&str; 26] = [
    "clone",
    "cmp",
    "partial_cmp",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "min",
    "max",
    "clamp",
    "into",
    "try_into",
    "to_owned",
    "to_string",
    "as_ref",
    "as_mut",
    "into_iter",
    "borrow",
    "borrow_mut",
    "next",
    "map",
    "drop",
    "type_id",
    "fmt",
];

const OPERATORS: [((&str, &str), &str); 19] = [
    (("Add", "add"), "+"),
    (("Sub", "sub"), "-"),
    (("Mul", "mul"), "*"),
    (("Div", "div"), "/"),
    (("Rem", "rem"), "%"),
    (("BitAnd", "bitand"), "&"),
    (("BitOr", "bitor"), "|"),
    (("BitXor", "bitxor"), "^"),
    (("Shl", "shl"), "<<"),
    (("Shr", "shr"), ">>"),
    (("AddAssign", "add_assign"), "+="),
    (("SubAssign", "sub_assign"), "-="),
    (("MulAssign", "mul_assign"), "*="),
    (("DivAssign", "div_assign"), "/="),
    (("RemAssign", "rem_assign"), "%="),
    (("PartialEq", "eq"), "=="),
    (("PartialEq", "ne"), "!="),
    (("PartialOrd", "lt"), "<"),
    (("PartialOrd", "gt"), ">"),
];

/// The call as it is written where types have to be told.
pub(crate) fn explicit(call: &Call) -> String {
    let form = explicit_form(call);
    match &call.result {
        Treatment::Unwrapped(Unwrap::Some) => format!("{form}.unwrap()"),
        // What is not wanted need not be shown, so it need not be `Debug`.
        Treatment::Unwrapped(Unwrap::Ok) => format!("{form}.ok().unwrap()"),
        Treatment::Unwrapped(Unwrap::Err) => format!("{form}.err().unwrap()"),
        Treatment::Awaited => awaited(&form),
        // The statement leaves it: `drop` of what is `Copy` would be a warning.
        Treatment::Dropped => form,
        Treatment::Formatted => {
            format!("format!(\"{{}}\", std::fmt::from_fn(|formatter| {form}))")
        }
        Treatment::Interrupted { otherwise, times } => {
            let uninterrupted = Call { result: (**otherwise).clone(), ..call.clone() };
            interrupted(&explicit(&uninterrupted), *times)
        }
        _ => call.result.full(&form),
    }
}

fn explicit_form(call: &Call) -> String {
    call.in_its_block(explicit_bare(call))
}

fn explicit_bare(call: &Call) -> String {
    let args = call.args.join(", ");
    match &call.form {
        Form::Member { name, generics, method: true, .. }
            if !PRELUDE_METHODS.contains(&name.as_str()) =>
        {
            method(&receiver(&call.args[0]), name, generics, &call.args[1..])
        }
        Form::TraitMember { of: Some(of), trait_, name, .. } => {
            match (trait_.name(), name.as_str()) {
                ("Default", "default") => format!("<{of}>::default()"),
                ("From", "from") => format!("<{of}>::from({args})"),
                ("FromStr", "from_str") => {
                    format!("{}.parse::<{of}>()", receiver(&call.args[0]))
                }
                ("Clone", "clone") => format!("{}.clone()", receiver(&call.args[0])),
                ("Index", "index") => format!("&{}[{}]", receiver(&call.args[0]), call.args[1]),
                _ => form_in_full(call),
            }
        }
        Form::Field(name) => format!("&{}.{name}", receiver(&args)),
        Form::Template { show, about: Some(about), .. } => show.replace("{call}", &explicit(about)),
        Form::Template { show, about: None, .. } => show.clone(),
        _ => form_in_full(call),
    }
}

/// By a function that stands in the file; see `test_file`.
fn awaited(future: &str) -> String {
    format!("block_on({future})")
}

fn form_in_full(call: &Call) -> String {
    Call { result: Treatment::Kept, in_unsafe: false, ..call.clone() }.full()
}

/// The call as a person would write it.
pub(crate) fn plain(plan: &Plan, operation: &Operation) -> String {
    let inputs = operation.inputs.iter().map(|input| plan.ty(input.ty).ty.to_string());
    plain_call(&operation.call, &inputs.collect::<Vec<_>>())
}

/// `inputs` are the types of the arguments.
fn plain_call(call: &Call, inputs: &[String]) -> String {
    let form = || plain_form(call, inputs);
    match &call.result {
        Treatment::Kept => form(),
        Treatment::Followed(methods) => format!("{}{methods}", form()),
        Treatment::Unwrapped(Unwrap::Some | Unwrap::Ok) => format!("{}.unwrap()", form()),
        Treatment::Unwrapped(Unwrap::Err) => format!("{}.unwrap_err()", form()),
        Treatment::Awaited => awaited(&form()),
        Treatment::Interrupted { otherwise, times } => {
            let uninterrupted = Call { result: (**otherwise).clone(), ..call.clone() };
            interrupted(&plain_call(&uninterrupted, inputs), *times)
        }
        Treatment::Boxed | Treatment::Displayed | Treatment::Dropped | Treatment::Formatted => {
            explicit(call)
        }
    }
}

fn plain_form(call: &Call, inputs: &[String]) -> String {
    call.in_its_block(plain_bare(call, inputs))
}

fn plain_bare(call: &Call, inputs: &[String]) -> String {
    let shorter = match &call.form {
        Form::Member { of, name, generics, method: on_itself } => {
            if *on_itself && is_first(&call.args) {
                let told = told_by_arguments(generics, &call.args[1..], inputs);
                return method("{.0}", name, told, &call.args[1..]);
            }
            let args = call.args.join(", ");
            of.as_prefix().map(|of| format!("{of}::{name}{}({args})", turbofish(generics)))
        }
        Form::TraitMember { of, trait_, name, generics } => {
            plain_trait_member(of.as_ref(), trait_, name, generics, &call.args, inputs)
        }
        Form::MemberConstant { of, name } => of.as_prefix().map(|of| format!("{of}::{name}")),
        Form::Format(spec) => match spec.as_str() {
            "" => Some("{.0}.to_string()".to_owned()),
            "?" => Some("format!(\"{:?}\", {.0})".to_owned()),
            _ => None,
        },
        Form::Template { show, about: Some(about), .. } => {
            Some(show.replace("{call}", &plain_call(about, inputs)))
        }
        _ => None,
    };
    shorter.unwrap_or_else(|| explicit_bare(call))
}

/// An operator, a method, or a function of the type or the trait.
fn plain_trait_member(
    of: Option<&Ty>,
    trait_: &TraitRef,
    name: &str,
    generics: &[String],
    args: &[String],
    inputs: &[String],
) -> Option<String> {
    let operator = OPERATORS.iter().find(|(known, _)| *known == (trait_.name(), name));
    if let (Some((_, sign)), [], ["{0}", "{1}"]) = (operator, generics, texts(args).as_slice()) {
        return Some(match *sign {
            "==" | "!=" | "<" | ">" => format!("{{.0}} {sign} {{.1}}"),
            sign if sign.ends_with('=') => format!("{{.0}} {sign} {{1}}"),
            sign => format!("{{0}} {sign} {{1}}"),
        });
    }
    match (trait_.name(), name) {
        ("Clone", "clone") | ("FromStr", "from_str") | ("Index", "index") => return None,
        _ => {}
    }
    if METHODS.contains(&trait_.name()) && is_first(args) {
        // What is implemented for a reference is not called on the value itself.
        let by_reference = matches!(of, Some(Ty::Ref { .. }));
        return Some(match by_reference {
            true => method("({0})", name, generics, &args[1..]),
            false => {
                let told = told_by_arguments(generics, &args[1..], inputs);
                method("{.0}", name, told, &args[1..])
            }
        });
    }
    if FUNCTIONS.contains(&trait_.name()) {
        return Some(format!("{}::{name}({})", of?.as_prefix()?, args.join(", ")));
    }
    let told = if says_nothing(generics) { &[] } else { generics };
    of.filter(|_| is_first(args))
        .map(|_| format!("{}::{name}{}({})", trait_.path, turbofish(told), args.join(", ")))
}

fn texts(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// Whether the first argument is the operation's own first.
fn is_first(args: &[String]) -> bool {
    args.first().is_some_and(|first| first == "{0}")
}

fn method(receiver: &str, name: &str, generics: &[String], args: &[String]) -> String {
    format!("{receiver}.{name}{}({})", turbofish(generics), args.join(", "))
}

/// `{0}` as a receiver is written without a mark of borrowing.
fn receiver(placeholder: &str) -> String {
    match placeholder.strip_prefix('{') {
        Some(rest) if rest[..rest.len() - 1].parse::<usize>().is_ok() => format!("{{.{rest}"),
        _ => placeholder.to_owned(),
    }
}

/// `::<_, _>`
fn says_nothing(generics: &[String]) -> bool {
    generics.iter().all(|argument| argument == "_")
}

/// A method that is given a closure, or values in whose types they stand, says by that what
/// its own types are.
fn told_by_arguments<'g>(
    generics: &'g [String],
    others: &[String],
    inputs: &[String],
) -> &'g [String] {
    let inferred = generics.iter().any(|argument| argument == "_");
    let stands = |argument: &String| inputs.iter().skip(1).any(|input| input.contains(argument));
    let told = !others.is_empty() && (inferred || generics.iter().all(stands));
    if says_nothing(generics) || told { &[] } else { generics }
}

/// Whether the template is two operands and a sign between them.
pub(crate) fn is_operator(template: &str) -> bool {
    OPERATORS.iter().any(|(_, sign)| {
        let infix = format!("}} {sign} {{");
        template.len() <= infix.len() + "{.0".len() + ".1}".len() && template.contains(&infix)
    })
}

/// Whether the expression can be followed by a dot, or preceded by a sign,
/// without parentheses.
pub(crate) fn is_atomic(text: &str) -> bool {
    if text.starts_with(['&', '*', '|', '-', '{', '!'])
        || text.starts_with("move ")
        || text.starts_with("unsafe ")
    {
        return false;
    }
    let mut depth = 0;
    let mut quoted = false;
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '"' if before != '\\' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ' ' if depth == 0 => return false,
            '.' if depth == 0 && before == '.' => return false,
            _ => {}
        }
        before = if before == '\\' { ' ' } else { c };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(args: &[&str]) -> Vec<String> {
        args.iter().map(|arg| (*arg).to_owned()).collect()
    }

    /// A shelf and a list are what all these calls are given.
    fn inputs() -> Vec<String> {
        args(&["a::Shelf<i32>", "std::vec::Vec<i32>"])
    }

    /// `<of as trait_>::name::<generics>(args)`, made plain.
    fn check_trait(
        of: Option<Ty>,
        trait_: &str,
        name: &str,
        generics: &[&str],
        args_: &[&str],
        plain: &str,
    ) {
        let trait_ = TraitRef::new(trait_, vec![]);
        let form = Form::TraitMember { of, trait_, name: name.into(), generics: args(generics) };
        assert_eq!(plain_call(&Call::new(form, args(args_)), &inputs()), plain);
    }

    /// `<of>::name::<generics>(args)`, made plain.
    fn check_member(
        of: Ty,
        name: &str,
        method: bool,
        generics: &[&str],
        args_: &[&str],
        plain: &str,
    ) {
        let form = Form::Member { of, name: name.into(), generics: args(generics), method };
        assert_eq!(plain_call(&Call::new(form, args(args_)), &inputs()), plain);
    }

    fn shelf() -> Ty {
        Ty::adt("a::Shelf", vec![Ty::prim("i32")])
    }

    #[test]
    fn methods_are_called_on_their_values() {
        check_trait(None, "Iterator", "next", &[], &["{0}"], "{.0}.next()");
        let iter = "std::iter::Iterator";
        check_trait(Some(shelf()), iter, "nth", &[], &["{0}", "{1}"], "{.0}.nth({1})");
        let each = Some(Ty::exclusive(shelf()));
        let into_iter = "({0}).into_iter()";
        check_trait(each, "std::iter::IntoIterator", "into_iter", &[], &["{0}"], into_iter);
        let list = ["std::vec::Vec<i32>"];
        let extend = "{.0}.extend({1})";
        check_trait(Some(shelf()), "std::iter::Extend", "extend", &list, &["{0}", "{1}"], extend);
        let trait_ = TraitRef::new("Iterator", vec![]);
        let form = Form::TraitMember { of: None, trait_, name: "rev".into(), generics: vec![] };
        let result = Treatment::Followed(".take(9).collect::<Vec<_>>()".into());
        let call = Call { result, ..Call::new(form, args(&["{0}"])) };
        assert_eq!(plain_call(&call, &[]), "{.0}.rev().take(9).collect::<Vec<_>>()");
    }

    #[test]
    fn a_function_that_takes_itself_is_a_method() {
        check_member(shelf(), "map", true, &["i32", "_"], &["{0}", "|x| x"], "{.0}.map(|x| x)");
        check_member(shelf(), "parts", true, &["i32"], &["{0}"], "{.0}.parts::<i32>()");
        check_member(
            shelf(),
            "retain",
            true,
            &["_"],
            &["{0}", "|_| true"],
            "{.0}.retain(|_| true)",
        );
        check_member(shelf(), "len", true, &["_"], &["{0}"], "{.0}.len()");
        // What is given tells one type and not the other.
        let given = ["{0}", "{1}"];
        check_member(shelf(), "put", true, &["i32"], &given, "{.0}.put({1})");
        check_member(shelf(), "read", true, &["u8"], &given, "{.0}.read::<u8>({1})");
    }

    #[test]
    fn operators_stand_between_their_operands() {
        let set = Some(Ty::shared(shelf()));
        check_trait(set, "std::ops::Sub", "sub", &[], &["{0}", "{1}"], "{0} - {1}");
        let eq = "std::cmp::PartialEq";
        check_trait(Some(shelf()), eq, "eq", &[], &["{0}", "{1}"], "{.0} == {.1}");
        let add = "std::ops::AddAssign";
        check_trait(Some(shelf()), add, "add_assign", &[], &["{0}", "{1}"], "{.0} += {1}");
        assert!(is_operator("{.0} == {.1}") && is_operator("{0} - {1}"));
        assert!(!is_operator("{.0} != {.1} || {.1} == {.2}"));
    }

    #[test]
    fn functions_are_called_on_their_types() {
        let default = "std::default::Default";
        check_trait(Some(shelf()), default, "default", &[], &[], "a::Shelf::<i32>::default()");
        let bare = Ty::adt("a::Version", vec![]);
        check_member(bare.clone(), "parse", false, &[], &["{0}"], "a::Version::parse({0})");
        let slice = Ty::Slice(Box::new(Ty::prim("u8")));
        check_member(slice, "of", false, &[], &["{0}"], "<[u8]>::of({0})");
        let constant = Form::MemberConstant { of: bare.clone(), name: "EMPTY".into() };
        assert_eq!(plain_call(&Call::new(constant, vec![]), &[]), "a::Version::EMPTY");
        let display = Call::new(Form::Format(String::new()), args(&["{0}"]));
        assert_eq!(plain_call(&display, &[]), "{.0}.to_string()");
        let (from, list) = ("std::iter::FromIterator", ["std::vec::Vec<a::C>"]);
        let from_iter = "a::Version::from_iter({0})";
        check_trait(Some(bare.clone()), from, "from_iter", &list, &["{0}"], from_iter);
        let retain = "a::set::Values::retain2({0}, |_| true)";
        let given = ["{0}", "|_| true"];
        check_trait(Some(shelf()), "a::set::Values", "retain2", &["_"], &given, retain);
        let parse = "{.0}.parse::<a::Version>()";
        check_trait(Some(bare), "std::str::FromStr", "from_str", &[], &["{0}"], parse);
    }

    #[test]
    fn what_is_unwrapped_says_so_in_few_words() {
        let taken =
            |unwrap| Call { result: Treatment::Unwrapped(unwrap), ..Call::template("{0}", "{.0}") };
        assert_eq!(plain_call(&taken(Unwrap::Ok), &[]), "{.0}.unwrap()");
        assert_eq!(explicit(&taken(Unwrap::Ok)), "{.0}.ok().unwrap()");
        assert_eq!(plain_call(&taken(Unwrap::Err), &[]), "{.0}.unwrap_err()");
        assert_eq!(plain_call(&taken(Unwrap::Some), &[]), "{.0}.unwrap()");
    }

    #[test]
    fn a_claim_about_a_call_writes_the_call_plainly() {
        let trait_ = TraitRef::new("a::Priced", vec![]);
        let of = Some(shelf());
        let form = Form::TraitMember { of, trait_, name: "price".into(), generics: vec![] };
        let about = Some(Box::new(Call::new(form, args(&["{0}"]))));
        let show = "{call} == {call}".to_owned();
        let claim = Call::new(Form::Template { full: show.clone(), show, about }, vec![]);
        assert_eq!(plain_call(&claim, &[]), "a::Priced::price({0}) == a::Priced::price({0})");
    }

    #[test]
    fn an_atom_needs_no_parentheses() {
        assert!(is_atomic("Some(1 + 2)"));
        assert!(is_atomic("\"a b\""));
        assert!(!is_atomic("1 + 2"));
        assert!(!is_atomic("0..3"));
        assert!(!is_atomic("&a"));
        assert!(!is_atomic("Board { width: 1 }"));
    }
}
