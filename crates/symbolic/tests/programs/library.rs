//! Small programs over std, explored by the tests of this crate.
//!
//! Compiled as a dynamic library with its bitcode: the tests explore the one
//! and call the other with the inputs found.
#![allow(clippy::all)]

use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet, VecDeque};

mod harness;
use harness::Input;

pub fn kind(a: i32, b: i32, c: i32) -> i64 {
    if a <= 0 || b <= 0 || c <= 0 {
        return 0;
    }
    let short = |x: i32, y: i32, z: i32| x.checked_add(y).is_some_and(|sum| sum <= z);
    if short(a, b, c) || short(a, c, b) || short(b, c, a) {
        return 1;
    }
    if a == b && b == c {
        return 2;
    }
    if a == b || b == c || a == c {
        return 3;
    }
    4
}

trait Shape {
    fn area(&self) -> i64;
}
struct Square(i32);
struct Rectangle(i32, i32);
impl Shape for Square {
    fn area(&self) -> i64 {
        i64::from(self.0) * i64::from(self.0)
    }
}
impl Shape for Rectangle {
    fn area(&self) -> i64 {
        i64::from(self.0) * i64::from(self.1)
    }
}

static TABLE: [u16; 300] = {
    let mut table = [0; 300];
    let mut index = 0;
    while index < 300 {
        table[index] = (index as u16).wrapping_mul(7919) % 1009;
        index += 1;
    }
    table
};

