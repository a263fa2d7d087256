//! Runs cargo and reads what it prints.

use crate::Error;
use cargo_metadata::Message;
use cargo_metadata::diagnostic::DiagnosticSpan;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A message of rustc, and where it points.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    pub text: String,
    pub rendered: String,
    /// Files and lines: its own places and what they were expanded from, then those of the
    /// notes that follow it.
    pub places: Vec<(String, usize)>,
    /// The compiler's name for it, as `E0382`.
    pub code: Option<String>,
    /// Its own places, and what they were expanded from.
    pub spans: Vec<Span>,
}

/// Bytes of a file.
#[derive(Debug, Clone)]
pub struct Span {
    pub file: String,
    pub bytes: std::ops::Range<usize>,
    /// Whether it is what the message is about, and not only has to do with it.
    pub is_primary: bool,
}

/// What a build printed.
#[derive(Debug, Default)]
pub struct BuildOutput {
    pub success: bool,
    pub errors: Vec<Diagnostic>,
    /// Executables, by the name of their target.
    pub executables: Vec<(String, PathBuf)>,
    /// Those of them that hold tests.
    pub tests: Vec<(String, PathBuf)>,
    /// What build scripts switched on, as `rustc --print cfg` would show it.
    pub cfgs: Vec<String>,
    /// Whether anything had to be compiled.
    pub compiled: bool,
    pub stderr: String,
}

impl BuildOutput {
    /// The errors as the compiler would have shown them.
    pub fn explanation(&self) -> String {
        const MAX_ERRORS: usize = 5;
        if self.errors.is_empty() {
            return self.stderr.trim().to_owned();
        }
        let missing: BTreeSet<&str> =
            self.errors.iter().flat_map(|error| undefined(&error.rendered)).collect();
        if !missing.is_empty() {
            let names: Vec<&str> = missing.into_iter().take(MAX_ERRORS).collect();
            return format!(
                "it cannot be linked: nothing defines {}; a feature of the crate has to, or \
                 whoever uses it",
                names.join(", ")
            );
        }
        let shown: Vec<&str> =
            self.errors.iter().take(MAX_ERRORS).map(|error| error.rendered.as_str()).collect();
        shown.join("\n")
    }

    /// Whether a process was ended because it had worked for longer than it may.
    pub fn is_over_limit(&self) -> bool {
        !self.success && self.stderr.contains("SIGXCPU")
    }
}

/// The same command, of which no process may work for longer than so many seconds; only
/// Unix has such a limit.
pub fn within_cpu(command: &Command, seconds: u64) -> Command {
    let mut limited = if cfg!(unix) {
        let mut shell = Command::new("sh");
        let script = format!("ulimit -S -t {seconds} && exec \"$0\" \"$@\"");
        shell.args(["-c", &script]).arg(command.get_program());
        shell
    } else {
        Command::new(command.get_program())
    };
    limited.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    limited
}

/// The names that a linker looks for in vain, in the words of the usual ones.
fn undefined(message: &str) -> impl Iterator<Item = &str> {
    let words = ["undefined symbol: ", "undefined reference to `"];
    message.lines().filter_map(move |line| {
        let (_, rest) = words.iter().find_map(|words| line.split_once(words))?;
        rest.split(['\'', ' ']).next().filter(|name| !name.is_empty())
    })
}

/// Runs a cargo command that was given `--message-format=json`.
pub fn messages(command: &mut Command) -> Result<BuildOutput, Error> {
    let done = output(command)?;
    let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
    Ok(read(done.status.success(), stderr, &String::from_utf8_lossy(&done.stdout)))
}

fn read(success: bool, stderr: String, stdout: &str) -> BuildOutput {
    let mut result = BuildOutput { success, stderr, ..BuildOutput::default() };
    // A build script or a wrapper may print lines of its own in between.
    for message in Message::parse_stream(stdout.as_bytes()).map_while(Result::ok) {
        take(message, &mut result);
    }
    result
}

/// The same, telling what cargo says it is doing, line by line.
pub fn messages_telling(
    command: &mut Command,
    tell: &mut dyn FnMut(&str),
) -> Result<BuildOutput, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |source| Error::Spawn { program: program.clone(), source };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let mut stdout = child.stdout.take().expect("it was piped");
    let messages = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut stdout, &mut text).map(|_| text)
    });
    let lines = std::io::BufReader::new(child.stderr.take().expect("it was piped"));
    let mut stderr = String::new();
    for line in std::io::BufRead::lines(lines).map_while(Result::ok) {
        tell(line.trim());
        stderr.push_str(&line);
        stderr.push('\n');
    }
    let status = child.wait().map_err(failed)?;
    let stdout = messages.join().ok().and_then(Result::ok).unwrap_or_default();
    Ok(read(status.success(), stderr, &stdout))
}

