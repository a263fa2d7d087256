//! Sequences as tests that a person would not mind in a pull request: names
//! taken from types, values written where they are used, assertions on what
//! was seen, one comment that says what the test shows.
//!
//! Reads and writes text only. Whether a test compiles and passes is for others
//! to find out, and to ask for the explicit style where the plain one does not.

use crate::beside;
use crate::calls::{explicit, is_atomic, is_operator, plain};
use crate::expected::expected;
use crate::imports::Imports;
use crate::literal::{is_made, is_wide, literal, with_type};
use crate::names::Variables;
use crate::statements::{mark, must_be_dropped};
use crate::valid;
use testsmith_model::call::{Placeholder, Treatment, fill};
use testsmith_model::operation::{Mode, Operation, OperationKind};
use testsmith_model::ty::Ty;
use testsmith_model::{Callee, Edit, EditStep, Loans, Plan, Sequence, Step};

/// A test to be written down.
pub struct Test<'t> {
    pub name: String,
    /// What it shows and why it counts; one line each.
    pub comment: Vec<String>,
    pub sequence: &'t Sequence,
    pub ending: TestEnding,
    /// Per step, the `Debug` text of its value where that is to be asserted.
    pub seen: &'t [Option<String>],
    pub style: Style,
}

/// How a test ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TestEnding {
    /// Its last statement returns, or fails.
    #[default]
    Open,
    /// Its last call panics by design, with a message that contains this.
    Panics { expected: Option<String> },
    /// Its last value has to look like this.
    Shows { text: String },
    /// It would end the whole process.
    Ignored { why: String },
    /// It would end the whole process, in a build without overflow checks.
    IgnoredUnchecked { why: String },
    /// Its last call does not return.
    Hangs,
    /// It fails by how its memory is used.
    Watched(Watch),
    /// Its last value is no value of its type.
    Valid,
}

/// What is looked for while the memory of a test is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Misused memory.
    Heap,
    /// That, or memory that is never freed.
    Leaks,
    /// Misused elements, which panic; misused memory does no harm then.
    Elements,
}

impl Watch {
    fn function(self) -> &'static str {
        match self {
            Watch::Heap => "watch",
            Watch::Leaks => "watch_for_leaks",
            Watch::Elements => "watch_elements",
        }
    }
}

/// How much is written that a compiler could find out by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// As a person would write it.
    #[default]
    Plain,
    /// Every type, every call as the compiler once accepted it; of the paths, those of types
    /// are short.
    Explicit,
}

/// A whole file of tests. It has no dependency but the crate under test.
pub fn test_file(plan: &Plan, about: &[String], tests: &[&Test]) -> String {
    let mut imports = Imports::new(plan);
    let bodies: Vec<String> = tests.iter().map(|test| function(plan, test, &mut imports)).collect();
    file(about, &imports, &bodies)
}

/// Functions with all that stands above them in a file.
pub(crate) fn file(about: &[String], imports: &Imports, bodies: &[String]) -> String {
    let mut text: String = about.iter().map(|line| format!("//! {line}\n")).collect();
    let uses = imports.lines();
    if !uses.is_empty() {
        text.push_str(if text.is_empty() { "" } else { "\n" });
        text.push_str(&uses.join("\n"));
        text.push('\n');
    }
    text.push_str(&beside::functions(bodies));
    for body in bodies {
        text.push('\n');
        text.push_str(body);
    }
    text
}

/// One test alone, for a report.
pub fn test_function(plan: &Plan, test: &Test) -> String {
    function(plan, test, &mut Imports::new(plan))
}