programs! {
    triangle(input) {
        let (a, b, c) = (input.i32(), input.i32(), input.i32());
        let kind = kind(a, b, c);
        assert!(kind <= 4);
        if kind == 2 { assert!(a == c); }
        kind
    }
    btree_four(input) {
        let keys = [input.i32(), input.i32(), input.i32(), input.i32()];
        let mut map = BTreeMap::new();
        for (index, key) in keys.iter().enumerate() { map.insert(*key, index); }
        assert_eq!(map.get(&keys[3]), Some(&3));
        let sorted: Vec<i32> = map.keys().copied().collect();
        for pair in sorted.windows(2) { assert!(pair[0] < pair[1]); }
        map.len() as i64
    }
    hash_two(input) {
        let (a, b, wanted) = (input.i32(), input.i32(), input.i32());
        let mut map = HashMap::new();
        map.insert(a, 10);
        map.insert(b, 20);
        match map.get(&wanted) { Some(value) => *value, None => -1 }
    }
    sort_dedup(input) {
        let mut list = vec![input.u8(), input.u8(), input.u8(), input.u8()];
        list.sort();
        list.dedup();
        for pair in list.windows(2) { assert!(pair[0] < pair[1]); }
        list.len() as i64
    }
    parse_number(input) {
        let len = input.u8() as usize;
        if len > input.0.len() { return -3; }
        let Ok(text) = std::str::from_utf8(&input.0[..len]) else { return -2 };
        match text.parse::<i32>() { Ok(number) => i64::from(number), Err(_) => -1 }
    }
    dynamic(input) {
        let (kind, a, b) = (input.i32(), input.i32(), input.i32());
        let shape: Box<dyn Shape> =
            if kind > 0 { Box::new(Square(a)) } else { Box::new(Rectangle(a, b)) };
        i64::from(shape.area() == 49)
    }
    panics(input) {
        let (index, x) = (input.u8(), input.i32());
        let list = [1, 2, 3];
        let y = x + 1;
        let found = if y == 5 { None } else { Some(list[index as usize]) };
        i64::from(100 / (found.unwrap() - y))
    }
    multiply(input) {
        let (x, y) = (input.i32(), input.i32());
        match x.checked_mul(y) {
            Some(1_022_117) if x > 1 && y > 1 => panic!("factored"),
            Some(_) => 0,
            None => 2,
        }
    }
    multiply_short(input) {
        let (x, y) = (u16::from_le_bytes([input.u8(), input.u8()]), u16::from_le_bytes([input.u8(), input.u8()]));
        match x.checked_mul(y) {
            Some(10403) if x > 1 && y > 1 => panic!("factored"),
            Some(_) => 0,
            None => 2,
        }
    }
    divide(input) {
        let (x, y) = (input.i32(), input.i32());
        if y != 0 && x > 1000 && x % y == 17 && x / y == 23 { panic!("found") }
        0
    }
    one_in_four_billion(input) {
        let x = input.i32();
        assert!(x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f) != 0x1234_5678);
        0
    }
    one_of_all_words(input) {
        let x = input.u64();
        assert!((x ^ x >> 7).wrapping_add(x << 3) != 0xd47e_dd10_6d62_8e55);
        0
    }
    none_of_all_words(input) {
        let x = input.u64();
        assert!((x ^ x >> 7).wrapping_add(x << 3) != 0x0123_4567_89ab_cdef);
        0
    }
    table(input) {
        let index = usize::from(input.u8()) + usize::from(input.u8() & 31);
        assert!(TABLE[index] != 273, "the only entry");
        0
    }
    compare_text(input) {
        let bytes = [input.u8(), input.u8(), input.u8(), input.u8(), input.u8()];
        assert!(&bytes != b"smith");
        0
    }
    add_overflow(input) {
        let x = input.i32();
        i64::from(x + 1)
    }
    niche(input) {
        let x = input.u8();
        let wrapped: Option<std::num::NonZeroU8> = std::num::NonZeroU8::new(x);
        assert!(wrapped.is_some());
        0
    }
    slice_index(input) {
        let index = input.u64() as usize;
        let list = [7u8; 10];
        i64::from(list[index])
    }
    deque(input) {
        let mut queue = VecDeque::new();
        for x in [input.i32(), input.i32(), input.i32()] {
            if x % 2 == 0 { queue.push_back(x) } else { queue.push_front(x) }
        }
        queue.iter().position(|x| *x == 10).map_or(-1, |at| at as i64)
    }
    heap(input) {
        let mut heap = BinaryHeap::from(vec![input.i32(), input.i32(), input.i32()]);
        let (x, y) = (heap.pop().unwrap(), heap.pop().unwrap());
        assert!(x >= y);
        i64::from(x == y)
    }
    format_number(input) {
        let text = format!("{:>5}|", input.u8());
        text.len() as i64
    }
    print(input) {
        if input.u8() > 3 { println!("large") }
        0
    }
    environment(input) {
        i64::from(input.u8() > 3 && std::env::var_os("TESTSMITH_NOWHERE").is_some())
    }
    clock(input) {
        let start = std::time::Instant::now();
        i64::from(input.u8() > 3 && start.elapsed().as_secs() < 5)
    }
    float_compare(input) {
        let bits = input.u64();
        let number = f64::from_bits(bits);
        assert!(!(number > 1.5 && number < 1.5000000000000004) , "one double");
        0
    }
    float_multiply(input) {
        let number = f64::from(input.i32()) * 0.5;
        i64::from(number > 10.25)
    }
    float_small(input) {
        let number = f32::from(input.u8()) * 0.5;
        assert!(number != 21.0);
        0
    }
    chosen_reference(input) {
        let (list, x) = ([1u8, 2, 3, 4], input.u8());
        match list.get(usize::from(x)) {
            Some(found) => i64::from(*found),
            None => { assert!(x != 77); 0 }
        }
    }
    much_stack(input) {
        let all = [input.u8(); 2 << 20];
        i64::from(all[usize::from(input.u8())])
    }
    thread(input) {
        let a = input.u8();
        std::thread::spawn(move || i64::from(a > 3)).join().unwrap()
    }
    file(input) {
        if input.u8() == 77 { std::fs::read("/nowhere").unwrap(); }
        0
    }
    endless(input) {
        let mut x = input.u8();
        loop { x = x.wrapping_add(2); if x == 1 { return 0 } }
    }
    recursion(input) {
        fn down(n: u64) -> u64 { if n == 0 { 0 } else { 1 + down(n - 1) } }
        down(input.u64()) as i64
    }
    loop_bound(input) {
        let n = input.i32();
        let mut i = 0;
        while i < n { i += 1; }
        i64::from(i)
    }
    wide_product(input) {
        let (x, y) = (input.u64(), input.u64());
        if x > 1 && y > 1 && u128::from(x) * u128::from(y) == 21267647932558653302378126310941659999 { panic!("factored") }
        0
    }
    wrong_hash(input) {
        // Equal by `Eq`, but not by `Hash`.
        #[derive(Clone, Copy)]
        struct Key(u8);
        impl PartialEq for Key { fn eq(&self, other: &Key) -> bool { self.0 & 0x7f == other.0 & 0x7f } }
        impl Eq for Key {}
        impl std::hash::Hash for Key { fn hash<H: std::hash::Hasher>(&self, state: &mut H) { state.write_u8(self.0) } }
        let (a, b) = (Key(input.u8()), Key(input.u8()));
        let set: HashSet<Key> = [a].into_iter().collect();
        if a == b { assert!(set.contains(&b)); }
        0
    }
    judged_text(input) {
        match std::str::from_utf8(input.0) {
            Ok(text) => text.len() as i64,
            Err(error) => -1 - error.valid_up_to() as i64 * 10 - error.error_len().map_or(0, |len| len as i64),
        }
    }
    detected(input) {
        // Both ways give the same; which one is taken is the processor's.
        let list = [input.u8(), input.u8(), 7];
        if std::arch::is_x86_feature_detected!("avx2") {
            list.iter().map(|x| i64::from(*x)).sum()
        } else {
            i64::from(list[0]) + i64::from(list[1]) + i64::from(list[2])
        }
    }
    collatz(input) {
        let mut n = u64::from(input.u8());
        let mut rounds = 0;
        while n > 1 { n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; rounds += 1 }
        assert!(rounds < 128);
        rounds
    }
    euclid(input) {
        fn gcd(a: u32, b: u32) -> u32 { if b == 0 { a } else { gcd(b, a % b) } }
        let (a, b) = (u32::from(input.u8()), u32::from(input.u8()));
        let divisor = gcd(a, b);
        assert!(divisor == 0 || a % divisor == 0 && b % divisor == 0);
        i64::from(divisor)
    }
    checksum(input) {
        // CRC-32, a bit at a time.
        let mut crc = !0u32;
        for _ in 0..input.0.len() {
            crc ^= u32::from(input.u8());
            for _ in 0..8 { crc = if crc & 1 != 0 { crc >> 1 ^ 0xedb88320 } else { crc >> 1 } }
        }
        i64::from(!crc)
    }
    divided(input) {
        let (a, b) = (input.u64(), input.u64());
        if b == 0 { return 0 }
        assert_eq!(a / b * b + a % b, a);
        assert!(a % b < b);
        0
    }
    divided_signed(input) {
        let (a, b) = (input.i32(), input.i32());
        if b == 0 || a == i32::MIN && b == -1 { return 0 }
        assert_eq!(a / b * b + a % b, a);
        0
    }
    written_and_read(input) {
        let number = input.u32();
        assert_eq!(number.to_string().parse(), Ok(number));
        0
    }
    work(input) {
        // Concrete work, to measure the interpreter.
        let mut state = u64::from(input.u8()) | 1;
        let mut list = vec![0u64; 256];
        for round in 0..20_000usize {
            state ^= state << 13; state ^= state >> 7; state ^= state << 17;
            let at = (state % 256) as usize;
            list[at] = list[at].wrapping_add(state ^ round as u64);
        }
        list.iter().fold(0u64, |sum, x| sum ^ x) as i64
    }
}
