//! The pages of the documents: how long they may be, and that their links lead to headings.

use std::fs;
use std::path::{Path, PathBuf};

use super::root;

/// Most lines of a page.
const LINES_MAX: usize = 200;
/// Most words of a page.
const WORDS_MAX: usize = 2_500;

/// Files below a folder whose names end so.
pub(crate) fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path, ends));
        } else if ends.iter().any(|end| path.to_string_lossy().ends_with(end)) {
            found.push(path);
        }
    }
    found
}

/// The anchor of a heading, as GitHub makes it.
fn anchor_of(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Whether a page has a heading of that anchor.
fn has_anchor(page: &Path, anchor: &str) -> bool {
    let text = fs::read_to_string(page).unwrap_or_default();
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    headings.any(|heading| anchor_of(heading.trim_start_matches('#')) == anchor)
}

/// What stands between two marks, each time.
fn between<'a>(text: &'a str, open: &str, close: &[char]) -> Vec<&'a str> {
    let parts = text.split(open).skip(1);
    parts.map(|part| part.split(close).next().unwrap_or_default()).collect()
}

#[test]
fn pages_are_short() {
    let mut pages = files(&root().join("docs"), &[".md"]);
    pages.extend(["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|page| root().join(page)));
    assert!(pages.len() > 10, "{pages:?}");
    // the members of every ledger, written by a test out of the types
    pages.retain(|page| !page.ends_with("ledgers.md"));
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let lines = text.lines().count();
        let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
        let words = text.split_whitespace().filter(is_word).count();
        assert!(
            lines <= LINES_MAX && words <= WORDS_MAX,
            "{} has {lines} lines and {words} words; at most {LINES_MAX} and {WORDS_MAX}: split it",
            page.display()
        );
    }
}

#[test]
fn links_of_pages_lead_to_headings() {
    let mut pages = files(&root().join("docs"), &[".md"]);
    pages.push(root().join("README.md"));
    let mut count = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for link in between(&text, "](", &[')']) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            if file.contains("://") || !(file.is_empty() || file.ends_with(".md")) {
                continue;
            }
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{} links to {link}: there is no such page", page.display());
            let leads = anchor.is_empty() || has_anchor(&target, anchor);
            assert!(leads, "{} links to {link}: there is no such heading", page.display());
            count += 1;
        }
    }
    assert!(count > 50, "{count} links");
}

#[test]
fn references_of_the_code_lead_to_headings() {
    let ends = [".rs", ".toml", ".yml", ".yaml"];
    let sources =
        ["crates", "config", "packaging", "fuzz", "examples"].map(|name| root().join(name));
    let mut count = 0;
    for file in sources.iter().filter(|folder| folder.exists()).flat_map(|one| files(one, &ends)) {
        let text = fs::read_to_string(&file).unwrap();
        for reference in between(&text, "docs/", &['`', ' ', ')', '"', ',', ';', '\n']) {
            let Some((page, anchor)) = reference.split_once(".md#") else { continue };
            if anchor.contains('{') {
                continue; // made by a test
            }
            let page = root().join(format!("docs/{page}.md"));
            let leads = has_anchor(&page, anchor.trim_end_matches('.'));
            assert!(
                leads,
                "{} refers to docs/{reference}: there is no such heading",
                file.display()
            );
            count += 1;
        }
    }
    assert!(count > 10, "{count} references");
}
