//! krate = "caja"
//! buggy = "0.2.1"
//! fixed = "0.3.0"
//! class = "memory"
//! what = "the index operator does not check its bounds and reads beyond the elements"
//! sequence = "Caja::from(&[1u64][..])[5]"
//! source = "EmanuelGCC/Caja issue 1"
use caja::Caja;
#[test]
fn repro() {
    let c: Caja<u64> = Caja::from(&[1u64][..]);
    let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| c[5]));
    assert!(r.is_err(), "{r:?}");
}
