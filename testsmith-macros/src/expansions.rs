//! What the macros write, one small example each, as a person would see it.
//!
//! A snapshot shows that an expansion stays as it is; that it is right is shown by the
//! tests of `testsmith`, which compile and run many more.

use proc_macro2::TokenStream;
use quote::quote;
use std::io::Write;
use std::process::{Command, Stdio};

fn check(name: &str, expansion: TokenStream) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../tests/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, formatted(&expansion.to_string())));
}

fn formatted(source: &str) -> String {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--config", "max_width=100"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt is part of the toolchain");
    let mut input = child.stdin.take().expect("it was piped");
    input.write_all(source.as_bytes()).expect("it reads");
    drop(input);
    let done = child.wait_with_output().expect("it ends");
    assert!(done.status.success(), "no Rust: {source}");
    String::from_utf8(done.stdout).expect("it writes UTF-8")
}

#[test]
#[cfg(not(any(feature = "always", feature = "never")))]
fn a_function_with_a_contract() {
    let item = quote! {
        #[ensures(ret < n)]
        pub fn before(n: u32) -> u32 { n - 1 }
    };
    check("contract", crate::contracts::attribute("requires", quote!(n > 0), item));
}

#[test]
fn a_structure_to_enumerate() {
    let item = quote! {
        struct List { next: Option<Box<List>> }
    };
    check("korat_derive", crate::korat::derive(item));
}

#[test]
fn an_impl_block_for_the_twin() {
    let item = quote! {
        impl List {
            fn rep_ok(&self) -> bool { self.next.is_none() }
        }
    };
    check("korat_impl", crate::korat::twin_impl(quote!(), item));
}

#[test]
fn a_put() {
    let item = quote! {
        fn halves(n: u8) { assert!(n / 2 <= n); }
    };
    let expansion = crate::put::attribute(quote!(), item, "tests/halves.rs");
    check("put", expansion.expect("it expands"));
}

#[test]
fn an_input() {
    let item = quote! {
        struct Point { x: u8, y: u8 }
    };
    check("input_derive", crate::put::derive_input(item).expect("it expands"));
}
