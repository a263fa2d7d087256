//! The attempts: what is refused, what is permitted, and how a process may end.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::Path;
use std::process::Command;

use testsmith_sandbox::{self as sandbox, PrintTo, Protection, die_with_parent, silence};

use crate::prison::{
    ANY_KERNEL, Case, End, KEPT, NEW_LANDLOCK, NO_LANDLOCK, Surroundings, WITH_LANDLOCK,
    landlock_abi,
};

type Attempt = Result<(), String>;

macro_rules! cases {
    ($($name:ident on $kernels:ident ends $end:expr;)*) => {
        pub const CASES: &[Case] = &[
            $(Case { name: stringify!($name), kernels: $kernels, end: $end, attempt: $name },)*
        ];
    };
}

cases! {
    the_report_says_what_is_in_force on ANY_KERNEL ends End::Fine;
    a_strict_sandbox_that_cannot_be_set_says_so on NO_LANDLOCK ends End::Fine;
    sockets_are_refused on ANY_KERNEL ends End::Fine;
    processes_and_programs_are_refused on ANY_KERNEL ends End::Fine;
    signals_to_others_are_refused on ANY_KERNEL ends End::Fine;
    other_processes_cannot_be_traced_or_read on ANY_KERNEL ends End::Fine;
    the_machine_cannot_be_changed on ANY_KERNEL ends End::Fine;
    memory_that_outlives_the_limit_is_refused on ANY_KERNEL ends End::Fine;
    limits_cannot_be_raised on ANY_KERNEL ends End::Fine;
    files_outside_cannot_be_written on WITH_LANDLOCK ends End::Fine;
    files_outside_cannot_be_moved_linked_or_removed on WITH_LANDLOCK ends End::Fine;
    modes_owners_and_times_cannot_be_changed on ANY_KERNEL ends End::Fine;
    without_landlock_nothing_can_be_written on NO_LANDLOCK ends End::Fine;
    the_scratch_folder_can_be_used on WITH_LANDLOCK ends End::Fine;
    files_in_scratch_can_be_truncated on NEW_LANDLOCK ends End::Fine;
    the_null_device_can_be_written on WITH_LANDLOCK ends End::Fine;
    files_can_be_read_everywhere on ANY_KERNEL ends End::Fine;
    threads_time_and_randomness_work on ANY_KERNEL ends End::Fine;
    shared_maps_and_pipes_from_before_work on ANY_KERNEL ends End::Fine;
    panics_are_caught_with_a_backtrace on ANY_KERNEL ends End::Fine;
    a_huge_allocation_fails on ANY_KERNEL ends End::Fine;
    endless_allocation_aborts on ANY_KERNEL ends End::Signal(libc::SIGABRT);
    ten_thousand_threads_are_too_many on ANY_KERNEL ends End::FineOrSignal(libc::SIGABRT);
    a_long_file_fails_with_an_error on WITH_LANDLOCK ends End::Fine;
    aborting_works on ANY_KERNEL ends End::Signal(libc::SIGABRT);
    aborting_in_a_thread_works on ANY_KERNEL ends End::Signal(libc::SIGABRT);
    a_stack_overflow_is_told on ANY_KERNEL ends End::Signal(libc::SIGABRT);
    a_null_pointer_faults on ANY_KERNEL ends End::Signal(libc::SIGSEGV);
    raising_a_signal_works on ANY_KERNEL ends End::Signal(libc::SIGTERM);
    exiting_works on ANY_KERNEL ends End::Exit(7);
    printing_goes_nowhere on ANY_KERNEL ends End::Fine;
    a_worker_knows_whether_its_parent_lives on NO_LANDLOCK ends End::Fine;
    printing_goes_into_a_pipe on ANY_KERNEL ends End::Fine;
}

fn ensure(condition: bool, message: &str) -> Attempt {
    if condition { Ok(()) } else { Err(message.to_owned()) }
}

/// The result must be a refusal, not another error.
fn refused<T>(what: &str, result: io::Result<T>) -> Attempt {
    match result.map_err(|error| error.raw_os_error()) {
        Err(Some(libc::EPERM | libc::EACCES | libc::EXDEV)) => Ok(()),
        Err(other) => Err(format!("{what} failed with {other:?} instead of being refused")),
        Ok(_) => Err(format!("{what} was not refused")),
    }
}

