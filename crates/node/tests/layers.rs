//! The house has layers: a crate depends on lower ones only, never on a neighbour; the modules of a
//! crate make no circle; and what the workspace declares is what it uses, each with its reason.

#[path = "layers/modules.rs"]
mod modules;
#[path = "layers/pages.rs"]
mod pages;
#[path = "layers/readability.rs"]
mod readability;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// Rooms by layer, lowest first: docs/architecture.md.
const LAYERS: [&[&str]; 10] = [
    &["types", "memory", "socket", "contract"],
    &["proof"],
    &["chain", "wire"],
    &["source", "store"],
    &["collect", "accumulate", "index", "gas", "dex", "outbox", "account", "witness", "devnet"],
    &["billing", "market", "order", "token"],
    &["stream", "watch"],
    &["webhook"],
    &["api", "client"],
    &["node"],
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn manifest(path: &Path) -> Table {
    fs::read_to_string(path).unwrap().parse().unwrap()
}

fn layer_of(room: &str) -> usize {
    let layer = LAYERS.iter().position(|rooms| rooms.contains(&room));
    layer.unwrap_or_else(|| panic!("crate {room} stands in no layer"))
}

fn crates() -> BTreeMap<String, Table> {
    let rooms = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap());
    rooms
        .map(|room| {
            let name = room.file_name().into_string().unwrap();
            (name, manifest(&room.path().join("Cargo.toml")))
        })
        .collect()
}

fn dependencies<'a>(manifest: &'a Table, section: &str) -> Vec<&'a str> {
    let table = manifest.get(section).and_then(Value::as_table);
    table.map(|table| table.keys().map(String::as_str).collect()).unwrap_or_default()
}

#[test]
fn no_crate_imports_upward_or_sideways() {
    for (room, manifest) in crates() {
        let layer = layer_of(&room);
        for section in ["dependencies", "build-dependencies"] {
            for dependency in dependencies(&manifest, section) {
                if let Some(below) = dependency.strip_prefix("superroot-") {
                    assert!(layer_of(below) < layer, "{room} must not depend on {below}");
                }
            }
        }
    }
}

#[test]
fn modules_of_a_crate_make_no_circles() {
    let found = crates().into_keys().flat_map(|room| {
        let circles = modules::circles(&root().join("crates").join(&room).join("src"));
        circles.into_iter().map(move |circle| format!("{room}: {}", circle.join(", ")))
    });
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_dependency_is_declared_once_with_its_reason() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let table: Table = workspace.parse().unwrap();
    let declared = table["workspace"]["dependencies"].as_table().unwrap();
    let mut used = Vec::new();
    for (room, manifest) in crates() {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for dependency in dependencies(&manifest, section) {
                assert!(declared.contains_key(dependency), "{room}: {dependency} is not declared");
                let entry = &manifest[section][dependency];
                let inherited = entry.get("workspace").and_then(Value::as_bool);
                assert_eq!(inherited, Some(true), "{room}: {dependency} has its own version");
                used.push(dependency.to_owned());
            }
        }
    }
    for dependency in declared.keys().filter(|name| !name.starts_with("superroot-")) {
        assert!(used.contains(dependency), "{dependency} is declared and not used");
        let line = workspace.lines().find(|line| line.starts_with(&format!("{dependency} = ")));
        let reason = line.and_then(|line| line.split_once(" # "));
        assert!(reason.is_some(), "{dependency} has no reason beside it");
    }
}

/// A verifier runs where there is no operating system: `proof` and `types` take nothing with std but
/// through their feature of that name.
#[test]
fn proof_and_what_it_stands_on_bring_no_std() {
    let table: Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let declared = table["workspace"]["dependencies"].as_table().unwrap();
    let std_features = |entry: &Value| {
        let features = entry.get("features").and_then(Value::as_array);
        features.is_some_and(|features| features.iter().any(|one| one.as_str() == Some("std")))
    };
    let crates = crates();
    for room in ["types", "proof"] {
        let manifest = &crates[room];
        for dependency in dependencies(manifest, "dependencies") {
            let entry = &declared[dependency];
            let with_defaults = entry.get("default-features").and_then(Value::as_bool);
            assert_eq!(with_defaults, Some(false), "{dependency} comes with its defaults");
            let used = &manifest["dependencies"][dependency];
            assert!(used.get("default-features").is_none(), "{room}: {dependency}");
            assert!(!std_features(entry) && !std_features(used), "{room}: {dependency} with std");
        }
        let features = manifest["features"].as_table().unwrap();
        for (name, enables) in
            features.iter().filter(|(name, _)| !["default", "std"].contains(&name.as_str()))
        {
            let enables = enables.as_array().unwrap().iter().filter_map(Value::as_str);
            let std = enables.clone().find(|one| *one == "std" || one.ends_with("/std"));
            assert_eq!(std, None, "{room}: feature {name}");
        }
        let source =
            fs::read_to_string(root().join("crates").join(room).join("src/lib.rs")).unwrap();
        assert!(source.contains("no_std"), "{room} is not no_std");
    }
}
