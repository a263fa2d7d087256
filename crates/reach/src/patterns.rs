//! Patterns and what they bind: `matches!`, `match`, `let`, the parameters of closures.

use crate::parse::Matches;
use crate::translate::{Out, Scope, Why, words};
use crate::value::Value;
use crate::world::World;
use syn::{Expr, Pat};
use testsmith_solver::term::Term;

impl World<'_> {
    pub(crate) fn matches(&mut self, it: &Matches, scope: &Scope) -> Result<Out, Why> {
        let out = self.expression(&it.value, scope)?;
        let mut inner = scope.clone();
        let fits = self.pattern(&it.pattern, &out.value, &mut inner)?;
        let Some(guard) = &it.guard else {
            return Ok(Out { value: Value::Bool(fits), ok: out.ok });
        };
        let (holds, ok) = self.condition(guard, &inner);
        let later = self.terms.implies(fits, ok);
        let ok = self.terms.and(out.ok, later);
        Ok(Out { value: Value::Bool(self.terms.and(fits, holds)), ok })
    }

    pub(crate) fn match_(&mut self, it: &syn::ExprMatch, scope: &Scope) -> Result<Out, Why> {
        let subject = self.expression(&it.expr, scope)?;
        let mut arms = vec![];
        for arm in &it.arms {
            let mut inner = scope.clone();
            let mut fits = self.pattern(&arm.pat, &subject.value, &mut inner)?;
            if let Some((_, guard)) = &arm.guard {
                let (holds, _) = self.condition(guard, &inner);
                fits = self.terms.and(fits, holds);
            }
            let body = self.only_where(fits, |it| it.expression(&arm.body, &inner));
            arms.push((fits, body));
        }
        let mut arms = self.with_free_arms(arms)?;
        let (_, last) = arms.pop().ok_or("a `match` without arms")?;
        let mut result = last;
        for (fits, out) in arms.into_iter().rev() {
            let value = self.terms.choice(fits, &out.value, &result.value);
            let value = value.ok_or("the arms of `match` cannot be put together")?;
            result = Out { value, ok: self.terms.ite(fits, out.ok, result.ok) };
        }
        Ok(Out { value: result.value, ok: self.terms.and(subject.ok, result.ok) })
    }

    /// An arm that cannot be translated is anything, if the others are conditions.
    fn with_free_arms(
        &mut self,
        arms: Vec<(Term, Result<Out, Why>)>,
    ) -> Result<Vec<(Term, Out)>, Why> {
        let is_condition = |arm: &(Term, Result<Out, Why>)| {
            matches!(&arm.1, Ok(Out { value: Value::Bool(_), .. }))
        };
        let conditions = arms.iter().any(is_condition);
        let mut all = vec![];
        for (fits, out) in arms {
            all.push((
                fits,
                match out {
                    Ok(out) => out,
                    Err(why) if conditions => {
                        self.note_free(why);
                        let value = Value::Bool(self.terms.fresh(1));
                        self.sure(value)
                    }
                    Err(why) => return Err(why),
                },
            ));
        }
        Ok(all)
    }

    /// Whether a value matches; what the pattern names is added to the scope.
    pub(crate) fn pattern(
        &mut self,
        pattern: &Pat,
        value: &Value,
        scope: &mut Scope,
    ) -> Result<Term, Why> {
        match pattern {
            Pat::Wild(_) | Pat::Rest(_) => Ok(self.terms.truth(true)),
            Pat::Paren(inner) => self.pattern(&inner.pat, value, scope),
            Pat::Reference(inner) => self.pattern(&inner.pat, value, scope),
            Pat::Type(inner) => self.pattern(&inner.pat, value, scope),
            Pat::Ident(ident) => {
                let name = ident.ident.to_string();
                if name == "None" {
                    return self.variant_pattern(&[name], &[], value, scope);
                }
                scope.names.insert(name, value.clone());
                match &ident.subpat {
                    Some((_, inner)) => self.pattern(inner, value, scope),
                    None => Ok(self.terms.truth(true)),
                }
            }
            Pat::Or(all) => {
                let mut fits = vec![];
                for case in &all.cases {
                    fits.push(self.pattern(case, value, scope)?);
                }
                Ok(self.terms.any(&fits))
            }
            Pat::Tuple(tuple) => {
                let Value::Tuple(parts) = value else {
                    return Err("a pattern for a tuple".to_owned());
                };
                let mut fits = vec![];
                for (pattern, part) in tuple.elems.iter().zip(parts) {
                    fits.push(self.pattern(pattern, part, scope)?);
                }
                Ok(self.terms.all(&fits))
            }
            Pat::Path(path) => self.variant_pattern(&words(&path.path), &[], value, scope),
            Pat::TupleStruct(it) => {
                let inside: Vec<&Pat> = it.elems.iter().collect();
                self.variant_pattern(&words(&it.path), &inside, value, scope)
            }
            Pat::Struct(it) => self.struct_pattern(it, value, scope),
            Pat::Lit(_) | Pat::Const(_) => {
                let Pat::Lit(lit) = pattern else { return Err("a constant block".to_owned()) };
                let known = self.expression(&Expr::Lit(lit.clone()), scope)?;
                let same = self.terms.same(value, &known.value);
                same.ok_or_else(|| "a literal of another type in a pattern".to_owned())
            }
            Pat::Range(range) => self.range_pattern(range, value, scope),
            _ => Err("a pattern that is not translated".to_owned()),
        }
    }

    fn range_pattern(
        &mut self,
        range: &syn::PatRange,
        value: &Value,
        scope: &Scope,
    ) -> Result<Term, Why> {
        let no = || "a range in a pattern".to_owned();
        let mut fits = self.terms.truth(true);
        if let Some(low) = &range.start {
            let low = self.expression(low, scope)?.value;
            let below = self.less(value, &low).ok_or_else(no)?;
            let inside = self.terms.not(below);
            fits = self.terms.and(fits, inside);
        }
        if let Some(high) = &range.end {
            let high = self.expression(high, scope)?.value;
            let inside = match range.limits {
                syn::RangeLimits::HalfOpen(_) => self.less(value, &high).ok_or_else(no)?,
                syn::RangeLimits::Closed(_) => {
                    let above = self.less(&high, value).ok_or_else(no)?;
                    self.terms.not(above)
                }
            };
            fits = self.terms.and(fits, inside);
        }
        Ok(fits)
    }

    fn variant_pattern(
        &mut self,
        path: &[String],
        inside: &[&Pat],
        value: &Value,
        scope: &mut Scope,
    ) -> Result<Term, Why> {
        let name = path.last().map(String::as_str).unwrap_or_default();
        let (fits, parts): (Term, Vec<Value>) = match (name, value) {
            ("Some", Value::Option { some, value }) => (*some, vec![(**value).clone()]),
            ("None", Value::Option { some, .. }) => (self.terms.not(*some), vec![]),
            ("Ok", Value::Result { ok, value, .. }) => (*ok, vec![(**value).clone()]),
            ("Err", Value::Result { ok, error, .. }) => {
                (self.terms.not(*ok), vec![(**error).clone()])
            }
            (name, Value::Enum { ty, tag, fields }) => {
                let number = self.variant_number(*ty, name)?;
                let wanted = self.terms.number(16, number as i128);
                (self.terms.equal(*tag, wanted), fields[number].clone())
            }
            _ => {
                let known = self.named(path, scope)?;
                let same = self.terms.same(value, &known.value);
                return same.ok_or_else(|| format!("`{name}` in a pattern"));
            }
        };
        let mut all = vec![fits];
        for (pattern, part) in inside.iter().zip(&parts) {
            if matches!(pattern, Pat::Rest(_)) {
                break;
            }
            all.push(self.pattern(pattern, part, scope)?);
        }
        Ok(self.terms.all(&all))
    }

    fn struct_pattern(
        &mut self,
        it: &syn::PatStruct,
        value: &Value,
        scope: &mut Scope,
    ) -> Result<Term, Why> {
        let name = words(&it.path).pop().unwrap_or_default();
        let Value::Enum { ty, tag, fields } = value else {
            return Err(format!("`{name}` in a pattern"));
        };
        let number = self.variant_number(*ty, &name)?;
        let wanted = self.terms.number(16, number as i128);
        let mut all = vec![self.terms.equal(*tag, wanted)];
        let system = self.system;
        let variants = system.types[*ty].variants.as_deref().unwrap_or_default();
        for field in &it.fields {
            let syn::Member::Named(wanted) = &field.member else { continue };
            let place = variants[number].fields.iter().position(|(name, _)| wanted == name);
            let place = place.ok_or_else(|| format!("{name} has no field {wanted}"))?;
            all.push(self.pattern(&field.pat, &fields[number][place], scope)?);
        }
        Ok(self.terms.all(&all))
    }

    pub(crate) fn variant_number(&self, ty: usize, name: &str) -> Result<usize, Why> {
        let known = &self.system.types[ty];
        let variants = known.variants.as_deref().unwrap_or_default();
        let found = variants.iter().position(|variant| variant.name == name);
        found.ok_or_else(|| format!("{} has no variant {name}", known.name))
    }
}
