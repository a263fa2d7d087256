//! Stored sequences: JSON files that outlive the plan they were made with.
//!
//! Operations are named by the text of their call and types by their names, so
//! a file still means the same after the crate has changed around it.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use testsmith_model::sequence::{Builder, Literal};
use testsmith_model::{OpId, Plan, Sequence, Step, TypeId};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    #[serde(rename = "crate")]
    pub krate: String,
    pub version: String,
    pub steps: Vec<StoredStep>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StoredStep {
    Literal {
        #[serde(rename = "type")]
        ty: String,
        literal: Literal,
    },
    Call {
        call: String,
        /// What the call returns: the same text may make several types.
        returns: String,
        /// Numbers of earlier steps.
        arguments: Vec<u32>,
    },
}

impl Stored {
    pub fn new(plan: &Plan, sequence: &Sequence) -> Stored {
        let name = |ty: TypeId| plan.ty(ty).ty.to_string();
        let step = |(here, step): (usize, &Step)| match step {
            Step::Literal(ty, literal) => {
                StoredStep::Literal { ty: name(*ty), literal: literal.clone() }
            }
            Step::Call(op, back) => StoredStep::Call {
                call: plan.operation(*op).call.clone(),
                returns: name(plan.operation(*op).output),
                arguments: back.iter().map(|distance| here as u32 - distance).collect(),
            },
        };
        Stored {
            krate: plan.krate.clone(),
            version: plan.version.clone(),
            steps: sequence.steps().enumerate().map(step).collect(),
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
        if self.krate != plan.krate {
            bail!("the sequence is for {}, not for {}", self.krate, plan.krate);
        }
        let types: HashMap<String, TypeId> = plan
            .types
            .iter()
            .enumerate()
            .map(|(n, info)| (info.ty.to_string(), TypeId(n as u32)))
            .collect();
        let calls: HashMap<(&str, TypeId), OpId> = plan
            .op_ids()
            .map(|op| ((plan.operation(op).call.as_str(), plan.operation(op).output), op))
            .collect();
        let mut builder = Builder::new(plan);
        for (n, step) in self.steps.iter().enumerate() {
            match step {
                StoredStep::Literal { ty, literal } => {
                    let ty = types.get(ty).with_context(|| format!("step {n}: no type {ty}"))?;
                    builder.literal(*ty, literal.clone())
                }
                StoredStep::Call { call, returns, arguments } => {
                    let op = types
                        .get(returns)
                        .and_then(|ty| calls.get(&(call.as_str(), *ty)))
                        .with_context(|| format!("step {n}: {call} is not an operation here"))?;
                    builder.call(*op, arguments)
                }
            }
            .with_context(|| format!("step {n} is not legal"))?;
        }
        Ok(builder.finish())
    }
}
