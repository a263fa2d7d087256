//! `Vec`, `VecDeque` and arrays: a length and preallocated elements.
//!
//! Each element is a cell of its own, so a predicate that stops at the third
//! element leaves the others untouched. An arena is a vector whose elements
//! are reached through index fields: it has exactly the elements that some
//! index reaches, and the elements are interchangeable.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut, Index, IndexMut};

use crate::korat::cell::{Lazy, TwinType};
use crate::korat::finitize::FinitizeError;
use crate::korat::reach::Reach;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::{Builder, Choices, Claim};
use crate::korat::trail::NO_CLASS;
use crate::korat::{Deep, Korat, Realizer, Types, scratch};

use super::slices::{Position, out_of_bounds};

/// What a predicate sees in place of a slice.
#[repr(transparent)]
pub struct SliceTwin<T>(pub(super) [Lazy<T>]);

impl<T: TwinType> SliceTwin<T> {
    pub(super) fn of(cells: &[Lazy<T>]) -> &Self {
        // SAFETY: `SliceTwin` is a transparent wrapper of the slice.
        unsafe { &*(std::ptr::from_ref(cells) as *const Self) }
    }

    /// As for slices.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// As for slices.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As for slices.
    #[inline]
    pub fn get<I: Position<T>>(&self, index: I) -> Option<&I::Found> {
        index.find(&self.0)
    }

    /// As for slices.
    pub fn first(&self) -> Option<&T> {
        self.0.first().map(|cell| &**cell)
    }

    /// As for slices.
    pub fn last(&self) -> Option<&T> {
        self.0.last().map(|cell| &**cell)
    }

    /// As for slices: reads an element when it is its turn.
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self.0.iter())
    }

    /// As for slices.
    pub fn windows(&self, size: usize) -> impl Iterator<Item = &SliceTwin<T>> {
        self.0.windows(size).map(SliceTwin::of)
    }

    /// As for slices.
    pub fn chunks(&self, size: usize) -> impl Iterator<Item = &SliceTwin<T>> {
        self.0.chunks(size).map(SliceTwin::of)
    }

    /// As for slices.
    pub fn split_first(&self) -> Option<(&T, &SliceTwin<T>)> {
        let (first, rest) = self.0.split_first()?;
        Some((first, SliceTwin::of(rest)))
    }

    /// As for slices.
    pub fn split_at(&self, middle: usize) -> (&SliceTwin<T>, &SliceTwin<T>) {
        let (low, high) = self.0.split_at(middle);
        (SliceTwin::of(low), SliceTwin::of(high))
    }

    /// As for slices.
    pub fn contains(&self, value: &T) -> bool
    where
        T: PartialEq,
    {
        self.iter().any(|element| element == value)
    }

    /// As for slices.
    pub fn is_sorted(&self) -> bool
    where
        T: PartialOrd,
    {
        self.iter().is_sorted()
    }

    /// The cells themselves, for generators.
    pub(crate) fn cells(&self) -> &[Lazy<T>] {
        &self.0
    }
}

/// Iterates over elements and notes each as it is reached.
pub struct Iter<'a, T>(std::slice::Iter<'a, Lazy<T>>);

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter(self.0.clone())
    }
}

impl<'a, T: TwinType> Iterator for Iter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        self.0.next().map(|cell| &**cell)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<&'a T> {
        self.0.nth(n).map(|cell| &**cell)
    }
}

impl<T: TwinType> DoubleEndedIterator for Iter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|cell| &**cell)
    }
}

impl<T: TwinType> ExactSizeIterator for Iter<'_, T> {}

/// What a predicate sees in place of a `Vec` or `VecDeque`.
pub struct VecTwin<T> {
    len: Lazy<usize>,
    items: *mut Lazy<T>,
    capacity: usize,
    /// The class of the elements, if this is an arena.
    arena: u32,
}

impl<T: TwinType> VecTwin<T> {
    pub(super) fn cells(&self, len: usize) -> &[Lazy<T>] {
        debug_assert!(len <= self.capacity, "a length stays within its domain");
        // SAFETY: `items` has `capacity` cells in the space or the scratch.
        unsafe { std::slice::from_raw_parts(self.items, len) }
    }

