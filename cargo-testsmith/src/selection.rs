//! `--only` and `--skip`: which operations are meant; `--unsafe`: which may be called besides.
//!
//! The first two are parts of paths, as `cargo testsmith list` shows them. Operations
//! that make what the wanted ones take are called too, but what fails in them
//! is not told.

use crate::args::Paths;
use crate::exit::Usage;
use anyhow::Result;
use testsmith_model::api::{Api, Safety};
use testsmith_model::{OpId, OperationKind, Plan, TypeId};

#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub only: Vec<String>,
    pub skip: Vec<String>,
}

impl From<&Paths> for Selection {
    fn from(paths: &Paths) -> Selection {
        Selection { only: paths.only.clone(), skip: paths.skip.clone() }
    }
}

/// How many close names are suggested.
const MAX_SUGGESTIONS: usize = 3;

impl Selection {
    /// Whether a path is meant.
    pub fn wants(&self, path: &str) -> bool {
        let among = |parts: &[String]| parts.iter().any(|part| path.contains(part.as_str()));
        (self.only.is_empty() || among(&self.only)) && !among(&self.skip)
    }

    /// Complains about what cannot match anything.
    pub fn check(&self, plan: &Plan) -> Result<()> {
        let paths = paths(plan);
        for (option, parts) in [("--only", &self.only), ("--skip", &self.skip)] {
            for part in parts {
                if !paths.iter().any(|path| path.contains(part.as_str())) {
                    let close = close_to(part, &paths);
                    let hint = match close.as_slice() {
                        [] => "`cargo testsmith list` shows all paths".to_owned(),
                        close => format!("did you mean {}?", close.join(" or ")),
                    };
                    let why = format!("{option} {part}: no operation has this in its path; {hint}");
                    return Err(Usage(why).into());
                }
            }
        }
        Ok(())
    }

    /// Operations that are not to be called.
    pub fn excluded(&self, plan: &Plan) -> Vec<OpId> {
        if self.only.is_empty() && self.skip.is_empty() {
            return vec![];
        }
        let skipped = |path: &str| self.skip.iter().any(|part| path.contains(part.as_str()));
        let usable = |op: &OpId| {
            let operation = plan.operation(*op);
            operation.kind == OperationKind::Builder || !skipped(&operation.path())
        };
        let mut kept = vec![false; plan.operations.len()];
        let mut needed: Vec<TypeId> = vec![];
        for op in plan.op_ids() {
            let operation = plan.operation(op);
            if operation.kind != OperationKind::Builder && self.wants(&operation.path()) {
                kept[op.index()] = true;
                needed.extend(operation.inputs.iter().map(|input| input.ty));
            }
        }
        // Whatever makes a needed value is needed, and so is what it takes.
        let mut seen = vec![false; plan.types.len()];
        while let Some(ty) = needed.pop() {
            if std::mem::replace(&mut seen[ty.index()], true) {
                continue;
            }
            let gives = |out: TypeId| out == ty || plan.ty(out).pointee.is_some_and(|p| p.0 == ty);
            for op in plan.op_ids().filter(usable) {
                let operation = plan.operation(op);
                if !kept[op.index()]
                    && operation.kind != OperationKind::Law
                    && gives(operation.output)
                {
                    kept[op.index()] = true;
                    needed.extend(operation.inputs.iter().map(|input| input.ty));
                }
            }
        }
        plan.op_ids().filter(|op| !kept[op.index()]).collect()
    }
}

/// `--unsafe`: marks what the user asked for by its path, or by the end of it.
pub fn ask_for_unsafe(api: &mut Api, asked: &[String]) -> Result<()> {
    for part in asked {
        let mut found = false;
        for callable in api.callables.iter_mut().filter(|known| known.safety != Safety::Safe) {
            if is_end_of(&callable.callee.to_string(), part) {
                callable.safety = Safety::Asked;
                found = true;
            }
        }
        if found {
            continue;
        }
        let paths = |wanted: &dyn Fn(Safety) -> bool| -> Vec<String> {
            let meant = api.callables.iter().filter(|callable| wanted(callable.safety));
            meant.map(|callable| callable.callee.to_string()).collect()
        };
        let is_safe = paths(&|safety| safety == Safety::Safe).iter().any(|p| is_end_of(p, part));
        let hint = match close_to(part, &paths(&|safety| safety != Safety::Safe)).as_slice() {
            _ if is_safe => "it is safe, and called without being asked for".to_owned(),
            [] => "`cargo testsmith list` shows what is unsafe to call".to_owned(),
            close => format!("did you mean {}?", close.join(" or ")),
        };
        let why = format!("--unsafe {part}: no unsafe function has this path; {hint}");
        return Err(Usage(why).into());
    }
    Ok(())
}

/// Whether a path ends with these whole words.
fn is_end_of(path: &str, part: &str) -> bool {
    path.strip_suffix(part).is_some_and(|before| before.is_empty() || before.ends_with("::"))
}

fn paths(plan: &Plan) -> Vec<String> {
    let operations = plan.operations.iter().filter(|op| op.kind != OperationKind::Builder);
    let skips = plan.skips.iter().map(|skip| skip.path.clone());
    operations.map(|op| op.path()).chain(skips).collect()
}

/// The paths whose last words are the most like the given one.
pub(crate) fn close_to<'p>(part: &str, paths: &'p [String]) -> Vec<&'p str> {
    let part = part.to_lowercase();
    let words = part.matches("::").count() + 1;
    let mut ranked: Vec<(usize, &str)> = paths
        .iter()
        .map(|path| {
            let parts: Vec<&str> = path.split("::").collect();
            let end = parts[parts.len().saturating_sub(words)..].join("::");
            (strsim::levenshtein(&part, &end.to_lowercase()), path.as_str())
        })
        .filter(|(distance, _)| *distance <= part.len().div_ceil(3))
        .collect();
    ranked.sort_unstable();
    ranked.dedup();
    let best = ranked.first().map_or(0, |(distance, _)| *distance);
    ranked.retain(|(distance, _)| *distance <= best + 1);
    ranked.into_iter().map(|(_, path)| path).take(MAX_SUGGESTIONS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipping_comes_before_wanting() {
        let part = |text: &str| vec![text.to_owned()];
        let selection = Selection { only: part("Shelf"), skip: part("take") };
        assert!(selection.wants("shelf::Shelf::put"));
        assert!(!selection.wants("shelf::Shelf::take"));
        assert!(!selection.wants("shelf::Board::new"));
    }

    #[test]
    fn close_names_are_found() {
        let paths = ["shelf::Shelf::swap_with_last", "shelf::Shelf::take", "shelf::total"];
        let paths = paths.map(str::to_owned);
        assert_eq!(close_to("Shelf::tke", &paths), ["shelf::Shelf::take"]);
        assert_eq!(close_to("Totl", &paths), ["shelf::total"]);
        assert!(close_to("nothing_like_it", &paths).is_empty());
    }
}
