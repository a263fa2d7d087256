//! Contracts in many forms, on code that clippy, pedantic, has nothing to say of.
#![warn(missing_docs)]
use std::collections::HashMap;
use std::fmt::Display;
use std::pin::Pin;
use testsmith::{contract, contract_trait, debug_requires, ensures, forall, invariant, loop_invariant, model, pure, requires, skip_invariant, test_ensures};

/// One.
#[requires(n > 0)]
#[must_use]
pub const fn one(n: u32) -> u32 { n }

/// Two.
#[must_use]
#[ensures(ret >= n)]
pub const fn two(n: u32) -> u32 {
    if n == 0 {
        return 1;
    }
    n + 1
}

/// C.
#[unsafe(no_mangle)]
#[requires(n < 10)]
pub extern "C" fn c_fn(n: u32, _m: u32) -> u32 { n }

/// C.
#[ensures(ret < 10)]
pub extern "C" fn c_fn2(n: u32) -> u32 { n }

/// Async.
/// # Errors
/// Never.
#[requires(!name.is_empty())]
#[ensures(ret.is_ok())]
pub async fn load(name: &str, _limit: usize) -> Result<String, std::io::Error> {
    let text = std::future::ready(name.to_owned()).await;
    Err(std::io::Error::other("x"))?;
    Ok(text)
}

/// Generic.
#[requires(!items.is_empty(), "give me something")]
#[ensures(items.contains(ret))]
pub fn largest<T: PartialOrd + Display>(items: &[T]) -> &T {
    let mut best = &items[0];
    for item in items {
        if item > best { best = item; }
    }
    best
}

/// Where clause & impl trait.
#[requires(n < 100)]
pub fn evens<'a, I>(n: u32, items: I) -> impl Iterator<Item = u32> + 'a
where
    I: IntoIterator<Item = u32> + 'a,
    I::IntoIter: 'a,
{
    items.into_iter().filter(move |i| i % 2 == 0 && *i < n)
}

/// Consumes.
#[must_use]
#[requires(!text.is_empty())]
#[ensures(ret.len() > old(text.len()))]
pub fn shout(text: String) -> String { text + "!" }

/// Moves out.
#[must_use]
#[ensures(ret == old(map.len()))]
pub fn consume<S: std::hash::BuildHasher>(map: HashMap<String, u32, S>) -> usize { map.into_values().filter(|n| *n > 0).count() }

/// Only clauses use these.
#[requires(low <= high)]
#[ensures(ret >= low && ret <= high)]
#[must_use]
pub fn clamp(value: i32, low: i32, high: i32) -> i32 {
    value
}

/// Only the clause uses all of it
#[requires(a.len() == b.len())]
pub fn nothing(a: &[u8], b: &[u8]) {}

/// Contract form.
#[contract(requires(x > 0, "positive"), ensures(ret > x))]
#[must_use]
pub fn grow(x: i32) -> i32 { x + 1 }

/// debug / test forms.
#[debug_requires(x > 0)]
#[test_ensures(ret == x)]
#[must_use]
pub fn same(x: i32) -> i32 { x }

/// A type
#[derive(Debug, Clone, PartialEq, Eq)]
#[invariant(self.low <= self.high, "ordered")]
#[invariant(self.high < 1000)]
pub struct Span {
    low: u32,
    high: u32,
}

