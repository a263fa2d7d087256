//! Reads what functions compare to decide what they do.
//!
//! Only comparisons of parameters, of their fields and methods without arguments, and of
//! whole numbers are read, with a number added on either side; whether such a member is
//! public and can be asked is for others to say. A file that cannot be parsed has none.

use crate::literals::sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ImplItem, Item, Lit, Member, Pat, Signature, Type, UnOp};
use testsmith_model::branch::{Branch, Side};
use testsmith_model::relation::Relation;

/// Comparisons that are kept of one function.
const MAX_EACH: usize = 12;

/// The comparisons of all functions of a package.
pub fn branches(root: &Path) -> Vec<Branch> {
    let mut found = BTreeSet::new();
    for text in sources(root) {
        if let Ok(file) = syn::parse_file(&text) {
            of_items(&file.items, &mut found);
        }
    }
    let mut each: BTreeMap<(String, String), usize> = BTreeMap::new();
    let few = |branch: &Branch| {
        let many = each.entry((branch.owner.clone(), branch.function.clone())).or_default();
        *many += 1;
        *many <= MAX_EACH
    };
    found.into_iter().filter(few).collect()
}

fn of_items(items: &[Item], found: &mut BTreeSet<Branch>) {
    for item in items {
        match item {
            Item::Mod(module) => {
                let inner = module.content.as_ref().map_or(&[][..], |(_, items)| items);
                of_items(inner, found);
            }
            Item::Fn(function) => of_function("", &function.sig, &function.block, found),
            Item::Impl(block) => {
                let Type::Path(of) = &*block.self_ty else { continue };
                let owner = of.path.segments.last().map(|last| last.ident.to_string());
                for item in &block.items {
                    if let (ImplItem::Fn(method), Some(owner)) = (item, &owner) {
                        of_function(owner, &method.sig, &method.block, found);
                    }
                }
            }
            _ => {}
        }
    }
}

fn of_function(owner: &str, sig: &Signature, block: &syn::Block, found: &mut BTreeSet<Branch>) {
    let name = |input: &syn::FnArg| match input {
        syn::FnArg::Receiver(_) => Some("self".to_owned()),
        syn::FnArg::Typed(typed) => match &*typed.pat {
            // What is written to in the body is not what was given.
            Pat::Ident(name) if name.mutability.is_none() => Some(name.ident.to_string()),
            _ => None,
        },
    };
    let mut reader = Reader {
        owner,
        function: sig.ident.to_string(),
        parameters: sig.inputs.iter().filter_map(name).collect(),
        found,
    };
    reader.visit_block(block);
}

struct Reader<'r> {
    owner: &'r str,
    function: String,
    parameters: BTreeSet<String>,
    found: &'r mut BTreeSet<Branch>,
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.condition(&branch.cond);
        visit::visit_expr_if(self, branch);
    }

    fn visit_expr_while(&mut self, branch: &'ast syn::ExprWhile) {
        self.condition(&branch.cond);
        visit::visit_expr_while(self, branch);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let checks =
            call.path.segments.last().is_some_and(|last| {
                ["assert", "debug_assert"].iter().any(|name| last.ident == name)
            });
        let all = call
            .parse_body_with(syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated);
        if let (true, Ok(all)) = (checks, all)
            && let Some(condition) = all.first()
        {
            self.condition(condition);
        }
    }

    /// What stands in there has parameters of its own.
    fn visit_item(&mut self, _: &'ast Item) {}
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}

