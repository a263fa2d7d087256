//! The plan and its contracts as a system that can be searched.
//!
//! A type is followed by its queries, or by variant and payload if it is an enum that
//! nothing changes in place. Functions without a contract are left out, but for those that
//! make a type which nothing with a contract makes.

use super::components::Component;
use super::source::Definitions;
use std::collections::{BTreeMap, BTreeSet};
use testsmith_model::api::Contract;
use testsmith_model::call::{Form, Treatment};
use testsmith_model::operation::{Mode as Passing, Operation, OperationKind};
use testsmith_model::ty::Ty;
use testsmith_model::{Callee, OpId, Plan};
use testsmith_reach::{
    Clause, Constant, FnId, Function, Mode, Param, Sort, System, TypeDef, TypeId, Variant,
};

/// A system, and which operation each of its functions is. Behind these stand the components.
pub(super) struct Description {
    pub(super) system: System,
    pub(super) operations: Vec<OpId>,
    pub(super) components: Vec<Component>,
}

impl Description {
    pub(super) fn new(plan: &Plan, definitions: &Definitions) -> Description {
        let mut describing = Describing {
            plan,
            definitions,
            types: vec![],
            defs: vec![],
            changed: changed_types(plan),
            variants: variants(plan),
        };
        let mut functions: Vec<(OpId, Function, bool)> = vec![];
        let mut seen = BTreeSet::new();
        for op in plan.op_ids() {
            let operation = plan.operation(op);
            let inputs: Vec<String> =
                operation.inputs.iter().map(|it| plan.ty(it.ty).ty.to_string()).collect();
            if is_usable(operation) && seen.insert((operation.path(), inputs)) {
                functions.extend(describing.function(op).map(|(f, written)| (op, f, written)));
            }
        }
        let functions = wanted(functions);
        let operations = functions.iter().map(|(op, _)| *op).collect();
        let constants = describing.constants();
        let defs = describing.defs;
        let functions = functions.into_iter().map(|(_, function)| function).collect();
        let mut system = System { types: defs, functions, constants, ..System::default() };
        add_fields_of_constructors(&mut system);
        Description { system, operations, components: vec![] }
    }

    /// The functions of this path, or whose path ends so.
    pub(super) fn named(&self, path: &str) -> Vec<FnId> {
        let is_it = |id: &FnId| {
            let known = self.system.functions[*id].path(&self.system);
            known == path || known.ends_with(&format!("::{path}"))
        };
        (0..self.system.functions.len()).filter(is_it).collect()
    }
}

/// What has a contract, and what makes a type that nothing with a contract makes.
fn wanted(all: Vec<(OpId, Function, bool)>) -> Vec<(OpId, Function)> {
    let made = |function: &Function| match function.is_query() {
        true => None,
        false => function.ret.made_object().map(|(ty, _)| ty),
    };
    let by_contract: BTreeSet<TypeId> = all
        .iter()
        .filter(|(_, function, written)| *written && !function.ensures.is_empty())
        .filter_map(|(_, function, _)| made(function))
        .collect();
    let keep = |(_, function, written): &(OpId, Function, bool)| {
        *written || made(function).is_some_and(|ty| !by_contract.contains(&ty))
    };
    all.into_iter().filter(keep).map(|(op, function, _)| (op, function)).collect()
}

fn is_usable(operation: &Operation) -> bool {
    let kind = match operation.kind {
        OperationKind::Free | OperationKind::Inherent | OperationKind::LocalTrait => true,
        OperationKind::Field => true,
        OperationKind::Constructor => matches!(operation.callee, Callee::Item { .. }),
        OperationKind::ForeignTrait => {
            operation.callee.is_trait_member("std::default::Default", "default")
        }
        _ => false,
    };
    let plain = matches!(operation.call.result, Treatment::Kept);
    kind && plain && !operation.call.has_closures() && !operation.panics_by_design
}

/// Types that something takes by `&mut`.
fn changed_types(plan: &Plan) -> BTreeSet<String> {
    let inputs = plan.operations.iter().filter(|it| is_usable(it)).flat_map(|it| &it.inputs);
    let changed = inputs.filter(|input| input.mode == Passing::Exclusive);
    changed.map(|input| plan.ty(input.ty).ty.to_string()).collect()
}

/// The variants of enums in the order in which they are written, by type.
fn variants(plan: &Plan) -> BTreeMap<String, Vec<OpId>> {
    let mut found: BTreeMap<String, Vec<OpId>> = BTreeMap::new();
    for op in plan.op_ids() {
        let operation = plan.operation(op);
        if operation.kind == OperationKind::Constructor
            && matches!(operation.callee, Callee::Member { .. })
        {
            let ty = plan.ty(operation.output).ty.to_string();
            found.entry(ty).or_default().push(op);
        }
    }
    for ops in found.values_mut() {
        ops.sort_by_key(|op| plan.operation(*op).place.clone());
        ops.dedup_by_key(|op| plan.operation(*op).path());
    }
    found
}

