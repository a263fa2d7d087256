//! krate = "algorithmica"
//! buggy = "0.1.8"
//! fixed = ""
//! class = "memory"
//! what = "merge_sort::sort copies elements bitwise and also keeps the originals, so sorting strings frees them twice"
//! sequence = "merge_sort::sort(&mut [\"b\".to_string(), \"a\".to_string()])"
//! source = "RUSTSEC-2021-0053"
#[test]
fn repro() {
    let mut v = vec!["bbbbbbbbb".to_string(), "aaaaaaaaa".to_string()];
    algorithmica::sort::merge_sort::sort(&mut v);
    let again: Vec<String> = (0..8).map(|_| "zzzzzzzzz".to_string()).collect();
    assert_eq!(v, ["aaaaaaaaa", "bbbbbbbbb"]);
    drop(again);
}
