//! The call about to run, in memory shared with the supervisor.
//!
//! Written before every call, so that whatever ends the process, the
//! supervisor knows the sequence, the step and what was being done. Nothing is
//! ever read back by the worker but the steps it wrote itself.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use testsmith_model::journal;
use testsmith_model::outcome::Phase;
use testsmith_model::wire::Wire;
use testsmith_model::{OpId, Sequence, Step};

/// A sequence has at least this much room; most need less than a thousandth of it.
const ROOM: usize = 512 << 10;

/// Where an allocation that was refused is noted, by whichever thread.
static BASE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

pub struct Journal {
    base: *mut u8,
    /// Where the steps of this sequence begin.
    start: usize,
    length: usize,
    pulse: u64,
    sequences: u64,
    calls: u64,
}

impl Journal {
    /// Maps the file that the supervisor made.
    pub fn open(path: &Path) -> std::io::Result<Journal> {
        use std::os::fd::AsRawFd;
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        if file.metadata()?.len() < journal::SIZE as u64 {
            return Err(std::io::Error::other("the journal is too short"));
        }
        // SAFETY: a fresh mapping of an open file that is long enough.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                journal::SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        BASE.store(base.cast(), Ordering::Relaxed);
        let start = journal::STEPS;
        let journal =
            Journal { base: base.cast(), start, length: 0, pulse: 0, sequences: 0, calls: 0 };
        journal.store(journal::START, start as u32);
        journal.rest_quietly();
        Ok(journal)
    }

    #[inline]
    fn store(&self, at: usize, value: u32) {
        // SAFETY: inside the mapping and aligned; the supervisor only reads.
        let cell = unsafe { &*self.base.add(at).cast::<AtomicU32>() };
        cell.store(value, Ordering::Relaxed);
    }

    #[inline]
    fn store_long(&self, at: usize, value: u64) {
        // SAFETY: as in `store`.
        let cell = unsafe { &*self.base.add(at).cast::<AtomicU64>() };
        cell.store(value, Ordering::Release);
    }

    #[inline]
    fn beat(&mut self) {
        self.pulse += 1;
        self.store_long(journal::PULSE, self.pulse);
    }

    /// A new sequence begins, after the one before, or at the start if there is little room.
    pub fn begin(&mut self) {
        let entry = journal::RECENT + 8 * (self.sequences as usize % journal::MAX_RECENT);
        self.store(entry, self.start as u32);
        self.store(entry + 4, self.length as u32);
        self.start += self.length;
        if self.start + ROOM > journal::SIZE {
            self.start = journal::STEPS;
            // What is written over is forgotten.
            for n in 0..journal::MAX_RECENT {
                self.store(journal::RECENT + 8 * n + 4, 0);
            }
        }
        self.length = 0;
        self.store(journal::START, self.start as u32);
        self.store(journal::LENGTH, 0);
        self.store_long(journal::REFUSED, 0);
        self.sequences += 1;
        self.store_long(journal::SEQUENCES, self.sequences);
    }

    /// From now on this mutant is active; none is with zero.
    pub fn mutant(&self, mutant: u32) {
        self.store(journal::MUTANT, mutant);
    }

    /// Nothing of the code under test is running.
    pub fn rest(&mut self) {
        self.rest_quietly();
        self.beat();
    }

    fn rest_quietly(&self) {
        self.store(journal::PHASE, journal::AT_REST);
    }

    /// Whether there is room for another step of ordinary size.
    #[inline]
    pub fn has_room(&self, bytes: usize) -> bool {
        self.start + self.length + bytes <= journal::SIZE
    }

    /// Adds a step given as its bytes.
    #[inline]
    pub fn literal(&mut self, step: &Encoded) {
        // SAFETY: the caller asked for room for `step.room()` bytes.
        unsafe {
            let to = self.base.add(self.start + self.length);
            match &step.long {
                None => to.cast::<[u8; Encoded::SHORT]>().write_unaligned(step.short),
                Some(long) => std::ptr::copy_nonoverlapping(long.as_ptr(), to, long.len()),
            }
        }
        self.length += step.length;
        self.store(journal::LENGTH, self.length as u32);
    }

    /// Adds a call that is about to run as step number `here`; its arguments
    /// are the results of these steps.
    #[inline(always)]
    pub fn call(&mut self, op: OpId, args: impl ExactSizeIterator<Item = u32>, here: u32) {
        let inputs = args.len();
        // SAFETY: the caller asked for room; writes are unaligned.
        unsafe {
            let mut to = self.base.add(self.start + self.length);
            *to = 1;
            to.add(1).cast::<u32>().write_unaligned(op.0.to_le());
            *to.add(5) = inputs as u8;
            to = to.add(6);
            for (n, arg) in args.enumerate() {
                to.cast::<u32>().add(n).write_unaligned((here - arg).to_le());
            }
        }
        self.length += call_bytes(inputs);
        self.store(journal::LENGTH, self.length as u32);
        self.calls += 1;
        self.store_long(journal::CALLS, self.calls);
        self.doing(here, Phase::Calling);
    }

