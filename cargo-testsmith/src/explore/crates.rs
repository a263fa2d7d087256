//! Which crate each function that was asked for is of.
//!
//! The first part of a path may name a dependency, as in the code of the package; what
//! the package has itself under that name comes first, as it does in its documentation.
//! A dependency is explored in the version and with the features that the package
//! builds it with, in a workspace of its own.

use std::collections::BTreeMap;

use anyhow::Result;
use testsmith_lab::{Features, Lab, Package, Subject};

use crate::args::{Explore, Target};
use crate::console::Console;
use crate::pipeline::{discover, features, open_lab, subject};

/// The question, one for each crate that it is about.
pub fn apart(options: &Explore, console: &Console) -> Result<Vec<Explore>> {
    let mut own = Explore { functions: vec![], ..options.clone() };
    let mut others: BTreeMap<String, Explore> = BTreeMap::new();
    let mut place = None;
    for asked in &options.functions {
        let found = match first_part(asked) {
            Some(name) => {
                let place = match &mut place {
                    Some(place) => place,
                    None => place.insert(Place::open(options, console)?),
                };
                place.dependency(name)?.map(|found| (name, found))
            }
            None => None,
        };
        match found {
            None => own.functions.push(asked.clone()),
            Some((name, target)) => {
                let other = others.entry(name.to_owned()).or_insert_with(|| Explore {
                    target,
                    functions: vec![],
                    is_dependency: true,
                    ..options.clone()
                });
                // In the crate itself the path has no name of the crate.
                other.functions.push(asked[name.len() + 2..].to_owned());
            }
        }
    }
    let has_own = options.all || !own.functions.is_empty();
    Ok(has_own.then_some(own).into_iter().chain(others.into_values()).collect())
}

/// What may name a crate in a path.
fn first_part(asked: &str) -> Option<&str> {
    let (first, _) = asked.split_once("::")?;
    (!first.is_empty() && first.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(first)
}

/// The package, as far as it has to be known to tell its functions from others.
struct Place<'p> {
    target: &'p Target,
    lab: Lab,
    out: std::path::PathBuf,
    package: Package,
    stamp: u64,
}

impl<'p> Place<'p> {
    fn open(options: &'p Explore, console: &Console) -> Result<Place<'p>> {
        let target = &options.target;
        let subject = subject(target)?;
        let (lab, out) = open_lab(target, &subject)?;
        console.say(&format!("resolving {}", subject.name()));
        let features = features(target);
        let package = lab.prepare(&subject, &features)?;
        let stamp = lab.stamp(&package, &features)?;
        Ok(Place { target, lab, out, package, stamp })
    }

    /// The dependency of that name, unless the package has something under it.
    fn dependency(&self, name: &str) -> Result<Option<Target>> {
        if name == self.package.library {
            return Ok(None);
        }
        let Some((subject, features)) = self.lab.dependency(&self.package, name)? else {
            return Ok(None);
        };
        let inside = format!("{}::{name}::", self.package.library);
        // A package with an empty API has nothing under any name.
        let is_ours = discover(&self.lab, &self.package, self.stamp).is_ok_and(|api| {
            api.callables.iter().any(|found| found.callee.to_string().starts_with(&inside))
        });
        if is_ours {
            return Ok(None);
        }
        let target = self.target_of(&subject, features);
        if let Subject::Published { .. } = subject {
            open_lab(&target, &subject)?.0.take_lock_of(&self.lab)?;
        }
        Ok(Some(target))
    }

    fn target_of(&self, subject: &Subject, features: Features) -> Target {
        let build = self.target.target_dir.clone().unwrap_or_else(|| self.out.join("target"));
        let common = Target {
            manifest_path: None,
            package: None,
            krate: None,
            features: features.named,
            all_features: false,
            no_default_features: true,
            target_dir: Some(build),
            ..self.target.clone()
        };
        match subject {
            Subject::Published { name, version } => Target {
                krate: Some(match version {
                    Some(version) => format!("{name}@{version}"),
                    None => name.clone(),
                }),
                out_dir: Some(self.out.clone()),
                ..common
            },
            Subject::Path { manifest, name } => Target {
                manifest_path: Some(manifest.clone()),
                package: Some(name.clone()),
                out_dir: Some(self.out.join("dependencies").join(name)),
                ..common
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_part;

    #[test]
    fn the_first_part_of_a_path_may_name_a_crate() {
        assert_eq!(first_part("hex::decode"), Some("hex"));
        assert_eq!(first_part("hex::*"), Some("hex"));
        assert_eq!(first_part("decode"), None);
        assert_eq!(first_part("Stack::<u8>::push"), Some("Stack"));
        assert_eq!(first_part("largest::<i32>"), Some("largest"));
        assert_eq!(first_part("<Stack as Push>::push"), None);
    }
}
