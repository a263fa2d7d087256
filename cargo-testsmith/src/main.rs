//! `cargo testsmith`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    cargo_testsmith::stand_in_if_asked();
    cargo_testsmith::main().into()
}
