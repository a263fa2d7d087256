//! Drafts: operations in the making, with types instead of type numbers.
//!
//! A draft is what the compiler is asked about. It knows how each argument is
//! passed and how the call is written, and nothing about other operations.

use crate::choose::{self, Chooser, Menu};
use crate::closures::{self, Calls};
use crate::flows;
use crate::guards;
use crate::resolve;
use testsmith_model::api::{Api, Callable, CallableKind, Docs, Generics, ParamKind, Shape};
use testsmith_model::operation::{
    Acquire, Flow, MAX_INPUTS, Mode, OperationKind, call_on_parameters, parameter_type,
};
use testsmith_model::skip::Reason;
use testsmith_model::ty::{Arg, Bound, Lifetime, Substitution, TraitRef, Ty};

#[derive(Clone, Debug)]
pub struct Draft {
    pub path: String,
    pub kind: OperationKind,
    pub call: String,
    pub show: String,
    pub inputs: Vec<(String, Ty, Mode)>,
    pub output: Ty,
    pub flows: Vec<Flow>,
    pub acquires: Vec<Acquire>,
    pub docs: Docs,
    pub place: Option<(String, u32)>,
    pub callable: Option<u32>,
    pub core: bool,
    pub panics_by_design: bool,
    /// Asks for the preconditions; see [`guards`].
    pub guard: Option<String>,
}

impl Draft {
    /// A call that belongs to nobody's API: it takes nothing and borrows nothing
    /// unless more is said.
    pub fn aside(path: String, call: String, output: Ty) -> Draft {
        Draft {
            path,
            kind: OperationKind::Builder,
            show: call.clone(),
            call,
            inputs: vec![],
            output,
            flows: vec![],
            acquires: vec![],
            docs: Docs::default(),
            place: None,
            callable: None,
            core: false,
            panics_by_design: false,
            guard: None,
        }
    }

    /// A function that compiles if and only if the draft does.
    pub fn probe(&self, name: &str) -> String {
        let params: Vec<String> = self
            .inputs
            .iter()
            .enumerate()
            .map(|(n, (_, ty, mode))| format!("a{n}: {}", parameter_type(ty, *mode)))
            .collect();
        format!(
            "pub fn {name}({}) -> Option<{}> {{ Some({}) }}",
            params.join(", "),
            self.output.erased(),
            call_on_parameters(&self.call, "return None"),
        )
    }
}

/// The path of a draft that only asks whether a type has a size.
pub const SIZE_QUESTION: &str = "has a size";

/// Compiles if the type has a size; never becomes an operation.
pub fn size_question(ty: &Ty) -> Draft {
    let call = format!("{{ let _ = std::mem::size_of::<{ty}>(); loop {{}} }}");
    Draft::aside(SIZE_QUESTION.to_owned(), call, ty.clone())
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
        if !drafts.iter().any(|known| known.call == draft.call && known.inputs == draft.inputs) {
            drafts.push(draft);
        }
        variant += 1;
    }
    Ok(drafts)
}

const MAX_VARIANTS: usize = 6;

fn refuse_outright(callable: &Callable) -> Result<(), Refused> {
    let refuse = |reason| Err((reason, String::new()));
    if callable.is_unsafe {
        return refuse(Reason::Unsafe);
    }
    if callable.is_async {
        return refuse(Reason::Async);
    }
    if callable.output == Ty::prim("!") {
        return refuse(Reason::Diverges);
    }
    if callable.inputs.len() > MAX_INPUTS {
        return Err((Reason::NoSuchTypes, format!("takes more than {MAX_INPUTS} arguments")));
    }
    for (_, ty) in &callable.inputs {
        if ty.any(|ty| matches!(ty, Ty::Ptr { .. })) {
            return Err((Reason::RawPointer, ty.to_string()));
        }
        if ty.any(|ty| matches!(ty, Ty::Unknown(_))) {
            return Err((Reason::UnnameableType, ty.to_string()));
        }
    }
    if callable.trait_.as_ref().is_some_and(|t| t.path == "std::ops::Drop") {
        return refuse(Reason::Diverges);
    }
    Ok(())
}

