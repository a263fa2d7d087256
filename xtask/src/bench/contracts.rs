//! What contracts cost: a checked call against hand-written `assert!`s of the
//! same conditions, and an unchecked build against no contract at all.
//!
//! Times are the least of many rounds on this machine; where `valgrind` is installed the
//! instructions of a call are counted too, which do not depend on how code happens to be
//! laid out. The code of the unchecked build is compared instruction by instruction.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// What a checked call may cost against the same check written by hand.
const HIGHEST_RATIO: f64 = 1.2;

pub fn run(_: &[String]) -> Result<()> {
    let fixture = root().join("fixtures/contracts-cost");
    modes(&fixture)?;
    let checked = checked_cost(&fixture)?;
    let unchecked = unchecked_code(&fixture)?;
    println!("\nchecked calls, ns per call (least of all rounds)");
    println!(
        "{:<10} {:>8} {:>8} {:>10} {:>7}",
        "function", "plain", "assert!", "contracts", "ratio"
    );
    for row in &checked {
        let [plain, asserted, contracted] = row.nanoseconds;
        let ratio = contracted / asserted;
        println!(
            "{:<10} {plain:>8.2} {asserted:>8.2} {contracted:>10.2} {ratio:>7.2}{}",
            row.name,
            if ratio > HIGHEST_RATIO { "  above 1.2" } else { "" }
        );
    }
    instructions(&checked)?;
    let sum = |form: usize| checked.iter().map(|row| row.nanoseconds[form]).sum::<f64>();
    println!("all together: {:.2}", sum(2) / sum(1));
    println!("\nunchecked build, instructions emitted");
    println!("{:<10} {:>8} {:>10} {:>7}", "function", "plain", "contracts", "ratio");
    for (name, [plain, contracted]) in &unchecked {
        let ratio = *contracted as f64 / *plain as f64;
        println!("{name:<10} {plain:>8} {contracted:>10} {ratio:>7.2}");
        ensure!(plain == contracted, "{name} pays for contracts that are not checked");
    }
    Ok(())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies inside the workspace")
}

/// When contracts are checked: by default with debug assertions, and as the two
/// features say.
fn modes(fixture: &Path) -> Result<()> {
    println!("when a broken contract panics");
    for (profile, feature, expected) in [
        ("dev", "", true),
        ("dev", "unchecked", false),
        ("release", "", false),
        ("release", "checked", true),
        ("release", "checked,unchecked", true),
    ] {
        let output = cargo(fixture)
            .args(["run", "--quiet", "--profile", profile, "--features", feature, "--", "break"])
            .output()
            .context("failed to run cargo")?;
        let message = String::from_utf8_lossy(&output.stderr);
        let panics = message.contains("[testsmith-contract 1; kind=requires;");
        println!("  {profile:<8} {feature:<18} {}", if panics { "panics" } else { "runs on" });
        ensure!(panics == expected && panics != output.status.success(), "unexpected: {message}");
    }
    Ok(())
}

struct Cost {
    name: String,
    /// Plain, asserted, contracted.
    nanoseconds: [f64; 3],
}

fn checked_cost(fixture: &Path) -> Result<Vec<Cost>> {
    let output = cargo(fixture)
        .args(["run", "--quiet", "--release", "--features", "checked"])
        .output()
        .context("failed to run cargo")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    text.lines()
        .map(|line| cost(line).with_context(|| format!("unexpected line: {line}")))
        .collect()
}

/// Instructions per call of each form, counted where `valgrind` is installed.
fn instructions(checked: &[Cost]) -> Result<()> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("valgrind is not installed: instructions are not counted");
        return Ok(());
    }
    println!("\nchecked calls, instructions per call, the loop around it included");
    println!(
        "{:<10} {:>8} {:>8} {:>10} {:>7}",
        "function", "plain", "assert!", "contracts", "ratio"
    );
    for row in checked {
        let mut per_call = [0.0; 3];
        for (form, per_call) in per_call.iter_mut().enumerate() {
            let (none, many) = (collected(&row.name, form, 0)?, collected(&row.name, form, CALLS)?);
            *per_call = many.saturating_sub(none) as f64 / f64::from(CALLS);
        }
        let [plain, asserted, contracted] = per_call;
        let ratio = contracted / asserted;
        println!("{:<10} {plain:>8.1} {asserted:>8.1} {contracted:>10.1} {ratio:>7.2}", row.name);
    }
    Ok(())
}