#[invariant]
impl Span {
    /// New.
    #[must_use]
    #[skip_invariant]
    pub const fn new(low: u32, high: u32) -> Self { Self { low, high } }
    /// Try.
    #[must_use]
    pub fn try_new(low: u32, high: u32) -> Option<Self> { (low <= high).then_some(Self { low, high }) }
    /// Len.
    #[must_use]
    #[pure]
    pub fn len(&self) -> u32 { self.high - self.low }
    /// Empty.
    #[must_use]
    #[pure]
    #[ensures(ret == (self.len() == 0))]
    pub fn is_empty(&self) -> bool { self.low == self.high }
    /// Pin
    #[requires(by > 0)]
    #[ensures(self.low == old(self.low) + by)]
    pub fn shift(mut self: Pin<&mut Self>, by: u32) {
        self.low += by;
        self.high += by;
    }
    /// Into
    #[must_use]
    #[ensures(ret.0 <= ret.1)]
    pub fn into_pair(self) -> (u32, u32) { (self.low, self.high) }
    /// Into box
    #[must_use]
    pub fn boxed(self: Box<Self>, _label: &str) -> Box<Self> { self }
    /// low mut
    pub fn low_mut(&mut self) -> &mut u32 { &mut self.low }
    /// iter
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ { self.low..self.high }
    /// Async
    #[ensures(self.high == old(self.high) + by)]
    pub async fn widen(&mut self, by: u32) { self.high += std::future::ready(by).await; }
    #[model]
    fn all(&self) -> Vec<u32> { (self.low..self.high).collect() }
    /// Uses model.
    #[ensures(forall(self.all(), |x| x >= self.low))]
    pub fn check(&self) {}
    /// Guard
    /// # Safety
    /// none
    #[requires(by > 0)]
    pub unsafe fn raw(&mut self, by: u32) { self.high += by; }
}

/// Const under block invariant.
#[derive(Debug)]
pub struct Even(u32);
#[invariant(self.0.is_multiple_of(2))]
impl Even {
    /// const new
    #[must_use]
    pub const fn new(n: u32) -> Self { Self(n * 2) }
    /// next
    pub fn next(&mut self) -> u32 { self.0 += 2; self.0 }
}

/// Enum
#[derive(Debug, Default)]
#[invariant(!matches!(self, Shape::Circle(r) if *r < 0.0))]
pub enum Shape {
    /// a
    #[default]
    Point,
    /// b
    Circle(f64),
}

#[invariant]
impl Shape {
    /// grow
    #[ensures(matches!(self, Shape::Circle(_)) == matches!(old(self), Shape::Circle(_)))]
    pub fn grow(&mut self, by: f64) { if let Self::Circle(r) = self { *r += by; } }
}

impl Clone for Shape {
    fn clone(&self) -> Self {
        match self { Self::Point => Self::Point, Self::Circle(r) => Self::Circle(*r) }
    }
}

/// Trait.
#[contract_trait]
pub trait Store<K, V> where K: Clone {
    /// Assoc.
    type Error;
    /// Put.
    /// # Errors
    /// When full.
    #[requires(self.room() > 0)]
    #[ensures(ret.is_err() || self.room() < old(self.room()))]
    fn put(&mut self, key: K, value: V) -> Result<(), Self::Error>;
    /// Room
    #[pure]
    fn room(&self) -> usize;
    /// Default
    #[requires(n > 0)]
    fn many(&self, n: usize, _unused: &str) -> usize { n }
}

/// Impl.
#[derive(Debug)]
pub struct Shelf<V> { items: Vec<(u8, V)> }

#[contract_trait]
impl<V: Clone> Store<u8, V> for Shelf<V> {
    type Error = String;
    fn put(&mut self, key: u8, value: V) -> Result<(), String> {
        self.items.push((key, value));
        Ok(())
    }
    fn room(&self) -> usize { 8 - self.items.len() }
}

/// `cfg_attr`
#[cfg_attr(debug_assertions, requires(n > 3))]
#[cfg_attr(not(debug_assertions), requires(n > 4))]
#[must_use]
pub fn conditional(n: u32, m: u32) -> u32 { m }

/// Loop.
#[must_use]
pub fn sum(values: &[u64]) -> u64 {
    let mut total = 0;
    let start = total;
    for value in values {
        loop_invariant!(total >= start);
        total += value;
    }
    total
}

/// Patterns
#[must_use]
#[requires(a > 0 && b > 0 && c > 0)]
pub fn pats((a, b): (u32, u32), [c, _]: [u32; 2]) -> u32 { a + b }

