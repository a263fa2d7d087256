//! Drafts: operations in the making, with types instead of type numbers.
//!
//! A draft is what the compiler is asked about. It knows how each argument is
//! passed and how the call is written, and nothing about other operations.

use crate::choose::{self, Chooser, Menu};
use crate::closures::{self, Calls};
use crate::flows;
use crate::guards;
use crate::laws;
use crate::resolve;
use testsmith_model::api::{Api, Callable, CallableKind, Docs, Generics, ParamKind, Safety};
use testsmith_model::call::{ClosureKind, Form, Treatment};
use testsmith_model::operation::{Input, Mode, Operation, OperationKind, parameter_type};
use testsmith_model::skip::Reason;
use testsmith_model::troubled;
use testsmith_model::ty::{Arg, Bound, Lifetime, Substitution, TraitRef, Ty};
use testsmith_model::{Call, Callee};

/// An operation over types that have no numbers yet.
pub type Draft = Operation<Ty>;

/// A function that compiles if and only if the draft does.
pub fn probe(draft: &Draft, name: &str) -> String {
    let parameter = |(n, input): (usize, &Input<Ty>)| {
        format!("a{n}: {}", parameter_type(&input.ty, input.mode))
    };
    let parameters: Vec<String> = draft.inputs.iter().enumerate().map(parameter).collect();
    format!(
        "pub fn {name}({}) -> Option<{}> {{ Some({}) }}",
        parameters.join(", "),
        draft.output.erased(),
        laws::question(draft).unwrap_or_else(|| draft.call.on_parameters("return None")),
    )
}

/// Compiles if the type has a size; never becomes an operation.
pub fn size_question(ty: &Ty) -> Draft {
    let call = format!("{{ let _ = std::mem::size_of::<{ty}>(); loop {{}} }}");
    Draft::aside(Callee::Builder { makes: ty.clone() }, Call::template(&call, &call), ty.clone())
}

/// Why a callable has no draft at all.
pub type Refused = (Reason, String);

/// Drafts of one callable with one menu: one for each variant of its closures
/// and ranges.
pub fn drafts(
    api: &Api,
    callable: &Callable,
    menu: &Menu,
    fixed: &Substitution,
) -> Result<Vec<Draft>, Refused> {
    refuse_outright(callable)?;
    let mut drafts: Vec<Draft> = vec![];
    let mut variant = 0;
    let mut variants = 1;
    while variant < variants.min(MAX_VARIANTS) {
        let menu = Menu { variant, ..menu.clone() };
        let mut writer = Writer::new(api, callable, &menu);
        let draft = writer.draft(fixed)?;
        variants = variants.max(writer.variants);
        variant += 1;
        let draft = if writer.panics { interrupted(draft) } else { Some(draft) };
        let Some(draft) = draft else { continue };
        if !drafts.iter().any(|known| known.call == draft.call && known.inputs == draft.inputs) {
            drafts.push(draft);
        }
    }
    Ok(drafts)
}

/// Whether a callable asks for operators of a type for which numbers were chosen.
fn has_chosen_numbers(callable: &Callable, with: &Substitution) -> bool {
    const OPERATORS: [&str; 6] = ["Add", "Sub", "Mul", "Neg", "AddAssign", "SubAssign"];
    let computes = |bound: &Bound| {
        let trait_ = bound.as_trait();
        trait_.is_some_and(|it| it.path.starts_with("std::ops::") && OPERATORS.contains(&it.name()))
    };
    let is_number =
        |name: &str| matches!(with.get(name), Some(Arg::Type(ty)) if resolve::is_integer(ty));
    let params = callable.generics.iter().flat_map(|generics| &generics.params);
    let mut numbers = params.filter(|param| is_number(&param.name));
    numbers.any(|param| {
        let bounds = callable.generics.iter().flat_map(|generics| generics.bounds_on(&param.name));
        bounds.into_iter().any(computes)
    })
}