    #[inline(always)]
    fn item(&self, index: usize) -> Option<&Lazy<T>> {
        if self.arena != NO_CLASS && self.is_reached(index) {
            return self.cells(self.capacity).get(index);
        }
        self.cells(*self.len).get(index)
    }

    /// Whether this is the arena whose elements form a class.
    pub(crate) fn is_arena(&self, class: u32) -> bool {
        self.arena == class && class != NO_CLASS
    }

    /// Whether some index that was read led to an element of this arena or to
    /// one after it: then it is there, whatever the length.
    #[inline]
    fn is_reached(&self, index: usize) -> bool {
        let trail = self.len.header().trail;
        if trail.is_null() {
            return false;
        }
        // SAFETY: the trail is boxed in the space that owns the header.
        let inner = unsafe { &*trail }.inner.borrow();
        index as i64 <= i64::from(inner.classes[self.arena as usize].high)
    }

    /// As `Vec::len`.
    #[inline]
    pub fn len(&self) -> usize {
        *self.len
    }

    /// As `Vec::is_empty`.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As `Vec::get`.
    #[inline]
    pub fn get<I: Position<T>>(&self, index: I) -> Option<&I::Found> {
        let len = if self.arena == NO_CLASS { *self.len } else { self.capacity };
        index.find(self.cells(len))
    }

    /// As `VecDeque::front`.
    pub fn front(&self) -> Option<&T> {
        self.first()
    }

    /// As `VecDeque::back`.
    pub fn back(&self) -> Option<&T> {
        self.last()
    }

    /// As `Vec::as_slice`.
    pub fn as_slice(&self) -> &SliceTwin<T> {
        self
    }

    /// As `Vec::push`.
    pub fn push(&mut self, value: T) {
        let mut cells: Vec<Lazy<T>> = self.iter_cells().map(Lazy::alias).collect();
        cells.push(scratch::cell(value));
        self.replace(cells);
    }

    /// As `VecDeque::push_back`.
    pub fn push_back(&mut self, value: T) {
        self.push(value);
    }

    /// As `Vec::pop`.
    pub fn pop(&mut self) -> Option<T> {
        let len = self.len().checked_sub(1)?;
        let last = (*self.cells(len + 1)[len]).share();
        *self.len = len;
        Some(last)
    }

    /// As `Vec::swap`.
    pub fn swap(&mut self, a: usize, b: usize) {
        let mut cells: Vec<Lazy<T>> = self.iter_cells().map(Lazy::alias).collect();
        cells.swap(a, b);
        self.replace(cells);
    }

    /// As `Vec::remove`.
    pub fn remove(&mut self, index: usize) -> T {
        let mut cells: Vec<Lazy<T>> = self.iter_cells().map(Lazy::alias).collect();
        let removed = cells.remove(index);
        let value = (*removed).share();
        self.replace(cells);
        value
    }

    /// As `Vec::insert`.
    pub fn insert(&mut self, index: usize, value: T) {
        let mut cells: Vec<Lazy<T>> = self.iter_cells().map(Lazy::alias).collect();
        cells.insert(index, scratch::cell(value));
        self.replace(cells);
    }

    fn iter_cells(&self) -> std::slice::Iter<'_, Lazy<T>> {
        self.cells(self.len()).iter()
    }

    fn replace(&mut self, cells: Vec<Lazy<T>>) {
        *self.len = cells.len();
        self.capacity = cells.len();
        self.items = scratch::slice(cells);
    }
}

impl<T: TwinType> Deref for VecTwin<T> {
    type Target = SliceTwin<T>;

    #[inline]
    fn deref(&self) -> &SliceTwin<T> {
        SliceTwin::of(self.cells(*self.len))
    }
}

impl<T: TwinType> Index<usize> for VecTwin<T> {
    type Output = T;

    #[track_caller]
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        match self.item(index) {
            Some(cell) => cell,
            None => out_of_bounds(index),
        }
    }
}

impl<T: TwinType> IndexMut<usize> for VecTwin<T> {
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        assert!(self.item(index).is_some(), "index out of bounds: the index is {index}");
        // SAFETY: just checked, and the vector is borrowed mutably.
        unsafe { &mut *self.items.add(index) }.deref_mut()
    }
}