/// Macro-written
macro_rules! make {
    ($name:ident, $ty:ty) => {
        /// Made.
        #[must_use]
        #[requires(n > 0)]
        #[ensures(ret > n)]
        pub fn $name(n: $ty) -> $ty { n + 1 }
    };
}
make!(made_u8, u8);
make!(made_u64, u64);

/// dyn
#[requires(f(1) > 0)]
pub fn call(f: &dyn Fn(u32) -> u32) -> u32 { f(2) }

/// impl fn
#[must_use]
#[ensures(ret.len() == n)]
pub fn fill(n: usize, mut f: impl FnMut() -> u8) -> Vec<u8> { (0..n).map(|_| f()).collect() }

/// Slice pattern, const generic
#[must_use]
#[requires(N > 0)]
#[ensures(ret == items[0])]
pub const fn first<const N: usize>(items: [u8; N]) -> u8 { items[0] }

/// Single expression with braces
#[must_use]
#[requires({ let m = n + 1; m > 1 })]
pub fn braces(n: u32) -> u32 { n }

/// A closure form
#[must_use]
#[ensures(|result| *result > 0)]
#[ensures(|&r| r > 0)]
pub fn closure_form(n: u32) -> u32 { n + 1 }

/// Traits with everything, shared receivers, opaque results.
pub mod more {
    use std::borrow::Cow;
    use std::cell::{Cell, RefCell};
    use std::future::Future;
    use std::rc::Rc;
    use std::sync::Arc;
    use testsmith::{contract_trait, ensures, exists, implies, invariant, pure, requires, skip_invariant};

    /// Trait with everything.
    #[contract_trait]
    pub trait Everything<'a, T: 'a, const N: usize>: Sized {
        /// A constant.
        const LIMIT: usize;
        /// A type.
        type Out: Default;
        /// Generic.
        #[requires(items.len() <= Self::LIMIT)]
        #[ensures(ret.len() <= N)]
        fn generic<I>(&self, items: &'a [T], other: I) -> Vec<&'a T>
        where
            I: IntoIterator<Item = u8>;
        /// Static.
        #[requires(n > 0)]
        fn make(n: usize) -> Option<Self>;
        /// By value.
        #[ensures(ret > 0)]
        fn eat(self, more: usize) -> usize;
        /// Async
        #[requires(n > 0)]
        fn wait(&self, n: usize) -> impl Future<Output = usize> + Send;
        /// Many arguments.
        #[requires(a + b + c + d > 0)]
        #[must_use]
        fn many(&self, a: u8, b: u8, c: u8, d: u8) -> u8 {
            a.wrapping_add(b).wrapping_add(c).wrapping_add(d)
        }
        /// Unit
        #[ensures(old(list.len()) < list.len())]
        fn unit(&mut self, list: &mut Vec<u8>) {
            list.push(1);
        }
        /// # Errors
        /// Always.
        #[ensures(ret.is_err())]
        fn fails(&self) -> Result<(), Self::Out> {
            Err(Self::Out::default())
        }
    }

    /// One.
    #[derive(Debug, Clone, Copy)]
    pub struct One;

    #[contract_trait]
    impl<'a, T: 'a + Sync> Everything<'a, T, 3> for One {
        const LIMIT: usize = 3;
        type Out = ();
        fn generic<I>(&self, items: &'a [T], other: I) -> Vec<&'a T>
        where
            I: IntoIterator<Item = u8>,
        {
            items.iter().zip(other).map(|(item, _)| item).collect()
        }
        fn make(n: usize) -> Option<Self> { (n < 5).then_some(Self) }
        fn eat(self, more: usize) -> usize { more + 1 }
        async fn wait(&self, n: usize) -> usize { n }
    }

    /// Shared receivers.
    #[derive(Debug, Default)]
    pub struct Shared { n: Cell<u32>, log: RefCell<Vec<u32>> }