/// The call as one that is interrupted when it calls back code of the test, which is no end of
/// the sequence: its values are there to be looked at. None for what is no plain call.
pub fn interrupted(mut draft: Draft) -> Option<Draft> {
    let called = matches!(
        draft.call.form,
        Form::Function { .. } | Form::Member { .. } | Form::TraitMember { .. }
    );
    if !called || draft.call.result == Treatment::Awaited {
        return None;
    }
    let times = draft.inputs.len();
    let name = "times".to_owned();
    draft.inputs.push(Input { name, ty: Ty::prim("u8"), mode: Mode::Own });
    let otherwise = Box::new(std::mem::take(&mut draft.call.result));
    draft.call.result = Treatment::Interrupted { otherwise, times };
    draft.flows.clear();
    (draft.output, draft.panics_by_design) = (Ty::unit(), true);
    Some(draft)
}

const MAX_VARIANTS: usize = 6;

const CONTEXT: &str = "&mut std::task::Context::from_waker(std::task::Waker::noop())";

fn refuse_outright(callable: &Callable) -> Result<(), Refused> {
    let refuse = |reason| Err((reason, String::new()));
    if callable.safety == Safety::Unsafe {
        return refuse(Reason::Unsafe);
    }
    if callable.output == Ty::prim("!") {
        return refuse(Reason::Diverges);
    }
    for (_, ty) in &callable.inputs {
        if ty.any(|ty| matches!(ty, Ty::Ptr { .. })) {
            return Err((Reason::RawPointer, ty.to_string()));
        }
        if ty.any(|ty| matches!(ty, Ty::Unknown(_))) {
            return Err((Reason::UnnameableType, ty.to_string()));
        }
    }
    Ok(())
}

/// Writes one draft.
struct Writer<'a> {
    api: &'a Api,
    callable: &'a Callable,
    menu: &'a Menu,
    variants: usize,
    inputs: Vec<Input<Ty>>,
    closures: Vec<ClosureKind>,
    /// The inputs with their lifetimes, for the flows.
    signature: Vec<Ty>,
    panics: bool,
    /// One of the arguments is a formatter, which only formatting can supply.
    formats: bool,
}

