//! What the attributes say about mistakes: the message and where it points.
//!
//! The snapshots lie beside the cases. Refresh them with `TRYBUILD=overwrite`.

#[test]
fn mistakes_are_explained_at_the_users_own_tokens() {
    trybuild::TestCases::new().compile_fail("tests/contracts_errors/*.rs");
}
