//! Calls that a search found as a sequence over operations of the plan.
//!
//! Arguments become literals, or calls of builders and constructors that make exactly them.

use super::describe::Description;
use testsmith_model::call::{Form, Treatment, Unwrap};
use testsmith_model::operation::MAX_INPUTS;
use testsmith_model::sequence::{Builder, Literal};
use testsmith_model::ty::Ty;
use testsmith_model::{Callee, Mode, OpId, OperationKind, Plan, Sequence, TypeId};
use testsmith_reach::{Argument, Call, Concrete, FnId, Wrap};

/// Values inside of values that are made.
const MAX_DEPTH: usize = 8;

/// A sequence on its way.
pub(super) struct Realising<'r> {
    plan: &'r Plan,
    description: &'r Description,
    builder: Builder<'r>,
    /// The step that made each object.
    objects: Vec<Option<u32>>,
    len: usize,
}

/// Why calls cannot be made.
pub(super) type Why = String;

impl<'r> Realising<'r> {
    pub(super) fn new(
        plan: &'r Plan,
        description: &'r Description,
        objects: usize,
    ) -> Realising<'r> {
        let builder = Builder::new(plan);
        Realising { plan, description, builder, objects: vec![None; objects], len: 0 }
    }

    /// Adds a call; the step at which it is made.
    pub(super) fn call(&mut self, call: &Call) -> Result<usize, Why> {
        let slot = self.apply(call.function, &call.arguments)?;
        let function = &self.description.system.functions[call.function];
        if let (Some(object), Some((_, wrap))) = (call.makes, function.ret.made_object()) {
            let op = self.description.operations[call.function];
            let made = match wrap {
                Wrap::Bare => slot,
                Wrap::Some => self.taken_out(op, slot, Unwrap::Some)?,
                Wrap::Ok => self.taken_out(op, slot, Unwrap::Ok)?,
            };
            self.objects[object] = Some(made);
        }
        Ok(slot as usize)
    }

    /// Adds a call of a function; the slot of its result.
    pub(super) fn apply(&mut self, function: FnId, arguments: &[Argument]) -> Result<u32, Why> {
        let op = self.description.operations[function];
        let operation = self.plan.operation(op);
        let mut slots = vec![];
        for (input, argument) in operation.inputs.iter().zip(arguments) {
            slots.push(match argument {
                Argument::Object(object) => self.objects[*object].ok_or("an object is missing")?,
                Argument::Value(value) => self.make(input.ty, value, 0)?,
            });
        }
        self.add(op, &slots)
    }

    /// Adds a query of what a step gave.
    pub(super) fn ask(&mut self, query: FnId, slot: u32, args: &[Concrete]) -> Result<u32, Why> {
        let op = self.description.operations[query];
        let mut slots = vec![slot];
        for (input, arg) in self.plan.operation(op).inputs.iter().skip(1).zip(args) {
            slots.push(self.make(input.ty, arg, 0)?);
        }
        self.add(op, &slots)
    }

    /// Takes the object out of what a query gave, if it is in something.
    pub(super) fn inside(&mut self, query: FnId, slot: u32) -> Result<u32, Why> {
        let op = self.description.operations[query];
        match self.description.system.functions[query].ret.made_object() {
            Some((_, Wrap::Some)) => self.taken_out(op, slot, Unwrap::Some),
            Some((_, Wrap::Ok)) => self.taken_out(op, slot, Unwrap::Ok),
            _ => Ok(slot),
        }
    }

    fn add(&mut self, op: OpId, slots: &[u32]) -> Result<u32, Why> {
        let slot = self.builder.call(op, slots).map_err(|why| {
            format!("{} cannot be called so: {why}", self.plan.operation(op).path())
        })?;
        self.len = slot as usize + 1;
        Ok(slot)
    }

    fn taken_out(&mut self, from: OpId, slot: u32, unwrap: Unwrap) -> Result<u32, Why> {
        let ty = self.plan.operation(from).output;
        let is_it = |op: &OpId| {
            let operation = self.plan.operation(*op);
            operation.call.result == Treatment::Unwrapped(unwrap)
                && matches!(&operation.inputs[..], [input] if input.ty == ty && input.mode == Mode::Own)
        };
        let taker = self.plan.op_ids().find(is_it);
        let taker = taker.ok_or("nothing takes a value out of what is given")?;
        self.add(taker, &[slot])
    }

    /// Makes exactly this value.
    fn make(&mut self, ty: TypeId, value: &Concrete, depth: usize) -> Result<u32, Why> {
        let plan = self.plan;
        let known = &plan.ty(ty).ty;
        let no = || format!("no {known} can be made that is {value}");
        if depth > MAX_DEPTH {
            return Err(no());
        }
        let literal = match (value, known) {
            (Concrete::Bool(it), Ty::Prim(_)) => Some(Literal::Bool(*it)),
            (Concrete::Char(it), Ty::Prim(_)) => Some(Literal::Char(*it)),
            (Concrete::Int(it), Ty::Prim(_)) => Some(Literal::Int(*it)),
            (Concrete::Float { bits, .. }, Ty::Prim(_)) => Some(Literal::Float(*bits)),
            (Concrete::Text(it), Ty::Ref { inner, mutable: false, .. })
                if **inner == Ty::prim("str") =>
            {
                Some(Literal::Str(it.as_str().into()))
            }
            (Concrete::Text(it), Ty::Adt { path, .. }) if path == "std::string::String" => {
                Some(Literal::Str(it.as_str().into()))
            }
            _ => None,
        };
        if let Some(literal) = literal {
            let slot = self.builder.literal(ty, literal).map_err(|why| why.to_string())?;
            self.len = slot as usize + 1;
            return Ok(slot);
        }
        let (name, parts): (String, Vec<&Concrete>) = match value {
            Concrete::Option(None) => ("None".to_owned(), vec![]),
            Concrete::Option(Some(inner)) => ("Some({0})".to_owned(), vec![inner]),
            Concrete::Result(Ok(inner)) => ("Ok({0})".to_owned(), vec![inner]),
            Concrete::Result(Err(inner)) => ("Err({0})".to_owned(), vec![inner]),
            Concrete::Tuple(parts) => (listed("(", parts.len(), ")"), parts.iter().collect()),
            Concrete::Seq(items) => return self.make_sequence(ty, items, depth),
            Concrete::Enum { variant, fields, .. } => {
                let op = self.variant(ty, variant).ok_or_else(no)?;
                let fields: Vec<&Concrete> = fields.iter().map(|(_, field)| field).collect();
                return self.with_parts(op, &fields, depth);
            }
            _ => return Err(no()),
        };
        let op = self.template(ty, &[name.as_str()], parts.len()).ok_or_else(no)?;
        self.with_parts(op, &parts, depth)
    }

    fn with_parts(&mut self, op: OpId, parts: &[&Concrete], depth: usize) -> Result<u32, Why> {
        let operation = self.plan.operation(op);
        let mut slots = vec![];
        for (input, part) in operation.inputs.iter().zip(parts) {
            slots.push(self.make(input.ty, part, depth + 1)?);
        }
        self.add(op, &slots)
    }

    /// A vector, an array, or a slice of a vector.
    fn make_sequence(&mut self, ty: TypeId, items: &[Concrete], depth: usize) -> Result<u32, Why> {
        let (list, array) = (listed("vec![", items.len(), "]"), listed("[", items.len(), "]"));
        let names = match items {
            [] => vec!["Vec::new()", "vec![]", "[]"],
            _ => vec![list.as_str(), array.as_str()],
        };
        if let Some(op) = self.template(ty, &names, items.len()) {
            let parts: Vec<&Concrete> = items.iter().collect();
            return self.with_parts(op, &parts, depth);
        }
        if let (true, Some(op)) =
            (items.len() > MAX_INPUTS, self.template(ty, &[super::lists::JOINED], 2))
        {
            let (head, tail) = items.split_at(MAX_INPUTS);
            let head = self.make_sequence(ty, head, depth)?;
            let tail = self.make_sequence(ty, tail, depth)?;
            return self.add(op, &[head, tail]);
        }
        // From a vector: a slice of it, or another collection.
        let plan = self.plan;
        let from = plan.op_ids().find(|op| {
            let operation = plan.operation(*op);
            let [input] = &operation.inputs[..] else { return false };
            let vector = plan.ty(input.ty).ty.path() == Some("std::vec::Vec");
            operation.kind == OperationKind::Builder
                && operation.output == ty
                && vector
                && operation.call.result == Treatment::Kept
        });
        let from = from.ok_or_else(|| format!("no {} can be made", plan.ty(ty).ty))?;
        let input = plan.operation(from).inputs[0].ty;
        let slot = self.make_sequence(input, items, depth + 1)?;
        self.add(from, &[slot])
    }

    /// The builder that is written in one of these ways.
    fn template(&self, ty: TypeId, names: &[&str], inputs: usize) -> Option<OpId> {
        self.plan.op_ids().find(|op| {
            let operation = self.plan.operation(*op);
            let Form::Template { full, .. } = &operation.call.form else { return false };
            operation.output == ty
                && operation.inputs.len() == inputs
                && operation.call.result == Treatment::Kept
                && names.contains(&full.as_str())
        })
    }

    fn variant(&self, ty: TypeId, variant: &str) -> Option<OpId> {
        self.plan.op_ids().find(|op| {
            let operation = self.plan.operation(*op);
            operation.kind == OperationKind::Constructor
                && operation.output == ty
                && matches!(&operation.callee, Callee::Member { name, .. } if name == variant)
        })
    }

    /// The step that made an object.
    pub(super) fn object(&self, object: usize) -> Option<u32> {
        self.objects.get(object).copied().flatten()
    }

    /// How many steps there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn finish(self) -> Sequence {
        self.builder.finish()
    }
}

pub(super) fn listed(open: &str, len: usize, close: &str) -> String {
    let places: Vec<String> = (0..len).map(|n| format!("{{{n}}}")).collect();
    match (open, len) {
        ("(", 1) => "({0},)".to_owned(),
        _ => format!("{open}{}{close}", places.join(", ")),
    }
}
