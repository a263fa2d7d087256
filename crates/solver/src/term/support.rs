//! Which variables a term depends on, as shared bit sets.
//!
//! Slicing asks this of every constraint of every query, so the sets are
//! interned and unions are remembered.

use super::FastMap;

/// An interned set of variables.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Support(u32);

impl Support {
    /// The empty set, which every pool has under this number.
    pub const EMPTY: Support = Support(0);
}

/// A set of variable indices.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SupportSet(Vec<u64>);

impl SupportSet {
    pub fn insert(&mut self, variable: u32) {
        let word = variable as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (variable % 64);
    }

    pub fn extend(&mut self, other: &SupportSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }

    pub fn meets(&self, other: &SupportSet) -> bool {
        self.0.iter().zip(&other.0).any(|(mine, theirs)| mine & theirs != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = |(word, bits): (usize, &u64)| {
            let bits = *bits;
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word as u32 * 64 + bit)
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

/// The interner.
pub struct Sets {
    sets: Vec<SupportSet>,
    index: FastMap<SupportSet, Support>,
    unions: FastMap<(Support, Support), Support>,
}

impl Default for Sets {
    fn default() -> Sets {
        let empty = SupportSet::default();
        let index = [(empty.clone(), Support::EMPTY)].into_iter().collect();
        Sets { sets: vec![empty], index, unions: FastMap::default() }
    }
}

impl Sets {
    pub fn get(&self, support: Support) -> &SupportSet {
        &self.sets[support.0 as usize]
    }

    pub fn single(&mut self, variable: u32) -> Support {
        let mut set = SupportSet::default();
        set.insert(variable);
        self.intern(set)
    }

    pub fn union(&mut self, a: Support, b: Support) -> Support {
        if a == b || b == Support::EMPTY {
            return a;
        }
        if a == Support::EMPTY {
            return b;
        }
        let key = (Support(a.0.min(b.0)), Support(a.0.max(b.0)));
        if let Some(&union) = self.unions.get(&key) {
            return union;
        }
        let mut set = self.get(a).clone();
        set.extend(self.get(b));
        let union = self.intern(set);
        self.unions.insert(key, union);
        union
    }

    fn intern(&mut self, set: SupportSet) -> Support {
        if let Some(&support) = self.index.get(&set) {
            return support;
        }
        let support = Support(u32::try_from(self.sets.len()).expect("few sets"));
        self.sets.push(set.clone());
        self.index.insert(set, support);
        support
    }
}
