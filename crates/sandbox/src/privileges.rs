//! Gives up what a process could regain or inherit: privileges by `execve`,
//! capabilities of root, and life after its parent's death.

/// Sets `no_new_privs`, without which neither Landlock nor seccomp is open to
/// an ordinary user.
pub fn forbid_new() -> bool {
    // SAFETY: prctl with these constants reads no memory.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 }
}

/// Has the kernel kill this process when the thread that started it ends, so
/// that no worker outlives its supervisor. The kernel watches the parent
/// *thread*: call this only when workers are started by a thread that lives as
/// long as they should.
///
/// Returns false when the parent is gone already.
pub fn die_with_parent(parent: u32) -> bool {
    // SAFETY: prctl and getppid with these constants read no memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        libc::getppid() as u32 == parent
    }
}

/// The layout of `capget` and `capset`, version 3: two halves of 32 bits.
#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CapabilitySet {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

const CAPABILITY_VERSION_3: u32 = 0x2008_0522;
/// `CAP_DAC_OVERRIDE` and `CAP_DAC_READ_SEARCH`: root in a container often
/// works on files of somebody else, and what may be written is Landlock's
/// matter.
const KEPT: u32 = 1 << 1 | 1 << 2;

/// Drops every capability but those to reach files. Does nothing for an
/// ordinary user, who has none.
pub fn drop_capabilities() {
    let header = CapabilityHeader { version: CAPABILITY_VERSION_3, pid: 0 };
    let mut sets = [CapabilitySet::default(); 2];
    // SAFETY: the header and the two sets have the layout of version 3 and
    // outlive both calls.
    unsafe {
        if libc::syscall(libc::SYS_capget, &raw const header, sets.as_mut_ptr()) != 0 {
            return;
        }
        sets[0].effective &= KEPT;
        sets[0].permitted &= KEPT;
        sets[0].inheritable = 0;
        sets[1] = CapabilitySet::default();
        libc::syscall(libc::SYS_capset, &raw const header, sets.as_ptr());
    }
}
