//! A small random number generator: fast, seeded, the same everywhere. Ours rather
//! than a library's, because it is linked into every harness, which is to build
//! fast.

/// xorshift64*, whitened by splitmix64 at the seed.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Rng((z ^ (z >> 31)) | 1)
    }

    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which must not be zero.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.draw()) * bound as u128) >> 64) as usize
    }

    /// The smaller of two numbers below `bound`, from one draw: half of its bits
    /// are plenty for bounds of a few thousand.
    #[inline]
    pub fn low_below(&mut self, bound: u32) -> u32 {
        let (draw, bound) = (self.draw(), u64::from(bound));
        let (high, low) = (draw >> 32, draw & u64::from(u32::MAX));
        ((high.min(low) * bound) >> 32) as u32
    }

    /// True `times` out of `of`.
    #[inline]
    pub fn chance(&mut self, times: usize, of: usize) -> bool {
        self.below(of) < times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let (mut a, mut b) = (Rng::new(7), Rng::new(7));
        assert!((0..100).all(|_| a.draw() == b.draw()));
        assert_ne!(Rng::new(7).draw(), Rng::new(8).draw());
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_all_values() {
        let mut rng = Rng::new(1);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[rng.below(5)] = true;
        }
        assert_eq!(seen, [true; 5]);
    }

    #[test]
    fn the_smaller_of_two_numbers_is_mostly_small() {
        let mut rng = Rng::new(1);
        let mut counts = [0; 4];
        for _ in 0..1600 {
            counts[rng.low_below(4) as usize] += 1;
        }
        // Of sixteen equally likely pairs, 7, 5, 3 and 1 have this minimum.
        assert!(counts.is_sorted_by(|a, b| a > b), "{counts:?}");
        assert!((60..140).contains(&counts[3]), "{counts:?}");
    }
}
