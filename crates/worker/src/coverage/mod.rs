//! The run-time half of SanitizerCoverage: which edges of the instrumented
//! crates were run, and which values they compared.
//!
//! Instrumented code counts every edge in a byte of its own; the compiler puts
//! all counters of a binary side by side and registers them before `main`. A
//! [`Coverage`] reads them after a call, remembers what is new and sets them
//! back to zero. Counters wrap: an edge run exactly 256 times between two
//! collections looks as if it had not been run.
//!
//! This module only sees numbers. Edges are turned into files and lines on the
//! side of the supervisor, from [`edges`] and the debug information. It must
//! never be instrumented itself.

use std::sync::{Mutex, PoisonError};

pub mod compares;

/// The counters of one binary or shared library, as registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    start: usize,
    end: usize,
}

/// Filled by the compiler's constructors before `main`, hence not in order of
/// our own doing. Counters and edges are registered in the same order.
static COUNTERS: Mutex<Vec<Region>> = Mutex::new(Vec::new());
static EDGES: Mutex<Vec<Region>> = Mutex::new(Vec::new());

/// Every instrumented object of a binary registers the same merged section.
fn register(regions: &Mutex<Vec<Region>>, start: usize, end: usize) {
    let mut regions = regions.lock().unwrap_or_else(PoisonError::into_inner);
    if start < end && !regions.iter().any(|region| region.start == start) {
        regions.push(Region { start, end });
    }
}

/// # Safety
/// Called by instrumented code only, with the bounds of its counters, which
/// live as long as the process.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, end: *mut u8) {
    register(&COUNTERS, start as usize, end as usize);
}

/// # Safety
/// Called by instrumented code only, with the bounds of a table of pairs of
/// address and flags, which lives as long as the process.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_pcs_init(start: *const usize, end: *const usize) {
    register(&EDGES, start as usize, end as usize);
}

/// An edge of the control flow, known by its index everywhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where its code begins, relative to where the executable was loaded: an
    /// address as debug information has it.
    pub address: u64,
    /// Whether it is the entry of a function.
    pub entry: bool,
}

/// All edges of the instrumented crates, in the order of their indices.
pub fn edges() -> Vec<Edge> {
    let bias = load_bias();
    let regions = EDGES.lock().unwrap_or_else(PoisonError::into_inner);
    let mut edges = Vec::new();
    for region in regions.iter() {
        let pairs = (region.end - region.start) / size_of::<[usize; 2]>();
        // SAFETY: the compiler registered a table of that many pairs.
        let pairs = unsafe { std::slice::from_raw_parts(region.start as *const [usize; 2], pairs) };
        edges.extend(pairs.iter().map(|[address, flags]| Edge {
            address: address.wrapping_sub(bias) as u64,
            entry: flags & 1 != 0,
        }));
    }
    edges
}

/// How many edges there are.
pub fn edge_count() -> usize {
    let regions = COUNTERS.lock().unwrap_or_else(PoisonError::into_inner);
    regions.iter().map(|region| region.end - region.start).sum()
}

/// What is new about an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Novelty {
    /// That it was run at all.
    Hit,
    /// Also that it was run a different number of times, counted 1, 2, 3, 4–7,
    /// 8–15, 16–31, 32–127, more.
    Count,
}

/// Remembers what was covered since it was made.
pub struct Coverage {
    regions: Vec<Region>,
    novelty: Novelty,
    /// Per edge the set of count classes seen.
    seen: Vec<u8>,
    covered: usize,
    fresh: Vec<u32>,
}

// The regions are addresses of statics, not owned memory.
impl Coverage {
    /// For all that is registered now. Counts from before are forgotten.
    pub fn new(novelty: Novelty) -> Coverage {
        let regions = COUNTERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut coverage = Coverage::over(regions, novelty);
        coverage.discard();
        coverage
    }

    fn over(regions: Vec<Region>, novelty: Novelty) -> Coverage {
        let edges = regions.iter().map(|region| region.end - region.start).sum();
        Coverage { regions, novelty, seen: vec![0; edges], covered: 0, fresh: Vec::new() }
    }

