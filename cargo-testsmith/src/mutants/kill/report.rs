//! What became of the mutants that were hunted, for people and for programs.

use super::{Fate, Killed};
use crate::console::event;
use crate::emit::{LeftOut, Written};
use serde::Serialize;
use std::io::Write;

/// One mutant that no test noticed before.
#[derive(Serialize)]
struct HuntedEvent<'h> {
    id: u32,
    killed_by: Option<&'h str>,
    tried: u64,
}

/// One test that was written.
#[derive(Serialize)]
struct TestEvent<'t> {
    name: &'t str,
    kills: Vec<u32>,
}

/// All of it.
#[derive(Serialize)]
struct KillEvent {
    hunted: usize,
    killed: usize,
    alive: usize,
    unreached: usize,
    in_programs: usize,
    tests: usize,
    files: Vec<FileRow>,
    left_out: Vec<LeftOutRow>,
    sequences: u64,
    runs: u64,
    judging_seconds: f64,
    processes: usize,
    process_seconds: f64,
    interrupted: bool,
    score: Option<f64>,
}

#[derive(Serialize)]
struct FileRow {
    path: String,
    written: Written,
}

#[derive(Serialize)]
struct LeftOutRow {
    name: String,
    why: String,
}

/// How a mutant is told to people: where it is, and what it changes.
pub type Title<'t> = &'t dyn Fn(u32) -> String;

impl Killed {
    pub fn killed(&self) -> usize {
        self.fates.values().filter(|fate| matches!(fate, Fate::Killed { .. })).count()
    }

    /// Those that are still alive, the hardest tried first, with how many runs reached each.
    fn alive(&self) -> Vec<(u32, u64)> {
        let alive = self.fates.iter().filter_map(|(id, fate)| match fate {
            Fate::Alive { tried } => Some((*id, *tried)),
            Fate::Killed { .. } => None,
        });
        let mut alive: Vec<(u32, u64)> = alive.collect();
        alive.sort_by_key(|(id, tried)| (std::cmp::Reverse(*tried), *id));
        alive
    }

    /// `score` is what all tests notice now, in percent.
    pub fn tell_events(&self, score: Option<f64>) {
        for (name, kills) in &self.tests {
            event("test", &TestEvent { name, kills: kills.iter().copied().collect() });
        }
        for (id, fate) in &self.fates {
            if let Fate::Killed { test, tried } = fate {
                event("hunted", &HuntedEvent { id: *id, killed_by: Some(test), tried: *tried });
            }
        }
        let alive = self.alive();
        for (id, tried) in &alive {
            event("hunted", &HuntedEvent { id: *id, killed_by: None, tried: *tried });
        }
        let file = |(path, written): &(std::path::PathBuf, Written)| FileRow {
            path: path.display().to_string(),
            written: *written,
        };
        let left_out =
            |left: &LeftOut| LeftOutRow { name: left.name.clone(), why: left.why.clone() };
        event(
            "kill",
            &KillEvent {
                hunted: self.fates.len(),
                killed: self.killed(),
                alive: alive.len(),
                unreached: alive.iter().filter(|(_, tried)| *tried == 0).count(),
                in_programs: self.in_programs,
                tests: self.tests.len(),
                files: self.files.iter().map(file).collect(),
                left_out: self.left_out.iter().map(left_out).collect(),
                sequences: self.sequences,
                runs: self.runs,
                judging_seconds: self.judging.as_secs_f64(),
                processes: self.processes.count,
                process_seconds: self.processes.cpu.as_secs_f64(),
                interrupted: self.interrupted,
                score,
            },
        );
    }

    pub fn print(&self, title: Title, out: &mut impl Write) -> std::io::Result<()> {
        let alive = self.alive();
        for (id, tried) in alive.iter().filter(|(_, tried)| *tried > 0) {
            writeln!(out, "still alive after {tried} runs: {}", title(*id))?;
        }
        let unreached = alive.iter().filter(|(_, tried)| *tried == 0).count();
        if unreached > 0 {
            writeln!(out, "{unreached} more are reached by no call that was tried")?;
        }
        if self.in_programs > 0 {
            writeln!(out, "{} more are in programs, which no call reaches", self.in_programs)?;
        }
        for LeftOut { name, why } in &self.left_out {
            writeln!(out, "left out: {name}: {why}")?;
        }
        for (path, written) in &self.files {
            let what = match written {
                Written::Yes => "written",
                Written::Same => "unchanged",
                Written::Removed => "removed",
                Written::Kept => "kept, because it was edited",
            };
            writeln!(out, "{what}: {}", path.display())?;
        }
        let (tests, killed) = (self.tests.len(), self.killed());
        let plural = if tests == 1 { "" } else { "s" };
        writeln!(
            out,
            "{tests} test{plural} written: {killed} of {} survivors killed, {} still alive after \
             {} runs with a mutant",
            self.fates.len(),
            alive.len(),
            self.runs
        )
    }
}
