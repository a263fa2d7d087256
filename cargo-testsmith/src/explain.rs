//! `cargo testsmith explain`: the policy and the laws, as they are applied.

use crate::Exit;
use crate::args::{Explain, Topic};

pub fn run(options: &Explain) -> Exit {
    match options.topic {
        Topic::Policy => {
            println!("Failures are judged by the first of these rules that applies.\n");
            let last = &testsmith_judge::UNSAFE_CALL;
            for rule in testsmith_judge::POLICY.iter().chain([last]) {
                println!("{:<11} {}: {}", rule.severity.word(), rule.name, rule.reason);
            }
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