    /// Reads the counters and sets them to zero. Returns the edges that are new
    /// since the call before.
    pub fn collect(&mut self) -> &[u32] {
        if self.novelty == Novelty::Count {
            return self.collect_each(|_, _| ());
        }
        self.fresh.clear();
        let Coverage { regions, seen, covered, fresh, .. } = self;
        let mut base = 0;
        for region in regions.iter() {
            let length = region.end - region.start;
            let seen = &mut seen[base..base + length];
            // SAFETY: as in `collect_each`.
            unsafe {
                drain_words(*region, |index, counts| {
                    let known = word_of(&seen[index..]);
                    // Of what was run, most is known by now, and left at that.
                    if counts & !(known * 0xff) == 0 {
                        return;
                    }
                    each_count(counts, |byte, _| {
                        if seen[index + byte] == 0 {
                            seen[index + byte] = 1;
                            *covered += 1;
                            fresh.push((base + index + byte) as u32);
                        }
                    });
                });
            }
            base += length;
        }
        &self.fresh
    }

    /// As [`Coverage::collect`], and shows every edge that was run, with its
    /// count.
    pub fn collect_each(&mut self, mut each: impl FnMut(u32, u8)) -> &[u32] {
        self.fresh.clear();
        let Coverage { regions, novelty, seen, covered, fresh } = self;
        let mut base = 0;
        for region in regions.iter() {
            // SAFETY: registered regions live as long as the process and no
            // reference to them exists.
            unsafe {
                drain(*region, |index, count| {
                    let edge = base + index;
                    each(edge as u32, count);
                    let class = if *novelty == Novelty::Hit { 1 } else { class(count) };
                    let old = seen[edge];
                    if old & class == 0 {
                        seen[edge] = old | class;
                        *covered += usize::from(old == 0);
                        fresh.push(edge as u32);
                    }
                });
            }
            base += region.end - region.start;
        }
        &self.fresh
    }

    /// Sets the counters to zero and learns nothing: after work of our own that
    /// ran instrumented code.
    pub fn discard(&mut self) {
        for region in &self.regions {
            // SAFETY: as in `collect_each`.
            unsafe { drain(*region, |_, _| ()) };
        }
    }

    /// How many edges were covered so far.
    pub fn covered(&self) -> usize {
        self.covered
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.seen.len()
    }

    pub fn is_covered(&self, edge: u32) -> bool {
        self.seen.get(edge as usize).is_some_and(|classes| *classes != 0)
    }
}

/// The class of a count as one bit.
fn class(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        128.. => 128,
    }
}

/// Up to eight bytes as a word, the first of them the lowest.
#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Shows each count of a word that is not zero, with its place.
#[inline]
fn each_count(mut counts: u64, mut each: impl FnMut(usize, u8)) {
    while counts != 0 {
        let byte = counts.trailing_zeros() as usize / 8;
        let count = (counts >> (8 * byte)) as u8;
        counts &= !(0xff << (8 * byte));
        each(byte, count);
    }
}

/// Visits every counter that is not zero and sets it to zero.
///
/// # Safety
/// As for [`drain_words`].
unsafe fn drain(region: Region, mut each: impl FnMut(usize, u8)) {
    // SAFETY: upheld by the caller.
    unsafe {
        drain_words(region, |index, counts| {
            each_count(counts, |byte, count| each(index + byte, count));
        });
    }
}

/// Visits the counters that are not zero, up to eight in a word, the first of them the lowest,
/// and sets them to zero. Most are zero, so they are read 64 at a time.
///
/// Reads and writes are volatile: instrumented code changes the counters behind
/// the compiler's back, other threads included. What they count meanwhile may
/// be lost.
///
/// # Safety
/// The region must be valid memory to which no reference exists.
unsafe fn drain_words(region: Region, mut each: impl FnMut(usize, u64)) {
    const WORD: usize = size_of::<u64>();
    const WORDS: usize = 8;
    let byte = |address: usize, each: &mut dyn FnMut(usize, u64)| {
        let counter = address as *mut u8;
        // SAFETY: the address lies in the region; bytes are always aligned.
        unsafe {
            let count = counter.read_volatile();
            if count != 0 {
                counter.write_volatile(0);
                each(address - region.start, u64::from(count));
            }
        }
    };
    let aligned = region.start.next_multiple_of(WORD).min(region.end);
    for address in region.start..aligned {
        byte(address, &mut each);
    }
    let mut at = aligned;
    while at + WORDS * WORD <= region.end {
        let block = at as *mut u64;
        // SAFETY: the eight words of the block lie in the region and are aligned.
        let word = |i: usize| unsafe { block.add(i).read_volatile() };
        if (0..WORDS).fold(0, |any, i| any | word(i)) != 0 {
            for i in 0..WORDS {
                let counts = word(i);
                if counts == 0 {
                    continue;
                }
                // SAFETY: as above.
                unsafe { block.add(i).write_volatile(0) };
                each(at + i * WORD - region.start, u64::from_le(counts));
            }
        }
        at += WORDS * WORD;
    }
    for address in at..region.end {
        byte(address, &mut each);
    }
}