const HANGS: &str = "it does not return; run alone, it fails after five seconds";
/// What does not return is left to work on in a thread until the process is over.
const WAIT: &str = "    let (done, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
";
const WAITED: &str = "        done.send(()).unwrap();
    });
    let returned = wait.recv_timeout(std::time::Duration::from_secs(5));
    assert!(returned.is_ok(), \"it does not return\");
";

pub(crate) fn function(plan: &Plan, test: &Test, imports: &mut Imports) -> String {
    let mut text = String::new();
    for line in &test.comment {
        text.push_str(&format!("/// {line}\n"));
    }
    let wide = |step: &Step| match step {
        Step::Literal(ty, value) => is_wide(&plan.ty(*ty).ty, value),
        Step::Call(..) => false,
    };
    if test.sequence.steps().any(wide) {
        text.push_str("#[cfg(target_pointer_width = \"64\")]\n");
    }
    text.push_str("#[test]\n");
    match &test.ending {
        TestEnding::Open
        | TestEnding::Shows { .. }
        | TestEnding::Watched(_)
        | TestEnding::Valid => {}
        TestEnding::Panics { expected: Some(message) } => {
            text.push_str(&format!("#[should_panic(expected = {message:?})]\n"));
        }
        TestEnding::Panics { expected: None } => text.push_str("#[should_panic]\n"),
        TestEnding::Hangs => text.push_str(&format!("#[ignore = \"{HANGS}\"]\n")),
        TestEnding::Ignored { why } => text.push_str(&format!("#[ignore = {why:?}]\n")),
        TestEnding::IgnoredUnchecked { why } => {
            text.push_str(&format!("#[cfg_attr(not(debug_assertions), ignore = {why:?})]\n"));
        }
    }
    if test.style == Style::Explicit {
        text.push_str("#[allow(deprecated, unused_mut, unused_variables, clippy::all)]\n");
    } else if test.sequence.steps().any(|step| is_deprecated(plan, step)) {
        text.push_str("#[allow(deprecated)]\n");
    }
    text.push_str(&format!("fn {}() {{\n", test.name));
    let (begin, indent, end) = match &test.ending {
        TestEnding::Watched(watch) => {
            (format!("    watched_heap::{}(|| {{\n", watch.function()), "    ", "    });\n")
        }
        TestEnding::Hangs => (WAIT.to_owned(), "    ", WAITED),
        _ => (String::new(), "", ""),
    };
    text.push_str(&begin);
    for line in gathered(Writer::new(plan, test, imports).lines()) {
        text.push_str(&format!("    {indent}{line}\n"));
    }
    if test.style == Style::Plain {
        imports.add_late(&text);
    }
    text.push_str(end);
    text.push_str("}\n");
    text
}

/// The same statement again and again is a loop.
fn gathered(lines: Vec<String>) -> Vec<String> {
    let mut gathered = vec![];
    for run in lines.chunk_by(|one, other| one == other) {
        let line = &run[0];
        let names_nothing = !line.starts_with("let ") || line.starts_with("let _ = ");
        if run.len() >= MIN_LOOP && names_nothing {
            gathered.push(format!("for _ in 0..{} {{", run.len()));
            gathered.push(format!("    {line}"));
            gathered.push("}".to_owned());
        } else {
            gathered.extend(run.iter().cloned());
        }
    }
    gathered
}

/// Fewer are read as quickly one by one.
const MIN_LOOP: usize = 4;

/// Writes the statements of one test.
struct Writer<'w> {
    plan: &'w Plan,
    test: &'w Test<'w>,
    imports: &'w mut Imports,
    steps: Vec<EditStep>,
    /// The variable of each step, once it has one.
    names: Vec<String>,
    variables: Variables,
    /// What is written where a value is used, instead of a variable.
    inline: Vec<Option<String>>,
    /// Who uses a value, and as which argument.
    uses: Vec<Vec<(usize, usize)>>,
    changed: Vec<bool>,
    dropped: Vec<bool>,
}

/// An inlined expression is repeated only if it is as short as this.
const MAX_REPEATED: usize = 20;
/// A line with more than this is easier to read as two.
const MAX_INLINE: usize = 70;