impl<'a, T: TwinType> IntoIterator for &'a VecTwin<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T: TwinType> TwinType for VecTwin<T> {
    const INLINE: bool = true;

    fn share(&self) -> Self {
        VecTwin {
            len: self.len.alias(),
            items: self.items,
            capacity: self.capacity,
            arena: self.arena,
        }
    }

    fn duplicate(&self) -> Self {
        let cells: Vec<Lazy<T>> = self.iter_cells().map(Lazy::duplicate).collect();
        let (len, capacity) = (scratch::cell(cells.len()), cells.len());
        VecTwin { len, items: scratch::slice(cells), capacity, arena: NO_CLASS }
    }

    fn reach(&self, reach: &mut Reach) {
        if self.arena == NO_CLASS {
            reach.cell(&self.len);
            let len = self.present(|class| reach.arena_len(class));
            self.cells(len).iter().for_each(|cell| reach.cell(cell));
            return;
        }
        let mut at = 0;
        while at < self.present(|class| reach.arena_len(class)) {
            reach.cell(&self.cells(self.capacity)[at]);
            at += 1;
        }
    }

    fn show(&self, shower: &mut Shower) -> Shown {
        let len = self.present(|class| shower.arena_len(class));
        Shown::Sequence(self.cells(len).iter().map(|cell| cell.show(shower)).collect())
    }
}

impl<T: TwinType> VecTwin<T> {
    /// How many elements there are, without noting a read.
    fn present(&self, arena_len: impl FnOnce(u32) -> usize) -> usize {
        if self.arena == NO_CLASS { *self.len.peek() } else { arena_len(self.arena) }
    }
}

pub(super) fn vec_twin<T: Korat>(builder: &mut Builder) -> VecTwin<T::Twin> {
    let (least, most) = builder.length_bounds();
    if least > most {
        let field = format!("{}.len", builder.name());
        builder.fail(FinitizeError::EmptyDomain { field });
    }
    let before = builder.fields();
    let mut each = None;
    let items: Vec<Lazy<T::Twin>> = (0..most)
        .map(|at| {
            if at == 1 {
                builder.bound_copies(before, most);
            }
            let (item, claim) = builder.variant(|builder| builder.cell::<T>());
            each = Some(claim);
            item
        })
        .collect();
    let lengths = (least..=most).map(|len| {
        let claim = each.as_ref().map_or(Claim::none(), |each| Builder::repeat(each, len));
        (len, claim)
    });
    let name = format!("{}.len", builder.name());
    let choices = Choices::variants(lengths.collect(), most == 0);
    let len = builder.named(name, |builder| builder.install(choices));
    VecTwin { len, items: builder.keep(items), capacity: most, arena: NO_CLASS }
}

/// The cell of a vector field marked as an arena.
pub(crate) fn arena_cell<T: Korat>(
    builder: &mut Builder,
    owner: &str,
    field: &str,
) -> Lazy<VecTwin<T::Twin>> {
    let count = builder.count_of::<T>();
    let class = builder.add_class(T::class_name(), count);
    builder.objects_placeholder();
    builder.open_arena(field, class, count);
    let name = format!("{owner}.{field}");
    let items: Vec<Lazy<T::Twin>> =
        builder.in_class(class, |builder| (0..count).map(|_| builder.cell::<T>()).collect());
    let len = builder.uncounted(|builder| {
        let lengths = Choices::plain((0..=count as usize).collect());
        builder.named(format!("{name}.len"), |builder| builder.install(lengths))
    });
    if count > 0 {
        builder.set_length_field(class, len.header().id);
    }
    let items = builder.keep(items);
    let twin = VecTwin { len, items, capacity: count as usize, arena: class };
    builder.install(Choices::inline(twin))
}

pub(super) fn realize_items<T: Korat, C: FromIterator<T>>(
    twin: &VecTwin<T::Twin>,
    realizer: &mut Realizer,
) -> C {
    let reads = realizer.reads();
    let len = if reads { twin.len() } else { twin.present(|class| realizer.arena_len(class)) };
    twin.cells(len).iter().map(|cell| realizer.field::<T>(cell)).collect()
}

