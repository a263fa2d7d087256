//! Functions beside tests that make one call and assert what it promises, so that a test
//! is no more than the values to try it with.
//!
//! ```text
//! /// What `Pantry::add` promises.
//! fn check_add(pantry: &mut Pantry, good: u8) {
//!     let len_before = pantry.len();
//!     pantry.add(good);
//!     assert_eq!(pantry.len(), len_before + 1);
//! }
//! ```

use crate::calls::{explicit, is_operator, plain};
use crate::imports::Imports;
use crate::test::{Style, Test, file, function};
use testsmith_model::call::{Placeholder, fill};
use testsmith_model::{Mode, OpId, Plan, TypeId};

/// A function that checks one call, or a value.
#[derive(Clone, Debug)]
pub struct Check {
    pub name: String,
    /// What it checks; one line each.
    pub comment: Vec<String>,
    /// The call that it makes; none if it only looks at a value.
    pub op: Option<OpId>,
    pub parameters: Vec<Parameter>,
    /// Statements before the call.
    pub before: Vec<String>,
    /// What the result is called, if something is said of it.
    pub result: Option<String>,
    /// Statements after the call.
    pub after: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub ty: TypeId,
    pub mode: Mode,
}

/// A whole file of tests, each below the function that it calls.
pub fn checked_file(plan: &Plan, tests: &[(&Check, &Test)]) -> String {
    let mut imports = Imports::new(plan);
    let mut bodies = vec![];
    for (check, test) in tests {
        bodies.push(check_function(plan, check, test.style, &mut imports));
        bodies.push(function(plan, test, &mut imports));
    }
    file(&[], &imports, &bodies)
}

fn check_function(plan: &Plan, check: &Check, style: Style, imports: &mut Imports) -> String {
    let mut text: String = check.comment.iter().map(|line| format!("/// {line}\n")).collect();
    let parameter = |one: &Parameter| {
        let ty = imports.shorten(&plan.ty(one.ty).ty.to_string());
        let mark = match one.mode {
            Mode::Own | Mode::Reborrow => "",
            Mode::Shared => "&",
            Mode::Exclusive => "&mut ",
        };
        format!("{}: {mark}{ty}", one.name)
    };
    let parameters: Vec<String> = check.parameters.iter().map(parameter).collect();
    if check.op.is_some_and(|op| plan.operation(op).docs.deprecated) {
        text.push_str("#[allow(deprecated)]\n");
    }
    text.push_str(&format!("fn {}({}) {{\n", check.name, parameters.join(", ")));
    let mut lines = check.before.clone();
    if let Some(op) = check.op {
        let call = call(plan, check, op, style, imports);
        let unit = plan.ty(plan.operation(op).output).ty.is_unit();
        lines.push(match &check.result {
            Some(name) => format!("let {name} = {call};"),
            None if unit => format!("{call};"),
            None => format!("let _ = {call};"),
        });
    }
    lines.extend(check.after.iter().cloned());
    for line in lines {
        text.push_str(&format!("    {line}\n"));
    }
    text.push_str("}\n");
    text
}

/// The call on the parameters, which are references already where it takes some.
fn call(plan: &Plan, check: &Check, op: OpId, style: Style, imports: &mut Imports) -> String {
    let operation = plan.operation(op);
    let template = match style {
        Style::Plain => imports.shorten(&plain(plan, operation)),
        Style::Explicit => imports.shorten_types(&explicit(&operation.call)),
    };
    let infix = is_operator(&template);
    fill(&template, &mut |placeholder, text| match placeholder {
        Placeholder::Inapplicable => text.push_str("panic!(\"another variant\")"),
        Placeholder::Receiver(n) | Placeholder::Argument(n) => {
            let Parameter { name, mode, .. } = &check.parameters[n];
            let reference = matches!(mode, Mode::Shared | Mode::Exclusive);
            let through = infix && reference && matches!(placeholder, Placeholder::Receiver(_));
            text.push_str(if through { "*" } else { "" });
            text.push_str(name);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::TestEnding;
    use testsmith_model::operation::{Abilities, TypeInfo};
    use testsmith_model::ty::Ty;
    use testsmith_model::{Call, Operation, Sequence};

    #[test]
    fn a_test_stands_below_the_function_that_it_calls() {
        let info = |ty: Ty| TypeInfo::owned(ty, Abilities::default());
        let inputs = [(TypeId(1), Mode::Exclusive), (TypeId(2), Mode::Own)];
        let mut put = Operation::of_types(&inputs, TypeId(0));
        put.call = Call::template("{0}.put({1})", "{.0}.put({1})");
        let shelf = Ty::adt("a::Shelf", vec![]);
        let plan = Plan {
            types: vec![info(Ty::unit()), info(shelf), info(Ty::prim("u8"))],
            operations: vec![put],
            ..Plan::default()
        };
        let parameter =
            |name: &str, ty: u32, mode| Parameter { name: name.to_owned(), ty: TypeId(ty), mode };
        let check = Check {
            name: "check_put".to_owned(),
            comment: vec!["What it promises.".to_owned()],
            op: Some(OpId(0)),
            parameters: vec![parameter("shelf", 1, Mode::Exclusive), parameter("n", 2, Mode::Own)],
            before: vec!["let len_before = shelf.len();".to_owned()],
            result: None,
            after: vec!["assert_eq!(shelf.len(), len_before + 1);".to_owned()],
        };
        let sequence = Sequence::default();
        let test = Test {
            name: "it".to_owned(),
            comment: vec![],
            sequence: &sequence,
            ending: TestEnding::Open,
            seen: &[],
            style: Style::Plain,
        };
        let wanted = "use a::Shelf;\n\n/// What it promises.\n\
                      fn check_put(shelf: &mut Shelf, n: u8) {\n    \
                      let len_before = shelf.len();\n    shelf.put(n);\n    \
                      assert_eq!(shelf.len(), len_before + 1);\n}\n\n#[test]\nfn it() {\n}\n";
        assert_eq!(checked_file(&plan, &[(&check, &test)]), wanted);
    }
}
