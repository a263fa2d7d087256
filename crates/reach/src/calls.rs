//! Names, calls and fields: what a clause refers to.

use crate::system::{FnId, Sort, System, TypeId};
use crate::terms::WIDE;
use crate::translate::{Out, Scope, Why, spelled, words};
use crate::value::{Items, Value};
use crate::world::World;
use std::collections::BTreeSet;
use syn::Expr;
use testsmith_solver::term::{Op, Term};

/// Numbers of a range that is written down, which are all looked at.
const MAX_RANGE: usize = 64;

impl World<'_> {
    pub(crate) fn path(&mut self, path: &syn::Path, scope: &Scope) -> Result<Out, Why> {
        self.named(&words(path), scope)
    }

    /// What a name or a path stands for.
    pub(crate) fn named(&mut self, path: &[String], scope: &Scope) -> Result<Out, Why> {
        let name = path.last().map(String::as_str).unwrap_or_default();
        if let ([name], Some(value)) = (path, scope.names.get(name)) {
            let _ = name;
            return Ok(self.sure(value.clone()));
        }
        if name == "None" {
            let (some, value) = (self.terms.truth(false), Box::new(Value::Opaque(String::new())));
            return Ok(self.sure(Value::Option { some, value }));
        }
        let spelled = path.join("::");
        let last_two = path[path.len().saturating_sub(2)..].join("::");
        for key in [spelled.as_str(), last_two.as_str(), name] {
            if let Some(constant) = self.system.constants.get(key).cloned() {
                return self.constant(&constant.text, &constant.sort, scope);
            }
        }
        if let [.., owner, name] = path {
            if let Some(value) = self.limit(owner, name) {
                return Ok(self.sure(value));
            }
            if let Some(ty) = self.type_named(owner) {
                return self.unit_variant(ty, name);
            }
        }
        if scope.of_self
            && path.len() == 1
            && let Some(object) = scope.names.get("self").cloned()
        {
            return self.ask_of(&object, name, vec![], scope);
        }
        Err(format!("`{spelled}` is not known"))
    }

    /// The enum of this name; `Self` is the one that the clause belongs to.
    pub(crate) fn type_named(&self, name: &str) -> Option<usize> {
        let own = self.context.0.split("::").next().unwrap_or_default();
        let name = if name == "Self" { own } else { name };
        self.system.types.iter().position(|ty| ty.name == name && ty.variants.is_some())
    }

    fn unit_variant(&mut self, ty: usize, name: &str) -> Result<Out, Why> {
        let number = self.variant_number(ty, name)?;
        let value = self.variant_value(ty, number, vec![]);
        Ok(self.sure(value))
    }

    /// `Variant { a: .., b }`
    pub(crate) fn put_together(&mut self, it: &syn::ExprStruct, scope: &Scope) -> Result<Out, Why> {
        let path = words(&it.path);
        let name = path.last().map(String::as_str).unwrap_or_default();
        let no = || format!("`{} {{ .. }}` is no variant that is known", path.join("::"));
        let owner = path.len().checked_sub(2).and_then(|n| self.type_named(&path[n]));
        let ty = owner.ok_or_else(no)?;
        let number = self.variant_number(ty, name)?;
        let system = self.system;
        let variants = system.types[ty].variants.as_deref().unwrap_or_default();
        let (mut fields, mut oks) = (vec![], vec![]);
        for (field, sort) in &variants[number].fields {
            let given = it.fields.iter().find(|given| match &given.member {
                syn::Member::Named(name) => name == field,
                syn::Member::Unnamed(_) => false,
            });
            let out = self.expression(&given.ok_or_else(no)?.expr, scope)?;
            oks.push(out.ok);
            fields.push(self.as_sort(sort, out.value));
        }
        let value = self.variant_value(ty, number, fields);
        Ok(Out { value, ok: self.terms.all(&oks) })
    }

    /// A literal as a value of the type that is asked for.
    fn as_sort(&mut self, sort: &Sort, value: Value) -> Value {
        match (sort, value) {
            (Sort::Int { width, signed }, Value::Number(number)) => {
                Value::Int { term: self.terms.number(*width, number), signed: *signed }
            }
            (Sort::Float { width }, Value::Real(bits)) => {
                Value::Float(self.terms.real(bits, *width))
            }
            (_, value) => value,
        }
    }

    /// A variant with its fields; those of the others are anything.
    pub(crate) fn variant_value(&mut self, ty: usize, number: usize, fields: Vec<Value>) -> Value {
        let tag = self.terms.number(16, number as i128);
        let system = self.system;
        let variants = system.types[ty].variants.as_deref().unwrap_or_default();
        let mut all: Vec<Vec<Value>> = vec![];
        for (n, variant) in variants.iter().enumerate() {
            all.push(match n == number {
                true => fields.clone(),
                false => variant.fields.iter().map(|(_, sort)| self.any(sort, false)).collect(),
            });
        }
        Value::Enum { ty, tag, fields: all }
    }

    fn constant(&mut self, text: &str, sort: &Sort, scope: &Scope) -> Result<Out, Why> {
        let expr = crate::parse::clause(text)?;
        let empty = Scope { now: scope.now, old: scope.old, ..Scope::default() };
        let out = self.expression(&expr, &empty)?;
        let value = match (&out.value, sort) {
            (Value::Number(number), Sort::Int { width, signed }) => {
                Value::Int { term: self.terms.number(*width, *number), signed: *signed }
            }
            _ => out.value,
        };
        Ok(Out { value, ok: out.ok })
    }

    /// `i64::MAX` and its like.
    fn limit(&mut self, owner: &str, name: &str) -> Option<Value> {
        match (Sort::primitive(owner)?, name) {
            (Sort::Int { width, signed }, "MAX" | "MIN") => {
                let all = testsmith_solver::term::mask(width);
                let bits = match (signed, name) {
                    (false, "MAX") => all,
                    (false, _) => 0,
                    (true, "MAX") => all >> 1,
                    (true, _) => (all >> 1) + 1,
                };
                Some(Value::Int { term: self.terms.pool.number(width, bits), signed })
            }
            (Sort::Int { .. }, "BITS") => match Sort::primitive(owner)? {
                Sort::Int { width, .. } => Some(Value::Number(i128::from(width))),
                _ => None,
            },
            (Sort::Float { width }, name) => {
                let number = match name {
                    "MAX" if width == 32 => f64::from(f32::MAX),
                    "MAX" => f64::MAX,
                    "MIN" if width == 32 => f64::from(f32::MIN),
                    "MIN" => f64::MIN,
                    "INFINITY" => f64::INFINITY,
                    "NEG_INFINITY" => f64::NEG_INFINITY,
                    "NAN" => f64::NAN,
                    _ => return None,
                };
                Some(Value::Float(self.terms.real(number.to_bits(), width)))
            }
            _ => None,
        }
    }

    pub(crate) fn call(&mut self, call: &syn::ExprCall, scope: &Scope) -> Result<Out, Why> {
        let Expr::Path(function) = &*call.func else {
            return Err(format!("a call of {}", spelled(&call.func)));
        };
        let path = words(&function.path);
        let name = path.last().map(String::as_str).unwrap_or_default();
        let args: Vec<&Expr> = call.args.iter().collect();
        match (name, args.as_slice()) {
            ("old", [expr]) => {
                let before = Scope { now: scope.old, ..scope.clone() };
                self.expression(expr, &before)
            }
            ("unchanged", all) => self.unchanged(all, scope),
            ("implies", [_, _]) => {
                let (value, ok) = self.condition(&Expr::Call(call.clone()), scope);
                Ok(Out { value: Value::Bool(value), ok })
            }
            ("forall" | "exists", [items, closure]) => {
                self.quantified(name == "forall", items, closure, scope)
            }
            ("Some" | "Ok" | "Err", [expr]) => {
                let out = self.expression(expr, scope)?;
                let (none, yes) = (Box::new(Value::Opaque(String::new())), self.terms.truth(true));
                let inner = Box::new(out.value);
                let value = match name {
                    "Some" => Value::Option { some: yes, value: inner },
                    "Ok" => Value::Result { ok: yes, value: inner, error: none },
                    _ => Value::Result { ok: self.terms.truth(false), value: none, error: inner },
                };
                Ok(Out { value, ok: out.ok })
            }
            _ => {
                let outs = self.expressions(args.into_iter(), scope)?;
                self.applied(&path, outs, scope)
            }
        }
    }

    /// A function of the crate, a variant or a conversion, given its arguments.
    fn applied(&mut self, path: &[String], outs: Vec<Out>, scope: &Scope) -> Result<Out, Why> {
        let name = path.last().map(String::as_str).unwrap_or_default();
        let oks: Vec<Term> = outs.iter().map(|out| out.ok).collect();
        let ok = self.terms.all(&oks);
        let values: Vec<Value> = outs.into_iter().map(|out| out.value).collect();
        let owner = path.len().checked_sub(2).map(|n| path[n].as_str());
        if let Some(ty) = owner.and_then(|owner| self.type_named(owner))
            && let Ok(number) = self.variant_number(ty, name)
        {
            let value = self.variant_value(ty, number, values);
            return Ok(Out { value, ok });
        }
        if scope.of_self
            && path.len() == 1
            && let Some(Value::Object(object)) = scope.names.get("self").cloned()
            && self.system.query(object.ty, name).is_some()
        {
            let out = self.ask_of(&Value::Object(object), name, values, scope)?;
            return Ok(Out { value: out.value, ok: self.terms.and(ok, out.ok) });
        }
        if let (Some(Sort::Int { width, signed }), [value], "from" | "try_from") =
            (owner.and_then(Sort::primitive), values.as_slice(), name)
        {
            return self.converted(value, (width, signed), name == "try_from", ok);
        }
        if let (Some("String"), [value @ Value::Text { .. }], "from") =
            (owner, values.as_slice(), name)
        {
            return Ok(Out { value: value.clone(), ok });
        }
        if let Some(function) = self.system.pure_function(path) {
            let out = self.ask_function(function, values, scope)?;
            return Ok(Out { value: out.value, ok: self.terms.and(ok, out.ok) });
        }
        if let (true, 1, Some(Value::Object(object))) =
            (scope.of_self, path.len(), scope.names.get("self"))
        {
            return Err(no_query(self.system, object.ty, name));
        }
        Err(format!("`{}(..)` is no pure function that is known", path.join("::")))
    }

    fn converted(
        &mut self,
        value: &Value,
        to: (u32, bool),
        may_fail: bool,
        ok: Term,
    ) -> Result<Out, Why> {
        let (term, signed) = match value {
            Value::Int { term, signed } => (*term, *signed),
            Value::Bool(term) | Value::Char(term) => (*term, false),
            Value::Number(number) => (self.terms.number(128, *number), true),
            _ => return Err("a conversion of what is no number".to_owned()),
        };
        let (term, fits) = self.terms.resized(term, signed, to);
        let value = Value::Int { term, signed: to.1 };
        let value = match may_fail {
            false => value,
            true => Value::Result {
                ok: fits,
                value: Box::new(value),
                error: Box::new(Value::Opaque("TryFromIntError".to_owned())),
            },
        };
        Ok(Out { value, ok })
    }

    fn unchanged(&mut self, all: &[&Expr], scope: &Scope) -> Result<Out, Why> {
        let before = Scope { now: scope.old, ..scope.clone() };
        let (mut same, mut ok) = (vec![], vec![]);
        for expr in all {
            let now = self.expression(expr, scope)?;
            let then = self.expression(expr, &before)?;
            let equal = self.same_at((&now.value, scope.now), (&then.value, scope.old));
            same.push(equal.ok_or_else(|| format!("unchanged({})", spelled(expr)))?);
            ok.extend([now.ok, then.ok]);
        }
        let value = Value::Bool(self.terms.all(&same));
        Ok(Out { value, ok: self.terms.all(&ok) })
    }

    fn quantified(
        &mut self,
        all: bool,
        items: &Expr,
        closure: &Expr,
        scope: &Scope,
    ) -> Result<Out, Why> {
        let items = self.expression(items, scope)?;
        let (items, bounded) = self.items(&items.value, items.ok)?;
        let out = self.each_holds(all, &items, closure, scope)?;
        Ok(Out { value: out.value, ok: self.terms.and(bounded, out.ok) })
    }

    /// What iterating gives, and when that is all.
    pub(crate) fn items(&mut self, value: &Value, ok: Term) -> Result<(Items, Term), Why> {
        match value {
            Value::Items(items) => Ok((items.clone(), ok)),
            Value::Seq { len, items, .. } => {
                let mut all = vec![];
                for (n, item) in items.iter().enumerate() {
                    let here = self.terms.wide(n);
                    all.push((self.terms.less(here, *len, false), item.clone()));
                }
                let room = self.terms.wide(items.len());
                let fits = self.terms.at_most(*len, room, false);
                self.terms.is_cut_short |= !self.terms.is_constant(fits, true);
                Ok((Items { all, is_dense: true }, self.terms.and(ok, fits)))
            }
            Value::Range { low, high } => self.range_items((low, high), ok),
            _ => Err("an iteration over what is no sequence".to_owned()),
        }
    }

    fn range_items(
        &mut self,
        (low, high): (&Value, &Value),
        ok: Term,
    ) -> Result<(Items, Term), Why> {
        let mut room = self.terms.room.items;
        let no = || "a range of what is no number".to_owned();
        let (low, high) = match (low, high) {
            (Value::Number(a), Value::Number(b)) => {
                // How many there are is known.
                let count = usize::try_from(b - a).unwrap_or_default();
                room = if count <= MAX_RANGE { count } else { room };
                (self.terms.number(WIDE, *a), self.terms.number(WIDE, *b))
            }
            (low, high) => {
                let (low, high, _) = self.terms.alike(low, high).ok_or_else(no)?;
                (low, high)
            }
        };
        let width = self.terms.pool.width(low);
        let mut all = vec![];
        for n in 0..=room {
            let by = self.terms.number(width, n as i128);
            let term = self.terms.binary(Op::Add, low, by);
            let present = self.terms.less(term, high, false);
            all.push((present, Value::Int { term, signed: false }));
        }
        let (beyond, _) = all.pop().expect("there is one");
        let fits = self.terms.not(beyond);
        self.terms.is_cut_short |= !self.terms.is_constant(fits, true);
        Ok((Items { all, is_dense: true }, self.terms.and(ok, fits)))
    }

    /// Whether all items, or one of them, satisfy a closure or a function.
    pub(crate) fn each_holds(
        &mut self,
        all: bool,
        items: &Items,
        predicate: &Expr,
        scope: &Scope,
    ) -> Result<Out, Why> {
        let (mut holds, mut oks) = (vec![], vec![]);
        for (present, item) in &items.all {
            let out = self.apply_closure(predicate, std::slice::from_ref(item), scope)?;
            let Value::Bool(one) = out.value else {
                return Err("a closure that is no condition".to_owned());
            };
            oks.push(self.terms.implies(*present, out.ok));
            holds.push(match all {
                true => self.terms.implies(*present, one),
                false => self.terms.and(*present, one),
            });
        }
        let value = if all { self.terms.all(&holds) } else { self.terms.any(&holds) };
        Ok(Out { value: Value::Bool(value), ok: self.terms.all(&oks) })
    }

    /// A closure, or a function by its path, given its arguments.
    pub(crate) fn apply_closure(
        &mut self,
        predicate: &Expr,
        given: &[Value],
        scope: &Scope,
    ) -> Result<Out, Why> {
        match predicate {
            Expr::Closure(closure) if closure.inputs.len() == given.len() => {
                let mut inner = scope.clone();
                for (pattern, value) in closure.inputs.iter().zip(given) {
                    self.pattern(pattern, value, &mut inner)?;
                }
                match &*closure.body {
                    Expr::Binary(_) | Expr::Call(_) | Expr::Paren(_) => {
                        if let Ok(out) = self.expression(&closure.body, &inner) {
                            return Ok(out);
                        }
                        let (value, ok) = self.condition(&closure.body, &inner);
                        Ok(Out { value: Value::Bool(value), ok })
                    }
                    body => self.expression(body, &inner),
                }
            }
            Expr::Path(path) => {
                let path = words(&path.path);
                let name = path.last().cloned().unwrap_or_default();
                if let ([value, rest @ ..], true) = (given, path.len() > 1) {
                    let known = self.built_in(value, &name, rest.to_vec(), scope);
                    if let Some(out) = known? {
                        return Ok(out);
                    }
                }
                let given = given.iter().map(|value| self.sure(value.clone())).collect();
                self.applied(&path, given, scope)
            }
            other => Err(format!("{} as a function", spelled(other))),
        }
    }

    pub(crate) fn field(&mut self, field: &syn::ExprField, scope: &Scope) -> Result<Out, Why> {
        let base = self.expression(&field.base, scope)?;
        match (&field.member, &base.value) {
            (syn::Member::Unnamed(index), Value::Tuple(parts)) => {
                let part = parts.get(index.index as usize).cloned();
                let value = part.ok_or("a tuple has fewer parts")?;
                Ok(Out { value, ok: base.ok })
            }
            (member, Value::Object(object)) => {
                let name = match member {
                    syn::Member::Named(name) => name.to_string(),
                    syn::Member::Unnamed(index) => index.index.to_string(),
                };
                if self.system.query(object.ty, &name).is_none() {
                    let ty = &self.system.types[object.ty].name;
                    return Err(format!("`{name}` is a private field of {ty}"));
                }
                let out = self.ask_of(&base.value, &name, vec![], scope)?;
                Ok(Out { value: out.value, ok: self.terms.and(base.ok, out.ok) })
            }
            _ => Err(format!("the field {}", spelled(&Expr::Field(field.clone())))),
        }
    }

    pub(crate) fn method_call(
        &mut self,
        call: &syn::ExprMethodCall,
        scope: &Scope,
    ) -> Result<Out, Why> {
        let receiver = self.expression(&call.receiver, scope)?;
        let name = call.method.to_string();
        if let Some(out) = self.with_closure(&receiver, &name, call, scope)? {
            return Ok(out);
        }
        let outs = self.expressions(call.args.iter(), scope)?;
        let mut oks: Vec<Term> = outs.iter().map(|out| out.ok).collect();
        oks.push(receiver.ok);
        let args: Vec<Value> = outs.into_iter().map(|out| out.value).collect();
        let out = self.ask_of(&receiver.value, &name, args, scope)?;
        oks.push(out.ok);
        Ok(Out { value: out.value, ok: self.terms.all(&oks) })
    }

    /// What a value answers when it is asked by name: a query of the crate, or what the
    /// standard library says of it.
    pub(crate) fn ask_of(
        &mut self,
        receiver: &Value,
        name: &str,
        args: Vec<Value>,
        scope: &Scope,
    ) -> Result<Out, Why> {
        let system = self.system;
        match receiver {
            Value::Object(object) => {
                if matches!(name, "clone" | "as_ref" | "borrow" | "to_owned") && args.is_empty() {
                    return Ok(self.sure(receiver.clone()));
                }
                let function = system.query(object.ty, name);
                let function = function.ok_or_else(|| no_query(system, object.ty, name))?;
                let args = [vec![receiver.clone()], args].concat();
                self.ask_function(function, args, scope)
            }
            Value::Enum { ty, .. } => match system.query(*ty, name) {
                Some(function) => {
                    let args = [vec![receiver.clone()], args].concat();
                    self.ask_function(function, args, scope)
                }
                None => self.asked_of_value(receiver, name, args, scope),
            },
            _ => self.asked_of_value(receiver, name, args, scope),
        }
    }

    fn asked_of_value(
        &mut self,
        receiver: &Value,
        name: &str,
        args: Vec<Value>,
        scope: &Scope,
    ) -> Result<Out, Why> {
        let out = self.built_in(receiver, name, args, scope)?;
        out.ok_or_else(|| format!("`.{name}(..)` is not translated"))
    }

    /// A pure function of the crate, its receiver among the arguments.
    pub(crate) fn ask_function(
        &mut self,
        function: FnId,
        args: Vec<Value>,
        scope: &Scope,
    ) -> Result<Out, Why> {
        let known = &self.system.functions[function];
        if known.params.len() != args.len() {
            return Err(format!("`{}` takes {} arguments", known.name, known.params.len()));
        }
        let typed = self.typed(function, args);
        let (value, ok) = self.ask(function, typed, scope.now)?;
        Ok(Out { value, ok })
    }
}

impl World<'_> {
    /// Literals among arguments get the types of the parameters.
    pub(crate) fn typed(&mut self, function: FnId, args: Vec<Value>) -> Vec<Value> {
        let params = self.system.functions[function].params.iter();
        let typed = params.zip(args).map(|(param, value)| self.as_sort(&param.sort, value));
        typed.collect()
    }
}

/// Queries that are named where one is not known.
const MAX_LISTED: usize = 12;

fn no_query(system: &System, ty: TypeId, name: &str) -> String {
    let of = &system.types[ty].name;
    let known = system.virtual_state(ty).into_iter().map(|id| &system.functions[id].name);
    let known: BTreeSet<String> = known.map(|name| format!("`{name}`")).collect();
    let listed: Vec<String> = known.iter().take(MAX_LISTED).cloned().collect();
    let more = if known.len() > MAX_LISTED { " and more" } else { "" };
    match listed.is_empty() {
        true => format!("{of} has no pure method `{name}`, nor any other"),
        false => {
            format!("{of} has no pure method `{name}`; there are {}{more}", listed.join(", "))
        }
    }
}
