//! Contracts on code as people write it: what must compile and must not alarm.
//!
//! Bodies and signatures that a careless expansion would break: borrows that
//! outlive the body, opaque types, macros that write functions, receivers of
//! every type, traits with everything in them.

use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;

use testsmith::contracts::{Kind, Moment, violation_of};
use testsmith::*;

struct Cache {
    map: HashMap<u32, String>,
    misses: u32,
}

#[invariant(self.misses as usize >= self.map.len())]
impl Cache {
    /// Returns a borrow on one way and changes the map on the other.
    #[requires(key != 13)]
    pub fn get_or_insert(&mut self, key: u32) -> &mut String {
        if self.map.contains_key(&key) {
            return self.map.get_mut(&key).expect("just seen");
        }
        self.misses += 1;
        self.map.entry(key).or_insert_with(|| key.to_string())
    }

    #[ensures(ret.is_none() || self.misses > 0)]
    pub fn peek(&self, key: u32) -> Option<&str> {
        let text = self.map.get(&key)?;
        Some(text)
    }

    pub fn keys<'a>(&'a mut self) -> Box<dyn Iterator<Item = &'a u32> + 'a> {
        self.misses += 1;
        Box::new(self.map.keys())
    }

    pub fn values(&mut self) -> impl Iterator<Item = &mut String> {
        self.map.values_mut()
    }
}

#[test]
fn results_that_borrow_compile_and_work() {
    let mut cache = Cache { map: HashMap::new(), misses: 0 };
    cache.get_or_insert(1).push('!');
    assert_eq!(cache.get_or_insert(1), "1!");
    assert_eq!((cache.peek(1), cache.peek(2)), (Some("1!"), None));
    assert_eq!(cache.keys().count(), 1);
    assert_eq!(cache.values().count(), 1);
    assert!(violation_of(|| cache.get_or_insert(13).len()).is_some());
}

macro_rules! bounded {
    ($name:ident, $ty:ty, $low:expr, $result:ident) => {
        #[requires(value >= $low)]
        #[ensures(ret >= $low, |$result| *$result == value)]
        fn $name(value: $ty) -> $ty {
            value
        }
    };
}

bounded!(natural, i32, 0, r);
bounded!(above_two, u8, 2, result);

#[test]
fn functions_that_macros_write_carry_contracts() {
    assert_eq!((natural(3), above_two(2)), (3, 2));
    assert_eq!(violation_of(|| natural(-1)).map(|v| v.kind), Some(Kind::Requires));
    assert_eq!(violation_of(|| above_two(1)).map(|v| v.kind), Some(Kind::Requires));
}

#[requires(N > 0, !items.is_empty())]
#[ensures(ret.as_ref().is_ok_and(|chunks| chunks.clone().count() * N >= items.len()))]
fn chunks<'a, T, const N: usize>(
    items: &'a [T],
) -> Result<impl Iterator<Item = &'a [T]> + Clone + use<'a, T, N>, String>
where
    T: PartialEq + 'a,
{
    if items.len() > 100 {
        Err("too long".to_owned())?;
    }
    Ok(items.chunks(N))
}

#[ensures(ret(1) == 1 + by)]
fn adder(by: i32) -> impl Fn(i32) -> i32 {
    move |x| x + by
}

#[requires(f.is_some())]
fn call<F>(f: Option<F>) -> i32
where
    F: FnOnce() -> i32,
{
    f.map_or(0, |f| f())
}

#[test]
fn opaque_types_const_generics_and_closures() {
    assert_eq!(chunks::<_, 2>(&[1, 2, 3]).map(Iterator::count), Ok(2));
    assert_eq!(adder(2)(3), 5);
    let text = String::from("moved");
    assert_eq!(call(Some(move || text.len() as i32)), 5);
    assert!(violation_of(|| call(None::<fn() -> i32>)).is_some());
}

#[derive(Debug)]
struct Node<'a> {
    name: &'a str,
    depth: u32,
}

#[invariant(!self.name.is_empty())]
impl<'a> Node<'a> {
    #[ensures(ret.name == name)]
    pub fn new(name: &'a str) -> Self {
        Node { name, depth: 0 }
    }

