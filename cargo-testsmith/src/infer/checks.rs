//! Clauses as tests over the public API: one function that makes the call and asserts what
//! it promises, and one test that hands it a few of the values that were seen.
//!
//! What is written was compiled and run, and depends on nothing but the crate.

use super::assertion::Assertions;
use super::choose::{About, Choice, Chosen};
use super::phrase::Phrase;
use crate::args::Infer;
use crate::emit::{Destination, Emitted, Expected, LeftOut, Tree, Written, verify};
use crate::pipeline::Session;
use crate::stateful::Learned;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use testsmith_infer::{Call as Seen, Contract, Kind};
use testsmith_lab::format;
use testsmith_model::call::Treatment;
use testsmith_model::operation::TypeInfo;
use testsmith_model::{
    Call, Callee, Edit, EditStep, Mode, OpId, Operation, OperationKind, Plan, Sequence, Ty, TypeId,
};
use testsmith_render::{
    Check, Parameter, Style, Test, TestEnding, allowed, checked_file, owner_of, snake,
};

/// The file of tests about contracts.
pub(crate) const CONTRACTS: &str = "testsmith_contracts.rs";
/// Values that one function is tried with.
const MOST_VALUES: usize = 3;
/// Calls that are looked through for them.
const MOST_CALLS: usize = 400;
/// Steps that make one of them; what takes more is no example.
const MOST_STEPS: usize = 14;

/// What became of the tests.
pub(super) struct Made {
    pub(super) file: Option<(PathBuf, Written)>,
    pub(super) tests: usize,
    pub(super) left_out: Vec<LeftOut>,
}

/// Writes the tests, as far as they compile and pass.
pub(super) fn make(
    options: &Infer,
    session: &Session,
    plan: &Plan,
    learned: &Learned,
) -> Result<Made> {
    let choice = Choice { path: options.path.as_deref(), untried: options.untried };
    let mut writer = Writer::new(plan);
    for chosen in choice.of(plan, learned) {
        writer.add(learned, &chosen);
    }
    let Writer { plan, checks, mut tests, .. } = writer;
    session.console.say(&format!("checking {} tests in fresh processes", tests.len()));
    let compose = |tests: &[&Test]| {
        let with_checks: Vec<(&Check, &Test)> =
            tests.iter().filter_map(|test| Some((checks.get(&test.name)?, *test))).collect();
        let text = format(&format!(
            "//! What the functions of {} {} promise, as far as it was inferred from many calls.\n\
             #![allow(clippy::all)]\n\n{}{}",
            plan.krate,
            plan.version,
            plan.extern_crate(),
            checked_file(&plan, &with_checks).trim_start()
        ));
        BTreeMap::from([(CONTRACTS.trim_end_matches(".rs").to_owned(), text)])
    };
    let lints = "deny(warnings)";
    let to = Destination { compose: &compose, folder: None, lints, until: None };
    let verified = verify(&session.lab, &mut tests, &to)?;
    let folder = match (&options.output, &options.target.krate) {
        (Some(folder), _) => folder.clone(),
        (None, Some(_)) => session.lab.root().join("tests"),
        (None, None) => session.package.root.join("tests"),
    };
    let mut tree = Tree::default();
    tree.place(folder.join(CONTRACTS));
    for text in verified.files.into_values() {
        tree.want(folder.join(CONTRACTS), text);
    }
    let file = tree.write()?.into_iter().next();
    Ok(Made { file, tests: tests.len(), left_out: verified.left_out })
}

/// A test of what one function promises.
struct Promised {
    name: String,
    sequence: Sequence,
    style: Style,
}

impl Emitted for Promised {
    fn test(&self) -> Test<'_> {
        Test {
            name: self.name.clone(),
            comment: vec![],
            sequence: &self.sequence,
            ending: TestEnding::Open,
            seen: &[],
            style: self.style,
        }
    }

    fn set_style(&mut self, style: Style) {
        self.style = style;
    }

    fn expected(&self) -> Expected {
        Expected::Passes
    }
}

struct Writer {
    /// With an operation for each function that checks.
    plan: Plan,
    unit: TypeId,
    /// By the names of their tests.
    checks: BTreeMap<String, Check>,
    tests: Vec<Promised>,
    taken: BTreeSet<String>,
}

impl Writer {
    fn new(plan: &Plan) -> Writer {
        let mut plan = plan.clone();
        let unit = plan.types.iter().position(|info| info.ty.is_unit()).unwrap_or_else(|| {
            plan.types.push(TypeInfo::owned(Ty::unit(), Default::default()));
            plan.types.len() - 1
        });
        let unit = TypeId(unit as u32);
        Writer { plan, unit, checks: BTreeMap::new(), tests: vec![], taken: BTreeSet::new() }
    }

