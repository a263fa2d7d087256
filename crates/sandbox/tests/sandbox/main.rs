//! Every rule of the sandbox, tried in a process of its own.
//!
//! A sandbox cannot be left and must be entered with one thread, so the
//! ordinary test harness does not do: this binary starts itself once per case
//! and kernel, and the child enters the sandbox, does its attempt and says how it
//! went. After each child the parent looks whether anything outside the scratch
//! folder has changed.

#[cfg(target_os = "linux")]
mod attempts;

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("the sandbox is for Linux; nothing to test here");
}

#[cfg(target_os = "linux")]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == "--prisoner") {
        prison::child(&args[1..]);
    }
    prison::run(&args);
}

#[cfg(target_os = "linux")]
pub mod prison {
    use std::fs;
    use std::os::unix::process::ExitStatusExt;
    use std::path::{Path, PathBuf};
    use std::process::{Command, ExitStatus, Stdio, exit};

    use testsmith_sandbox::{Report, ResourceLimits};

    use crate::attempts::CASES;

    /// What must come of a case.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum End {
        /// The attempt returned `Ok`.
        Fine,
        Exit(i32),
        Signal(i32),
        /// Either, by chance.
        FineOrSignal(i32),
    }

    /// Which kernels a case is tried on: by the newest Landlock interface.
    pub const ANY_KERNEL: &[u32] = &[u32::MAX, 0];
    pub const WITH_LANDLOCK: &[u32] = &[u32::MAX, 1, 2, 3, 4, 5, 6];
    pub const NEW_LANDLOCK: &[u32] = &[u32::MAX, 3];
    pub const NO_LANDLOCK: &[u32] = &[0];

    pub struct Case {
        pub name: &'static str,
        pub kernels: &'static [u32],
        pub end: End,
        pub attempt: fn(&Surroundings) -> Result<(), String>,
    }

    /// The folders of a child: one to write in, one that must stay as it is.
    pub struct Surroundings {
        pub scratch: PathBuf,
        pub outside: PathBuf,
        pub limits: ResourceLimits,
    }

    impl Surroundings {
        pub fn enter(&self) -> Report {
            testsmith_sandbox::enter(&self.scratch, &self.limits)
        }
    }

    pub const KEPT: &str = "kept";

    pub fn child(args: &[String]) -> ! {
        let [name, surroundings, abi] = args else { exit(99) };
        let case = CASES.iter().find(|case| case.name == name).expect("a known case");
        let limits = ResourceLimits {
            memory_bytes: Some(512 << 20),
            file_bytes: Some(1 << 20),
            landlock_abi: abi.parse().expect("a number"),
            ..ResourceLimits::default()
        };
        let surroundings = Path::new(surroundings);
        let (scratch, outside) = (surroundings.join("scratch"), surroundings.join("outside"));
        match (case.attempt)(&Surroundings { scratch, outside, limits }) {
            Ok(()) => exit(0),
            Err(message) => {
                eprintln!("{message}");
                exit(1)
            }
        }
    }

    pub fn run(args: &[String]) {
        let filter = args.iter().find(|arg| !arg.starts_with('-'));
        let listing = args.iter().any(|arg| arg == "--list");
        let landlock = landlock_abi();
        let mut failures = 0;
        for case in CASES.iter().filter(|case| filter.is_none_or(|f| case.name.contains(f))) {
            if listing {
                println!("{}: test", case.name);
                continue;
            }
            for &abi in case.kernels {
                if abi > landlock
                    && !(abi == u32::MAX && (landlock > 0 || case.kernels.contains(&0)))
                {
                    println!("test {} (Landlock {abi}) ... skipped: not in this kernel", case.name);
                    continue;
                }
                let result = try_case(case, abi);
                let kernel = match abi {
                    u32::MAX => "this kernel".to_owned(),
                    0 => "no Landlock".to_owned(),
                    abi => format!("Landlock {abi}"),
                };
                let verdict = if result.is_ok() { "ok" } else { "FAILED" };
                println!("test {} ({kernel}) ... {verdict}", case.name);
                if let Err(message) = result {
                    println!("{message}");
                    failures += 1;
                }
            }
        }
        if failures > 0 {
            println!("{failures} failed");
            exit(101);
        }
    }

    /// The Landlock interface of this kernel, 0 if it has none.
    pub fn landlock_abi() -> u32 {
        // SAFETY: asking for the version reads no attributes.
        let version = unsafe { libc::syscall(444, std::ptr::null::<u8>(), 0usize, 1u32) };
        u32::try_from(version).unwrap_or(0)
    }

    fn try_case(case: &Case, abi: u32) -> Result<(), String> {
        let surroundings =
            std::env::temp_dir().join(format!("testsmith-sandbox-{}", std::process::id()));
        let _ = fs::remove_dir_all(&surroundings);
        fs::create_dir_all(surroundings.join("scratch")).map_err(|e| e.to_string())?;
        fs::create_dir_all(surroundings.join("outside")).map_err(|e| e.to_string())?;
        fs::write(surroundings.join("outside/file"), KEPT).map_err(|e| e.to_string())?;
        let output = Command::new(std::env::current_exe().expect("our own path"))
            .args(["--prisoner", case.name])
            .arg(&surroundings)
            .arg(abi.to_string())
            .stdin(Stdio::null())
            .output()
            .map_err(|e| e.to_string())?;
        let untouched = untouched(&surroundings.join("outside"));
        let _ = fs::remove_dir_all(&surroundings);
        if !ended(output.status, case.end) {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(format!("expected {:?}, got {}: {text}", case.end, output.status));
        }
        if !output.stdout.is_empty() {
            return Err(format!("{} bytes were printed", output.stdout.len()));
        }
        if untouched { Ok(()) } else { Err("the outside was changed".to_owned()) }
    }

    fn ended(status: ExitStatus, end: End) -> bool {
        match end {
            End::Fine => status.code() == Some(0),
            End::Exit(code) => status.code() == Some(code),
            End::FineOrSignal(signal) => {
                ended(status, End::Fine) || ended(status, End::Signal(signal))
            }
            End::Signal(signal) => status.signal() == Some(signal) && !status.core_dumped(),
        }
    }

    fn untouched(outside: &Path) -> bool {
        use std::os::unix::fs::PermissionsExt;
        let file = outside.join("file");
        let alone = fs::read_dir(outside).is_ok_and(|entries| entries.count() == 1);
        let mode = fs::metadata(&file).is_ok_and(|m| m.permissions().mode() & 0o777 != 0o777);
        alone && mode && fs::read_to_string(file).is_ok_and(|text| text == KEPT)
    }
}
