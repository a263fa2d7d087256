//! krate = "simple_asn1"
//! buggy = "0.6.0"
//! fixed = "0.6.1"
//! class = "panic"
//! what = "decoding a UTC time that is not ASCII text slices it inside a character"
//! sequence = "from_der(&[23, 13, b'0', 0xc3, 0xa9, b'0' x 10])"
//! source = "RUSTSEC-2021-0125"
#[test]
fn repro() {
    assert!(simple_asn1::from_der(b"\x17\x0d0\xc3\xa90000000000").is_err());
}
