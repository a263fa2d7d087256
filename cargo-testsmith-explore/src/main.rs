//! `cargo testsmith-explore`: the command on its own.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    // Cargo passes the name of the subcommand along.
    if args.first().is_some_and(|first| first == "testsmith-explore") {
        args.remove(0);
    }
    ExitCode::from(cargo_testsmith_explore::run(&args))
}
