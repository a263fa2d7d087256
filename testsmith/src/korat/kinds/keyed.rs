//! Sets and maps: sequences of elements that differ, each set in one order.
//!
//! The elements are fields like those of a `Vec`, and a sequence is a set only
//! if it has no element twice and is in order, which its own predicate says.
//! A predicate that looks at a set sees a copy as the real collection, so that
//! all its methods are there; what it looks at it reads whole. A candidate in
//! which it would see no set is left at once. Sets cannot be changed on the
//! twin.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};
use std::ops::{Deref, Index};
use std::{fmt, panic};

use super::sequences::{VecTwin, vec_twin};
use crate::korat::cell::{Lazy, TwinType};
use crate::korat::reach::Reach;
use crate::korat::realize::copy;
use crate::korat::scratch;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::{Builder, Choices};
use crate::korat::trail::{NO_CLASS, OutOfObjects};
use crate::korat::{Constraint, Deep, Korat, Realizer, Types};

/// A pair of cells, as a map has them.
type Entry<K, V> = (Lazy<K>, Lazy<V>);

/// Leaves a candidate in which a collection has a key twice.
fn no_set() -> ! {
    panic::resume_unwind(Box::new(OutOfObjects))
}

/// Whether the keys differ and are in order.
fn ascend<K: Korat + Ord>(keys: impl Iterator<Item = impl Deref<Target = Lazy<K::Twin>>>) -> bool {
    let mut last: Option<K> = None;
    for key in keys {
        let key: K = copy::<K>(&key);
        if last.is_some_and(|last| last >= key) {
            return false;
        }
        last = Some(key);
    }
    true
}

/// The place of a key among others: any order will do that puts equal keys
/// together.
fn rank<K: Korat>(key: &Lazy<K::Twin>) -> (u32, String) {
    if !K::Twin::INLINE && key.forward().is_none() && key.header().class == NO_CLASS {
        return (key.header().index.get(), String::new());
    }
    (0, text(&key.show(&mut Shower::real())))
}

fn text(shown: &Shown) -> String {
    format!("{shown:?}")
}

/// As `ascend`, for keys without an order of their own.
fn differ<K: Korat + Eq + Hash>(
    keys: impl Iterator<Item = impl Deref<Target = Lazy<K::Twin>>>,
) -> bool {
    let mut known: HashSet<K> = HashSet::new();
    let mut last: Option<(u32, String)> = None;
    for key in keys {
        if !known.insert(copy::<K>(&key)) {
            return false;
        }
        let rank = rank::<K>(&key);
        if last.is_some_and(|last| last >= rank) {
            return false;
        }
        last = Some(rank);
    }
    true
}

macro_rules! twin_of_collection {
    ($twin:ident, [$($part:ident),+], $item:ty, $view:ty, [$($bound:tt)+]) => {
        impl<$($part: TwinType),+> $twin<$($part),+> {
            fn cells(&self) -> &[Lazy<$item>] {
                self.0.cells(self.0.len())
            }
        }

        impl<$($part: TwinType),+> TwinType for $twin<$($part),+> {
            const INLINE: bool = true;

            fn share(&self) -> Self {
                $twin(self.0.share())
            }

            fn duplicate(&self) -> Self {
                $twin(self.0.duplicate())
            }

            fn reach(&self, reach: &mut Reach) {
                self.0.reach(reach);
            }

            fn show(&self, shower: &mut Shower) -> Shown {
                sorted(self.0.show(shower))
            }
        }

        impl<$($part: TwinType),+> Deref for $twin<$($part),+>
        where
            $($bound)+
        {
            type Target = $view;

            fn deref(&self) -> &$view {
                scratch::lend(self.view())
            }
        }

        impl<'a, $($part: TwinType),+> IntoIterator for &'a $twin<$($part),+>
        where
            $($bound)+
        {
            type Item = <&'a $view as IntoIterator>::Item;
            type IntoIter = <&'a $view as IntoIterator>::IntoIter;

            fn into_iter(self) -> Self::IntoIter {
                let view: &'a $view = self;
                view.into_iter()
            }
        }

        impl<$($part: TwinType + PartialEq),+> PartialEq for $twin<$($part),+>
        where
            $($bound)+
        {
            fn eq(&self, other: &Self) -> bool {
                self.view() == other.view()
            }
        }

        impl<$($part: TwinType + PartialEq),+> PartialEq<$view> for $twin<$($part),+>
        where
            $($bound)+
        {
            fn eq(&self, other: &$view) -> bool {
                self.view() == *other
            }
        }

        impl<$($part: TwinType + fmt::Debug),+> fmt::Debug for $twin<$($part),+>
        where
            $($bound)+
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.view().fmt(f)
            }
        }
    };
}

/// What a predicate sees in place of a `BTreeSet`.
pub struct SetTwin<T>(VecTwin<T>);
twin_of_collection!(SetTwin, [T], T, BTreeSet<T>, [T: Ord]);

/// What a predicate sees in place of a `HashSet`.
pub struct HashSetTwin<T>(VecTwin<T>);
twin_of_collection!(HashSetTwin, [T], T, HashSet<T>, [T: Eq + Hash]);

/// What a predicate sees in place of a `BTreeMap`.
pub struct MapTwin<K, V>(VecTwin<Entry<K, V>>);
twin_of_collection!(MapTwin, [K, V], Entry<K, V>, BTreeMap<K, V>, [K: Ord]);

