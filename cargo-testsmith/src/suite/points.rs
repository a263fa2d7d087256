//! What a sequence can reach: the blocks of the crate's own sources, without
//! those that a derive wrote.

use anyhow::Result;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use testsmith_lab::Supervisor;
use testsmith_lab::coverage::Sources;
use testsmith_model::{Callee, OpId, Plan};

/// Which blocks of the crate's own sources are reached. Instances of generic
/// code share their blocks, and the code of others has none.
pub struct Points {
    of_edge: Vec<Option<u32>>,
    sources: Sources,
}

impl Points {
    pub(super) fn read(
        supervisor: &mut Supervisor,
        harness: &Path,
        root: &Path,
        derived: &Derived,
    ) -> Result<Points> {
        let (edges, _) = supervisor.edges()?;
        let sources = Sources::read(harness, &edges, root)?;
        let mut numbers: HashMap<Vec<(PathBuf, u32)>, u32> = HashMap::new();
        let of_edge = (0..edges.len()).map(|edge| {
            let place = sources.place(edge).filter(|place| !derived.holds(&place.function))?;
            let mut block = vec![(place.file.clone(), place.line)];
            block.extend(sources.lines(edge).map(|(file, line)| (file.to_owned(), line)));
            let next = numbers.len() as u32;
            Some(*numbers.entry(block).or_insert(next))
        });
        Ok(Points { of_edge: of_edge.collect(), sources })
    }

    /// The points that edges stand for, sorted.
    pub fn reached(&self, edges: &[u32]) -> Vec<u32> {
        let mut points: Vec<u32> = edges
            .iter()
            .filter_map(|edge| self.of_edge.get(*edge as usize).copied().flatten())
            .collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// Lines of the crate that a set of points covers.
    pub(super) fn lines(&self, points: &HashSet<u32>) -> usize {
        let covered = |edge: usize| self.of_edge[edge].is_some_and(|point| points.contains(&point));
        self.sources.summary(covered).lines_covered()
    }
}

/// The functions that nobody wrote: what a derive makes is tested elsewhere.
pub(super) struct Derived {
    /// The type, or nothing for any, and the end of the path of the function.
    functions: Vec<(String, String)>,
    pub(super) operations: HashSet<OpId>,
}

impl Derived {
    pub(super) fn new(plan: &Plan) -> Derived {
        let mut derived = Derived { functions: vec![], operations: HashSet::new() };
        let mut written: HashSet<String> = HashSet::new();
        for op in plan.op_ids() {
            let operation = plan.operation(op);
            let Callee::TraitMember { of, trait_, name } = &operation.callee else { continue };
            if operation.callable.is_none() {
                continue;
            }
            let end = format!("::{}>::{name}", trait_.name());
            if operation.derived {
                derived.functions.push((of.name().to_owned(), end));
                derived.operations.insert(op);
            } else {
                written.insert(end);
            }
        }
        // The type may have another name inside; where nobody wrote a function
        // of this kind, the name does not matter.
        for (owner, end) in &mut derived.functions {
            if !written.contains(end) {
                owner.clear();
            }
        }
        derived
    }

    fn holds(&self, function: &str) -> bool {
        let of = |(owner, end): &(String, String)| {
            function.contains(owner.as_str()) && function.ends_with(end.as_str())
        };
        self.functions.iter().any(of)
    }
}