/// A struct that is put together has what its public fields were given.
fn add_fields_of_constructors(system: &mut System) {
    for id in 0..system.functions.len() {
        let function = &system.functions[id];
        let made = function.ret.made_object().map(|(ty, _)| ty);
        let (Some(ty), true) = (made, function.owner.is_none() && function.ensures.is_empty())
        else {
            continue;
        };
        if function.name != system.types[ty].name {
            continue;
        }
        let fields = function.params.iter().map(|param| param.name.clone());
        let public: Vec<String> = fields.filter(|name| system.query(ty, name).is_some()).collect();
        for name in public {
            let clause = Clause::new(&format!("ret.{name} == {name}"));
            system.functions[id].ensures.push(clause);
        }
    }
}

struct Describing<'d> {
    plan: &'d Plan,
    definitions: &'d Definitions,
    types: Vec<Ty>,
    defs: Vec<TypeDef>,
    changed: BTreeSet<String>,
    variants: BTreeMap<String, Vec<OpId>>,
}

impl Describing<'_> {
    fn sort(&mut self, ty: &Ty) -> Sort {
        let opaque = || Sort::Opaque(ty.to_string());
        match ty {
            Ty::Prim(name) => Sort::primitive(name).unwrap_or_else(opaque),
            Ty::Ref { mutable: false, inner, .. } => self.sort(inner),
            Ty::Slice(of) | Ty::Array(of, _) => Sort::Seq(Box::new(self.sort(of))),
            Ty::Tuple(parts) if parts.is_empty() => Sort::Unit,
            Ty::Tuple(parts) => Sort::Tuple(parts.iter().map(|part| self.sort(part)).collect()),
            Ty::Adt { path, .. } => {
                let argument = |n| ty.type_arg(n).cloned();
                match (path.as_str(), argument(0), argument(1)) {
                    ("std::string::String", ..) => Sort::Text,
                    ("std::option::Option", Some(of), _) => Sort::Option(Box::new(self.sort(&of))),
                    ("std::result::Result", Some(value), Some(error)) => {
                        Sort::Result(Box::new(self.sort(&value)), Box::new(self.sort(&error)))
                    }
                    ("std::vec::Vec" | "std::collections::VecDeque", Some(of), _) => {
                        Sort::Seq(Box::new(self.sort(&of)))
                    }
                    (path, ..) if path.starts_with(&format!("{}::", self.plan.krate)) => {
                        self.own_type(ty)
                    }
                    _ => opaque(),
                }
            }
            _ => opaque(),
        }
    }

    fn own_type(&mut self, ty: &Ty) -> Sort {
        let text = ty.to_string();
        let known = self.types.iter().position(|known| known == ty);
        let id = known.unwrap_or_else(|| {
            self.types.push(ty.clone());
            let name = ty.name().to_owned();
            let invariants = self.invariants(&name);
            self.defs.push(TypeDef { name, variants: None, invariants });
            self.types.len() - 1
        });
        let is_enum = self.variants.contains_key(&text) && !self.changed.contains(&text);
        if known.is_none() && is_enum {
            // Known before its fields are, since they may be of the same type.
            self.defs[id].variants = Some(vec![]);
            let found = self.enum_variants(&text);
            self.defs[id].variants = Some(found);
        }
        if is_enum { Sort::Enum(id) } else { Sort::Object(id) }
    }

    fn enum_variants(&mut self, ty: &str) -> Vec<Variant> {
        let plan = self.plan;
        let mut found = vec![];
        for op in self.variants[ty].clone() {
            let operation = plan.operation(op);
            let is_tuple = matches!(
                &operation.call.form,
                Form::Constructor { shape: testsmith_model::api::Shape::Tuple, .. }
            );
            let fields = operation.inputs.iter().map(|input| {
                let name = if is_tuple { String::new() } else { input.name.clone() };
                (name, self.sort(&plan.ty(input.ty).ty))
            });
            let fields = fields.collect();
            found.push(Variant { name: operation.callee.name().to_owned(), fields });
        }
        found
    }

    fn invariants(&self, name: &str) -> Vec<Clause> {
        let of_it = self.plan.contracts.iter().filter(|contract| match contract.item.as_str() {
            "type" => contract.name == name,
            "impl" => contract.of == name,
            _ => false,
        });
        clauses(of_it, "invariant")
    }

    /// A function, and whether anything is written about it.
    fn function(&mut self, op: OpId) -> Option<(Function, bool)> {
        let plan = self.plan;
        let operation = plan.operation(op);
        let is_field = operation.kind == OperationKind::Field;
        let contracts = contracts_of(plan, &operation.callee);
        let pure = is_field || contracts.iter().any(|contract| contract.pure);
        let owner = operation.callee.of().map(|of| self.sort(&instance(plan, operation, of)));
        let owner = match owner {
            Some(Sort::Object(ty) | Sort::Enum(ty)) => Some(ty),
            _ => None,
        };
        let mut params = vec![];
        for input in &operation.inputs {
            let mode = match input.mode {
                Passing::Own => Mode::Own,
                Passing::Shared => Mode::Shared,
                Passing::Exclusive | Passing::Reborrow => Mode::Exclusive,
            };
            let sort = self.sort(&plan.ty(input.ty).ty);
            params.push(Param { name: input.name.clone(), sort, mode });
        }
        let output = &plan.ty(operation.output).ty;
        let borrowed = matches!(output, Ty::Ref { .. });
        let ret = match self.sort(output) {
            // What only shows an object does not make one.
            Sort::Object(_) if borrowed && !pure => Sort::Opaque(output.to_string()),
            sort => sort,
        };
        let name = match &operation.call.form {
            Form::Field(name) => name.clone(),
            _ => operation.callee.name().to_owned(),
        };
        let body = pure.then(|| self.body(&operation.callee)).flatten();
        let function = Function {
            name,
            owner,
            params,
            ret,
            pure,
            callable: true,
            requires: clauses(contracts.iter().copied(), "requires"),
            ensures: clauses(contracts.iter().copied(), "ensures"),
            body,
        };
        let written =
            is_field || !contracts.is_empty() || operation.kind == OperationKind::Constructor;
        Some((function, written))
    }

    /// The body that may stand for the result; that of the type comes before the trait's.
    fn body(&self, callee: &Callee) -> Option<String> {
        let (of, trait_) = match callee {
            Callee::Member { of, .. } => (of.name(), ""),
            Callee::TraitMember { of, trait_, .. } => (of.name(), last_word(&trait_.path)),
            _ => ("", ""),
        };
        let named = || {
            let all = self.definitions.bodies.iter();
            all.filter(|body| body.name == callee.name() && body.trait_ == trait_)
        };
        let own = named().find(|body| body.of == of);
        let provided = named().find(|body| body.of.is_empty() && !trait_.is_empty());
        own.or(provided).map(|body| body.text.clone())
    }

    fn constants(&mut self) -> BTreeMap<String, Constant> {
        let mut found = BTreeMap::new();
        for (of, name, ty, text) in &self.definitions.constants {
            let sort = match ty {
                syn::Type::Path(path) => path.path.get_ident().map(ToString::to_string),
                _ => None,
            };
            let sort = sort.and_then(|name| Sort::primitive(&name));
            let sort = sort.unwrap_or(Sort::Opaque(String::new()));
            let key = if of.is_empty() { name.clone() } else { format!("{of}::{name}") };
            found.entry(key).or_insert(Constant { sort, text: text.clone() });
        }
        found
    }
}