/// Writes one draft.
struct Writer<'a> {
    api: &'a Api,
    callable: &'a Callable,
    menu: &'a Menu,
    variants: usize,
    inputs: Vec<(String, Ty, Mode)>,
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
            // Twice, because a chosen type may itself mention a later choice.
            resolve::normalize(
                self.api,
                &resolve::normalize(self.api, &ty.substitute(&with)).substitute(&with),
            )
        };
        let raw: Vec<(String, Ty)> =
            callable.inputs.iter().map(|(name, ty)| (name.clone(), concrete(ty))).collect();
        let output = concrete(&callable.output);
        let originals: Vec<Ty> = callable.inputs.iter().map(|(_, ty)| ty.clone()).collect();
        let mut arguments = vec![];
        for ((name, ty), original) in raw.iter().zip(&originals) {
            arguments.push(self.argument(name, ty, original, &with)?);
        }
        let is_method = callable.inputs.first().is_some_and(|(name, _)| name == "self");
        let expression = Expression::new(callable, &with, &arguments, is_method);
        let guard = guards::guard(callable, &with, &arguments, &self.inputs);
        let (call, show, output, hidden) = self.result(expression, output);
        let flows =
            flows::of_signature(&self.signature, &output, &callable.generics, is_method, hidden);
        if flows.borrows_itself {
            return Err((Reason::BorrowsItself, String::new()));
        }
        Ok(Draft {
            path: callable.path.clone(),
            kind: kind_of(&callable.kind),
            call,
            show,
            inputs: std::mem::take(&mut self.inputs),
            output: output.erase_lifetimes(),
            flows: flows.flows,
            acquires: flows.acquires,
            docs: callable.docs.clone(),
            place: callable.place.clone(),
            callable: None,
            core: callable.is_core(),
            panics_by_design: self.panics,
            guard,
        })
    }

    /// Adds an input and returns its placeholder.
    fn input(&mut self, name: &str, ty: &Ty) -> String {
        let placeholder = format!("{{{}}}", self.inputs.len());
        let (value, mode) = mode_of(self.api, ty);
        self.inputs.push((name.to_owned(), value.erase_lifetimes(), mode));
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
        match ty {
            Ty::Impl(bounds) => {
                let mut chooser = Chooser::new(self.api, &self.callable.generics, self.menu);
                let chosen = chooser.choose("", bounds, with, 0);
                self.variants = self.variants.max(chooser.variants);
                let chosen = resolve::normalize(self.api, &chosen);
                Ok(self.input(name, &chosen))
            }
            Ty::Ref { mutable: true, inner, .. }
                if inner.path() == Some("std::fmt::Formatter") && !self.formats =>
            {
                self.formats = true;
                Ok("formatter".to_owned())
            }
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
        match &choice.extra {
            Some(ty) => {
                let placeholder = self.input(name, ty);
                choice.text.replace("{+}", &placeholder)
            }
            None => choice.text.clone(),
        }
    }

    /// Makes the result something that has a name, or lets go of it.
    fn result(&self, expression: Expression, output: Ty) -> (String, String, Ty, bool) {
        let Expression { call, show } = expression;
        let wrap = |open: &str, close: &str| {
            (format!("{open}{call}{close}"), format!("{open}{show}{close}"))
        };
        if self.formats {
            let (call, show) = wrap("format!(\"{}\", std::fmt::from_fn(|formatter| ", "))");
            return (call, show, Ty::adt("std::string::String", vec![]), false);
        }
        let traits = match &output {
            Ty::Impl(bounds) => Some(bounds.iter().filter_map(Bound::as_trait).collect::<Vec<_>>()),
            _ => None,
        };
        if let Some(traits) = traits {
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
                let (call, show) = wrap("Box::new(", ")");
                return (call, show, Ty::adt("std::boxed::Box", vec![object]), true);
            }
            if traits.iter().any(|t| matches!(t.name(), "Display" | "ToString")) {
                let (call, show) = wrap("(", ").to_string()");
                return (call, show, Ty::adt("std::string::String", vec![]), false);
            }
        }
        if !is_nameable(&output) {
            let (call, show) = wrap("drop(", ")");
            return (call, show, Ty::unit(), false);
        }
        let hidden = output.any(|ty| matches!(ty, Ty::Assoc { .. }));
        (call, show, output, hidden)
    }
}

fn is_nameable(ty: &Ty) -> bool {
    !ty.any(|ty| {
        matches!(ty, Ty::Unknown(_) | Ty::Impl(_) | Ty::Param(_) | Ty::Ptr { .. })
            || matches!(ty, Ty::Prim(name) if name == "!")
    })
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
        CallableKind::Constant => OperationKind::Constant,
    }
}

/// The two texts of a call.
pub struct Expression {
    pub call: String,
    pub show: String,
}

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