/// The same for a raw system call.
fn refused_call(what: &str, result: i64) -> Attempt {
    let result = if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) };
    refused(what, result)
}

/// Calls the kernel with up to four plain arguments.
fn call(number: libc::c_long, arguments: [usize; 4]) -> i64 {
    let [a, b, c, d] = arguments;
    // SAFETY: the cases pass null pointers or integers only, which the kernel
    // answers with an error at worst.
    unsafe { libc::syscall(number, a, b, c, d) }
}

fn c_string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("a path without NUL")
}

fn the_report_says_what_is_in_force(surroundings: &Surroundings) -> Attempt {
    let landlock = landlock_abi().min(surroundings.limits.landlock_abi);
    let report = surroundings.enter();
    for protection in [
        Protection::Files,
        Protection::Network,
        Protection::Processes,
        Protection::Signals,
        Protection::Machine,
        Protection::Memory,
        Protection::FileSize,
        Protection::OpenFiles,
        Protection::Stack,
        Protection::CoreDumps,
    ] {
        ensure(report.holds(protection), &format!("{protection:?} does not hold:\n{report}"))?;
    }
    ensure(!report.holds(Protection::Cpu), "no limit of processor time was asked for")?;
    let text = report.to_string();
    ensure(text.contains("in force: memory: at most 512 MiB"), &text)?;
    ensure(text.contains("no Landlock") == (landlock == 0), &text)
}

fn sockets_are_refused(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    refused("TCP connect", TcpStream::connect("127.0.0.1:9"))?;
    refused("TCP listen", TcpListener::bind("127.0.0.1:0"))?;
    refused("UDP", UdpSocket::bind("127.0.0.1:0"))?;
    refused("Unix pair", UnixStream::pair())?;
    refused("Unix datagram", UnixDatagram::unbound())?;
    refused("Unix stream", UnixStream::connect("/run/dbus/system_bus_socket"))?;
    refused_call("netlink", call(libc::SYS_socket, [16, 3, 0, 0]))
}

fn processes_and_programs_are_refused(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    refused("a command", Command::new("/bin/true").spawn().map(drop))?;
    // SAFETY: a child, should there be one, ends at once.
    let forked = unsafe { libc::fork() };
    if forked == 0 {
        std::process::exit(0);
    }
    refused_call("fork", forked.into())?;
    let program = CString::new("/bin/true").expect("no NUL");
    let arguments = [program.as_ptr(), std::ptr::null()];
    // SAFETY: both are valid and the list ends in null.
    refused_call("execve", unsafe { libc::execv(program.as_ptr(), arguments.as_ptr()) }.into())
}

fn signals_to_others_are_refused(surroundings: &Surroundings) -> Attempt {
    // SAFETY: getppid has no preconditions; signal 0 only asks for permission.
    let (parent, asked) = unsafe { (libc::getppid(), libc::kill(libc::getppid(), 0)) };
    ensure(asked == 0, "outside the sandbox the parent could be signalled")?;
    surroundings.enter();
    for target in [parent, 0, -1, -parent, 1] {
        // SAFETY: signal 0 does no harm even if it is let through.
        refused_call("kill", unsafe { libc::kill(target, 0) }.into())?;
    }
    let parent = parent as usize;
    refused_call("tgkill", call(libc::SYS_tgkill, [parent, parent, 0, 0]))?;
    refused_call("tkill", call(libc::SYS_tkill, [parent, 0, 0, 0]))?;
    refused_call("pidfd_open", call(libc::SYS_pidfd_open, [parent, 0, 0, 0]))?;
    refused_call("own group", call(libc::SYS_setpgid, [0, 0, 0, 0]))
}

fn other_processes_cannot_be_traced_or_read(surroundings: &Surroundings) -> Attempt {
    // SAFETY: getppid has no preconditions.
    let parent = unsafe { libc::getppid() } as usize;
    surroundings.enter();
    refused_call("ptrace", call(libc::SYS_ptrace, [16, parent, 0, 0]))?;
    refused_call("process_vm_readv", call(libc::SYS_process_vm_readv, [parent, 0, 0, 0]))?;
    refused_call("process_vm_writev", call(libc::SYS_process_vm_writev, [parent, 0, 0, 0]))?;
    refused_call("kcmp", call(libc::SYS_kcmp, [parent, parent, 0, 0]))?;
    let memory = OpenOptions::new().write(true).open(format!("/proc/{parent}/mem"));
    refused("the parent's memory", memory)
}

