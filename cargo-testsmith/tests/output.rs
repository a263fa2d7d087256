//! What programs read: the documented keys and no others, the exit codes, and
//! what the command line and the configuration mean.

mod support;

use serde_json::Value;
use support::{Fixture, check_keys, stderr, stdout};

#[test]
fn the_output_has_the_documented_keys_and_no_others() {
    let fixture = Fixture::copy("shelf");
    let output = fixture.run(&["--calls", "60000", "--max-tests", "3", "--format", "json"]);
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    let events = check_keys(&stdout(&output), "");
    let mut summary =
        events.into_iter().rfind(|(name, _)| name == "summary").expect("it is last").1;
    let stored = std::fs::read(fixture.path().join("testsmith.out/summary.json"));
    let stored: Value = serde_json::from_slice(&stored.expect("it is there")).expect("JSON");
    assert_eq!(stored, summary);
    for file in summary["tests"]["files"].as_array_mut().expect("a list") {
        let path = file["path"].as_str().expect("a text");
        let inside = path.rsplit_once("/shelf/").map_or(path, |(_, inside)| inside).to_owned();
        file["path"] = inside.into();
    }
    insta::assert_json_snapshot!("summary", summary);
}

#[test]
fn paths_choose_what_is_called_and_told() {
    let fixture = Fixture::copy("shelf");
    std::fs::write(fixture.path().join("testsmith.toml"), "calls = 60000\n").expect("writable");
    let run = |args: &[&str]| fixture.run(&[&["--quiet", "--no-write"], args].concat());
    let only = run(&["--only", "Shelf::"]);
    assert_eq!(only.status.code(), Some(100), "{}{}", stdout(&only), stderr(&only));
    assert!(stdout(&only).contains("swap_with_last"), "{}", stdout(&only));
    assert!(!stdout(&only).contains("Label"), "{}", stdout(&only));
    let skip = run(&["--skip", "swap_with_last", "--skip", "Label"]);
    assert_eq!(skip.status.code(), Some(0), "{}{}", stdout(&skip), stderr(&skip));
    let none = run(&["--only", "Shelf::tke"]);
    assert_eq!(none.status.code(), Some(2), "{}", stderr(&none));
    assert!(stderr(&none).contains("did you mean shelf::Shelf::take?"), "{}", stderr(&none));
    let list = stdout(&fixture.run(&["list", "--quiet", "--only", "Board", "--skip", "price"]));
    assert!(list.contains("shelf::Board {"), "{list}");
    assert!(!list.contains("Shelf::take") && !list.contains("price"), "{list}");
    std::fs::write(fixture.path().join("testsmith.toml"), "call = 60000\n").expect("writable");
    let wrong = run(&[]);
    assert_eq!(wrong.status.code(), Some(2), "{}", stderr(&wrong));
    assert!(stderr(&wrong).contains("line 1") && stderr(&wrong).contains("unknown field `call`"));
}