    /// Adds steps that are not carried out because a clone of what they make stands for
    /// them. The caller asked for `steps.room()` bytes.
    #[inline]
    pub fn recipe(&mut self, steps: &Blocks) {
        for (n, block) in steps.blocks.iter().enumerate() {
            // SAFETY: as in `literal`; what is behind the last step is overwritten.
            unsafe {
                let to = self.base.add(self.start + self.length + n * Blocks::SIZE);
                to.cast::<[u8; Blocks::SIZE]>().write_unaligned(*block);
            }
        }
        self.length += steps.length;
        self.store(journal::LENGTH, self.length as u32);
    }

    /// Adds whole steps as their bytes. The caller asked for room.
    pub fn append(&mut self, steps: &[u8]) {
        // SAFETY: as in `literal`.
        unsafe {
            let to = self.base.add(self.start + self.length);
            std::ptr::copy_nonoverlapping(steps.as_ptr(), to, steps.len());
        }
        self.length += steps.len();
        self.store(journal::LENGTH, self.length as u32);
    }

    /// Takes the call written last back: it was not made.
    pub fn retract(&mut self, inputs: usize) {
        self.length -= call_bytes(inputs);
        self.store(journal::LENGTH, self.length as u32);
        self.calls -= 1;
        self.store_long(journal::CALLS, self.calls);
    }

    /// Step and phase lie side by side and are written at once.
    #[inline]
    pub fn doing(&mut self, step: u32, phase: Phase) {
        const { assert!(journal::PHASE == journal::STEP + 4) };
        let both = u64::from(step) | (u64::from(phase as u32) << 32);
        self.store_long(journal::STEP, both.to_le());
        self.beat();
    }

    /// The steps written so far.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: this many bytes were written by us.
        unsafe { std::slice::from_raw_parts(self.base.add(self.start), self.length) }
    }

    /// The sequence as written so far.
    pub fn sequence(&self) -> Sequence {
        let mut rest = self.bytes();
        let mut steps = vec![];
        while !rest.is_empty() {
            steps.push(Step::take(&mut rest).expect("the journal holds whole steps"));
        }
        Sequence::from_steps(steps)
    }
}

/// How long a call with this many arguments is.
#[inline]
fn call_bytes(inputs: usize) -> usize {
    6 + 4 * inputs
}

/// A literal step as it stands in the journal. All but long texts are written
/// as one block of fixed size, which is cheaper than their exact length.
pub struct Encoded {
    short: [u8; Encoded::SHORT],
    long: Option<Box<[u8]>>,
    length: usize,
}

impl Encoded {
    const SHORT: usize = 32;

    pub fn new(step: &Step) -> Encoded {
        let bytes = step.to_bytes();
        let mut short = [0; Encoded::SHORT];
        let length = bytes.len();
        let long = match short.get_mut(..length) {
            Some(start) => {
                start.copy_from_slice(&bytes);
                None
            }
            None => Some(bytes.into_boxed_slice()),
        };
        Encoded { short, long, length }
    }

    /// The step and nothing after it.
    pub fn bytes(&self) -> &[u8] {
        match &self.long {
            None => &self.short[..self.length],
            Some(long) => long,
        }
    }

    /// How many bytes are written; those past the length are overwritten.
    #[inline]
    pub fn room(&self) -> usize {
        self.length.max(Encoded::SHORT)
    }
}

/// Many steps as they stand in the journal, in blocks of a fixed size: most recipes
/// are one.
pub struct Blocks {
    blocks: Box<[[u8; Blocks::SIZE]]>,
    length: usize,
}

impl Blocks {
    const SIZE: usize = 128;

    pub fn new(steps: &[u8]) -> Blocks {
        let block = |part: &[u8]| {
            let mut block = [0; Blocks::SIZE];
            block[..part.len()].copy_from_slice(part);
            block
        };
        Blocks { blocks: steps.chunks(Blocks::SIZE).map(block).collect(), length: steps.len() }
    }

    /// How many bytes are written; those past the last step are overwritten.
    #[inline]
    pub fn room(&self) -> usize {
        self.blocks.len() * Blocks::SIZE
    }
}

/// Notes that an allocation was refused. Callable from an allocator.
pub fn note_refused(bytes: usize) {
    let base = BASE.load(Ordering::Relaxed);
    if !base.is_null() {
        // SAFETY: inside the mapping, which lives as long as the process.
        let cell = unsafe { &*base.add(journal::REFUSED).cast::<AtomicU64>() };
        cell.store(bytes as u64, Ordering::Relaxed);
    }
}
