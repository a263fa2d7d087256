//! What the macros of the structure search say about mistakes: one message for
//! each, which names the user's type and what to write instead.
//!
//! The snapshots lie beside the cases. Refresh them with `TRYBUILD=overwrite`.

#[test]
fn mistakes_are_explained_once_with_the_remedy() {
    trybuild::TestCases::new().compile_fail("tests/korat_errors/*.rs");
}