fn the_machine_cannot_be_changed(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    for (what, number) in [
        ("mount", libc::SYS_mount),
        ("umount", libc::SYS_umount2),
        ("unshare", libc::SYS_unshare),
        ("setns", libc::SYS_setns),
        ("chroot", libc::SYS_chroot),
        ("bpf", libc::SYS_bpf),
        ("keyctl", libc::SYS_keyctl),
        ("reboot", libc::SYS_reboot),
        ("sethostname", libc::SYS_sethostname),
        ("settimeofday", libc::SYS_settimeofday),
        ("clock_settime", libc::SYS_clock_settime),
        ("io_uring_setup", libc::SYS_io_uring_setup),
        ("perf_event_open", libc::SYS_perf_event_open),
        ("init_module", libc::SYS_init_module),
        ("setuid", libc::SYS_setuid),
        ("capset", libc::SYS_capset),
        ("seccomp", libc::SYS_seccomp),
        ("userfaultfd", libc::SYS_userfaultfd),
        ("mq_open", libc::SYS_mq_open),
        ("setpriority", libc::SYS_setpriority),
    ] {
        refused_call(what, call(number, [0; 4]))?;
    }
    Ok(())
}

fn memory_that_outlives_the_limit_is_refused(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    refused_call("memfd_create", call(libc::SYS_memfd_create, [c"x".as_ptr() as usize, 0, 0, 0]))?;
    refused_call("shmget", call(libc::SYS_shmget, [0, 4096, 0o1600, 0]))?;
    refused_call("semget", call(libc::SYS_semget, [0, 1, 0o1600, 0]))
}

fn limits_cannot_be_raised(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limits are valid for the calls.
    unsafe {
        ensure(libc::getrlimit(libc::RLIMIT_AS, &mut limit) == 0, "limits can be read")?;
        ensure(limit.rlim_max == 512 << 20, "the hard limit is set too")?;
        limit.rlim_cur = libc::RLIM_INFINITY;
        limit.rlim_max = libc::RLIM_INFINITY;
        refused_call("setrlimit", libc::setrlimit(libc::RLIMIT_AS, &limit).into())?;
        let parent = libc::getppid();
        let old = std::ptr::null_mut();
        refused_call("prlimit", libc::prlimit(parent, libc::RLIMIT_CORE, &limit, old).into())
    }
}

fn files_outside_cannot_be_written(surroundings: &Surroundings) -> Attempt {
    // A way in through a link must not help.
    let link = surroundings.scratch.join("link");
    symlink(&surroundings.outside, &link).map_err(|e| e.to_string())?;
    surroundings.enter();
    for folder in [&surroundings.outside, &link] {
        let file = folder.join("file");
        refused("create", File::create(folder.join("new")))?;
        refused("create over", File::create(&file))?;
        refused("append", OpenOptions::new().append(true).open(&file))?;
        refused("write", OpenOptions::new().write(true).open(&file))?;
        refused("mkdir", fs::create_dir(folder.join("new")))?;
        refused("symlink", symlink("x", folder.join("new")))?;
        let path = c_string(&file);
        // SAFETY: the path is a C string.
        unsafe {
            refused_call("truncate", libc::truncate(path.as_ptr(), 0).into())?;
            let flags = libc::O_RDONLY | libc::O_TRUNC;
            refused_call("truncating open", libc::open(path.as_ptr(), flags).into())?;
            refused_call("mkfifo", libc::mkfifo(c_string(&folder.join("new")).as_ptr(), 0).into())?;
        }
    }
    let unnamed =
        OpenOptions::new().write(true).custom_flags(libc::O_TMPFILE).open(&surroundings.outside);
    refused("unnamed file", unnamed)?;
    refused("shared memory", File::create("/dev/shm/testsmith-sandbox-test"))
}

