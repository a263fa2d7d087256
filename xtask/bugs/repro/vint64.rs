//! krate = "vint64"
//! buggy = "0.3.0"
//! fixed = "1.0.1"
//! class = "wrong answer"
//! what = "some encoded numbers cannot be decoded again"
//! sequence = "encode(1048576), decode"
//! source = "iqlusioninc/veriform issue 111"
#[test]
fn repro() {
    let e = vint64::encode(1048576);
    let mut bytes: &[u8] = e.as_ref();
    assert_eq!(vint64::decode(&mut bytes).ok(), Some(1048576));
}
