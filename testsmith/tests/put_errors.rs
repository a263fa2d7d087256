//! What `#[put]` and `#[derive(Input)]` say about mistakes: of the user's own type, with
//! the remedy.
//!
//! The snapshots lie beside the cases. Refresh them with `TRYBUILD=overwrite`.

#[test]
fn mistakes_are_explained_with_the_remedy() {
    trybuild::TestCases::new().compile_fail("tests/put_errors/*.rs");
}
