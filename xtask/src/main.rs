//! Chores of the workspace: `cargo xtask bench NAME`.
//!
//! Speed claims are measured here and nowhere else; tests never look at a
//! clock.
#![forbid(unsafe_code)]

mod bench;

fn main() -> anyhow::Result<()> {
    // A bench that instruments crates has cargo run this program for rustc.
    if std::env::var_os(testsmith_lab::coverage::WRAPPER_VARIABLE).is_some() {
        testsmith_lab::coverage::wrap(std::env::args_os().skip(1));
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("bench") => bench::run(&args[1..]),
        _ => anyhow::bail!("usage: cargo xtask bench NAME [ARGS]\n{}", bench::names()),
    }
}