/// The contracts of a function: its own, and that of the trait it implements.
fn contracts_of<'p>(plan: &'p Plan, callee: &Callee) -> Vec<&'p Contract> {
    let all = plan.contracts.iter();
    let is_it = |contract: &&Contract| match (callee, contract.item.as_str()) {
        (Callee::Member { of, name }, "fn") => contract.of == of.name() && contract.name == *name,
        (Callee::Item { name, .. }, "fn") => contract.of.is_empty() && contract.name == *name,
        (Callee::TraitMember { trait_, name, .. }, "trait-fn") => {
            contract.name == format!("{}::{name}", last_word(&trait_.path))
        }
        (Callee::TraitMember { of, trait_, name }, "impl-fn") => {
            let end = format!(" as {}>::{name}", last_word(&trait_.path));
            let (start, given) = (format!("<{}", of.name()), contract.name.as_str());
            let rest = given.strip_prefix(&start).and_then(|rest| rest.strip_suffix(&end));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('<'))
        }
        _ => false,
    };
    all.filter(is_it).collect()
}

fn clauses<'c>(contracts: impl Iterator<Item = &'c Contract>, kind: &str) -> Vec<Clause> {
    let all = contracts.flat_map(|contract| &contract.clauses);
    let of_kind = all.filter(|clause| clause.kind == kind);
    of_kind.map(|it| Clause { text: it.text.clone(), place: it.place.clone() }).collect()
}

/// The type that an operation belongs to, with the types that were chosen for its parameters:
/// that of the receiver, or of what is made.
fn instance(plan: &Plan, operation: &Operation, of: &Ty) -> Ty {
    let given = operation.inputs.iter().filter(|input| input.name == "self");
    let tys = given.map(|input| input.ty).chain([operation.output]);
    let shown = tys.map(|ty| match &plan.ty(ty).ty {
        Ty::Ref { inner, .. } => &**inner,
        ty => ty,
    });
    let is_it = |ty: &&Ty| ty.path().is_some() && ty.path() == of.path();
    let inside = |ty: &Ty| ty.type_arg(0).filter(|inner| is_it(inner)).cloned();
    let mut found = shown.filter_map(|ty| if is_it(&ty) { Some(ty.clone()) } else { inside(ty) });
    found.next().unwrap_or_else(|| of.clone())
}

fn last_word(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}
