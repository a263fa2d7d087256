//! Stored sequences: JSON files that outlive the plan they were made with.
//!
//! Operations are named by the text of their call and types by their names, so
//! a file still means the same after the crate has changed around it.

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use testsmith_model::sequence::{Builder, Literal, Step};
use testsmith_model::{Edit, EditStep, Mode, OpId, Plan, Sequence, TypeId};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    #[serde(rename = "crate")]
    pub krate: String,
    pub version: String,
    /// The unsafe functions among its calls, which have to be asked for.
    #[serde(rename = "unsafe", default, skip_serializing_if = "Vec::is_empty")]
    pub unsafe_paths: Vec<String>,
    pub steps: Vec<StoredStep>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StoredStep {
    Literal {
        #[serde(rename = "type")]
        ty: String,
        literal: StoredLiteral,
    },
    Call {
        call: String,
        /// The types of the arguments and of the result: the same text may
        /// stand for several operations.
        takes: Vec<String>,
        returns: String,
        /// Numbers of earlier steps.
        arguments: Vec<u32>,
    },
}

/// A literal as a person would read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredLiteral {
    Bool(bool),
    Char(char),
    /// In decimal digits: JSON has no integers of 128 bits.
    Int(String),
    /// The bits of an `f64` in hexadecimal digits: JSON has no NaN.
    Float(String),
    Str(String),
}

impl StoredLiteral {
    fn new(literal: &Literal) -> StoredLiteral {
        match literal {
            Literal::Bool(value) => StoredLiteral::Bool(*value),
            Literal::Char(value) => StoredLiteral::Char(*value),
            Literal::Int(value) => StoredLiteral::Int(value.to_string()),
            Literal::Float(bits) => StoredLiteral::Float(format!("{bits:016x}")),
            Literal::Str(text) => StoredLiteral::Str(text.to_string()),
        }
    }

    fn literal(&self) -> Result<Literal> {
        Ok(match self {
            StoredLiteral::Bool(value) => Literal::Bool(*value),
            StoredLiteral::Char(value) => Literal::Char(*value),
            StoredLiteral::Int(text) => Literal::Int(text.parse()?),
            StoredLiteral::Float(text) => Literal::Float(u64::from_str_radix(text, 16)?),
            StoredLiteral::Str(text) => Literal::Str(text.as_str().into()),
        })
    }
}

impl Stored {
    pub fn new(plan: &Plan, sequence: &Sequence) -> Stored {
        let name = |ty: TypeId| plan.ty(ty).ty.to_string();
        let step = |step: EditStep| match step {
            EditStep::Literal(ty, literal) => {
                StoredStep::Literal { ty: name(ty), literal: StoredLiteral::new(&literal) }
            }
            EditStep::Call(op, arguments) => StoredStep::Call {
                call: plan.operation(op).call.full(),
                takes: takes(plan, op),
                returns: name(plan.operation(op).output),
                arguments,
            },
        };
        let mut unsafe_paths: Vec<String> = sequence
            .steps()
            .filter_map(|step| match step {
                Step::Call(op, _) => Some(plan.operation(*op)),
                Step::Literal(..) => None,
            })
            .filter(|operation| operation.call.in_unsafe)
            .map(|operation| operation.path())
            .collect();
        unsafe_paths.sort();
        unsafe_paths.dedup();
        Stored {
            krate: plan.krate.clone(),
            version: plan.version.clone(),
            unsafe_paths,
            steps: Edit::of(sequence).steps.into_iter().map(step).collect(),
        }
    }

    pub fn read(file: &Path) -> Result<Stored> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read the sequence {}", file.display()))?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} is not a stored sequence", file.display()))
    }

    pub fn write(&self, file: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        std::fs::write(file, text + "\n")
            .with_context(|| format!("cannot write {}", file.display()))
    }

    /// The sequence in terms of this plan.
    pub fn sequence(&self, plan: &Plan) -> Result<Sequence> {
        self.sequence_by(plan, &Names::new(plan))
    }

    /// As `sequence`, with the names of the plan looked up before.
    pub fn sequence_by(&self, plan: &Plan, names: &Names) -> Result<Sequence> {
        if self.krate != plan.krate {
            bail!("the sequence is for {}, not for {}", self.krate, plan.krate);
        }
        let mut builder = Builder::new(plan);
        for (n, step) in self.steps.iter().enumerate() {
            match step {
                StoredStep::Literal { ty, literal } => {
                    let ty =
                        names.types.get(ty).with_context(|| format!("step {n}: no type {ty}"))?;
                    let literal =
                        literal.literal().with_context(|| format!("step {n}: not a number"))?;
                    builder.literal(*ty, literal)
                }
                StoredStep::Call { call, takes, returns, arguments } => {
                    let op = names
                        .types
                        .get(returns)
                        .and_then(|ty| names.calls.get(&(call.clone(), takes.clone(), *ty)))
                        .with_context(|| format!("step {n}: {call} is not an operation here"))?;
                    builder.call(*op, arguments)
                }
            }
            .with_context(|| format!("step {n} is not legal"))?;
        }
        Ok(builder.finish())
    }
}

/// Writes one value a line.
pub fn write_lines<T: Serialize>(file: &Path, values: impl Iterator<Item = T>) -> Result<()> {
    let mut text = String::new();
    for value in values {
        text += &serde_json::to_string(&value)?;
        text.push('\n');
    }
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Reads what `write_lines` has written, if it is there; lines that are not such values
/// are left out.
pub fn read_lines<T: DeserializeOwned>(file: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The operations and types of a plan by what they are called in files.
pub struct Names {
    types: HashMap<String, TypeId>,
    calls: HashMap<(String, Vec<String>, TypeId), OpId>,
}

impl Names {
    pub fn new(plan: &Plan) -> Names {
        let types = plan.types.iter().enumerate();
        let call = |op: OpId| {
            let operation = plan.operation(op);
            ((operation.call.full(), takes(plan, op), operation.output), op)
        };
        Names {
            types: types.map(|(n, info)| (info.ty.to_string(), TypeId(n as u32))).collect(),
            calls: plan.op_ids().map(call).collect(),
        }
    }
}

/// The types of the arguments of an operation, as they are passed.
fn takes(plan: &Plan, op: OpId) -> Vec<String> {
    let mark = |mode: Mode| match mode {
        Mode::Own | Mode::Reborrow => "",
        Mode::Shared => "&",
        Mode::Exclusive => "&mut ",
    };
    let inputs = plan.operation(op).inputs.iter();
    inputs.map(|input| format!("{}{}", mark(input.mode), plan.ty(input.ty).ty)).collect()
}
