//! krate = "bs58"
//! buggy = "0.2.0"
//! fixed = "0.2.1"
//! class = "memory"
//! what = "encoding with an alphabet that is not ASCII makes a String that is not UTF-8"
//! sequence = "encode(&[1]).with_alphabet(&[0xff; 58]).into_string()"
//! source = "CHANGELOG 0.2.1: Fix potential unsoundness when encoding with a custom alphabet"
#[test]
fn repro() {
    let r = std::panic::catch_unwind(|| bs58::encode(&[1u8, 2, 3]).with_alphabet(&[0xff; 58]).into_string());
    if let Ok(s) = r {
        assert!(std::str::from_utf8(s.as_bytes()).is_ok(), "{:?}", s.as_bytes());
    }
}
