//! Laws that are about one function each, whatever it is called: queries, what makes values, and
//! what reads them from lists and texts.

use super::members::method;
use super::{Given, LAWS, Law, claim, listed, one_line};
use crate::draft::Draft;
use testsmith_model::api::Api;
use testsmith_model::call::{Form, Treatment};
use testsmith_model::operation::{Input, MAX_INPUTS, Mode, OperationKind};
use testsmith_model::ty::Ty;
use testsmith_model::{Call, Callee};

/// The laws about a method that only looks at its value.
pub fn of_query(api: &Api, draft: &Draft) -> Vec<Draft> {
    let Some(Input { name: receiver, ty, mode }) = draft.inputs.first() else { return vec![] };
    let local = ty.path().is_some_and(|path| api.types.contains_key(path));
    let method = matches!(draft.kind, OperationKind::Inherent | OperationKind::LocalTrait);
    if !method || !local || receiver != "self" || *mode != Mode::Shared || !can_repeat(draft) {
        return vec![];
    }
    let laws = LAWS.iter().filter(|(_, law)| law.queries);
    laws.filter_map(|(file, law)| about_query(ty, draft, file, law)).collect()
}

fn about_query(ty: &Ty, draft: &Draft, file: &str, law: &Law) -> Option<Draft> {
    let law = law.named(draft.callee.name());
    let (mut inputs, mut full) = (draft.inputs.clone(), one_line(&law.holds));
    let mut show = law.show.clone();
    if law.values > 1 {
        // The other value is the last argument, so that all others keep their places. One that
        // borrows would have to borrow from the same.
        let twin = inputs.len();
        if twin + 1 > MAX_INPUTS || ty.borrows() || tells_of_storage(draft.callee.name()) {
            return None;
        }
        inputs.push(Input { name: String::new(), ty: ty.clone(), mode: Mode::Shared });
        let called = draft.call.full().replace("{0}", &format!("{{{twin}}}"));
        full = full.replace("{call of twin}", &called).replace("{twin}", &format!("{{{twin}}}"));
        let others: Vec<String> = (1..twin).map(|n| format!("{{{n}}}")).collect();
        let called = format!("{{.{twin}}}.{}({})", draft.callee.name(), others.join(", "));
        show = show.replace("{call of twin}", &called).replace("{.twin}", &format!("{{.{twin}}}"));
    }
    let about = Some(Box::new(draft.call.clone()));
    let call = Call::new(Form::Template { full: format!("{{ {full} }}"), show, about }, vec![]);
    Some(claim(law.callee(file, ty), call, inputs, law.docs()))
}

/// The law about what makes a value, if all that it is given has a query of the same name: what
/// it was given is what the value shows. One argument alone may mean something else.
pub fn of_maker(api: &Api, draft: &Draft) -> Option<Draft> {
    let (ty, can_refuse) = made(api, draft)?;
    let which = if can_refuse { Given::Refusable } else { Given::Taken };
    let (file, law) = LAWS.iter().find(|(_, law)| law.given == Some(which))?;
    let query = |input: &Input<Ty>| {
        let named = [input.name.clone(), format!("get_{}", input.name)];
        let is_query = |name: &String| method(api, &ty, name) == Some(1) && !tells_of_storage(name);
        named.into_iter().find(is_query).filter(|_| input.mode == Mode::Own)
    };
    let queries: Vec<String> = draft.inputs.iter().map(query).collect::<Option<_>>()?;
    let all = 0..queries.len();
    let tuple = |text: &dyn Fn(usize) -> String| format!("({},)", listed(all.clone(), text));
    let law = law.with(&[
        ("{maker}", draft.callee.name()),
        ("{given}", &tuple(&|n| format!("{{{n}}}"))),
        ("{shown}", &tuple(&|n| format!("made.{}()", queries[n]))),
        ("{parts}", &listed(all.clone(), |n| format!("shown.{n}"))),
    ]);
    let full = format!("{{ {} }}", one_line(&law.holds).replace("{T}", &ty.to_string()));
    let show = one_line(&law.show).replace("<{T}>::", &format!("{}::", ty.as_prefix()?));
    let about = Some(Box::new(draft.call.clone()));
    let call = Call::new(Form::Template { full, show, about }, vec![]);
    Some(claim(law.callee(file, &ty), call, draft.inputs.clone(), law.docs()))
}