    #[ensures(ret == old(self.name))]
    pub fn rename(&mut self, name: &'a str) -> &'a str {
        std::mem::replace(&mut self.name, name)
    }

    #[requires(self.depth < 9)]
    pub fn sink(mut self: Box<Self>) -> Box<Self> {
        self.depth += 1;
        self
    }

    #[requires(self.depth < 9)]
    #[ensures(ret >= 1)]
    pub fn shared(self: Rc<Self>) -> usize {
        Rc::strong_count(&self)
    }

    #[ensures(self.depth == old(self.depth) + 1)]
    pub fn pinned(mut self: Pin<&mut Self>) {
        self.as_mut().depth += 1;
    }
}

#[test]
fn lifetimes_of_the_block_and_receivers_of_any_type() {
    let mut node = Node::new("a");
    assert_eq!(node.rename("b"), "a");
    Pin::new(&mut node).pinned();
    assert_eq!(Box::new(node).sink().depth, 2);
    assert_eq!(Rc::new(Node::new("c")).shared(), 1);
    assert_eq!(violation_of(|| Node::new("")).map(|v| v.kind), Some(Kind::Invariant));
    assert_eq!(violation_of(|| Node::new("d").rename("")).map(|v| v.kind), Some(Kind::Invariant));
}

#[derive(Debug, Clone, PartialEq)]
#[invariant(!matches!(self, Light::Blinking(0)), "a light blinks at some rate")]
enum Light {
    Off,
    Blinking(u8),
}

#[invariant]
impl Light {
    pub fn slower(&mut self) {
        if let Light::Blinking(rate) = self {
            *rate -= 1;
        }
    }
}

#[invariant]
impl std::str::FromStr for Light {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text.is_empty() { Light::Off } else { Light::Blinking(text.parse()?) })
    }
}

#[test]
fn invariants_of_enumerations() {
    let mut light: Light = "2".parse().expect("a number");
    light.slower();
    assert!("x".parse::<Light>().is_err() && "".parse() == Ok(Light::Off));
    let violation = violation_of(|| light.slower()).expect("the rate is 0");
    assert_eq!(violation.clause.message.as_deref(), Some("a light blinks at some rate"));
    assert!(violation_of(|| "0".parse::<Light>()).is_some());
}

#[contract_trait]
trait Machine<T: Copy + PartialEq + 'static> {
    type Part: Default;
    const LIMIT: usize = 3;

    fn parts(&self) -> &[Self::Part];

    #[requires(self.parts().len() < Self::LIMIT)]
    #[ensures(self.parts().len() == old(self.parts().len()) + 1)]
    fn add(&mut self, part: Self::Part, _tag: T);

    #[ensures(|made| made.len() == n)]
    fn make<const FILL: u8>(n: usize, with: impl Fn(u8) -> T) -> Vec<T>
    where
        Self: Sized,
    {
        (0..n).map(|_| with(FILL)).collect()
    }

    #[requires(*n > 0)]
    #[ensures(*n == old(*n) - 1)]
    async fn wait(&mut self, n: &mut u32);

    /// # Safety
    /// None is needed: it is only marked.
    #[requires(at < self.parts().len())]
    unsafe fn part(&self, at: usize) -> &Self::Part;

    fn into_parts(self: Box<Self>) -> Vec<Self::Part>;
}

#[derive(Default)]
struct Lathe(Vec<u16>);

#[contract_trait]
impl Machine<char> for Lathe {
    type Part = u16;

    fn parts(&self) -> &[u16] {
        &self.0
    }

    fn add(&mut self, part: u16, _tag: char) {
        self.0.push(part);
    }

    async fn wait(&mut self, n: &mut u32) {
        *n -= 1 + u32::from(self.0.is_empty());
    }

    unsafe fn part(&self, at: usize) -> &u16 {
        &self.0[at]
    }

    fn into_parts(self: Box<Self>) -> Vec<u16> {
        self.0
    }
}

fn ready<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => panic!("it is always ready"),
    }
}

#[test]
fn traits_with_everything_in_them() {
    let mut lathe = Lathe::default();
    assert!(violation_of(|| ready(lathe.wait(&mut 5))).is_some());
    lathe.add(7, 'a');
    ready(lathe.wait(&mut 5));
    assert_eq!(Lathe::make::<65>(2, char::from), ['A', 'A']);
    // SAFETY: nothing is asked.
    assert_eq!(unsafe { *lathe.part(0) }, 7);
    // SAFETY: as above.
    assert!(violation_of(|| unsafe { *lathe.part(1) }).is_some());
    lathe.add(8, 'b');
    lathe.add(9, 'c');
    assert_eq!(violation_of(|| lathe.add(1, 'd')).map(|v| v.depth), Some(0));
    assert_eq!(Box::new(lathe).into_parts(), [7, 8, 9]);
}

struct Door {
    open: bool,
    moves: u32,
}

#[invariant(!self.open || self.moves > 0)]
impl Door {
    /// Public methods of the same object may meet it half-way, also across an
    /// await.
    pub async fn swing(&mut self) -> u32 {
        self.open = true;
        std::future::ready(()).await;
        self.count().await
    }

    pub async fn count(&mut self) -> u32 {
        self.moves += 1;
        self.moves
    }

    pub async fn jam(&mut self) {
        self.open = true;
        self.moves = 0;
    }
}

#[test]
fn invariants_around_async_methods() {
    let mut door = Door { open: false, moves: 0 };
    assert_eq!(ready(door.swing()), 1);
    assert_eq!(violation_of(|| ready(door.jam())).map(|v| v.kind), Some(Kind::Invariant));
}

