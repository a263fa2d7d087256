//! Every function twice, with and without its contract: as long as the contract holds,
//! both do the same, whatever shape the function has; and where it is broken, the one to
//! blame is named.
#![recursion_limit = "4096"]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use testsmith::contracts::{Kind, Moment, violation_of};

/// The items twice: with their contracts, and without.
macro_rules! twins {
    ($($items:tt)*) => {
        #[allow(unused, clippy::all)]
        mod plain {
            use super::*;
            strip! { [] $($items)* }
        }
        #[allow(unused, clippy::all)]
        mod contracted {
            use super::*;
            use testsmith::*;
            $($items)*
        }
    };
}

/// Leaves the contracts out, also those inside of one pair of braces. They are told from
/// other attributes by being written as `#[testsmith::name(..)]`.
macro_rules! strip {
    ([$($done:tt)*]) => { $($done)* };
    ([$($done:tt)*] #[testsmith::$name:ident $($arguments:tt)*] $($rest:tt)*) => {
        strip! { [$($done)*] $($rest)* }
    };
    ([$($done:tt)*] { $($inner:tt)* } $($rest:tt)*) => {
        strip! { @inside [$($done)*] [] { $($inner)* } $($rest)* }
    };
    ([$($done:tt)*] $next:tt $($rest:tt)*) => { strip! { [$($done)* $next] $($rest)* } };
    (@inside [$($done:tt)*] [$($inner:tt)*] {} $($rest:tt)*) => {
        strip! { [$($done)* { $($inner)* }] $($rest)* }
    };
    (@inside [$($done:tt)*] [$($inner:tt)*]
        { #[testsmith::$name:ident $($arguments:tt)*] $($more:tt)* } $($rest:tt)*) => {
        strip! { @inside [$($done)*] [$($inner)*] { $($more)* } $($rest)* }
    };
    (@inside [$($done:tt)*] [$($inner:tt)*] { $next:tt $($more:tt)* } $($rest:tt)*) => {
        strip! { @inside [$($done)*] [$($inner)* $next] { $($more)* } $($rest)* }
    };
}

twins! {
    #[testsmith::requires(!items.is_empty())]
    #[testsmith::ensures(items.contains(ret))]
    pub fn greatest<'a, T>(items: &'a [T]) -> &'a T where T: Ord {
        items.iter().max().unwrap()
    }

    #[testsmith::ensures(ret.clone().count() == old(items.len()))]
    pub fn doubled<'a>(items: &'a [u32]) -> impl Iterator<Item = u32> + Clone + use<'a> {
        items.iter().map(|item| item * 2)
    }

    #[testsmith::requires(text.to_string().len() < 100)]
    #[testsmith::ensures(ret.len() >= 2)]
    pub fn quoted(text: impl Display) -> String {
        format!("'{text}'")
    }

    #[testsmith::ensures(ret.is_err() -> old(text.len()) != 3, ret.is_ok() ==> ret != Ok(0))]
    pub fn parsed(text: &str) -> Result<u32, String> {
        if text.is_empty() {
            return Err("empty".to_owned());
        }
        let number: u32 = text.parse().map_err(|error| format!("{error}"))?;
        if number == 0 { Err("zero".to_owned()) } else { Ok(number) }
    }

    #[testsmith::ensures(ret.is_none_or(|(x, y)| grid[y][x] == wanted))]
    pub fn found(grid: &[Vec<u8>], wanted: u8) -> Option<(usize, usize)> {
        let place = 'search: {
            'rows: for (y, row) in grid.iter().enumerate() {
                for (x, cell) in row.iter().enumerate() {
                    if *cell == wanted {
                        break 'search Some((x, y));
                    }
                    if *cell > 200 {
                        continue 'rows;
                    }
                }
            }
            None
        };
        place
    }

    #[testsmith::requires(low <= high)]
    #[testsmith::ensures(ret == high - low)]
    pub fn width((low, high): (u32, u32)) -> u32 {
        high - low
    }

    #[testsmith::ensures(ret == a * 2 + b)]
    pub fn with_inner_items(a: u32, b: u32) -> u32 {
        const TWO: u32 = 2;
        fn times(a: u32) -> u32 {
            return a * TWO;
        }
        let closure = |x: u32| {
            if x > 1000 { return 0; }
            x
        };
        times(a) + closure(b)
    }

    #[testsmith::ensures(*total == old(*total) + old(by.clone()).iter().sum::<u32>())]
    pub fn add_all(total: &mut u32, by: Vec<u32>) {
        for by in by {
            *total += by;
        }
    }

    #[testsmith::requires(n < 90)]
    #[testsmith::ensures(ret >= n as u64 / 2)]
    pub const fn fibonacci(n: u32) -> u64 {
        let (mut a, mut b, mut i) = (0, 1, 0);
        while i < n {
            (a, b) = (b, a + b);
            i += 1;
        }
        a
    }

    #[testsmith::requires(!pointer.is_null())]
    pub unsafe fn read(pointer: *const u32) -> u32 {
        // SAFETY: the caller vouches for the pointer.
        unsafe { *pointer }
    }

    #[testsmith::ensures(ret.len() == N)]
    pub fn array<const N: usize, T: Copy + Default>() -> [T; N] {
        [T::default(); N]
    }

    #[testsmith::ensures(ret(1) == n + 1)]
    pub fn adder(n: u32) -> Box<dyn Fn(u32) -> u32> {
        Box::new(move |m| n + m)
    }

    #[testsmith::requires(*n > 0)]
    #[testsmith::ensures(*n == old(*n) + ret)]
    pub async fn later(n: &mut u32, by: u32) -> u32 {
        for _ in 0..by {
            Twice(false).await;
            *n += 1;
        }
        if by > 100 { return by; }
        by
    }

    #[testsmith::ensures(map.get(&key).is_some())]
    pub fn entry<'m, K: Ord + Copy>(map: &'m mut BTreeMap<K, Vec<u8>>, key: K) -> usize {
        map.entry(key).or_default().push(1);
        map.len()
    }

    #[testsmith::ensures(ret <= 255)]
    pub extern "C" fn foreign(n: u32) -> u32 { n % 256 }

    #[testsmith::requires(n > 0)]
    #[track_caller]
    pub fn tracked(n: u32) -> u32 { std::panic::Location::caller().line() / n }

    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Stack<T: Clone> { pub items: Vec<T>, limit: usize }

    #[testsmith::invariant(self.items.len() <= self.limit)]
    impl<T: Clone + PartialEq + Debug> Stack<T> {
        pub fn new(limit: usize) -> Self { Stack { items: Vec::new(), limit } }

        #[testsmith::requires(self.items.len() < self.limit)]
        #[testsmith::ensures(ret.items.last() == Some(&old(item.clone())))]
        pub fn push(&mut self, item: T) -> &mut Self {
            self.items.push(item);
            self
        }

        pub fn push_all(&mut self, items: &[T]) -> Result<usize, String> {
            for item in items {
                if self.is_full() { Err(format!("no room for {item:?}"))?; }
                self.push(item.clone());
            }
            Ok(self.items.len())
        }

        #[testsmith::pure]
        pub fn is_full(&self) -> bool { self.items.len() == self.limit }

        #[testsmith::ensures(ret == old(self.items.clone()))]
        pub fn into_items(self) -> Vec<T> { self.items }

        #[testsmith::ensures(ret.items == old(self.items.clone()))]
        pub fn boxed(self: Box<Self>) -> Stack<T> { *self }

        #[testsmith::ensures(ret == self.items.len())]
        pub fn counted(self: Rc<Self>) -> usize { self.items.len() }

        #[testsmith::ensures(self.items.is_empty())]
        pub fn pinned(mut self: Pin<&mut Self>) -> usize where T: Unpin {
            let count = self.items.len();
            self.items.clear();
            count
        }

        #[testsmith::ensures(self.items.len() == old(self.items.len()))]
        pub fn turn(&mut self) { self.items.reverse() }

        pub async fn slowly(&mut self, item: T) -> bool {
            Twice(false).await;
            let full = self.is_full();
            if !full { self.push(item); }
            full
        }
    }
}

