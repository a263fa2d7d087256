//! Nothing of its own: the puts about functions of published crates are in `tests/`.
#![forbid(unsafe_code)]