impl Reader<'_> {
    fn condition(&mut self, condition: &Expr) {
        match condition {
            Expr::Paren(inner) => self.condition(&inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => self.condition(&unary.expr),
            Expr::Binary(both) if matches!(both.op, BinOp::And(_) | BinOp::Or(_)) => {
                self.condition(&both.left);
                self.condition(&both.right);
            }
            Expr::Binary(binary) => self.comparison(binary),
            _ => {}
        }
    }

    fn comparison(&mut self, binary: &syn::ExprBinary) {
        let relation = match binary.op {
            BinOp::Eq(_) => Relation::Equal,
            BinOp::Ne(_) => Relation::Unequal,
            BinOp::Lt(_) => Relation::Less,
            BinOp::Le(_) => Relation::AtMost,
            BinOp::Gt(_) => Relation::Greater,
            BinOp::Ge(_) => Relation::AtLeast,
            _ => return,
        };
        let sides = (self.side(&binary.left), self.side(&binary.right));
        let (Some((left, minus)), Some((right, plus))) = sides else { return };
        let Some(plus) = plus.checked_sub(minus) else { return };
        let (left, relation, right, plus) = match (left, right) {
            (Some(left), right) => (left, relation, right, plus),
            (None, Some(right)) => (right, relation.turned(), None, -plus),
            (None, None) => return,
        };
        let (owner, function) = (self.owner.to_owned(), self.function.clone());
        self.found.insert(Branch { owner, function, left, relation, right, plus });
    }

    /// One side of a comparison: what is asked, if anything, and the number beside it.
    fn side(&self, side: &Expr) -> Option<(Option<Side>, i64)> {
        match side {
            Expr::Paren(inner) => self.side(&inner.expr),
            Expr::Reference(inner) => self.side(&inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.side(&unary.expr),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => Some((None, number.base10_parse().ok()?)),
                _ => None,
            },
            Expr::Binary(sum) => {
                let ((one, a), (other, b)) = (self.side(&sum.left)?, self.side(&sum.right)?);
                match (sum.op, other) {
                    (BinOp::Add(_), None) => Some((one, a.checked_add(b)?)),
                    (BinOp::Sub(_), None) => Some((one, a.checked_sub(b)?)),
                    (BinOp::Add(_), other) if one.is_none() => Some((other, a.checked_add(b)?)),
                    _ => None,
                }
            }
            Expr::MethodCall(call) if call.args.is_empty() => {
                Some((Some(self.member(&call.receiver, call.method.to_string())?), 0))
            }
            Expr::Field(field) => match &field.member {
                Member::Named(name) => Some((Some(self.member(&field.base, name.to_string())?), 0)),
                Member::Unnamed(_) => None,
            },
            expression => Some((Some(Side { of: self.parameter(expression)?, member: None }), 0)),
        }
    }

    fn member(&self, of: &Expr, name: String) -> Option<Side> {
        Some(Side { of: self.parameter(of)?, member: Some(name) })
    }

    fn parameter(&self, expression: &Expr) -> Option<String> {
        let Expr::Path(path) = expression else { return None };
        let name = path.path.get_ident()?.to_string();
        self.parameters.contains(&name).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(body: &str) -> Vec<String> {
        let text = format!("impl Row {{ fn put(&mut self, at: usize, mut by: i32) {{ {body} }} }}");
        let file = syn::parse_file(&text).expect("it is Rust");
        let mut found = BTreeSet::new();
        of_items(&file.items, &mut found);
        let side = |side: &Side| match &side.member {
            Some(member) => format!("{}.{member}", side.of),
            None => side.of.clone(),
        };
        let each = |branch: Branch| {
            assert_eq!((branch.owner.as_str(), branch.function.as_str()), ("Row", "put"));
            let right = branch.right.as_ref().map_or("0".to_owned(), side);
            format!("{} {:?} {right} + {}", side(&branch.left), branch.relation, branch.plus)
        };
        found.into_iter().map(each).collect()
    }

    #[test]
    fn comparisons_of_parameters_and_their_members_are_read() {
        assert_eq!(said("if at + 1 < self.len() {}"), ["at Less self.len + -1"]);
        assert_eq!(said("while 8 <= self.count {}"), ["self.count AtLeast 0 + 8"]);
        assert_eq!(said("assert!(at != 3, \"no\");"), ["at Unequal 0 + 3"]);
        let both = said("if !(at > 2 && *self.len() == at) { }");
        assert_eq!(both, ["at Greater 0 + 2", "self.len Equal at + 0"]);
        assert_eq!(said("match 1 { _ if at >= 4 => {} _ => {} }"), ["at AtLeast 0 + 4"]);
    }

    #[test]
    fn what_others_cannot_see_is_not_read() {
        let none: [&str; 0] = [];
        assert_eq!(said("let n = 3; if n > 2 {}"), none, "a variable");
        assert_eq!(said("if by > 2 {}"), none, "what was given may be gone");
        assert_eq!(said("if self.slots.len() > at {}"), none, "the inside of a member");
        assert_eq!(said("if self.get(at) > 2 {}"), none, "an argument");
        assert_eq!(said("let f = |at: usize| if at > 2 {}; f(1)"), none, "another name");
        assert_eq!(said("if at * 2 > self.len() {}"), none, "more than a sum");
        assert_eq!(said("if 1 < 2 {}"), none, "nothing is asked");
    }
}
