//! `cargo testsmith list`: everything is an operation or a skip with a reason.

mod support;

use support::{Fixture, stderr, stdout};

fn listing(fixture: &Fixture, args: &[&str]) -> serde_json::Value {
    let output = fixture.run(&[&["list", "--format", "json"], args].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).expect("one JSON object")
}

fn signatures(listing: &serde_json::Value) -> Vec<String> {
    let rows = listing["operations"].as_array().expect("operations");
    rows.iter().map(|row| row["signature"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn every_kind_of_item_becomes_an_operation_or_a_skip() {
    let fixture = Fixture::copy("shelf");
    let listing = listing(&fixture, &[]);
    let signatures = signatures(&listing);
    for expected in [
        "<shelf::Shelf<i32>>::new()",
        "<shelf::Shelf<i32>>::put(&mut shelf::Shelf<i32>, i32)",
        "<shelf::Spot<'_, i32>>::or_put(shelf::Spot<'_, i32>, i32)",
        "<shelf::Shelf<i32>>::keep(&mut shelf::Shelf<i32>, |_| false)",
        "troubled::after(u8, || { let _ = <shelf::Shelf<i32>>::keep(&mut shelf::Shelf<i32>, \
         { let mut n = 0; move |_| { troubled::point(); { n += 1; n % 2 == 0 } } }); })",
        "<shelf::Shelf<i32>>::stack::<4>(&mut shelf::Shelf<i32>, [i32; 4])",
        "<shelf::Board as shelf::Priced>::is_cheap(&shelf::Board)",
        "shelf::Board { width: u32, depth: u32 }",
        "shelf::Place::Taken(i32)",
        "shelf::dearest::<shelf::Board>(std::vec::Vec<shelf::Board>)",
        "<shelf::Label>::new(std::string::String)",
        "<shelf::Iter<'_, i32> as std::iter::Iterator>::next(&mut shelf::Iter<'_, i32>)",
    ] {
        assert!(signatures.iter().any(|found| found == expected), "{expected} is missing");
    }
    let reason = |path: &str| {
        let skips = listing["skips"].as_array().expect("skips");
        let skip = skips.iter().find(|skip| skip["path"] == path);
        skip.map(|skip| skip["reason"].as_str().expect("a text").to_owned())
    };
    assert_eq!(reason("shelf::Shelf::get_unchecked").as_deref(), Some("is unsafe to call"));
    assert_eq!(reason("shelf::Shelf::wait"), None);
    assert_eq!(reason("shelf::halt").as_deref(), Some("never returns"));
    let pointer = reason("shelf::Shelf::address");
    assert_eq!(pointer.as_deref(), Some("takes or returns a raw pointer"));
    assert_eq!(listing["core_callables"], 30);
    assert_eq!(listing["core_operations"], 27);
}

#[test]
fn features_decide_what_there_is_and_only_the_out_folder_is_written() {
    let fixture = Fixture::copy("shelf");
    let before = fixture.files();
    let listing = listing(&fixture, &["--no-default-features", "--features", "nothing"]);
    assert!(!signatures(&listing).iter().any(|found| found.contains("Label")));
    assert_eq!(fixture.files(), before);
    assert!(fixture.path().join("testsmith.out/.gitignore").exists());
}

#[test]
fn text_is_the_default_and_ends_with_a_summary() {
    let fixture = Fixture::copy("shelf");
    let output = fixture.run(&["testsmith", "list", "--only", "Board"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("shelf 0.1.0\n"), "{text}");
    assert!(text.contains("27 of 30 core callables can be called"), "{text}");
    assert!(!text.contains("Spot"), "{text}");
}

#[test]
fn a_crate_without_std_is_listed() {
    let manifest =
        "[package]\nname = \"bare\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let library = "#![no_std]\npub fn half(n: u32) -> Option<u32> { n.checked_div(2) }\n";
    let fixture = Fixture::make("bare", manifest, Some(library));
    assert_eq!(signatures(&listing(&fixture, &[])), ["bare::half(u32)"]);
}

#[test]
fn a_member_of_a_workspace_is_chosen_by_name() {
    let manifest = "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"2\"\n";
    let fixture = Fixture::make("many", manifest, None);
    for name in ["one", "two"] {
        let package = fixture.path().join(name);
        std::fs::create_dir_all(package.join("src")).expect("writable");
        let manifest =
            format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        std::fs::write(package.join("Cargo.toml"), manifest).expect("writable");
        std::fs::write(package.join("src/lib.rs"), format!("pub fn {name}() {{}}\n"))
            .expect("writable");
    }
    assert_eq!(signatures(&listing(&fixture, &["-p", "two"])), ["two::two()"]);
    let unclear = fixture.run(&["list"]);
    assert_eq!(unclear.status.code(), Some(101));
    assert!(stderr(&unclear).contains("choose one with -p: one, two"), "{}", stderr(&unclear));
    let unknown = fixture.run(&["list", "-p", "three"]);
    assert_eq!(unknown.status.code(), Some(101));
    assert!(stderr(&unknown).contains("no package called three"), "{}", stderr(&unknown));
}

#[test]
fn what_is_shown_of_a_package_beside_it_is_part_of_the_crate() {
    let fixture = Fixture::copy("facade");
    let listing = listing(&fixture, &[]);
    let signatures = signatures(&listing);
    for expected in [
        "facade::SHORT",
        "facade::Beam { length: u32 }",
        "facade::ends(&[facade::Beam])",
        "<facade::Screw>::turn(&mut facade::Screw)",
        "facade::screws(&'static facade::Beam)",
        "<facade::Wall<facade::Grid<3>>>::new()",
        "<facade::Wall<facade::Grid<3>>>::lay(&mut facade::Wall<facade::Grid<3>>, u8)",
    ] {
        assert!(signatures.iter().any(|found| found == expected), "{expected}: {signatures:#?}");
    }
    // Neither what is not shown nor all that a crate has under its own name.
    assert!(!signatures.iter().any(|found| found.contains("peek")), "{signatures:#?}");
    assert!(!signatures.iter().any(|found| found.contains("facade_parts")), "{signatures:#?}");
    assert_eq!(listing["skips"], serde_json::json!([]));
    let output = fixture.run(&["--calls", "20000", "--quiet", "--no-regressions"]);
    assert_eq!(output.status.code(), Some(100), "{}{}", stdout(&output), stderr(&output));
    // Not even what takes something that only a trait of the other package can name.
    let told = stdout(&output);
    assert!(signatures.iter().any(|found| found.contains("::put(")), "{signatures:#?}");
    assert!(!told.contains("was not reached"), "{told}");
    let failures = fixture.path().join("tests/testsmith_failures.rs");
    let written = std::fs::read_to_string(failures).expect("the tests are there");
    assert!(written.contains("use facade::") || written.contains("facade::ends"), "{written}");
}
