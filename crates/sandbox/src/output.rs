//! Takes standard output and error away from the code under test.
//!
//! A file is no good place for them: it would grow without end, and a bounded
//! one fails writes, upon which `println!` panics and a finding is born that is
//! none. So they go nowhere, or into a pipe that the supervisor drains, keeping
//! the last few kilobytes: that also holds the words of a process that aborts.

use std::io;

/// Where printed text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintTo {
    /// To the null device.
    Nowhere,
    /// To an open descriptor, the writing end of a pipe that the supervisor
    /// drains. It is duplicated; the caller may close it afterwards.
    Descriptor(i32),
}

/// Redirects standard output and error. To be called before [`enter`], since
/// that may forbid to open the null device.
///
/// [`enter`]: super::enter
#[cfg(unix)]
pub fn silence(output: PrintTo) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    let null;
    let source = match output {
        PrintTo::Descriptor(descriptor) => descriptor,
        PrintTo::Nowhere => {
            null = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
            null.as_raw_fd()
        }
    };
    for standard in [libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: dup2 on descriptors reads no memory; both targets belong to
        // the process, not to a Rust owner that would notice.
        if unsafe { libc::dup2(source, standard) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Elsewhere the supervisor gives the worker its output when it starts it.
#[cfg(not(unix))]
pub fn silence(_output: PrintTo) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
