//! Which sequences were seen, in bounded memory.

/// Sequences seen, by their hashes: the upper half of one says where it stands, the
/// lower half stands there. A later one may take the place of an earlier, so that the
/// memory is bounded, and small enough not to drive everything else out of the caches.
pub(super) struct Seen(Vec<u32>);

impl Seen {
    const PLACES: usize = 1 << 16;

    pub(super) fn new() -> Seen {
        Seen(vec![0; Seen::PLACES])
    }

    fn place(hash: u64) -> usize {
        (hash >> 40) as usize % Seen::PLACES
    }

    #[inline]
    pub(super) fn contains(&self, hash: u64) -> bool {
        self.0[Seen::place(hash)] == hash as u32
    }

    /// False if it was there.
    pub(super) fn insert(&mut self, hash: u64) -> bool {
        std::mem::replace(&mut self.0[Seen::place(hash)], hash as u32) != hash as u32
    }
}
