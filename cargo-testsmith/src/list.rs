//! `cargo testsmith list`: what can be called, and what cannot and why.

use crate::Exit;
use crate::args::{Format, List};
use crate::console::print_json;
use crate::pipeline::Session;
use crate::selection::Selection;
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::Plan;
use testsmith_model::call::{Placeholder, fill};
use testsmith_model::operation::{Mode, Operation, OperationKind, TypeInfo};
use testsmith_model::skip::Skip;

pub fn run(options: &List, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let mut session = Session::open(&options.target, interrupt)?;
    if options.types {
        return list_types(&mut session, options);
    }
    let selection = Selection::from(&options.paths);
    selection.check(&session.plan)?;
    let listing = Listing::new(&session.plan, options.builders, &selection);
    let mut out = std::io::stdout().lock();
    if options.contracts {
        let _ = match options.format {
            Format::Text => print_contracts(&session.plan, &mut out),
            Format::Json => print_json(&mut out, &session.plan.contracts),
        };
        return Ok(Exit::Clean);
    }
    // A closed pipe, as with `| head`, is no failure.
    let _ = match options.format {
        Format::Text => listing.print(&session.plan, &mut out),
        Format::Json => print_json(&mut out, &listing),
    };
    Ok(Exit::Clean)
}

/// A type of the plan; also the schema of `--types --format json`.
#[derive(Serialize)]
struct TypeRow {
    #[serde(rename = "type")]
    ty: String,
    /// By what the random engine tells two values apart.
    told_apart_by: &'static str,
    clone: bool,
}

fn list_types(session: &mut Session, options: &List) -> Result<Exit> {
    let selection = Selection::from(&options.paths);
    let harness = session.build(Profile::Unoptimised)?;
    session.supervise(&harness, WorkerLimits::default())?;
    let row = |info: &TypeInfo| TypeRow {
        ty: info.ty.to_string(),
        told_apart_by: info.abilities.sameness().name(),
        clone: info.abilities.clone,
    };
    let rows: Vec<TypeRow> =
        session.plan.types.iter().map(row).filter(|row| selection.wants(&row.ty)).collect();
    let mut out = std::io::stdout().lock();
    let _ = match options.format {
        Format::Text => rows.iter().try_for_each(|row| {
            let clone = if row.clone { "" } else { ", no Clone" };
            writeln!(out, "{}  {}{clone}", row.ty, row.told_apart_by)
        }),
        Format::Json => print_json(&mut out, &rows),
    };
    Ok(Exit::Clean)
}

/// The listing as data; this is also the schema of `--format json`.
#[derive(Serialize)]
struct Listing {
    #[serde(rename = "crate")]
    krate: String,
    version: String,
    core_callables: u32,
    core_operations: u32,
    operations: Vec<Row>,
    skips: Vec<SkipRow>,
}

#[derive(Serialize)]
struct Row {
    path: String,
    kind: OperationKind,
    core: bool,
    /// The call with the types of its arguments.
    signature: String,
    returns: String,
}

#[derive(Serialize)]
struct SkipRow {
    path: String,
    core: bool,
    reason: &'static str,
    detail: String,
}

impl Listing {
    fn new(plan: &Plan, builders: bool, selection: &Selection) -> Listing {
        let wanted = |path: &str| selection.wants(path);
        let shown = |op: &&Operation| {
            (builders || !matches!(op.kind, OperationKind::Builder | OperationKind::Law))
                && wanted(&op.path())
        };
        let skip = |skip: &Skip| SkipRow {
            path: skip.path.clone(),
            core: skip.core,
            reason: skip.reason.text(),
            detail: skip.detail.clone(),
        };
        Listing {
            krate: plan.krate.clone(),
            version: plan.version.clone(),
            core_callables: plan.core_callables,
            core_operations: plan.core_covered(),
            operations: plan.operations.iter().filter(shown).map(|op| row(plan, op)).collect(),
            skips: plan.skips.iter().filter(|s| wanted(&s.path)).map(skip).collect(),
        }
    }

    fn print(&self, plan: &Plan, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "{} {}", self.krate, self.version)?;
        writeln!(out, "\noperations ({})", self.operations.len())?;
        for row in &self.operations {
            writeln!(out, "  {} -> {}", row.signature, row.returns)?;
        }
        writeln!(out, "\nskipped ({})", self.skips.len())?;
        for skip in &self.skips {
            let detail =
                if skip.detail.is_empty() { String::new() } else { format!(": {}", skip.detail) };
            writeln!(out, "  {}  {}{detail}", skip.path, skip.reason)?;
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for skip in &self.skips {
            *reasons.entry(skip.reason).or_default() += 1;
        }
        writeln!(
            out,
            "\n{} of {} core callables can be called",
            self.core_operations, self.core_callables
        )?;
        let builders = plan.operations.iter().filter(|op| op.kind == OperationKind::Builder);
        writeln!(out, "{} further operations make their arguments", builders.count())?;
        let laws = plan.operations.iter().filter(|op| op.kind == OperationKind::Law);
        writeln!(out, "{} laws are checked on their values", laws.count())?;
        for (reason, count) in reasons {
            writeln!(out, "{count:>5}  {reason}")?;
        }
        Ok(())
    }
}

/// `IndexMap::insert` as `v.insert(i32, i32)` with types in the place of values.
fn row(plan: &Plan, op: &Operation) -> Row {
    let ty = |n: usize| plan.ty(op.inputs[n].ty).ty.to_string();
    let signature = fill(&op.call.full(), &mut |placeholder, text| match placeholder {
        Placeholder::Argument(n) | Placeholder::Receiver(n) => {
            let mark = match op.inputs[n].mode {
                Mode::Own | Mode::Reborrow => "",
                Mode::Shared => "&",
                Mode::Exclusive => "&mut ",
            };
            text.push_str(&format!("{mark}{}", ty(n)));
        }
        Placeholder::Inapplicable => text.push_str("panic!()"),
    });
    Row {
        path: op.path(),
        kind: op.kind,
        core: op.core,
        signature,
        returns: plan.ty(op.output).ty.to_string(),
    }
}

fn print_contracts(plan: &Plan, out: &mut impl Write) -> std::io::Result<()> {
    let clauses: usize = plan.contracts.iter().map(|contract| contract.clauses.len()).sum();
    for contract in &plan.contracts {
        let pure = if contract.pure { " (pure)" } else { "" };
        writeln!(out, "{} {}{pure}", contract.item, contract.name)?;
        for clause in &contract.clauses {
            let message = match clause.message.as_str() {
                "" => String::new(),
                message => format!("  // {message}"),
            };
            writeln!(out, "  {}({}){message}", clause.kind, clause.text)?;
        }
    }
    writeln!(out, "{clauses} clauses on {} items of {}", plan.contracts.len(), plan.krate)
}