fn files_outside_cannot_be_moved_linked_or_removed(surroundings: &Surroundings) -> Attempt {
    let inside = surroundings.scratch.join("inside");
    fs::write(&inside, "x").map_err(|e| e.to_string())?;
    surroundings.enter();
    let file = surroundings.outside.join("file");
    refused("remove", fs::remove_file(&file))?;
    refused("remove folder", fs::remove_dir(&surroundings.outside))?;
    refused("remove all", fs::remove_dir_all(&surroundings.outside))?;
    refused("rename", fs::rename(&file, surroundings.outside.join("new")))?;
    refused("move in", fs::rename(&file, surroundings.scratch.join("new")))?;
    refused("move out", fs::rename(&inside, surroundings.outside.join("new")))?;
    refused("replace", fs::rename(&inside, &file))?;
    refused("link in", fs::hard_link(&file, surroundings.scratch.join("new")))?;
    refused("link out", fs::hard_link(&inside, surroundings.outside.join("new")))
}

fn modes_owners_and_times_cannot_be_changed(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    let path = surroundings.outside.join("file");
    refused("chmod", fs::set_permissions(&path, fs::Permissions::from_mode(0o777)))?;
    let file = File::open(&path).map_err(|e| e.to_string())?;
    refused("fchmod", file.set_permissions(fs::Permissions::from_mode(0o777)))?;
    refused("chown", std::os::unix::fs::chown(&path, Some(65534), None))?;
    refused("utimes", file.set_modified(std::time::UNIX_EPOCH))?;
    // SAFETY: the paths are C strings.
    unsafe {
        let path = c_string(&path);
        let (name, value) = (c"user.x".as_ptr(), std::ptr::null());
        refused_call("setxattr", libc::setxattr(path.as_ptr(), name, value, 0, 0).into())?;
        let mut flags: libc::c_long = 0x80; // FS_NOATIME_FL
        let set_flags: libc::Ioctl = 0x4008_6602;
        refused_call("chattr", libc::ioctl(file.as_raw_fd(), set_flags, &mut flags).into())
    }
}

fn without_landlock_nothing_can_be_written(surroundings: &Surroundings) -> Attempt {
    fs::write(surroundings.scratch.join("old"), "x").map_err(|e| e.to_string())?;
    surroundings.enter();
    for folder in [&surroundings.outside, &surroundings.scratch] {
        refused("create", File::create(folder.join("new")))?;
        refused("mkdir", fs::create_dir(folder.join("new")))?;
        refused("symlink", symlink("x", folder.join("new")))?;
    }
    for file in [surroundings.outside.join("file"), surroundings.scratch.join("old")] {
        refused("append", OpenOptions::new().append(true).open(&file))?;
        refused("remove", fs::remove_file(&file))?;
        refused("rename", fs::rename(&file, surroundings.scratch.join("new")))?;
        refused("link", fs::hard_link(&file, surroundings.scratch.join("new")))?;
        let path = c_string(&file);
        // SAFETY: the path is a C string.
        refused_call("truncate", unsafe { libc::truncate(path.as_ptr(), 0) }.into())?;
    }
    Ok(())
}

fn the_scratch_folder_can_be_used(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    let scratch = &surroundings.scratch;
    let use_it = || -> io::Result<String> {
        fs::create_dir_all(scratch.join("a/b"))?;
        fs::create_dir(scratch.join("c"))?;
        fs::write(scratch.join("a/file"), "hello")?;
        fs::write(scratch.join("a/file"), "hi")?;
        OpenOptions::new().append(true).open(scratch.join("a/file"))?.write_all(b"!")?;
        fs::rename(scratch.join("a/file"), scratch.join("a/moved"))?;
        if surroundings.limits.landlock_abi >= 2 {
            fs::rename(scratch.join("a/moved"), scratch.join("c/moved"))?;
            fs::hard_link(scratch.join("c/moved"), scratch.join("a/moved"))?;
        }
        symlink("moved", scratch.join("a/link"))?;
        let text = fs::read_to_string(scratch.join("a/link"))?;
        fs::remove_dir_all(scratch.join("a"))?;
        Ok(text)
    };
    let text = use_it().map_err(|e| format!("scratch: {e}"))?;
    ensure(text == "hi!", &text)
}

fn files_in_scratch_can_be_truncated(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    let path = surroundings.scratch.join("file");
    fs::write(&path, "hello").map_err(|e| e.to_string())?;
    let c_path = c_string(&path);
    // SAFETY: the path is a C string.
    ensure(unsafe { libc::truncate(c_path.as_ptr(), 2) } == 0, "truncate is refused")?;
    ensure(fs::read(&path).is_ok_and(|bytes| bytes == b"he"), "the file was not truncated")
}