macro_rules! growable {
    ($real:ty, $name:literal) => {
        impl<T: Korat> Korat for $real {
            type Twin = VecTwin<T::Twin>;

            fn class_name() -> String {
                format!($name, T::class_name())
            }

            fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
                Choices::inline(vec_twin::<T>(builder))
            }

            fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
                realize_items::<T, _>(twin, realizer)
            }

            fn twin_rep_ok(twin: &Self::Twin) -> bool {
                twin.iter().all(T::twin_rep_ok)
            }

            fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
                twin.iter().all(|item| T::twin_deep_ok(item, deep))
            }

            fn types(types: &mut Types) {
                T::types(types);
            }

            fn real_rep_ok(&self) -> bool {
                self.iter().all(T::real_rep_ok)
            }

            fn show_real(&self, shower: &mut Shower) -> Shown {
                Shown::Sequence(self.iter().map(|item| item.show_real(shower)).collect())
            }
        }
    };
}
growable!(Vec<T>, "Vec<{}>");
growable!(VecDeque<T>, "VecDeque<{}>");
growable!(Box<[T]>, "Box<[{}]>");

/// What a predicate sees in place of an array.
pub struct ArrayTwin<T, const N: usize> {
    items: *mut Lazy<T>,
}

impl<T: TwinType, const N: usize> ArrayTwin<T, N> {
    fn cells(&self) -> &[Lazy<T>] {
        // SAFETY: `items` has `N` cells in the space.
        unsafe { std::slice::from_raw_parts(self.items, N) }
    }
}

impl<T: TwinType, const N: usize> Deref for ArrayTwin<T, N> {
    type Target = SliceTwin<T>;

    fn deref(&self) -> &SliceTwin<T> {
        SliceTwin::of(self.cells())
    }
}

impl<T: TwinType, const N: usize> Index<usize> for ArrayTwin<T, N> {
    type Output = T;

    #[track_caller]
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        &self.cells()[index]
    }
}

impl<T: TwinType, const N: usize> IndexMut<usize> for ArrayTwin<T, N> {
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        assert!(index < N, "index out of bounds: the index is {index}");
        // SAFETY: just checked, and the array is borrowed mutably.
        unsafe { &mut *self.items.add(index) }.deref_mut()
    }
}

impl<'a, T: TwinType, const N: usize> IntoIterator for &'a ArrayTwin<T, N> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T: TwinType, const N: usize> TwinType for ArrayTwin<T, N> {
    const INLINE: bool = true;

    fn share(&self) -> Self {
        ArrayTwin { items: self.items }
    }

    fn duplicate(&self) -> Self {
        ArrayTwin { items: scratch::slice(self.cells().iter().map(Lazy::duplicate).collect()) }
    }

    fn reach(&self, reach: &mut Reach) {
        for cell in self.cells() {
            reach.cell(cell);
        }
    }

    fn show(&self, shower: &mut Shower) -> Shown {
        Shown::Array(self.cells().iter().map(|cell| cell.show(shower)).collect())
    }
}

impl<T: Korat, const N: usize> Korat for [T; N] {
    type Twin = ArrayTwin<T::Twin, N>;

    fn class_name() -> String {
        format!("[{}; {N}]", T::class_name())
    }

    fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
        let items = (0..N).map(|_| builder.cell::<T>()).collect();
        Choices::inline(ArrayTwin { items: builder.keep(items) })
    }

    fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
        std::array::from_fn(|i| realizer.field::<T>(&twin.cells()[i]))
    }

    fn twin_rep_ok(twin: &Self::Twin) -> bool {
        twin.iter().all(T::twin_rep_ok)
    }

    fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
        twin.iter().all(|item| T::twin_deep_ok(item, deep))
    }

    fn types(types: &mut Types) {
        T::types(types);
    }

    fn real_rep_ok(&self) -> bool {
        self.iter().all(T::real_rep_ok)
    }

    fn show_real(&self, shower: &mut Shower) -> Shown {
        Shown::Array(self.iter().map(|item| item.show_real(shower)).collect())
    }
}
