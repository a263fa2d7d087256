//! Solvers of the user, spoken to in SMT-LIB over a pipe.
//!
//! Every query stands alone: the solver is reset, told the definitions, and
//! asked. That costs text, but solvers are at their strongest on the first
//! question, and nothing can be left over from the one before. An answer counts
//! only with the mark that belongs to its query; whatever else happens, the
//! process is ended, the query is not decided, and the next one starts afresh.
//! Nothing here is needed for testsmith to work: the embedded solver decides
//! nearly everything.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::{Answer, Limit, Solver, verified};
use crate::term::{Assignment, FastMap, Op, Pool, Term};

/// The programs we know how to start, the one to prefer first, with their arguments.
const KNOWN: &[(&str, &[&str])] = &[
    ("bitwuzla", &["--lang", "smt2", "--produce-models"]),
    ("cvc5", &["--incremental", "--produce-models", "--lang=smt2"]),
    ("z3", &["-in"]),
];
/// How long a solver may think about one query.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(20);
/// How often it is asked whether to go on waiting.
const GLANCE: Duration = Duration::from_millis(50);
/// A solver that failed so often in a row is not started again.
const MOST_FAILURES: u32 = 5;

/// Why a solver cannot be used.
#[derive(Debug)]
pub enum SmtError {
    Unknown(String),
    Start { program: String, source: std::io::Error },
}

impl std::fmt::Display for SmtError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SmtError::Unknown(name) => {
                write!(f, "no solver is called {name:?}: use auto, embedded, bitwuzla, cvc5 or z3")
            }
            SmtError::Start { program, source } => {
                write!(f, "failed to start the solver {program}: {source}")
            }
        }
    }
}

impl std::error::Error for SmtError {}

/// A solver program; its process is started when the first query comes.
pub struct SmtLib {
    name: &'static str,
    program: PathBuf,
    args: &'static [&'static str],
    patience: Duration,
    limit: Limit,
    process: Option<Process>,
    queries: u64,
    failures: u32,
}

impl SmtLib {
    /// The names of the known solvers that are on the PATH, the one to prefer first.
    pub fn installed() -> Vec<&'static str> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let there = |name: &&str| folders.iter().any(|folder| folder.join(name).is_file());
        KNOWN.iter().map(|(name, _)| *name).filter(there).collect()
    }

    /// A solver by its name or by the path of its program.
    pub fn new(program: &str) -> Result<SmtLib, SmtError> {
        let stem = Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_default();
        let (name, args) = KNOWN
            .iter()
            .find(|(name, _)| stem.starts_with(name))
            .ok_or_else(|| SmtError::Unknown(program.to_owned()))?;
        Ok(SmtLib {
            name,
            program: PathBuf::from(program),
            args,
            patience: DEFAULT_PATIENCE,
            limit: Limit::default(),
            process: None,
            queries: 0,
            failures: 0,
        })
    }

    /// As [`SmtLib::new`], and started at once, so that a missing program is known.
    pub fn start(program: &str) -> Result<SmtLib, SmtError> {
        let mut solver = SmtLib::new(program)?;
        let start = |source| SmtError::Start { program: program.to_owned(), source };
        solver.process = Some(solver.spawn().map_err(start)?);
        Ok(solver)
    }

    /// The same, with another limit on the time for one query.
    pub fn patient_for(self, patience: Duration) -> SmtLib {
        SmtLib { patience, ..self }
    }

    fn spawn(&self) -> std::io::Result<Process> {
        let mut child = Command::new(&self.program)
            .args(self.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().expect("the input is piped");
        let lines = lines(child.stdout.take().expect("the output is piped"));
        Ok(Process { child, input, lines })
    }

    /// The answer of a process that is there, or what went wrong with it.
    fn query(&mut self, pool: &Pool, conditions: &[Term]) -> Result<Answer, String> {
        if self.process.is_none() {
            self.process = Some(self.spawn().map_err(|error| error.to_string())?);
        }
        let process = self.process.as_mut().expect("it was just started");
        let (mut text, variables) = script(pool, conditions);
        let mark = format!("query-{}", self.queries);
        let _ = writeln!(text, "(check-sat)\n(echo \"{mark}\")");
        let until = (&self.limit, Instant::now() + self.patience);
        process.send(&text)?;
        let said = process.line(until)?;
        let marked = process.line(until)?;
        if marked.trim_matches('"') != mark {
            return Err(format!("said {said:?}, then {marked:?}"));
        }
        match said.as_str() {
            "unsat" => return Ok(Answer::Unsat),
            "sat" if variables.is_empty() => return Ok(Answer::Sat(Assignment::default())),
            "sat" => {}
            _ => return Err(format!("answered {said:?}")),
        }
        let names: Vec<String> = variables.iter().map(|v| format!("x{v}")).collect();
        process.send(&format!("(get-value ({}))\n", names.join(" ")))?;
        Ok(Answer::Sat(parse_values(&process.expression(until)?)))
    }
}

