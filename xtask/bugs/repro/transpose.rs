//! krate = "transpose"
//! buggy = "0.2.2"
//! fixed = "0.2.3"
//! class = "memory"
//! what = "width times height overflows in release builds, so the length check passes and memory beyond the slices is read and written"
//! sequence = "transpose(&[0u8; 0], &mut [], 1 << 32, 1 << 32)"
//! source = "RUSTSEC-2023-0080"
#[test]
fn repro() {
    let r = std::panic::catch_unwind(|| transpose::transpose(&[0u8; 0], &mut [], 1 << 32, 1 << 32));
    assert!(r.is_err(), "the slices are too short");
}
