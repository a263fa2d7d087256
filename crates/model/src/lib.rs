//! The words that every part of testsmith speaks, and nothing else.
#![forbid(unsafe_code)]