impl Solver for SmtLib {
    fn name(&self) -> &str {
        self.name
    }

    fn is_external(&self) -> bool {
        true
    }

    fn set_limit(&mut self, limit: Limit) {
        self.limit = limit;
    }

    fn check(&mut self, pool: &Pool, conditions: &[Term]) -> Answer {
        if self.failures >= MOST_FAILURES {
            return Answer::Unknown(format!(
                "{} failed {} times in a row",
                self.name, self.failures
            ));
        }
        self.queries += 1;
        match self.query(pool, conditions) {
            Ok(answer) => {
                self.failures = 0;
                verified(pool, conditions, answer, self.name)
            }
            Err(why) => {
                // What it may still say would be taken for the answer to another question.
                self.process = None;
                self.failures += 1;
                Answer::Unknown(format!("{} {why}", self.name))
            }
        }
    }
}

/// A running solver.
struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// The lines of a stream, read by a thread of its own so that waiting can end.
fn lines(output: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line.trim().to_owned()).is_err() {
                break;
            }
        }
    });
    receiver
}

impl Process {
    fn send(&mut self, text: &str) -> Result<(), String> {
        let sent = self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|error| format!("stopped listening: {error}"))
    }

    fn line(&self, (limit, patience): (&Limit, Instant)) -> Result<String, String> {
        loop {
            let left = patience.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(GLANCE)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err("ended without an answer".to_owned());
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() || limit.is_reached() => {
                    return Err("did not answer in time".to_owned());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Lines until the brackets are closed.
    fn expression(&self, until: (&Limit, Instant)) -> Result<String, String> {
        let mut text = self.line(until)?;
        let count = |text: &str, bracket: char| text.matches(bracket).count();
        while count(&text, '(') > count(&text, ')') {
            text.push(' ');
            text.push_str(&self.line(until)?);
        }
        Ok(text)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Everything a solver has to know to be asked, and the variables there are.
fn script(pool: &Pool, conditions: &[Term]) -> (String, Vec<u32>) {
    let mut text = String::from("(reset)\n(set-option :produce-models true)\n(set-logic QF_BV)\n");
    let mut variables = vec![];
    let mut defined: FastMap<Term, ()> = FastMap::default();
    let mut stack = conditions.to_vec();
    while let Some(&top) = stack.last() {
        let node = pool.node(top);
        let before = stack.len();
        if !defined.contains_key(&top) {
            stack.extend(node.operands().filter(|operand| !defined.contains_key(operand)));
        }
        if stack.len() > before {
            continue;
        }
        stack.pop();
        if defined.insert(top, ()).is_some() {
            continue;
        }
        let width = node.width;
        match node.op {
            Op::Const => {}
            Op::Var => {
                variables.push(node.number as u32);
                let _ = writeln!(text, "(declare-const x{} (_ BitVec {width}))", node.number);
            }
            _ => {
                let (name, body) = (top.index(), expression(pool, top));
                let _ = writeln!(text, "(define-fun n{name} () (_ BitVec {width}) {body})");
            }
        }
    }
    for condition in conditions {
        let _ = writeln!(text, "(assert (= {} #b1))", reference(pool, *condition));
    }
    (text, variables)
}

fn reference(pool: &Pool, term: Term) -> String {
    let node = pool.node(term);
    match node.op {
        Op::Const => format!("(_ bv{} {})", node.number, node.width),
        Op::Var => format!("x{}", node.number),
        _ => format!("n{}", term.index()),
    }
}

fn expression(pool: &Pool, term: Term) -> String {
    let node = pool.node(term);
    let operand = |index: usize| reference(pool, node.args[index].expect("the operand is there"));
    let plain = |name: &str| format!("({name} {} {})", operand(0), operand(1));
    let bit = |name: &str| format!("(ite ({name} {} {}) #b1 #b0)", operand(0), operand(1));
    let grown = || node.width - pool.width(node.first());
    match node.op {
        Op::Const | Op::Var => reference(pool, term),
        Op::Add => plain("bvadd"),
        Op::Sub => plain("bvsub"),
        Op::Mul => plain("bvmul"),
        Op::UDiv => plain("bvudiv"),
        Op::URem => plain("bvurem"),
        Op::SDiv => plain("bvsdiv"),
        Op::SRem => plain("bvsrem"),
        Op::And => plain("bvand"),
        Op::Or => plain("bvor"),
        Op::Xor => plain("bvxor"),
        Op::Shl => plain("bvshl"),
        Op::LShr => plain("bvlshr"),
        Op::AShr => plain("bvashr"),
        Op::Concat => plain("concat"),
        Op::Eq => bit("="),
        Op::Ult => bit("bvult"),
        Op::Ule => bit("bvule"),
        Op::Slt => bit("bvslt"),
        Op::Sle => bit("bvsle"),
        Op::Ite => format!("(ite (= {} #b1) {} {})", operand(0), operand(1), operand(2)),
        Op::ZExt => format!("((_ zero_extend {}) {})", grown(), operand(0)),
        Op::SExt => format!("((_ sign_extend {}) {})", grown(), operand(0)),
        Op::Extract => {
            let low = node.number as u32;
            format!("((_ extract {} {low}) {})", low + node.width - 1, operand(0))
        }
    }
}

/// Reads `((x0 #x2a) (x1 #b101) (x2 (_ bv42 8)))`. A value that cannot be read is left
/// out, and the model will not stand the test.
fn parse_values(text: &str) -> Assignment {
    let mut assignment = Assignment::default();
    let mut tokens = text.split(|c: char| c == '(' || c == ')' || c.is_whitespace());
    let mut tokens = std::iter::from_fn(|| tokens.find(|token| !token.is_empty()));
    while let Some(token) = tokens.next() {
        let Some(variable) = token.strip_prefix('x').and_then(|number| number.parse().ok()) else {
            continue;
        };
        let value = match tokens.next() {
            Some("_") => tokens.next().and_then(|number| number.strip_prefix("bv")?.parse().ok()),
            Some(token) => match (token.strip_prefix("#x"), token.strip_prefix("#b")) {
                (Some(digits), _) => u128::from_str_radix(digits, 16).ok(),
                (_, Some(digits)) => u128::from_str_radix(digits, 2).ok(),
                (None, None) => None,
            },
            None => None,
        };
        assignment.extend(value.map(|value| (variable, value)));
    }
    assignment
}

#[cfg(test)]
mod tests {
    use super::parse_values;

    #[test]
    fn values_are_read_in_every_notation_the_solvers_use() {
        let read = |text: &str| {
            let mut values: Vec<_> = parse_values(text).into_iter().collect();
            values.sort_unstable();
            values
        };
        assert_eq!(read("((x0 #x2a) (x17 #b101010))"), [(0, 42), (17, 42)]);
        assert_eq!(read("((x3\n  (_ bv42 8)) (x4 #xff))"), [(3, 42), (4, 255)]);
        assert_eq!(read("(error \"no model\")"), []);
    }
}
