//! krate = "varint-simd"
//! buggy = "0.4.0"
//! fixed = "0.4.1"
//! class = "wrong answer"
//! what = "decoding a number that is cut off gives another number instead of an error"
//! sequence = "decode::<u8>(&[128])"
//! source = "as-com/varint-simd issue 10"
#[test]
fn repro() {
    let r = varint_simd::decode::<u8>(&[128]);
    assert!(r.is_err(), "{r:?}");
}
