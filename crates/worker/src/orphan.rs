//! Ends a worker whose supervisor is gone.
//!
//! A supervisor that is killed cannot end its workers. One that waits for its next job sees
//! that the pipe is closed; one whose call does not return sees nothing. So a timer looks now
//! and then whether the parent is still the same. The kernel could be asked to tell
//! (`PR_SET_PDEATHSIG`), but what it watches is the thread that started the worker, which
//! need not live as long.

use std::sync::atomic::{AtomicI32, Ordering};

/// Between two looks.
const SECONDS: libc::time_t = 5;

static PARENT: AtomicI32 = AtomicI32::new(0);

/// Begins to look. What the timer interrupts is taken up again by the kernel.
pub(crate) fn end_without_parent() {
    // SAFETY: the handler only reads an atomic and makes two system calls that are safe in one;
    // the structures live as long as the calls that read them.
    unsafe {
        PARENT.store(libc::getppid(), Ordering::Relaxed);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = look as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(libc::SIGALRM, &raw const action, std::ptr::null_mut());
        let every = libc::timeval { tv_sec: SECONDS, tv_usec: 0 };
        let timer = libc::itimerval { it_interval: every, it_value: every };
        libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut());
    }
}

extern "C" fn look(_signal: libc::c_int) {
    // SAFETY: both calls are safe in a handler.
    unsafe {
        let parent = libc::getppid();
        // A sandbox that does not say who it is says nothing.
        if parent > 0 && parent != PARENT.load(Ordering::Relaxed) {
            libc::_exit(101);
        }
    }
}
