//! krate = "hdrhistogram"
//! buggy = "7.5.2"
//! fixed = "7.5.3"
//! class = "wrong answer"
//! what = "iter_recorded of a histogram that holds only zeros gives nothing"
//! sequence = "new(3), record(0), iter_recorded"
//! source = "CHANGELOG 7.5.3: Fix record iteration when recording only zeros (#125)"
use hdrhistogram::Histogram;
#[test]
fn repro() {
    let mut h = Histogram::<u64>::new(3).unwrap();
    h.record(0).unwrap();
    let n: u64 = h.iter_recorded().map(|v| v.count_at_value()).sum();
    assert_eq!(n, h.len());
}
