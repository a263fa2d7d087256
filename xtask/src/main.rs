//! Chores of the workspace: `cargo xtask bench NAME`.
//!
//! Speed claims are measured here and nowhere else; tests never look at a
//! clock.
#![deny(unsafe_code)]

mod bench;

fn main() -> anyhow::Result<()> {
    // A bench that builds a harness has cargo run this program for rustc.
    cargo_testsmith::stand_in_if_asked();
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("bench") => bench::run(&args[1..]),
        _ => anyhow::bail!("usage: cargo xtask bench NAME [ARGS]\n{}", bench::names()),
    }
}