/// So many that what happens once in a while, such as a vector that grows, is spread.
const CALLS: u32 = 10_000;

/// What `callgrind` counts when one form is called so many times.
fn collected(name: &str, form: usize, calls: u32) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(target().join("release/contracts-cost"))
        .args(["count", name, &form.to_string(), &calls.to_string()])
        .output()
        .context("failed to run valgrind")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let total = text.lines().find_map(|line| line.split_once("Collected :"));
    let total = total.with_context(|| format!("unexpected: {text}"))?;
    total.1.trim().parse().context("a count of instructions")
}

fn cost(line: &str) -> Option<Cost> {
    let mut words = line.split_whitespace();
    let name = words.next()?.to_owned();
    let mut number = || words.next()?.parse().ok();
    Some(Cost { name, nanoseconds: [number()?, number()?, number()?] })
}

fn cargo(fixture: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(fixture).env("CARGO_TARGET_DIR", target());
    command
}

fn target() -> PathBuf {
    root().join("target/bench-contracts")
}

/// For each function, how many instructions its plain and contracted forms have.
fn unchecked_code(fixture: &Path) -> Result<BTreeMap<String, [usize; 2]>> {
    let assembly = target().join("unchecked.s");
    let status = cargo(fixture)
        .args(["rustc", "--quiet", "--release", "--lib", "--"])
        .arg(format!("--emit=asm={}", assembly.display()))
        .status()
        .context("failed to run cargo")?;
    ensure!(status.success(), "the unchecked build failed");
    let text = std::fs::read_to_string(&assembly).context("failed to read the emitted code")?;
    let code = Assembly::parse(&text);
    let mut counts = BTreeMap::new();
    // The method of a contracted trait goes to its body by no jump of its own.
    let forwards = |line: &str| {
        let line = line.trim_start();
        (line.starts_with("jmp") || line.starts_with("call"))
            && line.contains("__write_contract_trait_above_this_impl_for_")
    };
    ensure!(!text.lines().any(forwards), "a contracted trait costs a jump without checks");
    for name in [
        "divide", "checksum", "find", "parse", "push", "format", "deposit", "charge", "settle",
        "query",
    ] {
        let count = |form: &str| {
            code.instructions(form, name).with_context(|| format!("no code for {form}::{name}"))
        };
        counts.insert(name.to_owned(), [count("plain")?, count("contracted")?]);
    }
    Ok(counts)
}

/// Functions by symbol, and symbols that the compiler found to be the same: where
/// two functions have the same code it emits one of them.
struct Assembly<'a> {
    lengths: BTreeMap<&'a str, usize>,
    aliases: BTreeMap<&'a str, &'a str>,
}

impl<'a> Assembly<'a> {
    fn parse(text: &'a str) -> Assembly<'a> {
        let mut code = Assembly { lengths: BTreeMap::new(), aliases: BTreeMap::new() };
        let mut current = None;
        for line in text.lines() {
            if let Some(symbol) = line.strip_suffix(':')
                && !symbol.starts_with(['.', '\t', ' '])
            {
                current = Some(symbol);
                code.lengths.insert(symbol, 0);
            } else if line.starts_with(".Lfunc_end") {
                current = None;
            } else if let Some((symbol, same)) = line.split_once(" = ")
                && symbol.starts_with('_')
            {
                code.aliases.insert(symbol, same);
            } else if line.starts_with('\t')
                && !line.starts_with("\t.")
                && let Some(length) = current.and_then(|symbol| code.lengths.get_mut(symbol))
            {
                *length += 1;
            }
        }
        code
    }

    /// Symbols are mangled, but the names of module and function show.
    fn instructions(&self, form: &str, name: &str) -> Option<usize> {
        let module = format!("{}{form}", form.len());
        let function = format!("{}{name}17h", name.len());
        let is_it = |symbol: &&&str| symbol.contains(&module) && symbol.contains(&function);
        if let Some(length) = self.lengths.iter().find(|(symbol, _)| is_it(symbol)) {
            return Some(*length.1);
        }
        let (_, same) = self.aliases.iter().find(|(symbol, _)| is_it(symbol))?;
        self.lengths.get(same).copied()
    }
}
