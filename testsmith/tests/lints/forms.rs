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
