//! krate = "sized-chunks"
//! buggy = "0.6.2"
//! fixed = "0.6.3"
//! class = "memory"
//! what = "Chunk::pair and Chunk::unit write past the array when its size is smaller than two or one"
//! sequence = "Chunk::<u64, U1>::pair(1, 2)"
//! source = "RUSTSEC-2020-0041"
//! deps = ["typenum = \"1\""]
use sized_chunks::Chunk;
use typenum::U1;
#[test]
fn repro() {
    if let Ok(c) = std::panic::catch_unwind(|| Chunk::<u64, U1>::pair(1, 2)) {
        assert!(c.len() <= Chunk::<u64, U1>::CAPACITY, "{} elements in {}", c.len(), Chunk::<u64, U1>::CAPACITY);
    }
}
