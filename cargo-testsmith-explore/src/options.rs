//! The arguments of the command.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use testsmith_solver::{Blaster, DEFAULT_PATIENCE, SmtError, SmtLib, Solver};
use testsmith_symbolic::explore::{Settings, Strategy};

/// Shown on request and on mistakes.
pub const USAGE: &str = "\
usage: cargo testsmith explore [NAME] [OPTIONS]

Visits the paths of every #[put] (or of those whose path contains NAME), writes one
closed test per path, and says whether the put holds, fails, or is not decided.

  --fn PATH            a public function instead: it may not panic, whatever it is given
  --package NAME       the package of the workspace to look at
  --manifest-path FILE its Cargo.toml
  --features LIST      features to build with
  --len N              elements per collection for --fn (4)
  --solver NAME        auto (the default): the embedded solver, and what it does not
                       decide goes to those of bitwuzla, cvc5, z3 on the PATH;
                       embedded: nothing else; or one of these, or the path of one
  --solver-time SECONDS  what an external solver may take for one question (20)
  --strategy NAME      depth (the default), breadth, coverage
  --max-paths N        paths per put (100000)
  --max-time SECONDS   time per put (60)
  --max-steps N        instructions per path (20000000)
  --max-unroll N       decisions per branch and path (2000)
  --keep paths|branches  tests to write: one per path (the default), or enough for the branches
  --explain            print the condition of every path
  --no-emit            write no tests

exit codes: 0 no violation, 100 a put fails, 101 could not complete, 2 wrong usage";

/// Conflicts after which the embedded solver lets others try first: other solvers, or
/// every input where there are few.
const BRIEF_CONFLICTS: u64 = 5_000;

/// The resolved arguments.
#[derive(Clone, Debug)]
pub struct Options {
    pub name: Option<String>,
    pub function: Option<String>,
    pub package: Option<String>,
    pub manifest: Option<PathBuf>,
    pub features: Option<String>,
    pub len: usize,
    pub solver: String,
    pub solver_time: Duration,
    pub settings: Settings,
    pub every_path: bool,
    pub explain: bool,
    pub emit: bool,
    pub quiet: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: None,
            function: None,
            package: None,
            manifest: None,
            features: None,
            len: 4,
            solver: "auto".to_owned(),
            solver_time: DEFAULT_PATIENCE,
            settings: Settings::default(),
            every_path: true,
            explain: false,
            emit: true,
            quiet: false,
        }
    }
}

impl Options {
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let (flag, inline) = match arg.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
                _ => (arg.as_str(), None),
            };
            let mut value = || {
                let next = inline.clone().or_else(|| args.next().cloned());
                next.ok_or_else(|| format!("{flag} needs a value"))
            };
            match flag {
                "--fn" => options.function = Some(value()?),
                "--package" | "-p" => options.package = Some(value()?),
                "--manifest-path" => options.manifest = Some(PathBuf::from(value()?)),
                "--features" => options.features = Some(value()?),
                "--len" => options.len = number(flag, &value()?)?,
                "--solver" => options.solver = value()?,
                "--solver-time" => {
                    options.solver_time = Duration::from_secs(number(flag, &value()?)?);
                }
                "--strategy" => options.settings.strategy = strategy(&value()?)?,
                "--max-paths" => options.settings.max_paths = number(flag, &value()?)?,
                "--max-time" => {
                    options.settings.max_time = Duration::from_secs(number(flag, &value()?)?);
                }
                "--max-steps" => options.settings.bounds.steps = number(flag, &value()?)?,
                "--max-unroll" => options.settings.bounds.unrollings = number(flag, &value()?)?,
                "--keep" => {
                    options.every_path = match value()?.as_str() {
                        "paths" => true,
                        "branches" => false,
                        other => {
                            return Err(format!("--keep takes paths or branches, not {other}"));
                        }
                    }
                }
                "--explain" => options.explain = true,
                "--no-emit" => options.emit = false,
                _ if flag.starts_with('-') => return Err(format!("no option is called {flag}")),
                _ if options.name.is_none() => options.name = Some(arg.clone()),
                _ => return Err(format!("one name is enough: {arg}")),
            }
        }
        if options.len > 255 {
            return Err("--len is at most 255".to_owned());
        }
        options.solvers().map_err(|error| error.to_string())?;
        Ok(options)
    }

    /// Whether the user asked to stop.
    pub fn interrupted(&self) -> bool {
        self.settings.interrupt.load(Ordering::Acquire)
    }

    /// Solvers of their own for one exploration, in the order in which they are asked.
    pub fn solvers(&self) -> Result<Vec<Box<dyn Solver>>, SmtError> {
        let external =
            |solver: SmtLib| Box::new(solver.patient_for(self.solver_time)) as Box<dyn Solver>;
        let mut solvers: Vec<Box<dyn Solver>> = vec![];
        match self.solver.as_str() {
            "auto" => {
                solvers.push(Box::new(Blaster::new(BRIEF_CONFLICTS)));
                for name in SmtLib::installed() {
                    solvers.push(external(SmtLib::new(name)?));
                }
                solvers.push(Box::new(Blaster::default()));
            }
            "embedded" => {
                solvers.push(Box::new(Blaster::new(BRIEF_CONFLICTS)));
                solvers.push(Box::new(Blaster::default()));
            }
            name => solvers.push(external(SmtLib::start(name)?)),
        }
        Ok(solvers)
    }
}

fn number<N: std::str::FromStr>(flag: &str, text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("{flag} takes a number, not {text}"))
}

fn strategy(text: &str) -> Result<Strategy, String> {
    match text {
        "depth" => Ok(Strategy::DepthFirst),
        "breadth" => Ok(Strategy::BreadthFirst),
        "coverage" => Ok(Strategy::CoverageFirst),
        _ => Err(format!("--strategy takes depth, breadth or coverage, not {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, String> {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read_with_and_without_an_equals_sign() {
        let options = parse("adding --max-paths 7 --strategy=coverage --no-emit").expect("valid");
        assert_eq!(options.name.as_deref(), Some("adding"));
        assert_eq!(options.settings.max_paths, 7);
        assert_eq!(options.settings.strategy, Strategy::CoverageFirst);
        assert!(!options.emit);
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(parse("--max-paths many").unwrap_err(), "--max-paths takes a number, not many");
        assert_eq!(parse("--wrong").unwrap_err(), "no option is called --wrong");
        assert_eq!(parse("--fn").unwrap_err(), "--fn needs a value");
        assert!(parse("--solver guess").unwrap_err().contains("no solver is called"));
    }
}
