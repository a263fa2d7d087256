//! `cargo xtask bench adversary [seed [count]]`: generated programs with known
//! truth. Every verdict is compared with native runs of all inputs; what is
//! counted is untrue verdicts, of which there may be none, and the share decided.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use testsmith_symbolic::explore::Conclusion;

#[path = "../../../crates/symbolic/tests/generator/mod.rs"]
mod generator;

use generator::Nature;
use generator::trial::{self, Trial};

/// Five programs of each template.
const ROUNDS: usize = 5;

/// What became of the programs of one family.
#[derive(Default)]
struct Row {
    programs: usize,
    hold: usize,
    fail: usize,
    undecided: usize,
    untrue: usize,
}

impl Row {
    fn add(&mut self, trial: &Trial) {
        self.programs += 1;
        self.untrue += usize::from(trial.wrong.is_some());
        match trial.conclusion {
            Conclusion::Holds => self.hold += 1,
            Conclusion::Fails => self.fail += 1,
            Conclusion::Undecided => self.undecided += 1,
        }
    }
}

pub fn run(args: &[String]) -> Result<()> {
    let seed = args.first().map_or(Ok(1), |seed| seed.parse())?;
    let count = args.get(1).map_or(Ok(ROUNDS * generator::templates()), |n| n.parse())?;
    let programs = generator::programs(seed, count);
    let folder: PathBuf = super::folder().join("adversary");
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let trials = trial::run(&programs, &folder, |trial| {
        if let Some(wrong) = &trial.wrong {
            println!("UNTRUE {}: {wrong}", trial.program.name);
            println!("{}\n{}\n", trial.program.items, trial.program.body);
        }
    });
    for trial in &trials {
        let kind = match trial.program.nature {
            Nature::Determined => "= of the input alone",
            Nature::Depends(_) => "= of more than the input",
        };
        for name in [trial.program.family, kind, "= all"] {
            rows.entry(name).or_default().add(trial);
        }
    }
    println!("seed {seed}\n{:<26} programs  hold  fail  undecided  untrue", "");
    for (name, row) in &rows {
        let Row { programs, hold, fail, undecided, untrue } = row;
        println!("{name:<26} {programs:>8} {hold:>5} {fail:>5} {undecided:>10} {untrue:>7}");
    }
    let seconds: f64 = trials.iter().map(|trial| trial.time.as_secs_f64()).sum();
    let paths: usize = trials.iter().map(|trial| trial.paths.0).sum();
    println!("explored in {seconds:.1} s, {paths} paths");
    let decided = |conclusion: Conclusion| conclusion != Conclusion::Undecided;
    let apart = trials.iter().filter(|trial| decided(trial.apart)).count();
    let joined = trials.iter().filter(|trial| decided(trial.conclusion)).count();
    let seconds: f64 = trials.iter().map(|trial| trial.apart_time.as_secs_f64()).sum();
    let paths: usize = trials.iter().map(|trial| trial.paths.1).sum();
    println!(
        "without joining ways in {seconds:.1} s, {paths} paths: {apart} decided, not {joined}"
    );
    for trial in trials.iter().filter(|trial| !decided(trial.conclusion) && decided(trial.apart)) {
        println!("only decided apart: {} {:?}", trial.program.name, trial.voids);
    }
    let untrue = trials.iter().filter(|trial| trial.wrong.is_some()).count();
    ensure!(untrue == 0, "{untrue} verdicts are untrue");
    Ok(())
}
