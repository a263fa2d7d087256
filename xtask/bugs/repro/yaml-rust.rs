//! krate = "yaml-rust"
//! buggy = "0.4.0"
//! fixed = "0.4.1"
//! class = "panic"
//! what = "deeply nested text overflows the stack of the parser"
//! sequence = "YamlLoader::load_from_str(&\"[\".repeat(10_000))"
//! source = "RUSTSEC-2018-0006"
use yaml_rust::YamlLoader;
#[test]
fn repro() {
    assert!(YamlLoader::load_from_str(&"[".repeat(10_000)).is_err());
}
