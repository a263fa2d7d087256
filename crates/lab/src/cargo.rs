//! Runs cargo and reads what it prints.

use crate::Error;
use serde::Deserialize;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A message of rustc, and where it points.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    pub text: String,
    pub rendered: String,
    /// Files and lines, primary places and what they were expanded from.
    pub places: Vec<(String, usize)>,
}

/// What a build printed.
#[derive(Debug, Default)]
pub struct Output {
    pub success: bool,
    pub errors: Vec<Diagnostic>,
    /// Executables, by the name of their target.
    pub executables: Vec<(String, PathBuf)>,
    /// Whether anything had to be compiled.
    pub compiled: bool,
    pub stderr: String,
}

impl Output {
    /// The errors as the compiler would have shown them.
    pub fn explanation(&self) -> String {
        const MAX_ERRORS: usize = 5;
        if self.errors.is_empty() {
            return self.stderr.trim().to_owned();
        }
        let shown: Vec<&str> =
            self.errors.iter().take(MAX_ERRORS).map(|error| error.rendered.as_str()).collect();
        shown.join("\n")
    }
}

/// Runs a cargo command that was given `--message-format=json`.
pub fn messages(command: &mut Command) -> Result<Output, Error> {
    let done = output(command)?;
    let mut result = Output {
        success: done.status.success(),
        stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
        ..Output::default()
    };
    for line in String::from_utf8_lossy(&done.stdout).lines() {
        if let Ok(message) = serde_json::from_str::<Message>(line) {
            take(message, &mut result);
        }
    }
    Ok(result)
}

/// Runs a program to its end, without standard input.
pub fn output(command: &mut Command) -> Result<std::process::Output, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let run = command.stdin(Stdio::null()).output();
    run.map_err(|source| Error::Spawn { program, source })
}

#[derive(Deserialize)]
#[serde(tag = "reason")]
enum Message {
    #[serde(rename = "compiler-message")]
    Diagnosed { message: Rustc },
    #[serde(rename = "compiler-artifact")]
    Built { target: Target, executable: Option<PathBuf>, fresh: bool },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Rustc {
    level: String,
    message: String,
    rendered: Option<String>,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: usize,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

fn take(message: Message, result: &mut Output) {
    match message {
        Message::Diagnosed { message } if message.level.starts_with("error") => {
            let mut places = vec![];
            for span in &message.spans {
                let mut span = Some(span);
                while let Some(here) = span {
                    places.push((here.file_name.clone(), here.line_start));
                    span = here.expansion.as_ref().map(|expansion| &expansion.span);
                }
            }
            result.errors.push(Diagnostic {
                rendered: message.rendered.unwrap_or_else(|| message.message.clone()),
                text: message.message,
                places,
            });
        }
        Message::Built { target, executable, fresh } => {
            result.compiled |= !fresh;
            result.executables.extend(executable.map(|path| (target.name, path)));
        }
        _ => {}
    }
}
