//! The shape of the workspace, held by a test.

use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies inside the workspace")
}

/// `(package, folder under the root, names of workspace packages it depends on)`.
fn packages() -> Vec<(String, String, Vec<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version=1"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let folder = |package: &serde_json::Value| {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let folder = manifest.parent().expect("a folder");
        folder.strip_prefix(root()).expect("inside").to_string_lossy().into_owned()
    };
    let normal = |dependency: &&serde_json::Value| {
        !dependency["path"].is_null() && dependency["kind"].as_str() != Some("dev")
    };
    let list = metadata["packages"].as_array().expect("packages");
    list.iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let names = dependencies.iter().filter(normal);
            let names = names.map(|d| d["name"].as_str().expect("a name").to_owned()).collect();
            (package["name"].as_str().expect("a name").to_owned(), folder(package), names)
        })
        .collect()
}

#[test]
fn crates_form_a_star_around_the_model() {
    let mut seen = 0;
    for (name, folder, dependencies) in packages() {
        if !folder.starts_with("crates/") {
            continue;
        }
        seen += 1;
        for dependency in dependencies {
            let edge = (name.as_str(), dependency.as_str());
            let allowed = dependency == "testsmith-model"
                || edge == ("testsmith-worker", "testsmith-engines")
                || edge == ("testsmith-worker", "testsmith-sandbox")
                || edge == ("testsmith-symbolic", "testsmith-solver");
            assert!(allowed, "{name} may not depend on {dependency}: siblings meet in the command");
        }
    }
    let folders = std::fs::read_dir(root().join("crates")).expect("there is a folder of crates");
    assert_eq!(seen, folders.count(), "cargo's metadata has another number of crates");
}

#[test]
fn what_users_link_depends_on_nothing_of_ours_but_its_macros() {
    let mut seen = 0;
    for (name, _, dependencies) in packages() {
        if name == "testsmith" || name == "testsmith-macros" {
            seen += 1;
            for dependency in dependencies {
                assert_eq!(dependency, "testsmith-macros", "{name} must stay light");
            }
        }
    }
    assert_eq!(seen, 2, "what users link was not looked at");
}