/// A future that waits once.
struct Twice(bool);

impl Future for Twice {
    type Output = ();

    /// Ready at the second poll.
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Polls to the end; how often, and what came of it.
fn finish<F: Future>(future: F) -> (u32, F::Output) {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    let mut polls = 1;
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return (polls, value),
            Poll::Pending => polls += 1,
        }
    }
}

/// Evaluates the same expression for both modules and compares.
macro_rules! both {
    (|$twin:ident| $body:expr) => {{
        let without = {
            #[allow(unused_imports)]
            use plain as $twin;
            $body
        };
        let with = {
            #[allow(unused_imports)]
            use contracted as $twin;
            $body
        };
        assert_eq!(without, with, "{}", stringify!($body));
    }};
}

#[test]
fn functions_do_the_same_with_their_contracts() {
    for items in [vec![1, 7, 3], vec![5], vec![2, 2]] {
        both!(|twin| *twin::greatest(&items));
        both!(|twin| twin::doubled(&items).collect::<Vec<_>>());
        both!(|twin| {
            let mut total = 4;
            twin::add_all(&mut total, items.clone());
            total
        });
    }
    for text in ["", "0", "12", "x", "123"] {
        both!(|twin| twin::parsed(text));
        both!(|twin| twin::quoted(text));
    }
    for wanted in [0, 4, 9, 250] {
        both!(|twin| twin::found(&[vec![1, 201, 4], vec![], vec![9, 4, 250]], wanted));
    }
    for n in 0..8_u32 {
        both!(|twin| twin::width((n, n * n + 1)));
        both!(|twin| twin::with_inner_items(n, n * 100));
        both!(|twin| twin::fibonacci(n * 11));
        both!(|twin| twin::adder(n)(n));
        both!(|twin| twin::foreign(n * 100));
        both!(|twin| twin::tracked(n + 1));
        both!(|twin| {
            let mut k = 1;
            let polled = finish(twin::later(&mut k, n));
            (polled, k)
        });
        // SAFETY: the pointer is one to a live number.
        both!(|twin| unsafe { twin::read(&raw const n) });
        both!(|twin| {
            let mut map = BTreeMap::new();
            (0..n).map(|k| twin::entry(&mut map, k / 2)).collect::<Vec<_>>()
        });
    }
    both!(|twin| twin::array::<3, u8>());
    const EIGHTH: (u64, u64) = (plain::fibonacci(8), contracted::fibonacci(8));
    assert_eq!(EIGHTH, (21, 21));
}