/// The distance between the addresses in the executable's file and those in
/// memory.
#[cfg(target_os = "linux")]
fn load_bias() -> usize {
    /// The first object is the executable itself; 1 ends the iteration.
    unsafe extern "C" fn first(
        info: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        bias: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader passes valid information, and we passed `bias`.
        unsafe { *bias.cast::<usize>() = (*info).dlpi_addr as usize };
        1
    }
    let mut bias = 0usize;
    // SAFETY: the callback writes to `bias`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut bias).cast()) };
    bias
}

#[cfg(target_os = "macos")]
fn load_bias() -> usize {
    unsafe extern "C" {
        fn _dyld_get_image_vmaddr_slide(image: u32) -> isize;
    }
    // SAFETY: image 0 is the executable itself and always there.
    unsafe { _dyld_get_image_vmaddr_slide(0) as usize }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn load_bias() -> usize {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters with `offset` bytes before an aligned address.
    fn with_counters(length: usize, offset: usize, test: impl Fn(&mut [u8], &mut Coverage)) {
        let mut memory = vec![0u64; length / 8 + 3];
        let start = memory.as_mut_ptr() as usize + offset;
        let region = Region { start, end: start + length };
        let mut coverage = Coverage::over(vec![region], Novelty::Count);
        // SAFETY: the bytes lie in `memory`, which is reached through this
        // slice and the region only, in turns.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, length) };
        test(bytes, &mut coverage);
    }

    #[test]
    fn every_counter_is_found_at_every_alignment_and_length() {
        for length in [1, 2, 7, 8, 9, 63, 64, 65, 128, 200] {
            for offset in 0..8 {
                for hit in 0..length {
                    with_counters(length, offset, |bytes, coverage| {
                        bytes[hit] = 1;
                        assert_eq!(coverage.collect(), [hit as u32]);
                        assert_eq!(bytes[hit], 0);
                        assert!(coverage.is_covered(hit as u32));
                    });
                }
            }
        }
    }

    #[test]
    fn an_edge_is_new_once_per_class_of_counts() {
        with_counters(100, 3, |bytes, coverage| {
            let mut news = Vec::new();
            for count in 0..=255 {
                bytes[42] = count;
                if !coverage.collect().is_empty() {
                    news.push(count);
                }
            }
            assert_eq!(news, [1, 2, 3, 4, 8, 16, 32, 128]);
            assert_eq!(coverage.covered(), 1);
        });
    }

    #[test]
    fn with_hits_alone_a_second_count_is_no_news() {
        with_counters(100, 0, |bytes, coverage| {
            coverage.novelty = Novelty::Hit;
            bytes[5] = 200;
            assert_eq!(coverage.collect(), [5]);
            bytes[5] = 1;
            bytes[6] = 1;
            let mut run = Vec::new();
            assert_eq!(coverage.collect_each(|edge, count| run.push((edge, count))), [6]);
            assert_eq!(run, [(5, 1), (6, 1)]);
        });
    }

    #[test]
    fn discarded_counts_teach_nothing() {
        with_counters(100, 1, |bytes, coverage| {
            bytes.fill(3);
            coverage.discard();
            assert!(bytes.iter().all(|count| *count == 0));
            assert_eq!(coverage.covered(), 0);
            assert!(coverage.collect().is_empty());
        });
    }

    #[test]
    fn regions_are_numbered_one_after_another() {
        let mut memory = [0u8; 48];
        let start = memory.as_mut_ptr() as usize;
        let regions =
            vec![Region { start, end: start + 10 }, Region { start: start + 20, end: start + 48 }];
        let mut coverage = Coverage::over(regions, Novelty::Hit);
        for index in [9, 15, 20, 47] {
            // SAFETY: the index lies in `memory`.
            unsafe { (start as *mut u8).add(index).write(1) };
        }
        assert_eq!(coverage.collect(), [9, 10, 37]);
        assert_eq!(coverage.edges(), 38);
        assert_eq!(memory[15], 1, "what is no counter is left alone");
    }

    #[test]
    fn a_section_registered_twice_counts_once() {
        let regions = Mutex::new(Vec::new());
        register(&regions, 64, 128);
        register(&regions, 64, 128);
        register(&regions, 256, 256);
        let regions = regions.into_inner().expect("no panic");
        assert_eq!(regions, [Region { start: 64, end: 128 }]);
    }
}
