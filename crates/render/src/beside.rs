//! What stands beside the tests of a file because some of them call it.
//!
//! Tests depend on nothing but the crate under test, so these are written out, with std alone.

use testsmith_model::call::MAX_POLLS;
use testsmith_model::troubled;

/// The functions that these bodies of tests call.
pub fn functions(bodies: &[String]) -> String {
    let called = |name: &str| bodies.iter().any(|body| body.contains(name));
    let mut text = String::new();
    if called("hash_of(") {
        text.push_str(HASH_OF);
    }
    if called("block_on(") {
        text.push_str(&BLOCK_ON.replace("MAX_POLLS", &MAX_POLLS.to_string()));
    }
    if called("watched_heap::") {
        text.push_str(WATCHED_HEAP);
    }
    if bodies.iter().any(|body| troubled::is_named_in(body)) {
        text.push_str(troubled::SOURCE);
    }
    text
}

const HASH_OF: &str = "
fn hash_of<T: std::hash::Hash>(value: &T) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
";

/// Bounded, because a test that waits for ever says nothing.
const BLOCK_ON: &str = "
fn block_on<F: std::future::Future>(future: F) -> F::Output {
    use std::task::{Context, Poll, Waker};
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..=MAX_POLLS {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!(\"the future is not ready, and nothing else runs\")
}
";

/// The memory of a test watched by the test itself.
const WATCHED_HEAP: &str = include_str!("watched_heap.txt");