fn the_null_device_can_be_written(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    let mut null = File::create("/dev/null").map_err(|e| e.to_string())?;
    null.write_all(b"x").map_err(|e| e.to_string())
}

fn files_can_be_read_everywhere(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    let text = fs::read_to_string(surroundings.outside.join("file")).map_err(|e| e.to_string())?;
    ensure(text == KEPT, &text)?;
    ensure(fs::read_dir("/").is_ok_and(|entries| entries.count() > 0), "the root cannot be read")?;
    ensure(fs::read_to_string("/proc/self/maps").is_ok(), "our own map cannot be read")?;
    std::env::set_current_dir(&surroundings.outside).map_err(|e| e.to_string())?;
    ensure(Path::new("file").exists(), "relative paths do not work")
}

fn threads_time_and_randomness_work(surroundings: &Surroundings) -> Attempt {
    use std::hash::{BuildHasher, RandomState};
    use std::sync::mpsc;
    surroundings.enter();
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..8)
        .map(|i| {
            let sender = sender.clone();
            std::thread::spawn(move || sender.send(i).expect("the receiver lives"))
        })
        .collect();
    for thread in threads {
        thread.join().map_err(|_| "a thread panicked".to_owned())?;
    }
    drop(sender);
    ensure(receiver.iter().sum::<i32>() == 28, "the threads did not all run")?;
    let before = std::time::Instant::now();
    std::thread::sleep(std::time::Duration::from_millis(1));
    ensure(before.elapsed().as_nanos() > 0, "time stands still")?;
    ensure(std::time::SystemTime::now() > std::time::UNIX_EPOCH, "no clock")?;
    let _ = RandomState::new().hash_one(1);
    // SAFETY: the buffer is valid for its length.
    unsafe {
        let mut buffer = [0u8; 16];
        let length = libc::getrandom(buffer.as_mut_ptr().cast(), 16, 0);
        ensure(length == 16, "getrandom is refused")
    }
}

fn shared_maps_and_pipes_from_before_work(surroundings: &Surroundings) -> Attempt {
    let path = surroundings.scratch.join("shared");
    fs::write(&path, [0; 4096]).map_err(|e| e.to_string())?;
    let file = OpenOptions::new().read(true).write(true).open(&path).map_err(|e| e.to_string())?;
    let mut pipe = [0; 2];
    // SAFETY: the array takes two descriptors; the map is checked below and
    // lives as long as the process.
    let map = unsafe {
        ensure(libc::pipe(pipe.as_mut_ptr()) == 0, "no pipe")?;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let null = std::ptr::null_mut();
        libc::mmap(null, 4096, rights, libc::MAP_SHARED, file.as_raw_fd(), 0)
    };
    ensure(map != libc::MAP_FAILED, "no map")?;
    surroundings.enter();
    // SAFETY: the map has 4096 bytes; the buffers are valid for one byte.
    unsafe {
        map.cast::<u8>().add(100).write_volatile(42);
        ensure(libc::write(pipe[1], b"!".as_ptr().cast(), 1) == 1, "the pipe cannot be written")?;
        let mut byte = 0u8;
        ensure(libc::read(pipe[0], (&raw mut byte).cast(), 1) == 1, "the pipe cannot be read")?;
        ensure(byte == b'!', "the pipe lost a byte")?;
    }
    let bytes = fs::read(&path).map_err(|e| e.to_string())?;
    ensure(bytes[100] == 42, "the map is not shared")
}

fn panics_are_caught_with_a_backtrace(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    std::panic::set_hook(Box::new(|_| {
        let _ = std::backtrace::Backtrace::force_capture().to_string();
    }));
    ensure(std::panic::catch_unwind(|| panic!("oh")).is_err(), "no panic")
}

fn a_huge_allocation_fails(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    ensure(Vec::<u8>::new().try_reserve_exact(600 << 20).is_err(), "memory is not bounded")?;
    ensure(Vec::<u8>::new().try_reserve_exact(100 << 20).is_ok(), "memory is bounded too much")
}

fn endless_allocation_aborts(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    let mut all = Vec::new();
    loop {
        all.push(vec![1u8; 1 << 20]);
    }
}