impl Expression {
    pub fn new(
        callable: &Callable,
        with: &Substitution,
        args: &[String],
        is_method: bool,
    ) -> Expression {
        let list = args.join(", ");
        let self_ty = match with.get("Self") {
            Some(Arg::Type(ty)) => ty.to_string(),
            _ => String::new(),
        };
        let same = |call: String| Expression { show: call.clone(), call };
        match &callable.kind {
            CallableKind::Constructor { fields, shape } => {
                same(constructor(&callable.path, fields, *shape, args))
            }
            CallableKind::Projection { variant, field, shape } => {
                same(projection(variant, field, *shape, &args[0]))
            }
            CallableKind::Field(name) => Expression {
                call: format!("&{}.{name}", args[0]),
                show: format!("&{}.{name}", receiver(&args[0])),
            },
            CallableKind::Constant if callable.self_ty.is_some() => {
                same(format!("<{self_ty}>::{}", callable.name))
            }
            CallableKind::Constant => same(callable.name.clone()),
            CallableKind::Free => {
                same(format!("{}{}({list})", callable.path, turbofish(callable, with)))
            }
            CallableKind::Inherent => {
                let fish = turbofish(callable, with);
                let call = format!("<{self_ty}>::{}{fish}({list})", callable.name);
                let plain = is_method && !PRELUDE_METHODS.contains(&callable.name.as_str());
                let show = match args.split_first() {
                    Some((first, rest)) if plain => {
                        format!("{}.{}{fish}({})", receiver(first), callable.name, rest.join(", "))
                    }
                    _ => call.clone(),
                };
                Expression { call, show }
            }
            CallableKind::LocalTrait | CallableKind::ForeignTrait => {
                trait_call(callable, with, args, &self_ty)
            }
        }
    }
}

/// `{0}` as a receiver is written without a mark of borrowing.
fn receiver(placeholder: &str) -> String {
    match placeholder.strip_prefix('{') {
        Some(rest) if rest[..rest.len() - 1].parse::<usize>().is_ok() => format!("{{.{rest}"),
        _ => placeholder.to_owned(),
    }
}

fn constructor(path: &str, fields: &[String], shape: Shape, args: &[String]) -> String {
    match shape {
        Shape::Unit => path.to_owned(),
        Shape::Tuple => format!("{path}({})", args.join(", ")),
        Shape::Named => {
            let pairs: Vec<String> =
                fields.iter().zip(args).map(|(name, arg)| format!("{name}: {arg}")).collect();
            format!("{path} {{ {} }}", pairs.join(", "))
        }
    }
}

fn projection(variant: &str, field: &str, shape: Shape, value: &str) -> String {
    let pattern = match (shape, field.parse::<usize>()) {
        (Shape::Tuple, Ok(n)) => format!("{variant}({}x, ..)", "_, ".repeat(n)),
        _ => format!("{variant} {{ {field}: x, .. }}"),
    };
    // An enum with one variant makes the last arm unreachable, which is fine.
    format!("match {value} {{ {pattern} => x, #[allow(unreachable_patterns)] _ => {{!}} }}")
}

fn turbofish(callable: &Callable, with: &Substitution) -> String {
    let own: &[Generics] = &callable.generics[callable.outer_generics..];
    let params = own.iter().flat_map(|generics| &generics.params);
    let texts: Vec<String> = params
        .filter_map(|param| match (&param.kind, with.get(&param.name)) {
            (ParamKind::Type { synthetic: false, .. }, Some(Arg::Type(ty))) => Some(ty.to_string()),
            (ParamKind::Const { .. }, Some(Arg::Const(text))) => Some(text.clone()),
            _ => None,
        })
        .collect();
    if texts.is_empty() { String::new() } else { format!("::<{}>", texts.join(", ")) }
}

fn trait_call(
    callable: &Callable,
    with: &Substitution,
    args: &[String],
    self_ty: &str,
) -> Expression {
    let trait_ = callable.trait_.as_ref().expect("a trait method has a trait").substitute(with);
    let name = callable.name.as_str();
    let list = args.join(", ");
    let fish = turbofish(callable, with);
    let call = format!("<{self_ty} as {trait_}>::{name}{fish}({list})");
    let show = match (trait_.name(), name) {
        ("Default", "default") => format!("<{self_ty}>::default()"),
        ("From", "from") => format!("<{self_ty}>::from({list})"),
        ("FromStr", "from_str") => format!("{}.parse::<{self_ty}>()", receiver(&args[0])),
        ("Clone", "clone") => format!("{}.clone()", receiver(&args[0])),
        ("Index", "index") => format!("&{}[{}]", receiver(&args[0]), args[1]),
        _ => call.clone(),
    };
    Expression { call, show }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wants_a_formatter_is_called_by_formatting() {
        let formatter = Ty::exclusive(Ty::adt("std::fmt::Formatter", vec![]));
        let callable = Callable {
            path: "a::write".into(),
            name: "write".into(),
            kind: CallableKind::Free,
            self_ty: None,
            trait_: None,
            generics: vec![],
            outer_generics: 0,
            inputs: vec![("n".into(), Ty::prim("u8")), ("f".into(), formatter)],
            output: Ty::unit(),
            is_unsafe: false,
            is_async: false,
            guarded: false,
            docs: Docs::default(),
            place: None,
        };
        let menus = choose::menus();
        let drafts = drafts(&Api::default(), &callable, &menus[0], &Substitution::new()).unwrap();
        let call = "format!(\"{}\", std::fmt::from_fn(|formatter| a::write({0}, formatter)))";
        assert_eq!(drafts[0].call, call);
        assert_eq!(drafts[0].inputs.len(), 1);
    }
}
