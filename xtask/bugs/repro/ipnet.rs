//! krate = "ipnet"
//! buggy = "2.0.0"
//! fixed = "2.0.1"
//! class = "hang"
//! what = "the iterator over the one address 0.0.0.0 never ends"
//! sequence = "Ipv4AddrRange::new(0.0.0.0, 0.0.0.0), for each"
//! source = "RELEASES 2.0.1: Fix bug where IpAddrRange never ends when start and end are both 0 #11"
use ipnet::Ipv4AddrRange;
use std::net::Ipv4Addr;
#[test]
fn repro() {
    let zero = Ipv4Addr::new(0, 0, 0, 0);
    let mut n = 0;
    for _ in Ipv4AddrRange::new(zero, zero) {
        n += 1;
        assert!(n < 1000, "goes on and on");
    }
    assert_eq!(n, 1);
}
