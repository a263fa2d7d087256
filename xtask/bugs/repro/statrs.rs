//! krate = "statrs"
//! buggy = "0.16.0"
//! fixed = "0.17.1"
//! class = "hang"
//! what = "the inverse distribution function of discrete distributions bisects for ever"
//! sequence = "Poisson::new(1.0), inverse_cdf(0.5)"
//! source = "CHANGELOG 0.17.0: fix integer bisection for default implementation of inverse_cdf (#220)"
use statrs::distribution::{DiscreteCDF, Poisson};
#[test]
fn repro() {
    assert_eq!(Poisson::new(1.0).unwrap().inverse_cdf(0.5), 1);
}