    /// Adds the test of a function or a type, if there is something to write and values
    /// to try it with.
    fn add(&mut self, learned: &Learned, chosen: &Chosen) {
        // What is needed is the business of callers.
        let promises = chosen.contracts.iter().filter(|one| one.clause.kind != Kind::Requires);
        let promises: Vec<&Contract> = promises.copied().collect();
        let Some(parameters) = self.parameters(chosen.about) else { return };
        let mut assertions = self.assertions(chosen.about, &parameters);
        let written: Vec<&Contract> =
            promises.into_iter().filter(|one| assertions.add(&learned.data.words(one))).collect();
        let Some(first) = written.first() else { return };
        let (called, about) = self.names(chosen.about);
        let says = match chosen.about {
            About::Function(_) => Phrase::of(&learned.data, first).name(),
            About::Type(_) => None,
        };
        let kept = match chosen.about {
            About::Function(_) => "keeps_its_promises",
            About::Type(_) => "keeps_its_invariants",
        };
        let test = self.free(&format!("{called}_{}", says.as_deref().unwrap_or(kept)));
        let name = self.free(&format!("check_{called}"));
        let (before, after) = assertions.into_statements();
        let asks = |line: &String| line.contains(RESULT);
        let (op, words) = match chosen.about {
            About::Function(op) => (Some(op), "promises"),
            About::Type(_) => (None, "is always true of"),
        };
        let comment = match op {
            Some(_) => format!("What `{about}` {words}."),
            None => format!("What {words} a `{about}`."),
        };
        let result = after.iter().any(asks).then(|| RESULT.to_owned());
        let check = Check { name, comment: vec![comment], op, parameters, before, result, after };
        let Some(sequence) = self.sequence(learned, &written, &check) else { return };
        self.checks.insert(test.clone(), check);
        self.tests.push(Promised { name: test, sequence, style: Style::Plain });
    }

    /// What the function that checks takes; none if that cannot be written down.
    fn parameters(&self, about: About) -> Option<Vec<Parameter>> {
        let inputs: Vec<(String, TypeId, Mode)> = match about {
            About::Type(ty) => vec![("self".to_owned(), ty, Mode::Shared)],
            About::Function(op) => {
                let operation = self.plan.operation(op);
                let plain = operation.call.result == Treatment::Kept
                    && !operation.call.has_closures()
                    && !operation.panics_by_design;
                if !plain {
                    return None;
                }
                let inputs = operation.inputs.iter();
                let inputs = inputs.map(|input| (input.name.clone(), input.ty, input.mode));
                inputs.collect()
            }
        };
        let mut parameters: Vec<Parameter> = vec![];
        for (n, (name, ty, mode)) in inputs.into_iter().enumerate() {
            let written = &self.plan.ty(ty).ty;
            if mode == Mode::Reborrow || written.to_string().contains('\'') {
                return None;
            }
            let name = match name.as_str() {
                "" => format!("a{n}"),
                "self" => allowed(snake(written.name())),
                name => allowed(name.to_owned()),
            };
            let taken = parameters.iter().any(|known| known.name == name) || name == RESULT;
            let name = if taken { format!("{name}_{n}") } else { name };
            parameters.push(Parameter { name, ty, mode });
        }
        Some(parameters)
    }

    /// An empty list of assertions that knows what the values are called.
    fn assertions(&self, about: About, parameters: &[Parameter]) -> Assertions {
        let mut assertions = Assertions::default();
        assertions.names.insert("ret".to_owned(), RESULT.to_owned());
        for (n, parameter) in parameters.iter().enumerate() {
            let spoken = match about {
                About::Type(_) => "self".to_owned(),
                About::Function(op) => match self.plan.operation(op).inputs[n].name.as_str() {
                    "" => format!("a{n}"),
                    name => name.to_owned(),
                },
            };
            // A number that was handed over is still what it was.
            if parameter.mode == Mode::Own && self.plan.ty(parameter.ty).abilities.copy {
                assertions.constant.push(spoken.clone());
            }
            assertions.names.insert(spoken, parameter.name.clone());
        }
        assertions
    }

    /// How a function or a type is called in names, and in words.
    fn names(&self, about: About) -> (String, String) {
        match about {
            About::Function(op) => {
                let callee = &self.plan.operation(op).callee;
                match owner_of(callee) {
                    Some(owner) => {
                        let name = callee.name();
                        (snake(&format!("{owner} {name}")), format!("{owner}::{name}"))
                    }
                    None => (snake(callee.name()), callee.name().to_owned()),
                }
            }
            About::Type(ty) => {
                let name = self.plan.ty(ty).ty.name();
                (snake(name), name.to_owned())
            }
        }
    }

    /// The name, or with a number if it is taken.
    fn free(&mut self, name: &str) -> String {
        let mut free = allowed(name.to_owned());
        let mut n = 2;
        while !self.taken.insert(free.clone()) {
            free = format!("{name}_{n}");
            n += 1;
        }
        free
    }