/// As `messages`, but cargo ends, and all that it has started, when `stop` is set.
pub fn messages_unless(command: &mut Command, stop: &AtomicBool) -> Result<BuildOutput, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |source| Error::Spawn { program: program.clone(), source };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    own_process_group(command);
    let mut child = command.spawn().map_err(failed)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let stdout = scope.spawn(move || all_of(stdout));
        let stderr = scope.spawn(move || all_of(stderr));
        let status = loop {
            if stop.load(Ordering::Acquire) {
                kill_group(&mut child);
                let _ = child.wait();
                return Err(Error::Interrupted);
            }
            match child.try_wait().map_err(failed)? {
                Some(status) => break status,
                None => std::thread::sleep(BETWEEN_LOOKS),
            }
        };
        let text = |thread: std::thread::ScopedJoinHandle<'_, String>| thread.join();
        let (stdout, stderr) = (text(stdout).unwrap_or_default(), text(stderr).unwrap_or_default());
        Ok(read(status.success(), stderr, &stdout))
    })
}

/// How long it takes at most until an end, or a wish for one, is seen.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

fn all_of(pipe: Option<impl std::io::Read>) -> String {
    let mut bytes = vec![];
    if let Some(mut pipe) = pipe {
        // What was read before an error is all there is.
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Ends a child with a process group of its own, and what it has started: cargo alone
/// would leave compilers behind.
fn kill_group(child: &mut Child) {
    if cfg!(unix) {
        // Every shell has it built in; the program of that name may be missing.
        let kill = format!("kill -9 -{}", child.id());
        let _ = output(Command::new("sh").args(["-c", &kill]));
    }
    let _ = child.kill();
}

/// A Ctrl-C on the terminal is for us; the child goes when we say so.
#[cfg(unix)]
pub(crate) fn own_process_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
pub(crate) fn own_process_group(_command: &mut Command) {}

/// The machine that the compiler of a folder runs on and builds for.
pub(crate) fn host(folder: &Path) -> Option<String> {
    let rustc = output(Command::new("rustc").arg("-vV").current_dir(folder)).ok()?;
    let said = String::from_utf8(rustc.stdout).ok()?;
    said.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

/// Runs a program to its end, without standard input.
pub fn output(command: &mut Command) -> Result<std::process::Output, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let run = command.stdin(Stdio::null()).output();
    run.map_err(|source| Error::Spawn { program, source })
}

/// The same, but it ends, with all that it has started, if that takes longer than this; and
/// whether it had to be ended.
pub fn output_within(
    command: &mut Command,
    limit: Duration,
) -> Result<(std::process::Output, bool), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |source| Error::Spawn { program: program.clone(), source };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    own_process_group(command);
    let mut child = command.spawn().map_err(failed)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let stdout = scope.spawn(move || all_of(stdout));
        let stderr = scope.spawn(move || all_of(stderr));
        let mut late = false;
        let status = loop {
            match child.try_wait().map_err(failed)? {
                Some(status) => break status,
                None if !late && begin.elapsed() > limit => {
                    late = true;
                    kill_group(&mut child);
                }
                None => std::thread::sleep(BETWEEN_LOOKS_AT_TESTS),
            }
        };
        let bytes = |thread: std::thread::ScopedJoinHandle<'_, String>| {
            thread.join().unwrap_or_default().into_bytes()
        };
        let (stdout, stderr) = (bytes(stdout), bytes(stderr));
        Ok((std::process::Output { status, stdout, stderr }, late))
    })
}

/// Tests are run often and are over soon.
const BETWEEN_LOOKS_AT_TESTS: Duration = Duration::from_millis(1);

