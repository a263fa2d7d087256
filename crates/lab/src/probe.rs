//! Lets the compiler judge probes: functions, one a line.

use crate::stamp::hash;
use crate::{Error, Lab, cargo};
use std::collections::{BTreeMap, HashMap};

/// Errors of one phase hide those of the next; this many phases there are not.
const MAX_RUNS: usize = 12;
/// More probes than this in one file slow the compiler down out of proportion.
const MAX_BATCH: usize = 4000;

impl Lab {
    /// For each probe nothing, or the compiler's words against it. `{}` in a
    /// probe stands for a name of its own. Verdicts are kept under the stamp.
    pub fn judge(&self, probes: &[String], stamp: u64) -> Result<Vec<Option<String>>, Error> {
        let mut cache = Cache::load(self, stamp);
        let unknown: Vec<&String> =
            probes.iter().filter(|probe| !cache.objections.contains_key(&key(probe))).collect();
        for batch in unknown.chunks(MAX_BATCH) {
            for (probe, objection) in batch.iter().zip(self.check(batch)?) {
                cache.objections.insert(key(probe), objection);
            }
        }
        if !unknown.is_empty() {
            cache.save(self)?;
        }
        Ok(probes.iter().map(|probe| cache.objections[&key(probe)].clone()).collect())
    }

    /// Compiles all at once, and without those that an error points at until none does.
    /// Where an error points at none, halves are compiled by themselves, down to one.
    fn check(&self, probes: &[&String]) -> Result<Vec<Option<String>>, Error> {
        let mut objections: Vec<Option<String>> = vec![None; probes.len()];
        let mut open: Vec<Vec<usize>> = vec![(0..probes.len()).collect()];
        let mut sound = false;
        while let Some(group) = open.pop() {
            match self.settle(probes, &group, &mut objections)? {
                None => {}
                Some(why) => {
                    if !sound && self.settle(probes, &[], &mut objections)?.is_some() {
                        let what = "the crate under test, or an oracle in its tests,".to_owned();
                        return Err(Error::Build { what, why });
                    }
                    sound = true;
                    let left: Vec<usize> =
                        group.into_iter().filter(|n| objections[*n].is_none()).collect();
                    match left.split_at(left.len() / 2) {
                        ([], [one]) => objections[*one] = Some(first_line(&why)),
                        (first, second) => open.extend([second.to_vec(), first.to_vec()]),
                    }
                }
            }
        }
        Ok(objections)
    }

    /// Finds the objections against a group of probes; or what the compiler says that
    /// points at none of them.
    fn settle(
        &self,
        probes: &[&String],
        group: &[usize],
        objections: &mut [Option<String>],
    ) -> Result<Option<String>, Error> {
        for _ in 0..MAX_RUNS {
            let modules = self.modules(group.iter().map(|n| probes[*n].as_str()));
            let mut text = format!("{HEADER}{modules}");
            let mut lines: HashMap<usize, usize> = HashMap::new();
            let first = text.lines().count() + 1;
            let alive = group.iter().filter(|n| objections[**n].is_none());
            for (line, n) in alive.enumerate() {
                lines.insert(first + line, *n);
                text.push_str(&probes[*n].replacen("{}", &format!("p{n}"), 1));
                text.push('\n');
            }
            self.write("probe/src/lib.rs", &text)?;
            let output = cargo::messages(self.cargo("check").args([
                "-p",
                "testsmith-probe",
                "--message-format=json",
            ]))?;
            if output.success {
                return Ok(None);
            }
            let mut blamed = false;
            for error in &output.errors {
                for (file, line) in &error.places {
                    let ours = file.replace('\\', "/").ends_with("probe/src/lib.rs");
                    if let Some(n) = lines.get(line).filter(|_| ours) {
                        objections[*n].get_or_insert_with(|| error.text.clone());
                        blamed = true;
                    }
                }
            }
            if !blamed {
                return Ok(Some(output.explanation()));
            }
        }
        Err(Error::Cargo(format!("the probes still do not compile after {MAX_RUNS} runs")))
    }
}

fn first_line(why: &str) -> String {
    why.lines().next().unwrap_or_default().to_owned()
}

const HEADER: &str = "#![allow(warnings)]\n#![recursion_limit = \"512\"]\n";

fn key(probe: &str) -> u64 {
    hash(probe.as_bytes())
}

/// Verdicts of earlier runs on the same sources.
#[derive(serde::Serialize, serde::Deserialize, Default)]
struct Cache {
    stamp: u64,
    objections: BTreeMap<u64, Option<String>>,
}

impl Cache {
    const FILE: &'static str = "objections.json";

    fn load(lab: &Lab, stamp: u64) -> Cache {
        let known = std::fs::read(lab.path(Cache::FILE)).ok();
        let known = known.and_then(|bytes| serde_json::from_slice::<Cache>(&bytes).ok());
        match known {
            Some(cache) if cache.stamp == stamp => cache,
            _ => Cache { stamp, ..Cache::default() },
        }
    }

    fn save(&self, lab: &Lab) -> Result<(), Error> {
        let text = serde_json::to_string(self).map_err(|e| Error::Cargo(e.to_string()))?;
        lab.write(Cache::FILE, &text)
    }
}
