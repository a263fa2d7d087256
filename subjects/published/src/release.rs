//! `semver::Version`: what comes after a version.

use semver::Version;
use testsmith::{ensures, pure, requires};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release(Version);

impl Release {
    #[ensures(ret.major() == major, ret.minor() == minor, ret.patch() == 0)]
    pub fn new(major: u64, minor: u64) -> Release {
        Release(Version::new(major, minor, 0))
    }

    #[pure]
    pub fn major(&self) -> u64 {
        self.0.major
    }

    #[pure]
    pub fn minor(&self) -> u64 {
        self.0.minor
    }

    #[pure]
    pub fn patch(&self) -> u64 {
        self.0.patch
    }

    #[requires(self.patch() < 1000)]
    #[ensures(self.patch() == old(self.patch()) + 1, unchanged(self.major(), self.minor()))]
    pub fn fix(&mut self) {
        self.0.patch += 1;
    }

    /// Only what was fixed twice is worth a feature.
    #[requires(self.patch() > 1 && self.minor() < 1000)]
    #[ensures(self.minor() == old(self.minor()) + 1, self.patch() == 0)]
    #[ensures(unchanged(self.major()))]
    pub fn extend(&mut self) {
        self.0 = Version::new(self.0.major, self.0.minor + 1, 0);
    }

    #[requires(self.minor() % 10 == 9 && self.major() < u64::MAX)]
    #[ensures(self.major() == old(self.major()) + 1, self.minor() == 0, self.patch() == 0)]
    pub fn break_it(&mut self) {
        self.0 = Version::new(self.0.major + 1, 0, 0);
    }

    /// Goal: a version by its three numbers.
    #[requires(self.major() == 3 && self.minor() == 14 && self.patch() == 5)]
    #[ensures(ret == 1)]
    pub fn is_circular(&self) -> u8 {
        1
    }

    /// Goal: a major version that was broken on the way, and fixed since.
    #[requires(self.major() == 1 << 33 && self.minor() == 0 && self.patch() == 2)]
    #[ensures(ret == 2)]
    pub fn is_large(&self) -> u8 {
        2
    }
}

/// Goal: two versions, one the next feature of the other.
#[requires(before.major() == after.major() && before.major() > 1_000_000)]
#[requires(after.minor() == before.minor() + 1 && before.patch() == 3 && after.patch() == 1)]
#[ensures(ret == 3)]
pub fn follows(before: &Release, after: &Release) -> u8 {
    3
}
