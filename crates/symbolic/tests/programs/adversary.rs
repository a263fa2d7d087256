//! Programs that try to make the interpreter lie: each holds, fails on few inputs, or
//! must not be decided, as the tests of this crate say.
#![allow(clippy::all, static_mut_refs)]

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};
use std::mem::MaybeUninit;
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

mod harness;
use harness::Input;

thread_local! {
    static PLAIN: Cell<u32> = const { Cell::new(7) };
    static LISTED: RefCell<Vec<u32>> = RefCell::new(vec![1, 2]);
}

static ONCE: OnceLock<u32> = OnceLock::new();
static mut TABLE: [u32; 8] = [9; 8];
static ACTIONS: [fn(u32) -> u32; 4] = [|x| x + 1, |x| x / 2, |x| x ^ 0x55, |x| 1000 / (x - 0xbeef)];

#[repr(C)]
#[derive(Clone, Copy, PartialEq)]
struct Padded { small: u8, large: u32 }

struct Noisy<'a>(&'a Cell<u32>, u32);
impl Drop for Noisy<'_> {
    fn drop(&mut self) { self.0.set(self.0.get() * 10 + self.1) }
}

programs! {
    volatile(input) {
        let mut cell = 0u32;
        let pointer = &raw mut cell;
        unsafe { pointer.write_volatile(input.u32().rotate_left(9)) };
        assert!(unsafe { pointer.read_volatile() } != 0xdead_beef);
        0
    }
    atomics(input) {
        let word = AtomicU32::new(input.u32());
        word.fetch_add(17, Ordering::SeqCst);
        word.fetch_xor(0x0f0f_0f0f, Ordering::Relaxed);
        let largest = AtomicI32::new(-5);
        largest.fetch_max(word.load(Ordering::Acquire) as i32, Ordering::AcqRel);
        let exchanged = word.compare_exchange(0x1234_5678, 1, Ordering::SeqCst, Ordering::SeqCst);
        assert!(exchanged.is_err() || largest.load(Ordering::Relaxed) != 0x1234_5678);
        0
    }
    atomic_sums(input) {
        let sum = AtomicU64::new(5);
        let x = input.u64();
        let before = sum.fetch_sub(x, Ordering::Relaxed);
        assert!(before == 5 && sum.swap(3, Ordering::Relaxed) == 5u64.wrapping_sub(x));
        assert!(sum.fetch_min(x, Ordering::Relaxed) == 3 && sum.into_inner() == x.min(3));
        0
    }
    assembly(input) {
        let x = input.u64();
        let y: u64;
        unsafe { std::arch::asm!("lea {0}, [{1} + 1]", out(reg) y, in(reg) x) };
        i64::from(y > x)
    }
    locals_of_the_thread(input) {
        let x = input.u32();
        PLAIN.with(|cell| cell.set(cell.get().wrapping_mul(x)));
        LISTED.with(|list| list.borrow_mut().push(PLAIN.get()));
        let last = LISTED.with(|list| list.borrow()[2]);
        PLAIN.set(7);
        LISTED.with(|list| list.borrow_mut().pop());
        assert!(last != 0xfffffffa);
        0
    }
    set_once(input) {
        // In a fresh process, which every path is.
        let x = input.u32();
        assert!(*ONCE.get_or_init(|| x) == x);
        0
    }
    mutable_table(input) {
        let (at, look, x) = (input.u8() & 7, input.u8() & 7, input.u32());
        let found = unsafe {
            TABLE[at as usize] = x;
            let found = TABLE[look as usize];
            TABLE[at as usize] = 9;
            found
        };
        assert!(found == 9 || (at == look && found != 77));
        0
    }
    partly_written(input) {
        let mut list: [MaybeUninit<u32>; 4] = [MaybeUninit::uninit(); 4];
        let at = usize::from(input.u8() & 3);
        list[at].write(input.u32());
        assert!(unsafe { list[at].assume_init() } != 0x00c0_ffee);
        0
    }
    padding(input) {
        let value = Padded { small: input.u8(), large: input.u32() };
        let mut list = vec![Padded { small: 1, large: 2 }; 3];
        list[1] = value;
        let copy = list.clone();
        assert!(copy[1] == value && (copy[1].small != 3 || copy[1].large != 0x8000_0003));
        0
    }
    address_of_heap(input) {
        let boxed = Box::new(input.u32());
        let address = &raw const *boxed as usize;
        assert!(address & 0xfff != 0x123 && address % 64 == 16);
        0
    }
    order_of_addresses(input) {
        let (a, b) = (Box::new(input.u8()), Box::new(1u8));
        assert!((&raw const *a) < (&raw const *b));
        0
    }
    order_of_the_stack(input) {
        let (a, b) = (input.u8(), 2u8);
        assert!((&raw const a) as usize > (&raw const b) as usize);
        0
    }
    address_and_input(input) {
        let x = input.u64();
        let boxed = Box::new(1u8);
        assert!(x != &raw const *boxed as u64);
        0
    }
    alignment(input) {
        let list = vec![input.u8(), 2, 3, 4, 5, 6, 7, 8];
        let (head, _, _) = unsafe { list.align_to::<u32>() };
        assert!(head.is_empty());
        0
    }
    alignment_that_is_owed(input) {
        let list = vec![input.u64(), 2];
        assert!((list.as_ptr() as usize).is_multiple_of(8));
        0
    }
    wide_multiply(input) {
        let x = u128::from(input.u64());
        let high = (x * 0x9e37_79b9_7f4a_7c15) >> 64;
        assert!(high != 0x1234_5678_9abc_def0);
        0
    }
    wide_divide(input) {
        let x = i128::from(input.i32()) << 70 | 0x55;
        assert!(x / -3 != -21666666666666666666666666666666i128 / 7 && x % 1000 != 997);
        0
    }
    wide_overflow(input) {
        let (x, y) = (u128::from(input.u64()) << 40, u128::from(input.u64()) << 30);
        i64::from(x.checked_mul(y).is_none())
    }
    through_a_float(input) {
        let x = input.u64();
        assert!(x > 1 << 53 || (x as f64) as u64 == x);
        0
    }
    through_a_float_everywhere(input) {
        let x = input.u64();
        assert!(x > (1 << 53) + 1 || (x as f64) as u64 == x);
        0
    }
    through_a_single(input) {
        let x = input.i32();
        assert!(x.unsigned_abs() > 1 << 24 || (x as f32) as i32 == x);
        0
    }
    shifts(input) {
        let (x, n) = (input.u32(), u32::from(input.u8()));
        let naive = |n: u32| if n < 32 { x << n } else { 0 };
        assert!(x.checked_shl(n) == (n < 32).then(|| naive(n)));
        assert!(x.wrapping_shl(n) == naive(n % 32) && x.overflowing_shl(n).1 == (n >= 32));
        assert!(x.unbounded_shl(n) == naive(n) && (x as i32).unbounded_shr(n) == (x as i32) >> n.min(31));
        0
    }
    shift_too_far(input) {
        let (x, n) = (input.u32(), u32::from(input.u8()) & 32);
        i64::from(x << n)
    }
    least_by_minus_one(input) {
        let (x, y) = (input.i32(), input.i32());
        if y == 0 { return 0 }
        i64::from(x / y)
    }
    least_by_minus_one_wrapping(input) {
        let (x, y) = (input.i32(), -1);
        assert!(x.wrapping_div(y) == x.wrapping_neg() && x.wrapping_rem(y) == 0);
        assert!(x.checked_div(y).is_none() == (x == i32::MIN) && x.overflowing_div(y).1 == (x == i32::MIN));
        assert!(x.unsigned_abs() as i64 == (x as i64).abs());
        0
    }
    vectors(input) {
        use std::arch::x86_64::*;
        let bytes: [u8; 16] = input.take();
        let packed = unsafe {
            let list = _mm_loadu_si128(bytes.as_ptr().cast());
            let sum = _mm_adds_epu8(list, _mm_set1_epi8(100));
            _mm_movemask_epi8(_mm_cmpeq_epi8(sum, _mm_set1_epi8(-1)))
        };
        let expected = bytes.iter().enumerate().map(|(n, b)| i32::from(*b >= 155) << n).sum::<i32>();
        assert!(packed == expected && packed != 0b1010_0101_1100_0011);
        0
    }
    vectors_unknown(input) {
        use std::arch::x86_64::*;
        let bytes: [u8; 16] = input.take();
        let sum = unsafe {
            let list = _mm_loadu_si128(bytes.as_ptr().cast());
            _mm_cvtsi128_si32(_mm_sad_epu8(list, _mm_setzero_si128()))
        };
        i64::from(sum > 4)
    }
    compared_with_lengths(input) {
        let (n, m) = (usize::from(input.u8() % 5), usize::from(input.u8() % 5));
        let (a, b): ([u8; 4], [u8; 4]) = (input.take(), [1, 2, 3, 4]);
        assert!(a[..n] != b[..m] || n < 3);
        0
    }
    text_of_any_length(input) {
        let n = usize::from(input.u8());
        let Some(text) = input.0.get(..n) else { return 0 };
        assert!(text != b"smith" && !text.ends_with(b"est"));
        0
    }
    moved_within(input) {
        let mut list: [u8; 6] = input.take();
        let (from, to) = (usize::from(input.u8() & 3), usize::from(input.u8() & 3));
        let before = list;
        list.copy_within(from..from + 3, to);
        assert!(list[to..to + 3] == before[from..from + 3]);
        assert!(list[5] == before[5] || before[4] != 200);
        0
    }
    actions(input) {
        let (which, x) = (input.u8(), input.u32() & 0xffff);
        i64::from(ACTIONS[usize::from(which % 4)](x + 0x10000 * u32::from(which % 4 != 3)))
    }
    dropped(input) {
        let order = Cell::new(0);
        {
            let _a = Noisy(&order, 1);
            let b = Rc::new(Noisy(&order, 2));
            let kept = if input.u8() == 99 { Some(Rc::clone(&b)) } else { None };
            drop(b);
            drop(Noisy(&order, 3));
            drop(kept);
        }
        assert!(order.get() == 231, "{}", order.get());
        0
    }
    hash_retained(input) {
        let mut set: HashSet<u8> = [input.u8(), input.u8()].into_iter().collect();
        let mut first = None;
        set.retain(|x| { first.get_or_insert(*x); true });
        assert!(set.len() == 1 || first != set.contains(&3).then_some(3));
        0
    }
    hash_popped(input) {
        let mut map: HashMap<u8, u8> = [(input.u8(), 1), (input.u8(), 2)].into_iter().collect();
        let taken = map.extract_if(|_, _| true).next();
        assert!(map.len() == 0 || taken.is_some_and(|entry| entry.1 == 1));
        0
    }
    hash_as_number(input) {
        let mut hasher = DefaultHasher::new();
        input.u32().hash(&mut hasher);
        assert!(hasher.finish() % 16 != 5);
        0
    }
    hash_by_state(input) {
        let state = std::hash::RandomState::new();
        assert!(state.hash_one(input.u32()) % 16 != 5);
        0
    }
    leaves_the_process(input) {
        if input.u8() == 9 { std::process::exit(0) }
        0
    }
    float_absorbed(input) {
        let x = input.f64();
        assert!(!(x > 0.0 && x < 9007199254740994.0) || x + 1.0 > x);
        0
    }
    float_counted(input) {
        let x = input.f64();
        assert!(!(x > 0.0 && x < 9007199254740992.0) || x + 1.0 > x);
        0
    }
    float_of_itself(input) {
        let x = input.f32();
        assert!(x.is_nan() || x.is_infinite() || x - x == 0.0);
        0
    }
    float_halved(input) {
        let x = input.f64();
        assert!(!x.is_finite() || x * 0.5 * 2.0 == x);
        0
    }
    float_halved_normally(input) {
        let x = input.f64();
        assert!(x.is_nan() || x.abs() < 1e-300 || x * 0.5 * 2.0 == x);
        0
    }
    float_one_value(input) {
        let x = input.f32();
        assert!(x * 3.0 != 123.456);
        0
    }
    float_whole(input) {
        let x = input.f32();
        assert!(x.is_nan() || x.floor() <= x && x.ceil() >= x && x.trunc().abs() <= x.abs());
        assert!(x.floor() != 42.0 || x.round() != 43.0 || x.round_ties_even() == 43.0);
        0
    }
    float_zeros(input) {
        let (x, y) = (input.f32(), input.f32());
        i64::from(x.min(y).is_sign_negative())
    }
    float_root(input) {
        i64::from(f64::from(input.i32()).sqrt() > 3.0)
    }
}
