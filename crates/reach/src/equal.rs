//! Equality, also of objects.
//!
//! Objects that are equal answer alike: what they are asked without arguments, and what the
//! objects answer that they show. That is an assumption about their `Eq` (a capacity may
//! differ), with a literal of its own. That objects which answer alike are equal is not said.

use crate::translate::{Scope, is_named};
use crate::value::{Object, Value};
use crate::world::World;
use syn::{Expr, UnOp};
use testsmith_solver::term::Term;

/// Objects that are shown by objects, one in the other.
const MAX_DEPTH: usize = 2;

/// Two objects at their moments that were compared, and whether they are equal.
pub(crate) type Compared = ((Object, usize), (Object, usize));

impl World<'_> {
    /// Whether what two expressions gave is the same.
    pub(crate) fn same_as(
        &mut self,
        (a, left): (&Value, &Expr),
        (b, right): (&Value, &Expr),
        scope: &Scope,
    ) -> Option<Term> {
        self.same_at((a, moment_of(left, scope)), (b, moment_of(right, scope)))
    }

    /// Whether values are the same, of which objects are asked at their moments.
    pub(crate) fn same_at(&mut self, a: (&Value, usize), b: (&Value, usize)) -> Option<Term> {
        match (a.0, b.0) {
            (Value::Object(x), Value::Object(y)) => {
                Some(self.same_objects((x, a.1), (y, b.1), MAX_DEPTH))
            }
            (Value::Option { some: s, value: x }, Value::Option { some: t, value: y })
                if matches!((&**x, &**y), (Value::Object(_), Value::Object(_))) =>
            {
                let kinds = self.terms.equal(*s, *t);
                let inside = self.same_at((x, a.1), (y, b.1))?;
                let inside = self.terms.implies(*s, inside);
                Some(self.terms.and(kinds, inside))
            }
            (x, y) => self.terms.same(x, y),
        }
    }

    fn same_objects(&mut self, a: (&Object, usize), b: (&Object, usize), depth: usize) -> Term {
        if a == b {
            return self.terms.truth(true);
        }
        let own = |of: (&Object, usize)| (of.0.clone(), of.1);
        if let Some(known) = self.compared.get(&(own(a), own(b))) {
            return *known;
        }
        let equal = self.terms.fresh(1);
        self.compared.insert((own(a), own(b)), equal);
        self.compared.insert((own(b), own(a)), equal);
        let alike = match self.alike {
            Some(literal) => literal,
            None => *self.alike.insert(self.terms.fresh(1)),
        };
        let when = self.terms.and(equal, alike);
        if a.0.ty != b.0.ty {
            return equal;
        }
        let system = self.system;
        for query in system.virtual_state(a.0.ty) {
            if system.functions[query].params.len() != 1 {
                continue;
            }
            let first = self.ask(query, vec![Value::Object(a.0.clone())], a.1);
            let second = self.ask(query, vec![Value::Object(b.0.clone())], b.1);
            let (Ok((first, _)), Ok((second, _))) = (first, second) else { continue };
            let same = match (&first, &second) {
                (Value::Object(x), Value::Object(y)) if depth > 0 => {
                    Some(self.same_objects((x, a.1), (y, b.1), depth - 1))
                }
                (Value::Object(_), _) => None,
                (x, y) => self.terms.same(x, y),
            };
            if let Some(same) = same {
                let holds = self.terms.implies(when, same);
                self.require(holds);
            }
        }
        equal
    }
}

/// When what an expression gives is asked: `old` stands around it, or does not.
fn moment_of(expr: &Expr, scope: &Scope) -> usize {
    match expr {
        Expr::Paren(inner) => moment_of(&inner.expr, scope),
        Expr::Group(inner) => moment_of(&inner.expr, scope),
        Expr::Reference(inner) => moment_of(&inner.expr, scope),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => moment_of(&unary.expr, scope),
        Expr::MethodCall(call) if call.args.is_empty() => moment_of(&call.receiver, scope),
        Expr::Call(call) if is_named(&call.func, "old") => scope.old,
        Expr::Call(call) if call.args.len() == 1 => moment_of(&call.args[0], scope),
        _ => scope.now,
    }
}
