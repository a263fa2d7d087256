//! Ends a worker whose supervisor is gone.
//!
//! A supervisor that is killed cannot end its workers. One that waits for its next job sees
//! that the pipe is closed; one whose call does not return sees nothing. So an alarm looks now
//! and then whether the parent is still the same. The kernel could be asked to tell
//! (`PR_SET_PDEATHSIG`), but what it watches is the thread that started the worker, which
//! need not live as long.

use std::sync::atomic::{AtomicI32, Ordering};

/// Between two looks.
const SECONDS: libc::c_uint = 5;

static PARENT: AtomicI32 = AtomicI32::new(0);

/// Begins to look. What the alarm interrupts is taken up again by the kernel. (`setitimer` would
/// repeat by itself, but the `libc` that a user's lock names may not have it.)
pub(crate) fn end_without_parent() {
    // SAFETY: the handler only reads an atomic and makes system calls that are safe in one; the
    // structure lives as long as the call that reads it.
    unsafe {
        PARENT.store(libc::getppid(), Ordering::Relaxed);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = look as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(libc::SIGALRM, &raw const action, std::ptr::null_mut());
        libc::alarm(SECONDS);
    }
}

extern "C" fn look(_signal: libc::c_int) {
    // SAFETY: all of these calls are safe in a handler.
    unsafe {
        let parent = libc::getppid();
        // A sandbox that does not say who it is says nothing.
        if parent > 0 && parent != PARENT.load(Ordering::Relaxed) {
            libc::_exit(101);
        }
        libc::alarm(SECONDS);
    }
}