/// What a predicate sees in place of a `HashMap`.
pub struct HashMapTwin<K, V>(VecTwin<Entry<K, V>>);
twin_of_collection!(HashMapTwin, [K, V], Entry<K, V>, HashMap<K, V>, [K: Eq + Hash]);

macro_rules! set_view {
    ($twin:ident, $view:ident, [$($bound:tt)+]) => {
        impl<T: TwinType + $($bound)+> $twin<T> {
            fn view(&self) -> $view<T> {
                let cells = self.cells();
                let view: $view<T> = cells.iter().map(|cell| (**cell).share()).collect();
                if view.len() < cells.len() {
                    no_set();
                }
                view
            }

            /// As for the real collection.
            #[expect(clippy::should_implement_trait, reason = "the copy is a collection of its own")]
            pub fn clone(&self) -> $view<T>
            where
                T: Clone,
            {
                self.view()
            }
        }
    };
}
set_view!(SetTwin, BTreeSet, [Ord]);
set_view!(HashSetTwin, HashSet, [Eq + Hash]);

macro_rules! map_view {
    ($twin:ident, $view:ident, [$($bound:tt)+]) => {
        impl<K: TwinType + $($bound)+, V: TwinType> $twin<K, V> {
            fn view(&self) -> $view<K, V> {
                let cells = self.cells();
                let entries = cells.iter().map(|cell| ((*cell.0).share(), (*cell.1).share()));
                let view: $view<K, V> = entries.collect();
                if view.len() < cells.len() {
                    no_set();
                }
                view
            }

            /// As for the real collection.
            #[expect(clippy::should_implement_trait, reason = "the copy is a collection of its own")]
            pub fn clone(&self) -> $view<K, V>
            where
                K: Clone,
                V: Clone,
            {
                self.view()
            }
        }

        impl<K: TwinType + $($bound)+, V: TwinType> Index<&K> for $twin<K, V> {
            type Output = V;

            #[track_caller]
            fn index(&self, key: &K) -> &V {
                &(**self)[key]
            }
        }
    };
}
map_view!(MapTwin, BTreeMap, [Ord]);
map_view!(HashMapTwin, HashMap, [Eq + Hash]);

/// The elements in the same order whichever way the collection keeps them.
fn sorted(shown: Shown) -> Shown {
    match shown {
        Shown::Sequence(mut parts) => {
            parts.sort_by_cached_key(text);
            Shown::Sequence(parts)
        }
        other => other,
    }
}

macro_rules! keyed {
    ([$($parameters:tt)*] $real:ty, $name:literal, $twin:ty, $item:ty, $wrap:expr, |$this:ident| $valid:expr,
        $($part:ident)+, |$from:ident| $show:expr) => {
        impl<$($parameters)*> Korat for $real {
            type Twin = $twin;

            fn class_name() -> String {
                let parts = [$($part::class_name()),+];
                format!("{}<{}>", $name, parts.join(", "))
            }

            fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
                Choices::inline($wrap(vec_twin::<$item>(builder)))
            }

            fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
                super::sequences::realize_items::<$item, _>(&twin.0, realizer)
            }

            fn twin_rep_ok($this: &Self::Twin) -> bool {
                $valid
            }

            fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
                Self::twin_rep_ok(twin)
                    && twin.cells().iter().all(|cell| deep.field::<$item>(cell))
            }

            fn types(types: &mut Types) {
                types.derived::<Self>(Constraint::Keys, |types| types.field::<$item>());
            }

            fn real_rep_ok(&self) -> bool {
                true
            }

            fn show_real(&self, shower: &mut Shower) -> Shown {
                let $from = self;
                sorted(Shown::Sequence($show(shower)))
            }
        }
    };
}

keyed!([T: Korat + Ord] BTreeSet<T>, "BTreeSet", SetTwin<T::Twin>, T, SetTwin,
    |twin| ascend::<T>(twin.cells().iter()), T,
    |set| |shower: &mut Shower| set.iter().map(|item| item.show_real(shower)).collect());
keyed!([T: Korat + Eq + Hash, S: BuildHasher + Default + 'static] HashSet<T, S>, "HashSet",
    HashSetTwin<T::Twin>, T, HashSetTwin,
    |twin| differ::<T>(twin.cells().iter()), T,
    |set| |shower: &mut Shower| set.iter().map(|item| item.show_real(shower)).collect());
keyed!([K: Korat + Ord, V: Korat] BTreeMap<K, V>, "BTreeMap", MapTwin<K::Twin, V::Twin>, (K, V),
    MapTwin, |twin| ascend::<K>(twin.cells().iter().map(|entry| &entry.0)), K V,
    |map| |shower: &mut Shower| map.iter().map(|(key, value)| entry(key, value, shower)).collect());
keyed!([K: Korat + Eq + Hash, V: Korat, S: BuildHasher + Default + 'static] HashMap<K, V, S>,
    "HashMap", HashMapTwin<K::Twin, V::Twin>, (K, V), HashMapTwin,
    |twin| differ::<K>(twin.cells().iter().map(|entry| &entry.0)), K V,
    |map| |shower: &mut Shower| map.iter().map(|(key, value)| entry(key, value, shower)).collect());

fn entry<K: Korat, V: Korat>(key: &K, value: &V, shower: &mut Shower) -> Shown {
    Shown::Tuple(vec![key.show_real(shower), value.show_real(shower)])
}
