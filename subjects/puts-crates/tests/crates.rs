//! Puts about std and well-known crates, each small enough to be explored completely.

use std::collections::{BTreeMap, HashMap};

use base64::Engine as _;
use testsmith::put;

#[put]
fn four_insertions_into_a_btree_map(keys: [i32; 4]) {
    let mut map = BTreeMap::new();
    for (index, key) in keys.iter().enumerate() {
        map.insert(*key, index);
    }
    assert_eq!(map.get(&keys[3]), Some(&3));
    let sorted: Vec<i32> = map.keys().copied().collect();
    assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]));
}

#[put]
fn two_insertions_into_a_hash_map(a: i32, b: i32, wanted: i32) {
    let mut map = HashMap::new();
    map.insert(a, 1);
    map.insert(b, 2);
    let expected = if wanted == b {
        Some(&2)
    } else if wanted == a {
        Some(&1)
    } else {
        None
    };
    assert_eq!(map.get(&wanted), expected);
}

#[put]
fn five_numbers_are_sorted_and_deduplicated(list: [i32; 5]) {
    let mut list = list.to_vec();
    list.sort();
    list.dedup();
    assert!(list.windows(2).all(|pair| pair[0] < pair[1]));
}

#[put(len = 4)]
fn a_parsed_number_of_four_bytes_is_small(text: &str) {
    if let Ok(number) = text.parse::<i32>() {
        assert!((-999..=9999).contains(&number));
    }
}

#[put(len = 6)]
fn a_version_of_six_bytes_has_a_small_major_number(text: &str) {
    if let Ok(version) = semver::Version::parse(text) {
        assert!(version.major < 100 && version.pre.as_str().len() < 2);
    }
}

#[put(len = 4)]
fn a_duration_of_four_bytes_is_parsed_without_a_panic(text: &str) {
    let _ = humantime::parse_duration(text);
}

#[put(len = 3)]
fn hex_comes_back_as_it_was(bytes: Vec<u8>) {
    assert_eq!(hex::decode(hex::encode(&bytes)).as_ref(), Ok(&bytes));
}

#[put(len = 4)]
fn base64_comes_back_as_it_was(bytes: Vec<u8>) {
    let text = base64::engine::general_purpose::STANDARD.encode(&bytes);
    assert_eq!(base64::engine::general_purpose::STANDARD.decode(text).as_ref(), Ok(&bytes));
}