impl<'a> Writer<'a> {
    fn new(api: &'a Api, callable: &'a Callable, menu: &'a Menu) -> Writer<'a> {
        Writer {
            api,
            callable,
            menu,
            variants: 1,
            inputs: vec![],
            closures: vec![],
            signature: vec![],
            panics: false,
            formats: false,
        }
    }

    fn draft(&mut self, fixed: &Substitution) -> Result<Draft, Refused> {
        let callable = self.callable;
        let mut chooser = Chooser::new(self.api, &callable.generics, self.menu);
        let mut with = chooser.substitution(callable, fixed);
        self.variants = self.variants.max(chooser.variants);
        if let Some(self_ty) = &callable.self_ty {
            let self_ty = resolve::normalize(self.api, &self_ty.substitute(&with));
            with.insert("Self".to_owned(), Arg::Type(self_ty));
        }
        let concrete = |ty: &Ty| {
            let ty = resolve::with_trait_arguments(ty, &callable.generics);
            // Twice, because a chosen type may itself mention a later choice.
            resolve::normalize(
                self.api,
                &resolve::normalize(self.api, &ty.substitute(&with)).substitute(&with),
            )
        };
        let raw: Vec<(String, Ty)> =
            callable.inputs.iter().map(|(name, ty)| (name.clone(), concrete(ty))).collect();
        let output = concrete(&callable.output);
        let has_no_name = |ty: &Ty| ty.any(|ty| matches!(ty, Ty::Within(_)));
        if let Some(ty) = raw.iter().map(|(_, ty)| ty).chain([&output]).find(|ty| has_no_name(ty)) {
            return Err((Reason::NoSuchTypes, format!("{ty} has a part without a name")));
        }
        let originals: Vec<Ty> = callable.inputs.iter().map(|(_, ty)| ty.clone()).collect();
        let mut arguments = vec![];
        for ((name, ty), original) in raw.iter().zip(&originals) {
            arguments.push(self.argument(name, ty, original, &with)?);
        }
        let is_method = callable.inputs.first().is_some_and(|(name, _)| name == "self");
        let guard = guards::guard(callable, &with, &arguments, &self.inputs);
        let (result, output, hidden) = self.result(output)?;
        let flows =
            flows::of_signature(&self.signature, &output, &callable.generics, is_method, hidden);
        if flows.borrows_itself {
            return Err((Reason::BorrowsItself, String::new()));
        }
        let call = Call {
            form: form_of(callable, &with),
            args: arguments,
            closures: std::mem::take(&mut self.closures),
            in_unsafe: callable.safety == Safety::Asked,
            result,
        };
        Ok(Draft {
            kind: kind_of(&callable.kind),
            inputs: std::mem::take(&mut self.inputs),
            flows: flows.flows,
            acquires: flows.acquires,
            docs: Docs {
                keeps_memory: callable.docs.keeps_memory || gives_up_memory(&callable.output),
                ..callable.docs.clone()
            },
            place: callable.place.clone(),
            core: callable.is_core(),
            derived: callable.derived,
            chosen_numbers: has_chosen_numbers(callable, &with),
            guard,
            ..Draft::aside(callable.callee.clone(), call, output.erase_lifetimes())
        })
    }

    /// Adds an input and returns its placeholder.
    fn input(&mut self, name: &str, ty: &Ty) -> String {
        let placeholder = format!("{{{}}}", self.inputs.len());
        let (value, mode) = mode_of(self.api, ty);
        self.panics |= troubled::item_of(&value).is_some();
        self.inputs.push(Input { name: name.to_owned(), ty: value.erase_lifetimes(), mode });
        self.signature.push(ty.clone());
        placeholder
    }

    /// The text of one argument; inputs are added as needed.
    fn argument(
        &mut self,
        name: &str,
        ty: &Ty,
        original: &Ty,
        with: &Substitution,
    ) -> Result<String, Refused> {
        if let Some(trait_) = self.closure_bound(ty, original, with) {
            return Ok(self.closure(name, &trait_));
        }
        if let Ty::Ref { mutable, inner, .. } = ty
            && let Some(trait_) = self.closure_bound(inner, behind_one(original), with)
        {
            let mark = if *mutable { "&mut " } else { "&" };
            return Ok(format!("{mark}{}", self.closure(name, &trait_)));
        }
        if ty.any(|ty| matches!(ty, Ty::Impl(_))) {
            let chosen = self.without_impl(ty, with);
            return self.argument(name, &chosen, original, with);
        }
        match ty {
            Ty::Ref { mutable: true, inner, .. }
                if inner.path() == Some("std::fmt::Formatter") && !self.formats =>
            {
                self.formats = true;
                Ok("formatter".to_owned())
            }
            // A future is polled by one that never has to be woken.
            Ty::Ref { mutable: true, inner, .. } if inner.path() == Some("std::task::Context") => {
                Ok(CONTEXT.to_owned())
            }
            Ty::Adt { path, .. } if path == "std::pin::Pin" => Ok(self.pinned(name, ty)),
            Ty::FnPtr { inputs, output } => {
                let choices = closures::catalogue(inputs, output, Calls::Pointer);
                Ok(self.catalogued(name, choices))
            }
            Ty::Ref { mutable, inner, lifetime } if matches!(**inner, Ty::Dyn { .. }) => {
                let Ty::Dyn { bounds, .. } = &**inner else { unreachable!("matched above") };
                let mark = if *mutable { "&mut " } else { "&" };
                if let Some(closure) = bounds.iter().find(|bound| bound.signature().is_some()) {
                    return Ok(format!("{mark}{}", self.closure(name, closure)));
                }
                let chosen = self.object(bounds, ty)?;
                let inner = Box::new(chosen);
                Ok(self
                    .input(name, &Ty::Ref { lifetime: lifetime.clone(), mutable: *mutable, inner }))
            }
            Ty::Adt { path, .. } if path == "std::boxed::Box" => match ty.type_arg(0) {
                Some(Ty::Dyn { bounds, .. }) => {
                    if let Some(closure) = bounds.iter().find(|bound| bound.signature().is_some()) {
                        return Ok(format!("Box::new({})", self.closure(name, closure)));
                    }
                    let chosen = self.object(bounds, ty)?;
                    Ok(format!("Box::new({})", self.input(name, &chosen)))
                }
                _ => Ok(self.input(name, ty)),
            },
            Ty::Unknown(text) if text == "_" => {
                Err((Reason::NoSuchTypes, format!("a closure for {name} stands inside a type")))
            }
            ty if ty.any(|ty| *ty == choose::closure_marker()) => {
                Err((Reason::NoSuchTypes, format!("a closure stands inside the type of {name}")))
            }
            ty => Ok(self.input(name, ty)),
        }
    }

    /// The type with something chosen wherever it says `impl Trait`.
    fn without_impl(&mut self, ty: &Ty, with: &Substitution) -> Ty {
        let mut chooser = Chooser::new(self.api, &self.callable.generics, self.menu);
        let chosen = ty.map(&mut |ty| match &ty {
            Ty::Impl(bounds) => chooser.choose("", bounds, with, 0),
            _ => ty,
        });
        self.variants = self.variants.max(chooser.variants);
        resolve::normalize(self.api, &chosen)
    }

    /// Whatever may be moved is as good as pinned; what may not is given away for that.
    fn pinned(&mut self, name: &str, ty: &Ty) -> String {
        match ty.type_arg(0) {
            Some(reference @ Ty::Ref { inner, .. }) if !self.api.is_unsized(inner) => {
                if self.menu.turn.is_multiple_of(2) {
                    format!("std::pin::Pin::new({})", self.input(name, reference))
                } else {
                    format!("std::pin::pin!({}).as_mut()", self.input(name, inner))
                }
            }
            _ => self.input(name, ty),
        }
    }

    /// A concrete type behind `dyn Trait`.
    fn object(&mut self, bounds: &[TraitRef], ty: &Ty) -> Result<Ty, Refused> {
        let mut chooser = Chooser::new(self.api, &self.callable.generics, self.menu);
        let bounds: Vec<Bound> = bounds
            .iter()
            .filter(|bound| !matches!(bound.name(), "Send" | "Sync"))
            .cloned()
            .map(Bound::Trait)
            .collect();
        let chosen = chooser.choose("", &bounds, &Substitution::new(), 0);
        if chosen.any(|ty| matches!(ty, Ty::Param(_))) {
            return Err((Reason::NoSuchTypes, ty.to_string()));
        }
        Ok(chosen)
    }

    /// The `Fn` bound on an argument, wherever it is written.
    fn closure_bound(&self, ty: &Ty, original: &Ty, with: &Substitution) -> Option<TraitRef> {
        let find = |bounds: &[Bound]| {
            bounds.iter().filter_map(Bound::as_trait).find(|t| t.signature().is_some()).cloned()
        };
        let found = match (ty, original) {
            (Ty::Impl(bounds), _) => find(bounds),
            (Ty::Unknown(text), Ty::Param(name)) if text == "_" => {
                let bounds: Vec<Bound> = self
                    .callable
                    .generics
                    .iter()
                    .flat_map(|generics| generics.bounds_on(name))
                    .cloned()
                    .collect();
                find(&bounds)
            }
            _ => None,
        };
        found.map(|trait_| {
            let trait_ = trait_.substitute(with);
            let map = &mut |ty| resolve::normalize(self.api, &ty);
            trait_.map(map)
        })
    }

    fn closure(&mut self, name: &str, trait_: &TraitRef) -> String {
        let (inputs, output) = trait_.signature().expect("found by its signature");
        let choices = closures::catalogue(inputs, &output, Calls::of_trait(trait_.name()));
        self.catalogued(name, choices)
    }

    fn catalogued(&mut self, name: &str, choices: Vec<closures::Closure>) -> String {
        self.variants = self.variants.max(choices.len());
        let choice = &choices[self.menu.variant.min(choices.len() - 1)];
        self.panics |= choice.panics;
        self.closures.push(choice.kind);
        match &choice.extra {
            Some(ty) => {
                let placeholder = self.input(name, ty);
                choice.text.replace("{+}", &placeholder)
            }
            None => choice.text.clone(),
        }
    }

    /// Makes the result something that has a name, or lets go of it: what is
    /// done to it, its type then, and whether a borrow may hide in that.
    fn result(&self, output: Ty) -> Result<(Treatment, Ty, bool), Refused> {
        let string = || Ty::adt("std::string::String", vec![]);
        if self.formats {
            return Ok((Treatment::Formatted, string(), false));
        }
        let future = if self.callable.is_async { Some(output.clone()) } else { awaited(&output) };
        match future {
            Some(output) if is_nameable(&output) => {
                let hidden = output.any(|ty| matches!(ty, Ty::Assoc { .. }));
                return Ok((Treatment::Awaited, output, hidden));
            }
            Some(output) => {
                return Err((Reason::UnnameableType, format!("a future of {output}")));
            }
            None => {}
        }
        if let Ty::Impl(bounds) = &output {
            let traits: Vec<&TraitRef> = bounds.iter().filter_map(Bound::as_trait).collect();
            let rank = ["DoubleEndedIterator", "ExactSizeIterator", "Iterator"];
            let item = traits.iter().find_map(|trait_| trait_.assoc("Item")).cloned();
            let found = rank.iter().find_map(|name| traits.iter().find(|t| t.name() == *name));
            if let (Some(trait_), Some(item)) = (found, item)
                && is_nameable(&item)
            {
                let mut trait_ = TraitRef::new(&trait_.path, vec![]);
                trait_.assoc.push(("Item".to_owned(), item));
                let lifetime = Some(Lifetime::Elided);
                let object = Ty::Dyn { bounds: vec![trait_], lifetime };
                return Ok((Treatment::Boxed, Ty::adt("std::boxed::Box", vec![object]), true));
            }
            if traits.iter().any(|t| matches!(t.name(), "Display" | "ToString")) {
                return Ok((Treatment::Displayed, string(), false));
            }
        }
        if !is_nameable(&output) {
            return Ok((Treatment::Dropped, Ty::unit(), false));
        }
        let hidden = output.any(|ty| matches!(ty, Ty::Assoc { .. }));
        Ok((Treatment::Kept, output, hidden))
    }
}

/// What a future without a name of its own gives: `impl Future<Output = T>`, or one in a box.
fn awaited(ty: &Ty) -> Option<Ty> {
    let output = |trait_: &TraitRef| {
        (trait_.name() == "Future").then(|| trait_.assoc("Output").cloned()).flatten()
    };
    match ty {
        Ty::Impl(bounds) => bounds.iter().filter_map(Bound::as_trait).find_map(output),
        Ty::Adt { path, .. } if path == "std::pin::Pin" => match ty.type_arg(0)?.type_arg(0)? {
            Ty::Dyn { bounds, .. } => bounds.iter().find_map(output),
            _ => None,
        },
        _ => None,
    }
}

/// Whether what a call gives is a view of memory that nobody owns any more, by its type.
fn gives_up_memory(output: &Ty) -> bool {
    output.any(|ty| match ty {
        Ty::Ref { lifetime, .. } => *lifetime == Lifetime::Static,
        Ty::Ptr { .. } => true,
        ty => matches!(ty.path(), Some("std::mem::ManuallyDrop" | "std::ptr::NonNull")),
    })
}

fn is_nameable(ty: &Ty) -> bool {
    !ty.any(|ty| {
        matches!(ty, Ty::Unknown(_) | Ty::Impl(_) | Ty::Param(_) | Ty::Ptr { .. })
            || matches!(ty, Ty::Prim(name) if name == "!")
    })
}

/// What stands behind the first reference.
fn behind_one(ty: &Ty) -> &Ty {
    match ty {
        Ty::Ref { inner, .. } => inner,
        ty => ty,
    }
}

/// How a parameter of this type is passed: the type of the value, and the mode.
pub fn mode_of(api: &Api, ty: &Ty) -> (Ty, Mode) {
    match ty {
        // Only what is truly static will do here, so it is a value of its own.
        Ty::Ref { lifetime: Lifetime::Static, .. } => (ty.clone(), Mode::Own),
        Ty::Ref { mutable: false, inner, .. } if !api.is_unsized(inner) => {
            ((**inner).clone(), Mode::Shared)
        }
        Ty::Ref { mutable: true, inner, .. } if !api.is_unsized(inner) => {
            ((**inner).clone(), Mode::Exclusive)
        }
        Ty::Ref { mutable: true, .. } => (ty.clone(), Mode::Reborrow),
        ty => (ty.clone(), Mode::Own),
    }
}

fn kind_of(kind: &CallableKind) -> OperationKind {
    match kind {
        CallableKind::Free => OperationKind::Free,
        CallableKind::Inherent => OperationKind::Inherent,
        CallableKind::LocalTrait => OperationKind::LocalTrait,
        CallableKind::ForeignTrait => OperationKind::ForeignTrait,
        CallableKind::Constructor { .. } => OperationKind::Constructor,
        CallableKind::Projection { .. } => OperationKind::Projection,
        CallableKind::Field(_) => OperationKind::Field,
        CallableKind::Constant | CallableKind::Static => OperationKind::Constant,
    }
}

/// What is called, with the types that were chosen.
pub fn form_of(callable: &Callable, with: &Substitution) -> Form {
    let generics = || chosen_generics(callable, with);
    let name = || callable.callee.name().to_owned();
    let path = || callable.callee.to_string();
    let self_ty = || match with.get("Self") {
        Some(Arg::Type(ty)) => ty.clone(),
        _ => unreachable!("a member has a type"),
    };
    match &callable.kind {
        CallableKind::Constructor { fields, shape } => {
            Form::Constructor { path: path(), fields: fields.clone(), shape: *shape }
        }
        CallableKind::Projection { variant, field, shape } => {
            Form::Projection { variant: variant.clone(), field: field.clone(), shape: *shape }
        }
        CallableKind::Field(name) => Form::Field(name.clone()),
        CallableKind::Constant if callable.self_ty.is_some() => {
            Form::MemberConstant { of: self_ty(), name: name() }
        }
        CallableKind::Constant => Form::Constant { path: path(), by_reference: false },
        CallableKind::Static => Form::Constant { path: path(), by_reference: true },
        CallableKind::Free => Form::Function { path: path(), generics: generics() },
        CallableKind::Inherent => {
            let method = callable.inputs.first().is_some_and(|(name, _)| name == "self");
            Form::Member { of: self_ty(), name: name(), generics: generics(), method }
        }
        CallableKind::LocalTrait | CallableKind::ForeignTrait => {
            let trait_ = callable.trait_.as_ref().expect("a trait method has a trait");
            let (of, trait_) = (Some(self_ty()), trait_.substitute(with));
            Form::TraitMember { of, trait_, name: name(), generics: generics() }
        }
    }
}

/// The arguments of the function's own parameters, as a turbofish takes them.
fn chosen_generics(callable: &Callable, with: &Substitution) -> Vec<String> {
    let own: &[Generics] = &callable.generics[callable.outer_generics..];
    let params = own.iter().flat_map(|generics| &generics.params);
    let chosen = params.filter_map(|param| match (&param.kind, with.get(&param.name)) {
        (ParamKind::Type { synthetic: false, .. }, Some(Arg::Type(ty))) => Some(ty.to_string()),
        (ParamKind::Const { .. }, Some(Arg::Const(text))) => Some(text.clone()),
        _ => None,
    });
    chosen.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_says_that_memory_is_given_up() {
        let text = || Box::new(Ty::prim("str"));
        let reference = |lifetime| Ty::Ref { lifetime, mutable: false, inner: text() };
        assert!(gives_up_memory(&reference(Lifetime::Static)));
        assert!(gives_up_memory(&Ty::adt("std::ptr::NonNull", vec![Ty::prim("u8")])));
        assert!(!gives_up_memory(&reference(Lifetime::Elided)));
        assert!(!gives_up_memory(&Ty::adt("std::boxed::Box", vec![Ty::prim("u8")])));
    }

    #[test]
    fn what_wants_a_formatter_is_called_by_formatting() {
        let formatter = Ty::exclusive(Ty::adt("std::fmt::Formatter", vec![]));
        let callable = Callable {
            callee: Callee::item("a::write"),
            kind: CallableKind::Free,
            self_ty: None,
            trait_: None,
            generics: vec![],
            outer_generics: 0,
            inputs: vec![("n".into(), Ty::prim("u8")), ("f".into(), formatter)],
            output: Ty::unit(),
            safety: Safety::Safe,
            is_async: false,
            derived: false,
            guarded: false,
            docs: Default::default(),
            place: None,
        };
        let menus = choose::menus();
        let drafts = drafts(&Api::default(), &callable, &menus[0], &Substitution::new()).unwrap();
        let call = drafts[0].call.full();
        assert!(call.contains("from_fn(|formatter| a::write({0}, formatter))"), "{call}");
        // An error that it gives is not one of formatting.
        assert!(call.contains("Err(_) => {!}"), "{call}");
        assert_eq!(drafts[0].inputs.len(), 1);
    }
}
