//! What nearly all calls keep is an oracle: types that are rarely wrong are reported as
//! suspicious, and types that only seem to be are not.

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use support::{Fixture, findings, rules, stderr, stdout};

const RULE: &str = "exception to a near-contract";

/// The exceptions that a run tells.
fn exceptions(fixture: &Fixture, seed: u64) -> (Vec<Value>, Option<i32>) {
    let seed = seed.to_string();
    let args = ["--calls", "1500000", "--seed", &seed, "--quiet", "--no-regressions"];
    // As tests, too: there must be none.
    let output = fixture.run(&[&args[..], &["--suspicious", "--format", "json"]].concat());
    let found = findings(&output);
    assert!(stdout(&output).contains("\"summary\""), "{}", stderr(&output));
    let all = found.into_iter().filter(|finding| finding["rule"] == RULE).collect();
    (all, output.status.code())
}

#[test]
fn rare_wrong_answers_are_suspicious_and_boundaries_are_not() {
    let fixture = Fixture::copy("near");
    let wrong: BTreeSet<String> = rules("near").into_iter().map(|(path, _)| path).collect();
    let mut found = BTreeSet::new();
    for seed in 0..SEEDS {
        if found == wrong {
            break;
        }
        let (all, code) = exceptions(&fixture, seed);
        assert_eq!(code, Some(0), "an exception is no violation: {all:#?}");
        for finding in &all {
            let operation = finding["operation"].as_str().expect("a path").to_owned();
            assert!(wrong.contains(&operation), "{finding:#}");
            assert_eq!(finding["severity"], "suspicious");
            found.insert(operation);
        }
        if let Some(take) = all.iter().find(|one| one["operation"] == "near::wrong::Spool::take") {
            let what = take["what"].as_str().expect("a text");
            assert!(what.contains("nearly always after lay: "), "{take:#}");
            let reason = take["reason"].as_str().expect("a text");
            let both = ["self.height() == 3", "layer == 12"];
            assert!(both.iter().all(|condition| reason.contains(condition)), "{take:#}");
        }
        let wind = all.iter().find(|finding| finding["operation"] == "near::wrong::Reel::wind");
        let Some(wind) = wind else { continue };
        let text = |key: &str| wind[key].as_str().unwrap_or_default().to_owned();
        assert!(text("what").contains("self.turns() == old(self.turns()) + 1: in "), "{wind:#}");
        assert!(text("what").contains(" calls, and not in "), "{wind:#}");
        let both = ["self.gear() == 7", "self.is_locked()"];
        assert!(both.iter().all(|condition| text("reason").contains(condition)), "{wind:#}");
        // Seven shifts, one toggle and the call itself; beside it, one thing less.
        assert!(text("test").contains("toggle") && text("test").contains("shift"), "{wind:#}");
        assert!(!text("passing").is_empty() && text("passing") != text("test"), "{wind:#}");
    }
    assert_eq!(found, wrong, "one seed of a few shows each");
    let file = fixture.path().join("tests/testsmith_failures.rs");
    assert!(!file.exists(), "nobody has promised what is inferred");
}

/// Whether rare states are reached in one walk is chance.
const SEEDS: u64 = 16;