/// What a program prints about a package; what it complains of if it fails.
pub fn answer(command: &mut Command, what: &str) -> Result<String, Error> {
    let done = output(command)?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        return Err(Error::Resolve { what: what.to_owned(), why });
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

fn take(message: Message, result: &mut BuildOutput) {
    use cargo_metadata::diagnostic::DiagnosticLevel::{Error, Ice, Note};
    match message {
        Message::CompilerMessage(told) if matches!(told.message.level, Error | Ice) => {
            let message = told.message;
            result.errors.push(Diagnostic {
                places: places(&message.spans),
                code: message.code.map(|code| code.code),
                spans: spans(&message.spans),
                rendered: message.rendered.unwrap_or_else(|| message.message.clone()),
                text: message.message,
            });
        }
        // What only fails where generic code is used says so afterwards.
        Message::CompilerMessage(told) if told.message.level == Note => {
            if let Some(error) = result.errors.last_mut() {
                error.places.extend(places(&told.message.spans));
            }
        }
        Message::CompilerArtifact(built) => {
            result.compiled |= !built.fresh;
            let executable = built.executable.map(|path| path.into_std_path_buf());
            let executable = executable.map(|path| (built.target.name, path));
            result.tests.extend(executable.clone().filter(|_| built.profile.test));
            result.executables.extend(executable);
        }
        Message::BuildScriptExecuted(script) => result.cfgs.extend(script.cfgs),
        _ => {}
    }
}

/// Where spans point, and what they were expanded from.
fn places(spans: &[DiagnosticSpan]) -> Vec<(String, usize)> {
    let mut places = vec![];
    for span in spans {
        let mut span = Some(span);
        while let Some(here) = span {
            places.push((here.file_name.clone(), here.line_start));
            span = here.expansion.as_ref().map(|expansion| &expansion.span);
        }
    }
    places
}

/// The same in bytes.
fn spans(spans: &[DiagnosticSpan]) -> Vec<Span> {
    let mut found = vec![];
    for span in spans {
        let is_primary = span.is_primary;
        let mut span = Some(span);
        while let Some(here) = span {
            let bytes = here.byte_start as usize..here.byte_end as usize;
            found.push(Span { file: here.file_name.clone(), bytes, is_primary });
            span = here.expansion.as_ref().map(|expansion| &expansion.span);
        }
    }
    found
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A shell that starts another process, and both wait.
    fn waiting() -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & wait"]);
        command
    }

    #[test]
    fn what_is_no_longer_wanted_ends_with_all_that_it_started() {
        let stop = AtomicBool::new(false);
        let begin = Instant::now();
        std::thread::scope(|scope| {
            let building = scope.spawn(|| messages_unless(&mut waiting(), &stop));
            std::thread::sleep(BETWEEN_LOOKS * 5);
            stop.store(true, Ordering::Release);
            // The pipes are closed only when the grandchild is gone, too.
            let end = building.join().expect("nothing panics");
            assert!(matches!(end, Err(Error::Interrupted)));
        });
        assert!(begin.elapsed() < Duration::from_secs(300), "it waited for the grandchild");
    }

    #[test]
    fn what_takes_too_long_ends_with_what_it_printed() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo so far; sleep 600 & wait"]);
        let (done, late) = output_within(&mut command, Duration::from_secs(1)).expect("it ends");
        assert!(late);
        assert_eq!(done.stdout, b"so far\n");
        let (done, late) =
            output_within(Command::new("true").args(["a"]), Duration::from_secs(300)).unwrap();
        assert!(!late && done.status.success());
    }

    #[test]
    fn what_works_for_too_long_is_ended_and_what_only_waits_is_not() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]).env("ANSWER", "an answer");
            within_cpu(&command, 1)
        };
        let busy = output(&mut shell("while :; do :; done")).expect("it ends");
        assert!(!busy.status.success());
        let idle = output(&mut shell("sleep 1; echo $ANSWER")).expect("it ends");
        assert_eq!(idle.stdout, b"an answer\n");
    }

    #[test]
    fn what_is_wanted_is_read_to_its_end() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo a line; echo complaint >&2; exit 1"]);
        let done = messages_unless(&mut command, &AtomicBool::new(false)).expect("it ends");
        assert!(!done.success && done.errors.is_empty());
        assert_eq!(done.explanation(), "complaint");
    }

    #[test]
    fn what_a_linker_misses_is_told_by_its_names() {
        let rendered =
            "error: linking with `cc` failed: exit status: 1\n  = note: rust-lld: error: \
                        undefined symbol: _acquire\n          >>> referenced by lib.rs:93\n  \
                        a.o: undefined reference to `_release'\n"
                .to_owned();
        let error =
            Diagnostic { text: String::new(), rendered, places: vec![], code: None, spans: vec![] };
        let output = BuildOutput { errors: vec![error], ..BuildOutput::default() };
        let told = output.explanation();
        assert!(told.contains("nothing defines _acquire, _release;"), "{told}");
    }
}
