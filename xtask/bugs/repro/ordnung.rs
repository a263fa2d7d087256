//! krate = "ordnung"
//! buggy = "0.0.1"
//! fixed = ""
//! class = "memory"
//! what = "compact::Vec::remove with an index beyond the end panics and frees the buffer, which the vector still owns"
//! sequence = "push, remove(1) (panics), drop"
//! source = "RUSTSEC-2020-0038"
#[test]
fn repro() {
    let mut v = ordnung::compact::Vec::new();
    v.push("aaaaaaaaaaaaaaaaaaaaa".to_string());
    let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| v.remove(1)));
    assert!(r.is_err());
    let other: Vec<String> = (0..4).map(|_| "zzzzzzzzzzzzzzzzzzzzz".to_string()).collect();
    assert_eq!(v[0], "aaaaaaaaaaaaaaaaaaaaa");
    drop(other);
}
