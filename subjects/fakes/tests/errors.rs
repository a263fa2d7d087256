//! What `#[fake]` says about traits that it cannot fake.
//!
//! The snapshots lie beside the cases. Refresh them with `TRYBUILD=overwrite`.

#[test]
fn what_cannot_be_faked_is_refused_with_the_method_and_the_type() {
    trybuild::TestCases::new().compile_fail("tests/errors/*.rs");
}