/// Threads are bounded by memory. The last to start may find a stack but no
/// memory for anything else, and abort.
fn ten_thousand_threads_are_too_many(surroundings: &Surroundings) -> Attempt {
    use std::sync::{Arc, Condvar, Mutex};
    surroundings.enter();
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let mut threads = Vec::new();
    let mut failed = false;
    for _ in 0..10_000 {
        let gate = gate.clone();
        let spawned = std::thread::Builder::new().spawn(move || {
            let (open, signal) = &*gate;
            drop(signal.wait_while(open.lock().expect("the gate"), |open| !*open));
        });
        match spawned {
            Ok(thread) => threads.push(thread),
            Err(_) => {
                failed = true;
                break;
            }
        }
    }
    *gate.0.lock().expect("the gate") = true;
    gate.1.notify_all();
    for thread in threads {
        let _ = thread.join();
    }
    ensure(failed, "all threads were started")?;
    ensure(std::thread::spawn(|| 1).join().is_ok(), "no thread starts any more")
}

fn a_long_file_fails_with_an_error(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    let mut file = File::create(surroundings.scratch.join("long")).map_err(|e| e.to_string())?;
    let result = file.write_all(&vec![0; 2 << 20]);
    ensure(
        result.is_err_and(|e| e.raw_os_error() == Some(libc::EFBIG)),
        "a file grew past the limit",
    )
}

fn aborting_works(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    std::process::abort()
}

fn aborting_in_a_thread_works(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    let _ = std::thread::spawn(|| std::process::abort()).join();
    Err("still alive".to_owned())
}

fn a_stack_overflow_is_told(surroundings: &Surroundings) -> Attempt {
    #[allow(unconditional_recursion)]
    fn deeper(n: u64) -> u64 {
        std::hint::black_box(deeper(std::hint::black_box(n + 1))) + 1
    }
    surroundings.enter();
    ensure(deeper(0) == 0, "unreachable")
}

fn a_null_pointer_faults(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    let null = std::hint::black_box(std::ptr::null_mut::<u8>());
    // SAFETY: none, the fault is the point; it is made in assembly's stead by a
    // raw store the compiler cannot see through.
    unsafe { libc::memset(null.cast(), 1, 1) };
    Err("still alive".to_owned())
}

fn raising_a_signal_works(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    // SAFETY: raise has no preconditions.
    unsafe { libc::raise(libc::SIGTERM) };
    Err("still alive".to_owned())
}

fn exiting_works(surroundings: &Surroundings) -> Attempt {
    surroundings.enter();
    std::process::exit(7)
}

fn printing_goes_nowhere(surroundings: &Surroundings) -> Attempt {
    silence(PrintTo::Nowhere).map_err(|e| e.to_string())?;
    surroundings.enter();
    let line = "x".repeat(1023);
    for _ in 0..8192 {
        println!("{line}");
        eprintln!("{line}");
    }
    Ok(())
}

fn printing_goes_into_a_pipe(surroundings: &Surroundings) -> Attempt {
    let (mut reader, writer) = io::pipe().map_err(|e| e.to_string())?;
    silence(PrintTo::Descriptor(writer.as_raw_fd())).map_err(|e| e.to_string())?;
    drop(writer);
    surroundings.enter();
    println!("out");
    eprintln!("error");
    let mut bytes = [0; 64];
    let mut length = 0;
    while length < 10 {
        length += reader.read(&mut bytes[length..]).map_err(|e| e.to_string())?;
    }
    ensure(&bytes[..length] == b"out\nerror\n", "the pipe holds something else")
}

fn a_worker_knows_whether_its_parent_lives(surroundings: &Surroundings) -> Attempt {
    let parent = std::os::unix::process::parent_id();
    ensure(!die_with_parent(parent + 1), "a wrong parent was believed")?;
    ensure(die_with_parent(parent), "the parent is said to be dead")?;
    surroundings.enter();
    Ok(())
}

fn a_strict_sandbox_that_cannot_be_set_says_so(surroundings: &Surroundings) -> Attempt {
    // Inside a sandbox no other can be set.
    surroundings.enter();
    let report = sandbox::enter_strictly(&surroundings.limits);
    ensure(!report.holds(Protection::Files), "it is said to watch")?;
    let said = report.missing().any(|words| words.contains("is not seen"));
    ensure(said, "what is missing is not told")
}
