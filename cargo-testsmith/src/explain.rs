//! `cargo testsmith explain`: the policy and the laws, as they are applied.

use crate::Exit;
use crate::args::{Explain, Topic};

pub fn run(options: &Explain) -> Exit {
    match options.topic {
        Topic::Policy => {
            println!("Failures are judged by the first of these rules that applies.\n");
            let tell = |rule: &testsmith_judge::Rule| {
                println!("{:<11} {}: {}", rule.severity.word(), rule.name, rule.reason);
            };
            testsmith_judge::POLICY.iter().for_each(tell);
            println!("\nA violation is no more than that where one of these applies.\n");
            testsmith_judge::RESERVATIONS.iter().for_each(tell);
        }
        Topic::Laws => {
            println!(
                "Checked on the values of every public type that has the traits or methods.\n"
            );
            for (_, law) in testsmith_plan::LAWS.iter() {
                println!("{}: {}", law.told(), law.why);
            }
        }
    }
    Exit::Clean
}