    /// The operation that calls a function of ours.
    fn operation(&mut self, check: &Check) -> OpId {
        let places: Vec<String> = (0..check.parameters.len()).map(|n| format!("{{{n}}}")).collect();
        let call = format!("{}({})", check.name, places.join(", "));
        let aside =
            Operation::aside(Callee::item(&check.name), Call::template(&call, &call), self.unit);
        let operation = match check.op {
            Some(op) => {
                let original = self.plan.operation(op);
                Operation {
                    inputs: original.inputs.clone(),
                    acquires: original.acquires.clone(),
                    ..aside
                }
            }
            None => {
                let input = |one: &Parameter| testsmith_model::operation::Input {
                    name: one.name.clone(),
                    ty: one.ty,
                    mode: one.mode,
                };
                Operation { inputs: check.parameters.iter().map(input).collect(), ..aside }
            }
        };
        self.plan.operations.push(Operation { kind: OperationKind::Free, ..operation });
        OpId(self.plan.operations.len() as u32 - 1)
    }

    /// A few values one after the other, each handed to the function that checks.
    fn sequence(
        &mut self,
        learned: &Learned,
        contracts: &[&Contract],
        check: &Check,
    ) -> Option<Sequence> {
        let op = self.operation(check);
        let watch = contracts.first()?.watch;
        let mut found: Vec<(Edit, BTreeSet<(usize, bool)>)> = vec![];
        for seen in learned.data.calls(watch).into_iter().take(MOST_CALLS) {
            let Some(edit) = self.example(&seen, op, check.op.is_some()) else { continue };
            if edit.len() <= MOST_STEPS && edit.build(&self.plan).is_ok() {
                found.push((edit, facts(learned, contracts, &seen)));
            }
        }
        found.sort_by_key(|(edit, _)| edit.len());
        let mut whole: Option<Edit> = None;
        let mut known: BTreeSet<(usize, bool)> = BTreeSet::new();
        for _ in 0..MOST_VALUES {
            // The one that adds the most; of those that add the same, the shortest.
            let news = |facts: &BTreeSet<_>| facts.difference(&known).count();
            let best = found.iter().rev().max_by_key(|(_, facts)| news(facts));
            let Some((edit, facts)) = best.filter(|(_, facts)| whole.is_none() || news(facts) > 0)
            else {
                break;
            };
            known.extend(facts.iter().copied());
            whole = Some(match whole {
                None => edit.clone(),
                Some(first) => edit.after(first),
            });
        }
        whole?.build(&self.plan).ok()
    }

    /// The call that was seen, made by the function that checks, and what it needs.
    fn example(&self, seen: &Seen, op: OpId, is_call: bool) -> Option<Edit> {
        let mut edit = Edit::of(seen.sequence);
        let last = match is_call {
            true => {
                let args = edit.steps.get(seen.step)?.args().to_vec();
                edit = edit.replace(seen.step, EditStep::Call(op, args));
                seen.step
            }
            false => {
                edit.steps.push(EditStep::Call(op, seen.slots.to_vec()));
                edit.len() - 1
            }
        };
        Some(without_clones(&self.plan, edit.needed(&self.plan, last)))
    }
}

/// Uses a value itself where its clone is used and nothing else.
fn without_clones(plan: &Plan, edit: Edit) -> Edit {
    let mut plainer = edit.clone();
    for here in 0..edit.len() {
        let EditStep::Call(op, args) = &plainer.steps[here] else { continue };
        let [original] = args[..] else { continue };
        let callee = &plan.operation(*op).callee;
        let uses = plainer.steps[here + 1..].iter().flat_map(EditStep::args);
        if callee.is_trait_member("std::clone::Clone", "clone")
            && uses.copied().all(|arg| arg != original)
        {
            plainer = plainer.replace_value(here as u32, original);
        }
    }
    let plainer = plainer.needed(plan, edit.len() - 1);
    if plainer.build(plan).is_ok() { plainer } else { edit }
}

/// What the result of the call is called.
const RESULT: &str = "result";

/// What makes one call another than the next: under which conditions something is
/// promised, and what each question before it says.
fn facts(learned: &Learned, contracts: &[&Contract], seen: &Seen) -> BTreeSet<(usize, bool)> {
    let (data, watch) = (&learned.data, contracts[0].watch);
    let columns = data.watches[watch].before.len();
    let fact = |column: usize| Some((column, data.answer(watch, seen.row, column)? != 0));
    let mut facts: BTreeSet<(usize, bool)> = (0..columns).filter_map(fact).collect();
    for (n, contract) in contracts.iter().enumerate().filter(|(_, one)| one.clause.when.is_some()) {
        if data.keeps(contract, seen.row).is_some() {
            facts.insert((columns + n, true));
        }
    }
    facts
}