/// The type of the crate that a function of it makes of arguments alone, and whether it can
/// refuse to.
fn made(api: &Api, draft: &Draft) -> Option<(Ty, bool)> {
    let Callee::Member { of, .. } = &draft.callee else { return None };
    // What is made of other values may do more with them than show them.
    let simple = |input: &Input<Ty>| match &input.ty {
        Ty::Prim(_) => true,
        Ty::Ref { inner, .. } => matches!(**inner, Ty::Prim(_)),
        ty => ty.path().is_some_and(|path| api.types.contains_key(path)),
    };
    let plain = draft.kind == OperationKind::Inherent
        && draft.inputs.iter().all(simple)
        && draft.inputs.first().is_some_and(|first| first.name != "self")
        && !draft.panics_by_design
        && !draft.call.has_closures()
        && draft.call.result == Treatment::Kept
        && !draft.docs.hidden;
    if !plain || of.path().is_none_or(|path| !api.types.contains_key(path)) {
        return None;
    }
    let is_own = |ty: &Ty| ty.path() == of.path() && !ty.borrows();
    if is_own(&draft.output) {
        return Some((draft.output.clone(), false));
    }
    let wraps = ["std::option::Option", "std::result::Result"];
    let Ty::Adt { path, args } = &draft.output else { return None };
    let first = args.first().and_then(|arg| arg.as_type()).filter(|ty| is_own(ty))?;
    wraps.contains(&path.as_str()).then(|| (first.clone(), true))
}

/// The law about what reads a value from the beginning of a list or a text, and tells how much of
/// it that took.
pub fn of_reader(draft: &Draft) -> Option<Draft> {
    let (file, law) = LAWS.iter().find(|(_, law)| law.reads)?;
    let [Input { name, ty: Ty::Ref { mutable: false, inner, .. }, mode: Mode::Own }] =
        draft.inputs.as_slice()
    else {
        return None;
    };
    let kinds = [OperationKind::Free, OperationKind::Inherent, OperationKind::LocalTrait];
    let is_free = kinds.contains(&draft.kind) && name != "self";
    let is_list = matches!(**inner, Ty::Slice(_)) || **inner == Ty::prim("str");
    let plain = !draft.panics_by_design && draft.call.result == Treatment::Kept;
    if !is_free || !is_list || !plain || draft.docs.hidden {
        return None;
    }
    let (wrap, told) = match &draft.output {
        Ty::Adt { path, args } => (path.as_str(), args.first()?.as_type()?),
        told => ("", told),
    };
    let Ty::Tuple(parts) = told else { return None };
    let number = Ty::prim("usize");
    let (read, at) = match parts.as_slice() {
        [read, taken] if *taken == number && *read != number => (read, 1),
        [taken, read] if *taken == number && *read != number => (read, 0),
        _ => return None,
    };
    // Beside what may be longer than what it was made of, the number may count that.
    let grows = |ty: &Ty| {
        let wraps = |path: &str| ["std::option::Option", "std::result::Result"].contains(&path);
        ty.path().is_some_and(|path| path.starts_with("std::") && !wraps(path))
    };
    if read.any(grows) {
        return None;
    }
    let taken = match wrap {
        "" => format!("Some({{call}}.{at})"),
        "std::option::Option" => format!("{{call}}.map(|told| told.{at})"),
        "std::result::Result" => format!("{{call}}.ok().map(|told| told.{at})"),
        _ => return None,
    };
    let law = law.with(&[("{reader}", draft.callee.name()), ("{taken}", &taken)]);
    let full = format!("{{ {} }}", one_line(&law.holds));
    let about = Some(Box::new(draft.call.clone()));
    let call = Call::new(Form::Template { full, show: one_line(&law.show), about }, vec![]);
    Some(claim(law.callee(file, read), call, draft.inputs.clone(), law.docs()))
}

/// Whether a method of this name says how a value is stored, which equal ones may differ in.
fn tells_of_storage(name: &str) -> bool {
    let words = ["addr", "allocated", "bytes", "capacity", "inline", "memory", "ptr", "spilled"];
    name.split('_').any(|word| words.contains(&word))
}

/// Whether the same call can be written twice and its results compared: nothing
/// is moved, no closure keeps a count, and the answer is none that may differ
/// by its nature.
fn can_repeat(draft: &Draft) -> bool {
    let copied = |ty: &Ty| match ty {
        Ty::Prim(_) => true,
        Ty::Ref { mutable, .. } => !mutable,
        _ => false,
    };
    let mut others = draft.inputs[1..].iter();
    let arguments = others.all(|input| match input.mode {
        Mode::Own => copied(&input.ty),
        Mode::Shared => true,
        Mode::Exclusive | Mode::Reborrow => false,
    });
    let fleeting = |ty: &Ty| {
        matches!(ty, Ty::Ptr { .. } | Ty::FnPtr { .. } | Ty::Ref { mutable: true, .. })
            || ty.path().is_some_and(|path| path.starts_with("std::time::"))
    };
    let answer = !draft.output.is_unit() && !draft.output.any(fleeting);
    arguments && answer && !draft.call.has_closures() && !draft.docs.hidden
}
