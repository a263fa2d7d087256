//! Programs over two bytes, each run on all 65,536 inputs by the tests.
//!
//! They are there for the variety of what the compiler makes of them.
#![allow(clippy::all)]

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

#[unsafe(no_mangle)]
pub extern "C" fn replay(program: extern "Rust" fn(*const u8, usize) -> i64, data: *const u8, len: usize) -> i64 {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    std::panic::catch_unwind(|| program(data, len)).unwrap_or(i64::MIN)
}

macro_rules! programs {
    ($($name:ident($a:ident, $b:ident) $body:block)*) => { $(
        #[unsafe(no_mangle)]
        pub fn $name(data: *const u8, len: usize) -> i64 {
            let bytes = unsafe { std::slice::from_raw_parts(data, len) };
            let ($a, $b) = (bytes[0], bytes[1]);
            $body
        }
    )* };
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
enum Colour { Red, Green(u8), Blue { x: i8, y: bool } }

fn colour(a: u8, b: u8) -> Colour {
    match a % 3 { 0 => Colour::Red, 1 => Colour::Green(b), _ => Colour::Blue { x: b as i8, y: a > 99 } }
}

programs! {
    checked(a, b) { i64::from(a as i8 + b as i8) }
    multiplied(a, b) { i64::from((a as i8) * (b as i8)) }
    divided(a, b) { i64::from((a as i8) / (b as i8)) * 1000 + i64::from((a as i8) % (b as i8)) }
    euclid(a, b) { i64::from((a as i8 as i32).rem_euclid(b as i8 as i32)) + i64::from((a as i8 as i32).div_euclid(b as i8 as i32)) * 512 }
    shifted(a, b) { i64::from((a as u32) << b) }
    rotated(a, b) { i64::from((a as u16 * 257).rotate_left(b as u32 & 31)) ^ i64::from((a as i8) >> (b & 7)) }
    saturated(a, b) { i64::from((a as i8).saturating_add(b as i8)) * 256 + i64::from(a.saturating_sub(b)) + i64::from((a as i8).saturating_sub(b as i8)) * 65536 + i64::from(a.saturating_add(b)) }
    overflowing(a, b) {
        let (x, p) = (a as i8).overflowing_mul(b as i8);
        let (y, q) = (a as i8).overflowing_sub(b as i8);
        let (z, r) = a.overflowing_add(b);
        let (w, s) = a.overflowing_mul(b);
        i64::from(x) ^ i64::from(y) << 8 ^ i64::from(z) << 16 ^ i64::from(w) << 24 ^ i64::from(p) << 40 ^ i64::from(q) << 41 ^ i64::from(r) << 42 ^ i64::from(s) << 43
    }
    constant_factors(a, b) {
        let n = i16::from_le_bytes([a, b]);
        i64::from(n.checked_mul(7).is_some()) + 2 * i64::from(n.checked_mul(-3).is_some()) + 4 * i64::from(n.checked_mul(-1).is_some()) + 8 * i64::from((n as u16).checked_mul(100).is_some()) + 16 * i64::from(n.checked_mul(0).is_some())
    }
    bits(a, b) {
        let n = u16::from_le_bytes([a, b]);
        i64::from(n.leading_zeros()) + 32 * i64::from(n.trailing_zeros()) + 1024 * i64::from(n.count_ones()) + 65536 * i64::from(n.swap_bytes()) + (i64::from(n.reverse_bits()) << 40)
    }
    ordered(a, b) { i64::from((a as i8).cmp(&(b as i8)) as i8) + 4 * i64::from(a.cmp(&b) as i8) + 16 * i64::from(a.abs_diff(b)) + i64::from((a as i8).min(b as i8)) * 65536 + i64::from(a.max(b)) * 100_000_000 }
    wide(a, b) {
        let n = (a as u128) << 70 | (b as u128) << 3;
        let m = n.wrapping_mul(0x1_0000_0000_0000_0001) ^ n >> 5;
        (m >> 64) as i64 ^ m as i64
    }
    wide_signed(a, b) { let n = (a as i8 as i128) * (b as i8 as i128) << 60; (n >> 64) as i64 ^ i64::from(n < 0) }
    powers(a, b) { i64::from((a & 7) as u32).pow(u32::from(b & 3)) + i64::from((a as i16).pow(2)) }
    square_root(a, b) { let n = u16::from_le_bytes([a, b]) & 0x3ff; i64::from(n.isqrt()) }
    coloured(a, b) {
        let (x, y) = (colour(a, b), colour(b, a));
        match (x, y) {
            (Colour::Red, _) => 1,
            (Colour::Green(n), Colour::Blue { x, y: true }) => i64::from(n) + i64::from(x),
            (Colour::Blue { x, .. }, Colour::Green(n)) if x < 0 => i64::from(n) * 1000,
            _ => 10_000 + i64::from(x < y) + 2 * i64::from(x == y),
        }
    }
    niches(a, b) {
        let n: Option<Option<bool>> = match a & 3 { 0 => None, 1 => Some(None), 2 => Some(Some(b > 7)), _ => Some(Some(false)) };
        let c: Option<char> = char::from_u32(u32::from(a) << 8 | u32::from(b));
        match (n, c) { (Some(Some(true)), Some(c)) => c as i64, (None, None) => -1, (Some(None), Some(c)) => i64::from(c.is_alphabetic()), _ => 5 }
    }
    indexed(a, b) { let list = [3u16, 1, 4, 1, 5, 9, 2, 6, 5, 3]; i64::from(list[a as usize % 11]) + i64::from(list[1..4][b as usize & 3]) }
    sliced(a, b) { let list = [1u8, 2, 3, 4, 5, 6]; let part = &list[(a & 7) as usize..(b & 7) as usize]; part.iter().map(|x| i64::from(*x)).sum() }
    vector(a, b) {
        let mut list = vec![a, b, 7];
        if a > b { list.insert(1, 9) } else { list.remove((a & 3) as usize); }
        list.retain(|x| x % 2 == 1);
        list.iter().fold(0, |sum, x| sum * 256 + i64::from(*x))
    }
    sorted(a, b) { let mut list = [a, 100, b, 50, a ^ b]; list.sort_unstable(); i64::from(list[2]) * 256 + i64::from(list[0]) }
    searched(a, b) { let list = [10u8, 20, 30, 40, 50]; match list.binary_search(&a) { Ok(at) => at as i64, Err(at) => -(at as i64) - i64::from(list.contains(&b)) * 100 } }
    tree(a, b) { let mut map: BTreeMap<u8, i64> = (0..12).map(|n| (n * 20, i64::from(n))).collect(); map.remove(&a); map.insert(b, 99); map.range(a..).next().map_or(-1, |entry| *entry.1) + map.len() as i64 * 1000 }
    set(a, b) { let set: BTreeSet<u8> = [a & 7, b & 7, 3].into(); set.iter().fold(0, |sum, x| sum * 16 + i64::from(*x)) }
    hashed(a, b) { let mut map = HashMap::new(); *map.entry(a & 15).or_insert(0) += 1; *map.entry(b & 15).or_insert(0) += 10; map.get(&3).copied().unwrap_or(-1) * 100 + map.len() as i64 }
    deque(a, b) { let mut queue: VecDeque<u8> = VecDeque::with_capacity(4); for x in [a, b, a & b] { if x & 1 == 1 { queue.push_front(x) } else { queue.push_back(x) } } queue.rotate_left((a & 1) as usize); queue.iter().fold(0, |sum, x| sum * 256 + i64::from(*x)) }
    text(a, b) {
        let Ok(text) = std::str::from_utf8(&[a, b][..]).map(str::to_owned) else { return -1 };
        let trimmed = text.trim();
        i64::from(text.parse::<u8>().unwrap_or(255)) + 1000 * trimmed.len() as i64 + 10_000 * i64::from(text.starts_with('x')) + 100_000 * text.chars().count() as i64 + 1_000_000 * i64::from(text.eq_ignore_ascii_case("Ok"))
    }
    cased(a, b) { let text = String::from_utf8_lossy(&[a & 0x7f, b & 0x7f]).to_uppercase(); i64::from(text == "AB") + 2 * i64::from(text.contains('Z')) + 4 * text.find('Q').map_or(-1, |at| at as i64) }
    parsed(a, b) { match (a as char).to_digit(16) { Some(digit) => i64::from(digit) + i64::from((b as char).is_numeric()) * 100, None => -1 } }
    formatted(a, b) { let text = format!("{a:03}-{:x}", b & 15); text.len() as i64 * 1000 + i64::from(text.as_bytes()[0]) }
    floats(a, b) { let x = f32::from_bits(u32::from(a) << 24 | u32::from(b) << 16); i64::from(x > 1.0) + 2 * i64::from(x == 0.0) + 4 * i64::from(x.is_nan()) + 8 * i64::from(-x < 2.5) + 16 * i64::from(x.abs() >= 1e10) + 32 * i64::from(x <= -0.0) }
    float_arithmetic(a, b) { let (x, y) = (f64::from(a & 15), f64::from(b as i8 & 15)); ((x / (y + 1.0)).floor() * 2.5) as i64 }
    switched(a, b) { match (a, b) { (0..=9, _) => 1, (10 | 20 | 30, 0) => 2, (_, 200..) => 3, (x, y) if x == y => 4, (255, 1) => unreachable!("asked for"), _ => 5 } }
    looped(a, b) { let (mut x, mut y) = (u32::from(a & 31), u32::from(b & 31)); while y != 0 { (x, y) = (y, x % y) } i64::from(x) }
    boxed(a, b) { let list: Vec<Box<dyn Fn(u8) -> u8>> = vec![Box::new(|x| x.wrapping_add(1)), Box::new(move |x| x ^ a), Box::new(|x| !x)]; i64::from(list[(b % 4) as usize](a)) }
    asserted(a, b) { assert_eq!(a as u32 * 3 != b as u32 * 7 + 1, true, "{a} and {b}"); let n: Result<u8, String> = if a == 17 { Err(format!("{b}")) } else { Ok(b) }; i64::from(n.unwrap()) }
    swapped(a, b) { let mut list = [1u32, 2, 3, 4]; list.swap((a & 3) as usize, (b & 3) as usize); list[(a ^ b) as usize & 3] = 9; i64::from(list[0]) * 1000 + i64::from(list[1]) * 100 + i64::from(list[2]) * 10 + i64::from(list[3]) }
    compared(a, b) { let (x, y) = ([a, 1, b], [b, 1, a]); x.cmp(&y) as i64 + 4 * i64::from(x == y) + 8 * i64::from(&x[..2] <= &y[1..]) }
    chunked(a, b) { let list = [a, b, 3, a, b]; list.chunks(2).map(|chunk| chunk.iter().map(|x| i64::from(*x)).max().unwrap_or(0)).sum::<i64>() + i64::from(list.iter().rev().skip(1).step_by(2).any(|x| *x == 77)) * 10_000 }
    negated(a, b) { let (x, y) = (!(a < 10), !(a as i8 >= b as i8)); let z = !(b <= a) ^ x; let w = (x == y) != (a != b); if !x { 1 } else if !y { 2 } else if z { 3 } else if !w { 4 } else if !(b > 250) { 5 } else { i64::from(!(a == 255)) } }
    deduplicated(a, b) { let mut list = vec![a, b, a & 7, b & 7, 9]; list.dedup(); list.retain(|x| !(*x < 10)); list.dedup_by_key(|x| *x >> 4); list.iter().fold(1, |sum, x| sum * 256 + i64::from(*x)) }
    collatz(a, b) { let (mut n, mut steps) = (u32::from(a & 31) + 1, 0); while n != 1 { n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; steps += 1 } steps * 1000 + i64::from(b) }
    divisor(a, b) { let (mut x, mut y) = (u64::from(a), u64::from(b)); while y != 0 { (x, y) = (y, x % y) } x as i64 }
    cyclic(a, b) { let mut crc = 0xffu8; for byte in [a & 7, b & 7] { crc ^= byte; for _ in 0..8 { crc = if crc & 0x80 != 0 { crc << 1 ^ 0x31 } else { crc << 1 } } } i64::from(crc) }
    quotients(a, b) { let (x, y) = (u32::from(a) * 1000 + u32::from(b), u32::from(b)); if y == 0 { return -1 } assert_eq!(x / y * y + x % y, x); assert_eq!(x / 7 * 7 + x % 7, x); assert!(x % 100 < 100 && x / 100 <= 2552); i64::from(x / y) + i64::from(x % 100) * 100_000 + i64::from((a as i8) / 3) * 1_000_000_000 }
    round_trip(a, b) { let n = u16::from_le_bytes([a, b]); let back: u16 = n.to_string().parse().unwrap(); assert_eq!(back, n); i64::from(back) }
    roots(a, b) { let _ = b; let x = f64::from(a); let y = f32::from(a as i8); (x.sqrt() * 1000.0) as i64 * 10_000 + i64::from(y.sqrt().is_nan()) * 1000 + (y.abs().sqrt() * 10.0) as i64 }
    remainders(a, b) { let (x, y) = (f64::from(a & 15) - 7.5, f64::from(b & 7) / 2.0); let rest = x % y; if rest.is_nan() { -1 } else { (rest * 8.0) as i64 + 1000 } }
    float_powers(a, b) { let x = f64::from(a as i8) / 4.0; let cube = x.powi(3); (cube * 64.0) as i64 + i64::from(f32::from(b & 15).powi(-2) > 0.01) + (f64::from(b).powi(0) as i64) * 2 }
    checksum_rows(a, b) {
        // By one table, by two at once, and by rows that begin anywhere in a table.
        let step = |crc: u32, byte: u8| crc >> 8 ^ ROWS[0][(crc as u8 ^ byte) as usize];
        let one_by_one = step(step(!0, a), b);
        let word = !0u32 ^ u32::from(a) ^ u32::from(b) << 8;
        let at_once = word >> 16 ^ ROWS[1][(word & 0xff) as usize] ^ ROWS[0][(word >> 8 & 0xff) as usize];
        assert_eq!(one_by_one, at_once);
        let moved = MOVED.1[usize::from(a & 31)] ^ MOVED.1[usize::from(b % 24)];
        i64::from(at_once) ^ i64::from(moved) << 32 ^ i64::from(NEARLY[usize::from(b & 31)]) << 48
    }
    quick_divisions(a, b) {
        // Exact below 43,690, and not beyond: what the path knows decides.
        let x = u32::from(a) << 8 | u32::from(b);
        let quick = (x * 5243) >> 19;
        let part = if x < 10_000 { assert_eq!(quick, x / 100); x - quick * 100 } else { x % 7 };
        let byte = (u32::from(a) * 205) >> 11;
        i64::from(quick) * 1000 + i64::from(part) + i64::from(byte) * 10_000_000 + i64::from(x - byte * 10 >= x) * 1_000_000_000
    }
}

const fn row(mut row: u32, bits: u32) -> u32 { let mut done = 0; while done < bits { row = row >> 1 ^ (row & 1) * 0xedb8_8320; done += 1 } row }

const fn rows<const N: usize>(bits: u32) -> [u32; N] { let mut rows = [0; N]; let mut at = 0; while at < N { rows[at] = row(at as u32, bits); at += 1 } rows }

static ROWS: [[u32; 256]; 2] = [rows(8), rows(16)];
static MOVED: ([u32; 3], [u32; 32]) = ([1, 2, 4], rows(8));
/// One cell breaks the rule.
static NEARLY: [u8; 32] = { let mut cells = [0; 32]; let mut at = 0; while at < 32 { cells[at] = at as u8 ^ 5; at += 1 } cells[21] = 77; cells };
