//! The benches, one file each.

mod korat;

/// A bench: the name on the command line, what it shows, and its entry.
type Bench = (&'static str, &'static str, fn(&[String]) -> anyhow::Result<()>);

const BENCHES: &[Bench] =
    &[("korat", "structures found per second, against the Java tool", korat::run)];

pub fn run(args: &[String]) -> anyhow::Result<()> {
    let name = args.first().map_or("", String::as_str);
    match BENCHES.iter().find(|(n, _, _)| *n == name) {
        Some((_, _, bench)) => bench(&args[1..]),
        None => anyhow::bail!("no bench is called {name:?}\n{}", names()),
    }
}

/// The list of benches, for people.
pub fn names() -> String {
    let lines: Vec<String> =
        BENCHES.iter().map(|(n, what, _)| format!("  {n:<10} {what}")).collect();
    format!("benches:\n{}", lines.join("\n"))
}