    #[invariant(self.n.get() < 1000)]
    impl Shared {
        /// rc
        #[requires(by < 10)]
        #[ensures(self.n.get() == old(self.n.get()) + by)]
        pub fn rc(self: Rc<Self>, by: u32) { self.n.set(self.n.get() + by); }
        /// by ref rc
        #[ensures(ret == self.n.get())]
        #[must_use]
        pub fn rc_ref(self: &Rc<Self>) -> u32 { self.n.get() }
        /// arc
        #[requires(by < 10)]
        pub fn arc(self: Arc<Self>, by: u32) -> u32 { self.n.get() + by }
        /// opaque
        #[requires(by < 10)]
        pub fn opaque(&self, by: u32) -> impl Iterator<Item = u32> + use<'_> {
            let log = self.log.borrow();
            log.iter().map(move |n| n + by).collect::<Vec<_>>().into_iter()
        }
        /// dynamic
        #[ensures(ret.len() == self.log.borrow().len())]
        #[must_use]
        pub fn dynamic(&self) -> Box<dyn ExactSizeIterator<Item = u32>> { Box::new(self.log.borrow().clone().into_iter()) }
        /// cow
        #[requires(!text.is_empty())]
        #[ensures(implies(text.len() > 1, ret.len() > 1))]
        #[must_use]
        pub fn cow<'a>(&self, text: &'a str) -> Cow<'a, str> { Cow::Borrowed(text) }
        /// future
        #[requires(by > 0)]
        pub fn future(&self, by: u32) -> impl Future<Output = u32> + use<> { std::future::ready(by) }
        /// private is not checked
        #[skip_invariant]
        pub fn skipped(&mut self) { self.n.set(5); }
        #[pure]
        fn hidden(&self) -> u32 { self.n.get() }
        /// uses hidden only in a clause
        #[requires(self.hidden() < 100)]
        pub fn asks(&self) {}
    }

    /// Or-patterns and early returns.
    /// # Errors
    /// Never.
    #[requires(!items.is_empty())]
    #[ensures(exists(items, |x| Ok(*x) == ret) || ret.is_err())]
    pub fn early(items: &[u32], key: Option<u32>) -> Result<u32, String> {
        let Some(key) = key else { return Err("none".into()) };
        for item in items {
            if *item == key { return Ok(*item); }
        }
        let first = items.first().ok_or_else(|| "empty".to_owned())?;
        Ok(*first)
    }

    /// Closures in and out.
    #[requires(n < 10)]
    #[ensures(ret(1) == n + 1)]
    pub fn adder(n: u32) -> impl Fn(u32) -> u32 { move |m| n + m }

    /// Raw and unsafe.
    /// # Safety
    /// `p` must be valid.
    #[requires(!p.is_null() && n < 10)]
    #[ensures(ret < 100)]
    #[must_use]
    pub unsafe fn raw(p: *const u8, n: usize) -> u8 {
        // SAFETY: the caller vouches.
        unsafe { *p.add(n) }
    }

    /// Mutable parameters.
    #[must_use]
    #[requires(n < 100)]
    #[ensures(ret >= old(n))]
    pub fn sum(mut n: u32, mut items: Vec<u32>) -> u32 {
        while let Some(item) = items.pop() { n += item; }
        n
    }

    /// Doc hidden function in a function.
    #[must_use]
    pub fn outer() -> u32 {
        #[requires(n > 0)]
        #[ensures(ret > n)]
        fn inner(n: u32) -> u32 { n + 1 }
        inner(1)
    }

    /// Deprecated and cold.
    #[deprecated(note = "old")]
    #[cold]
    #[inline(never)]
    #[requires(n > 0)]
    pub fn old_one(n: u32) {}

    /// In a `cfg`.
    #[cfg(not(windows))]
    #[requires(n > 0)]
    #[must_use]
    pub fn on_unix(n: u32, _reserved: u32) -> u32 { n }
}