impl<'w> Writer<'w> {
    fn new(plan: &'w Plan, test: &'w Test<'w>, imports: &'w mut Imports) -> Writer<'w> {
        let steps = Edit::of(test.sequence).steps;
        let count = steps.len();
        let mut writer = Writer {
            plan,
            test,
            imports,
            names: vec![String::new(); count],
            variables: Variables::default(),
            inline: vec![None; count],
            uses: vec![vec![]; count],
            changed: vec![false; count],
            dropped: vec![false; count],
            steps,
        };
        writer.look_ahead();
        writer
    }

    fn is_plain(&self) -> bool {
        self.test.style == Style::Plain
    }

    fn operation(&self, here: usize) -> Option<&'w Operation> {
        match self.steps[here] {
            EditStep::Call(op, _) => Some(self.plan.operation(op)),
            EditStep::Literal(..) => None,
        }
    }

    /// Finds out who uses, changes and drops each value.
    fn look_ahead(&mut self) {
        let mut loans = Loans::default();
        for here in 0..self.steps.len() {
            match self.steps[here].clone() {
                EditStep::Literal(ty, _) => {
                    loans.push(ty);
                }
                EditStep::Call(op, args) => {
                    let signature = self.plan.signature(op);
                    let ended = loans.access(&signature, &args).unwrap_or(&[]).to_vec();
                    self.note_drops(&loans, &ended);
                    let inputs = &self.plan.operation(op).inputs;
                    for (n, (arg, input)) in args.iter().zip(inputs).enumerate() {
                        self.uses[*arg as usize].push((here, n));
                        let itself = loans.ty(*arg) == input.ty;
                        self.changed[*arg as usize] |= input.mode == Mode::Exclusive && itself;
                    }
                    loans.commit(&signature, &args);
                }
            }
        }
        let last = loans.close_scope();
        self.note_drops(&loans, &last);
    }

    /// A borrow that has nothing to do when it ends just ends.
    fn is_dropped(&self, loans: &Loans, slot: u32) -> bool {
        let acts = self.plan.ty(loans.ty(slot)).abilities.needs_drop;
        must_be_dropped(self.plan, loans, slot) && (acts || !self.is_plain())
    }

    fn note_drops(&mut self, loans: &Loans, ended: &[u32]) {
        for &slot in ended {
            self.dropped[slot as usize] |= self.is_dropped(loans, slot);
        }
    }

    fn lines(mut self) -> Vec<String> {
        let mut loans = Loans::default();
        let mut lines = vec![];
        for here in 0..self.steps.len() {
            match self.steps[here].clone() {
                EditStep::Literal(ty, value) => {
                    loans.push(ty);
                    let info = self.plan.ty(ty);
                    let mut text = literal(&info.ty, &value);
                    let repeatable = info.abilities.copy || self.uses[here].len() <= 1;
                    // A text says what it is by itself; a number before a dot does not.
                    let says = self.is_plain() && info.is_reference;
                    // What borrows a text that is made on the spot needs it to stay.
                    let stays = !(is_made(&value) && info.is_reference);
                    if stays && repeatable && self.can_stand_in_place(here, says) {
                        if !self.is_plain() || self.is_ambiguous(here) {
                            text = with_type(text, &info.ty);
                        }
                        self.inline[here] = Some(text);
                    } else {
                        lines.push(self.binding(here, &text));
                    }
                }
                EditStep::Call(op, args) => {
                    let signature = self.plan.signature(op);
                    let ended = loans.access(&signature, &args).unwrap_or(&[]).to_vec();
                    lines.extend(self.drops(&loans, &ended));
                    let text = self.call(&loans, self.plan.operation(op), &args);
                    loans.commit(&signature, &args);
                    if self.is_written_at_its_use(here, &text) {
                        self.inline[here] = Some(text);
                    } else {
                        lines.extend(self.statements(here, &text));
                    }
                }
            }
        }
        let last = loans.close_scope();
        lines.extend(self.drops(&loans, &last));
        lines
    }

    /// Whether a number has to say its type: there is the same method of the
    /// same trait for another type in its place.
    fn is_ambiguous(&self, here: usize) -> bool {
        self.uses[here].iter().any(|&(user, n)| {
            let operation = self.operation(user).expect("a user is a call");
            let Some(called) = trait_method(operation) else { return false };
            // What is made is named before `from`, what is done to a value is not.
            let on_self = operation.inputs.iter().any(|input| input.name == "self");
            self.plan.operations.iter().any(|other| {
                let differ = |at: usize| operation.inputs[at].ty != other.inputs[at].ty;
                other.inputs.len() == operation.inputs.len()
                    && trait_method(other) == Some(called)
                    && (on_self || other.output == operation.output)
                    && (0..other.inputs.len()).all(|at| differ(at) == (at == n))
            })
        })
    }

    /// Whether nobody needs the value as a variable: it is never changed, and
    /// nobody keeps a borrow of it.
    fn can_stand_in_place(&self, here: usize, before_a_dot: bool) -> bool {
        !self.dropped[here]
            && self.uses[here].iter().all(|&(user, n)| {
                let operation = self.operation(user).expect("a user is a call");
                let borrows = !operation.flows.is_empty() || !operation.acquires.is_empty();
                let fits = before_a_dot || !self.is_receiver(operation, n);
                match operation.inputs[n].mode {
                    Mode::Own => fits,
                    Mode::Shared => fits && !borrows,
                    Mode::Exclusive | Mode::Reborrow => false,
                }
            })
    }

    fn template(&self, operation: &Operation) -> String {
        if self.is_plain() { plain(self.plan, operation) } else { explicit(&operation.call) }
    }

    fn is_receiver(&self, operation: &Operation, n: usize) -> bool {
        self.template(operation).contains(&format!("{{.{n}}}"))
    }

    /// Whether the result of a call is better read where it is used: values
    /// that only hold others together, and what is unwrapped at once.
    fn is_written_at_its_use(&self, here: usize, text: &str) -> bool {
        let operation = self.operation(here).expect("this is a call");
        let uses = self.uses[here].len();
        if !self.is_plain() || text.len() > MAX_INLINE || uses == 0 || self.dropped[here] {
            return false;
        }
        let holds = matches!(
            operation.kind,
            OperationKind::Builder | OperationKind::Constructor | OperationKind::Constant
        ) && operation.inputs.iter().all(|input| input.mode == Mode::Own)
            && !text.contains(".unwrap");
        let copy = self.plan.ty(operation.output).abilities.copy;
        let few = uses == 1 || (copy && text.len() <= MAX_REPEATED);
        // A variable that is moved into it must not be used in between; so all
        // it holds has to stand in place too.
        let mut args = self.steps[here].args().iter();
        let whole = args.all(|arg| self.inline[*arg as usize].is_some());
        if holds && few && whole && self.can_stand_in_place(here, false) {
            return true;
        }
        self.is_unwrapped_next(here) && is_atomic(text)
    }

    /// `text.parse::<Version>().unwrap()`, `channel().1`: the only use is the next
    /// statement, a builder that takes the value apart.
    fn is_unwrapped_next(&self, here: usize) -> bool {
        let [(user, 0)] = self.uses[here][..] else { return false };
        let operation = self.operation(user).expect("a user is a call");
        let takes_apart = operation.kind == OperationKind::Builder
            && operation.inputs.len() == 1
            && operation.inputs[0].mode == Mode::Own
            && (matches!(operation.call.result, Treatment::Unwrapped(_))
                || operation.call.takes_a_part());
        let mut between = here + 1..user;
        takes_apart && between.all(|step| matches!(self.steps[step], EditStep::Literal(..)))
    }

    fn drops(&self, loans: &Loans, ended: &[u32]) -> Vec<String> {
        let each = |slot: &u32| format!("drop({});", self.names[*slot as usize]);
        ended.iter().filter(|slot| self.is_dropped(loans, **slot)).map(each).collect()
    }

    fn call(&mut self, loans: &Loans, operation: &Operation, args: &[u32]) -> String {
        let template = self.template(operation);
        let template = match self.test.style {
            Style::Plain => self.imports.shorten(&template),
            Style::Explicit => self.imports.shorten_types(&template),
        };
        // A method reaches through a reference by itself, an operator does not.
        let infix = is_operator(&template);
        fill(&template, &mut |placeholder, text| {
            let (n, mark) = match placeholder {
                Placeholder::Inapplicable => {
                    text.push_str("panic!(\"another variant\")");
                    return;
                }
                Placeholder::Receiver(n) => {
                    let through = loans.ty(args[n]) != operation.inputs[n].ty;
                    (n, if infix && through { "*" } else { "" })
                }
                Placeholder::Argument(n) => {
                    (n, mark(self.plan, loans, &operation.inputs[n], args[n]))
                }
            };
            let value = match &self.inline[args[n] as usize] {
                Some(value) => value,
                None => &self.names[args[n] as usize],
            };
            let alone = matches!(placeholder, Placeholder::Argument(_)) && mark.is_empty();
            // What is left of a variable would live on to the end of the test.
            let whole = operation.call.takes_a_part()
                && self.inline[args[n] as usize].is_none()
                && self.plan.ty(loans.ty(args[n])).abilities.needs_drop;
            if whole {
                text.push_str(&format!("{{ {value} }}"));
            } else if alone || is_atomic(value) {
                text.push_str(&format!("{mark}{value}"));
            } else {
                text.push_str(&format!("{mark}({value})"));
            }
        })
    }

    /// `let mut shelf = …;`
    fn binding(&mut self, here: usize, text: &str) -> String {
        let unused = self.uses[here].is_empty() && !self.dropped[here];
        let ty = &self.plan.ty(self.steps[here].ty(self.plan)).ty;
        self.names[here] = self.variables.name(ty);
        if !self.is_plain() {
            let (name, ty) = (&self.names[here], self.imports.shorten_types(&ty.to_string()));
            // What a claim does to a value of its own is not known here.
            return format!("let mut {name}: {ty} = {text};");
        }
        let told = if self.needs_a_type(here, text) {
            format!(": {}", self.imports.shorten(&ty.to_string()))
        } else {
            String::new()
        };
        let name = &self.names[here];
        match (unused, self.changed[here]) {
            (true, _) => format!("let _{name}{told} = {text};"),
            (false, true) => format!("let mut {name}{told} = {text};"),
            (false, false) => format!("let {name}{told} = {text};"),
        }
    }

    /// Whether nothing but its type tells what a generic value is made for.
    fn needs_a_type(&self, here: usize, text: &str) -> bool {
        let Some(operation) = self.operation(here) else { return text.starts_with('&') };
        let generic = matches!(&self.plan.ty(operation.output).ty,
            Ty::Adt { args, .. } if args.iter().any(|arg| arg.as_type().is_some()));
        generic && operation.kind == OperationKind::Constructor && !text.contains('<')
    }

    /// The call as statements, with what is known of its result asserted.
    fn statements(&mut self, here: usize, text: &str) -> Vec<String> {
        let operation = self.operation(here).expect("this is a call");
        if let Callee::Claim { claim, .. } = &operation.callee {
            return vec![format!("assert!({text}, \"{claim}\");")];
        }
        if let TestEnding::Shows { text: wanted } = &self.test.ending
            && here + 1 == self.steps.len()
        {
            return vec![format!("assert_eq!(format!(\"{{:?}}\", {text}), {wanted:?});")];
        }
        let info = self.plan.ty(operation.output);
        if self.test.ending == TestEnding::Valid
            && here + 1 == self.steps.len()
            && let Some(claim) = valid::claim(&info.ty, "value", false)
        {
            return vec![format!("let value = {text};"), format!("assert!({claim});")];
        }
        if info.ty.is_unit() {
            // Whoever is given it can write it down.
            self.inline[here] = Some("()".to_owned());
            let left = operation.call.result == Treatment::Dropped;
            return vec![if left { format!("let _ = {text};") } else { format!("{text};") }];
        }
        // What a value was made of needs no assertion.
        let made = matches!(operation.kind, OperationKind::Builder | OperationKind::Constructor);
        let seen = self.test.seen.get(here).and_then(Option::as_deref).filter(|_| !made);
        let used = !self.uses[here].is_empty() || self.dropped[here];
        if !used {
            if let Some(line) = seen.and_then(|seen| self.assertion(here, text, seen)) {
                return vec![line];
            }
            // What has something to do when it goes has to stay until then.
            let stays = info.abilities.needs_drop && here + 1 < self.steps.len();
            return vec![if stays || !self.is_plain() {
                self.binding(here, text)
            } else {
                format!("let _ = {text};")
            }];
        }
        let mut lines = vec![self.binding(here, text)];
        let name = self.names[here].clone();
        lines.extend(seen.and_then(|seen| self.assertion(here, &name, seen)));
        lines
    }

    /// What a person would assert of a value that was shown like this.
    fn assertion(&mut self, here: usize, value: &str, seen: &str) -> Option<String> {
        let operation = self.operation(here)?;
        let info = self.plan.ty(operation.output);
        let ty = &info.ty;
        if ty.is_unit() {
            return None;
        }
        if *ty == Ty::prim("bool") {
            let compared = self.is_plain() && is_operator(&plain(self.plan, operation));
            return Some(match (seen, value.split_once(" == ").filter(|_| compared)) {
                ("true", Some((left, right))) => format!("assert_eq!({left}, {right});"),
                (_, Some((left, right))) => format!("assert_ne!({left}, {right});"),
                ("true", None) => format!("assert!({value});"),
                (_, None) if is_atomic(value) => format!("assert!(!{value});"),
                (_, None) => format!("assert!(!({value}));"),
            });
        }
        let compares = info.abilities.partial_eq;
        if let Some(wanted) = expected(self.plan, ty, seen).filter(|_| compares) {
            // What looks like a path in a text is none.
            let quoted = wanted.contains(['"', '\'']);
            let short = self.is_plain() && !quoted;
            let wanted = if short { self.imports.shorten(&wanted) } else { wanted };
            return Some(match (value.strip_prefix('&'), wanted.strip_prefix('&')) {
                _ if wanted == "[]" => format!("assert!({value}.is_empty());"),
                (Some(value), Some(wanted)) if !value.starts_with("mut ") => {
                    format!("assert_eq!({value}, {wanted});")
                }
                _ => format!("assert_eq!({value}, {wanted});"),
            });
        }
        let which = match (ty.path()?, seen) {
            ("std::option::Option", "None") => "is_none",
            ("std::option::Option", _) => "is_some",
            ("std::result::Result", seen) if seen.starts_with("Ok(") => "is_ok",
            ("std::result::Result", _) => "is_err",
            _ => return None,
        };
        Some(format!("assert!({value}.{which}());"))
    }
}

fn is_deprecated(plan: &Plan, step: &Step) -> bool {
    matches!(step, Step::Call(op, _) if plan.operation(*op).docs.deprecated)
}

/// The last word of the trait, and the name of its method.
fn trait_method(operation: &Operation) -> Option<(&str, &str)> {
    Some((operation.callee.trait_()?.name(), operation.callee.name()))
}

#[cfg(test)]
mod tests;