#[test]
fn methods_do_the_same_with_their_contracts() {
    both!(|twin| {
        let mut stack = twin::Stack::new(4);
        stack.push(1).push(2);
        let result = stack.push_all(&[3, 4, 5]);
        stack.turn();
        let full = finish(stack.slowly(9));
        let counted = Rc::new(stack.clone()).counted();
        let mut copy = stack.clone();
        let pinned = Pin::new(&mut copy).pinned();
        (result, full, counted, pinned, copy.items, Box::new(stack).boxed().into_items())
    });
}

/// Kind, moment, depth and function of the violation that code ends in.
fn blame<R>(code: impl FnOnce() -> R) -> (Kind, Moment, u32, String) {
    let violation = violation_of(code).expect("a violation");
    (violation.kind, violation.moment, violation.depth, violation.clause.function)
}

#[test]
fn a_broken_contract_names_the_one_to_blame() {
    use Kind::{Ensures, Invariant, Requires};
    use Moment::{After, Before};
    use contracted::*;
    let check = |found: (Kind, Moment, u32, String), kind, moment, depth, name: &str| {
        assert_eq!(found, (kind, moment, depth, name.to_owned()));
    };
    check(blame(|| *greatest::<u8>(&[])), Requires, Before, 0, "greatest");
    check(blame(|| parsed("00x")), Ensures, After, 0, "parsed");
    check(blame(|| width((2, 1))), Requires, Before, 0, "width");
    check(blame(|| with_inner_items(1, 1001)), Ensures, After, 0, "with_inner_items");
    check(blame(|| fibonacci(90)), Requires, Before, 0, "fibonacci");
    check(blame(|| tracked(0)), Requires, Before, 0, "tracked");
    check(blame(|| finish(later(&mut 0, 1))), Requires, Before, 0, "later");
    // SAFETY: the precondition refuses it before it is read.
    check(blame(|| unsafe { read(std::ptr::null()) }), Requires, Before, 0, "read");
    check(blame(|| Stack::new(0).push(1).clone()), Requires, Before, 0, "push");
    let upside_down = RefCell::new(Stack::new(1));
    upside_down.borrow_mut().items = vec![1, 2];
    check(blame(|| upside_down.borrow_mut().turn()), Invariant, Before, 0, "turn");
    check(blame(|| upside_down.into_inner().into_items()), Invariant, Before, 0, "into_items");
}
