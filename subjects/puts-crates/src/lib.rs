//! Nothing of its own: the puts about std and about other crates are in `tests/`.
#![forbid(unsafe_code)]