#[requires(n <= 20)]
#[ensures(n < 2 || ret == n as u64 * old(factorial(n.saturating_sub(1))))]
#[must_use]
#[inline]
fn factorial(n: u32) -> u64 {
    match n {
        0 => 1,
        n => u64::from(n) * factorial(n - 1),
    }
}

#[test]
fn a_function_may_be_specified_by_itself() {
    assert_eq!(factorial(5), 120);
    let violation = violation_of(|| factorial(21)).expect("too great");
    assert_eq!(violation.depth, 0);
}

#[requires(matches!(r#type, 1..=9), r#type != 5)]
#[ensures(ret == old(r#type))]
pub fn r#match(r#type: u32) -> u32 {
    r#type
}

/// Its bodies take the pinned reference away, lend it, and use it up.
struct Pinned {
    low: u32,
    high: u32,
}

#[invariant(self.low <= self.high)]
impl Pinned {
    #[ensures(self.low == old(self.low) + by)]
    pub fn shift(self: Pin<&mut Self>, by: u32) -> u32 {
        struct Twice(u32);
        impl Twice {
            fn get(&self) -> u32 {
                self.0 * 2
            }
        }
        let this = self.get_mut();
        this.low += by;
        this.high += if by == 3 { 0 } else { Twice(by).get() };
        vec![this.low][0]
    }

    pub fn reset(mut self: Pin<&mut Self>, low: u32) -> Option<u32> {
        self.as_mut().low = low;
        let all = format!("{}", self.high);
        self.as_mut().shift(0);
        all.parse().ok()
    }

    pub fn low(self: Pin<&mut Self>) -> &mut u32 {
        &mut self.get_mut().low
    }
}

#[test]
fn a_pinned_object_is_checked_after_its_reference_is_gone() {
    let mut pinned = Pinned { low: 1, high: 2 };
    assert_eq!(Pin::new(&mut pinned).shift(2), 3);
    assert_eq!(Pin::new(&mut pinned).reset(6), Some(6));
    *Pin::new(&mut pinned).low() = 5;
    let violation = violation_of(|| Pin::new(&mut pinned).shift(3)).expect("it is upside down");
    assert_eq!((violation.kind, violation.moment), (Kind::Invariant, Moment::After));
    let mut pinned = Pinned { low: 1, high: 2 };
    let violation = violation_of(|| Pin::new(&mut pinned).reset(3)).expect("this one as well");
    assert_eq!(violation.clause.function, "reset");
}

unsafe fn is_one(n: u32) -> bool {
    n == 1
}

/// # Safety
/// None is needed: it is only marked.
#[requires(
    // SAFETY: `is_one` asks for nothing.
    unsafe { is_one(n) }
)]
pub unsafe fn only_one(n: u32) -> u32 {
    n
}

#[test]
fn raw_names_and_unsafe_companions() {
    assert_eq!((r#match(3), __testsmith_requires_match(&3)), (3, Ok(())));
    let violation = violation_of(|| r#match(5)).expect("5 is refused");
    assert_eq!((violation.clause.function.as_str(), violation.clause.index), ("match", 1));
    // SAFETY: nothing is asked.
    assert_eq!(unsafe { (only_one(1), __testsmith_requires_only_one(&2)) }, (1, Err(0)));
}

/// Parameters named like the variables of an expansion.
#[requires(scope < during && left != right, outcome == active || notes > text)]
#[ensures(running + object == old(running) + ret, left < right && !(watch == due))]
#[allow(clippy::too_many_arguments)]
fn namesakes(
    scope: u32,
    during: u32,
    left: u32,
    right: u32,
    outcome: u32,
    active: u32,
    notes: u32,
    text: u32,
    running: u32,
    object: u32,
    watch: u32,
    due: u32,
) -> u32 {
    let (before, part, invariant) = (outcome, active, notes);
    let _ = (before, part, invariant, scope, during, left, right, text, running, watch, due);
    object
}

#[test]
fn names_in_expansions_do_not_clash_with_the_users() {
    assert_eq!(namesakes(1, 2, 3, 4, 5, 5, 0, 0, 6, 7, 8, 9), 7);
    let violation = violation_of(|| namesakes(1, 2, 4, 3, 5, 5, 0, 0, 6, 7, 8, 9));
    let violation = violation.expect("left is not less than right");
    let values: Vec<String> =
        violation.values.iter().map(|n| format!("{}={}", n.label, n.value)).collect();
    assert_eq!(values, ["left=4", "right=3"]);
    let violation = violation_of(|| namesakes(2, 2, 4, 3, 5, 5, 0, 0, 6, 7, 8, 9));
    assert_eq!(violation.expect("scope is not less than during").arguments.len(), 12);
}
