//! Solvers of the user, spoken to in SMT-LIB over a pipe.
//!
//! The process stays for the whole exploration; definitions are sent once, each
//! query in a scope of its own. Nothing here is needed for testsmith to work:
//! the embedded solver is the default.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::{Answer, Solver, verified};
use crate::term::{Assignment, FastMap, Op, Pool, Term};

/// The programs we know how to start, with their arguments.
const KNOWN: &[(&str, &[&str])] = &[
    ("z3", &["-in"]),
    ("cvc5", &["--incremental", "--produce-models", "--lang=smt2"]),
    ("bitwuzla", &["--lang", "smt2", "--produce-models"]),
];

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
                write!(f, "no solver is called {name:?}: use embedded, z3, cvc5 or bitwuzla")
            }
            SmtError::Start { program, source } => {
                write!(f, "failed to start the solver {program}: {source}")
            }
        }
    }
}

impl std::error::Error for SmtError {}

/// A running solver process.
pub struct SmtLib {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    defined: FastMap<Term, ()>,
    variables: Vec<(u32, u32)>,
    broken: Option<String>,
}

impl SmtLib {
    /// The names of the known solvers that are on the PATH.
    pub fn installed() -> Vec<&'static str> {
        let runs = |name: &&str| {
            let command = Command::new(name).arg("--version").output();
            command.is_ok_and(|output| output.status.success())
        };
        KNOWN.iter().map(|(name, _)| *name).filter(runs).collect()
    }

    /// Starts a solver by its name or by the path of its program.
    pub fn start(program: &str) -> Result<SmtLib, SmtError> {
        let stem =
            std::path::Path::new(program).file_name().map(|n| n.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_default();
        let (name, args) = KNOWN
            .iter()
            .find(|(name, _)| stem.starts_with(name))
            .ok_or_else(|| SmtError::Unknown(program.to_owned()))?;
        let start = |source| SmtError::Start { program: program.to_owned(), source };
        let mut child = Command::new(program)
            .args(*args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(start)?;
        let input = child.stdin.take().expect("the input is piped");
        let output = BufReader::new(child.stdout.take().expect("the output is piped"));
        let mut solver = SmtLib {
            name: (*name).to_owned(),
            child,
            input,
            output,
            defined: FastMap::default(),
            variables: vec![],
            broken: None,
        };
        solver.send("(set-option :produce-models true)\n(set-logic QF_BV)\n");
        Ok(solver)
    }

    fn send(&mut self, text: &str) {
        let sent = self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush());
        if let Err(error) = sent {
            self.broken = Some(format!("{} stopped listening: {error}", self.name));
        }
    }

    fn receive(&mut self) -> String {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => self.broken = Some(format!("{} ended", self.name)),
            Ok(_) => {}
            Err(error) => self.broken = Some(format!("{} cannot be read: {error}", self.name)),
        }
        line.trim().to_owned()
    }

    /// Sends what is not yet defined of a term, operands first.
    fn define(&mut self, pool: &Pool, term: Term, text: &mut String) {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.defined.contains_key(&top) {
                stack.pop();
                continue;
            }
            let node = pool.node(top);
            let before = stack.len();
            stack.extend(node.operands().filter(|operand| !self.defined.contains_key(operand)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            self.defined.insert(top, ());
            let width = node.width;
            match node.op {
                Op::Const => {}
                Op::Var => {
                    self.variables.push((node.number as u32, width));
                    let _ = writeln!(text, "(declare-const x{} (_ BitVec {width}))", node.number);
                }
                _ => {
                    let body = expression(pool, top);
                    let name = top.index();
                    let _ = writeln!(text, "(define-fun n{name} () (_ BitVec {width}) {body})");
                }
            }
        }
    }

    fn model(&mut self) -> Assignment {
        let mut assignment = Assignment::default();
        for (variable, _) in self.variables.clone() {
            self.send(&format!("(get-value (x{variable}))\n"));
            let line = self.receive();
            if let Some(value) = parse_value(&line) {
                assignment.insert(variable, value);
            }
        }
        assignment
    }
}

impl Solver for SmtLib {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&mut self, pool: &Pool, conditions: &[Term]) -> Answer {
        if let Some(why) = &self.broken {
            return Answer::Unknown(why.clone());
        }
        let mut text = String::new();
        for condition in conditions {
            self.define(pool, *condition, &mut text);
        }
        text.push_str("(push 1)\n");
        for condition in conditions {
            let _ = writeln!(text, "(assert (= {} #b1))", reference(pool, *condition));
        }
        text.push_str("(check-sat)\n");
        self.send(&text);
        let answer = match self.receive().as_str() {
            "sat" => Answer::Sat(self.model()),
            "unsat" => Answer::Unsat,
            other => Answer::Unknown(format!("{} answered {other:?}", self.name)),
        };
        self.send("(pop 1)\n");
        if let Some(why) = &self.broken {
            return Answer::Unknown(why.clone());
        }
        verified(pool, conditions, answer, &self.name)
    }
}

impl Drop for SmtLib {
    fn drop(&mut self) {
        let _ = self.input.write_all(b"(exit)\n");
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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

/// Reads `((x0 #x2a))`, `((x0 #b101))` or `((x0 (_ bv42 8)))`.
fn parse_value(line: &str) -> Option<u128> {
    let line = line.trim_end_matches(')');
    if let Some(hex) = line.rsplit("#x").next().filter(|_| line.contains("#x")) {
        return u128::from_str_radix(hex.trim(), 16).ok();
    }
    if let Some(binary) = line.rsplit("#b").next().filter(|_| line.contains("#b")) {
        return u128::from_str_radix(binary.trim(), 2).ok();
    }
    let decimal = line.split(" bv").nth(1)?.split(' ').next()?;
    decimal.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::parse_value;

    #[test]
    fn values_are_read_in_every_notation_the_solvers_use() {
        assert_eq!(parse_value("((x0 #x2a))"), Some(42));
        assert_eq!(parse_value("((x0 #b101010))"), Some(42));
        assert_eq!(parse_value("((x0 (_ bv42 8)))"), Some(42));
        assert_eq!(parse_value("(error)"), None);
    }
}
