//! How the code and the pages read: figures that may fall and not rise. They are read off formatted text: a function ends
//! with the brace that is as far in as its first line.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::pages::files;
use super::root;

/// Most lines of a function, and of a file outside its tests.
const FUNCTION_LINES_MAX: usize = 60;
const FILE_LINES_MAX: usize = 400;
/// Functions and files that are longer.
const LONG_FUNCTIONS: usize = 0;
const LONG_FILES: usize = 0;
/// Of a thousand type names, those that stand for several things.
const SHARED_NAMES_OF_1000: usize = 20;
/// Of a thousand lines, those that bind a tuple in place of names.
const TUPLES_OF_1000: usize = 1;
/// Of a thousand words of doc comments and of pages, pronouns and what stands in for nouns.
const DOC_PRONOUNS_OF_1000: usize = 55;
const PAGE_PRONOUNS_OF_1000: usize = 70;
/// Words of all pages together.
const PAGE_WORDS: usize = 37_500;

/// Words that name no thing: no type is called by one.
const FUNCTION_WORDS: &str = "About Again Around At Before Begun Behind Beside By Given Gives Happening Heard Holds Held \
    How Keep Kept Left Look Looked Made Making Named Need Needed Now Of Outside Said Seen Sent Shown Told Taken Taking \
    Telling Until Way Ways What Which Who Why Word Words Wanted Asked Found Lack Late Reach Voice Turn Moment Noted Noting \
    Spoke Drop Use Known Unknown Awaits Lacking Doing Going Having Whose Where When";
const PRONOUNS: &str = "that which it its what whose one ones those them they who whoever whom such so of these others other \
    same";

/// A file's lines outside its test modules, with its path.
struct Source {
    path: PathBuf,
    lines: Vec<String>,
}

/// Code of our own that is neither generated nor a test.
fn sources() -> Vec<Source> {
    let is_own = |path: &PathBuf| {
        let text = path.to_string_lossy();
        !["/tests/", "/benches/", "/examples/", "/tests.rs", "superroot.v5"]
            .iter()
            .any(|part| text.contains(part))
    };
    let paths = files(&root().join("crates"), &[".rs"]).into_iter().filter(is_own);
    paths.map(|path| Source { lines: code_of(&fs::read_to_string(&path).unwrap()), path }).collect()
}

/// The lines of a file without its test modules.
fn code_of(text: &str) -> Vec<String> {
    let mut kept = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_test = line.trim() == "#[cfg(test)]"
            && lines.peek().is_some_and(|next| next.contains("mod ") && next.ends_with('{'));
        if !is_test {
            kept.push(line.to_owned());
            continue;
        }
        let end = format!("{}}}", indent_of(line));
        let _module = lines.by_ref().find(|line| *line == end);
    }
    kept
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// The word behind a keyword, without what may stand before it.
fn name_behind<'a>(line: &'a str, keywords: &[&str]) -> Option<&'a str> {
    let mut words = line.split_whitespace().skip_while(|word| {
        word.starts_with("pub")
            || ["async", "const", "unsafe"].contains(word)
            || word.ends_with("crate)")
    });
    let keyword = words.next()?;
    let name = words.next().filter(|_| keywords.contains(&keyword))?;
    name.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
}

/// Functions of a file with more lines than they may have, and how many these are.
fn long_functions(source: &Source) -> Vec<(usize, String)> {
    let mut long = Vec::new();
    for (at, line) in source.lines.iter().enumerate() {
        let Some(name) = name_behind(line, &["fn"]).filter(|_| !line.ends_with(';')) else {
            continue;
        };
        let indent = indent_of(line);
        let is_end = |next: &&String| {
            let rest = next.strip_prefix(indent).unwrap_or_default();
            rest == "}" || (rest.starts_with(')') && rest.ends_with(';'))
        };
        let length = source.lines[at..].iter().take_while(|next| !is_end(next)).count() + 1;
        if length > FUNCTION_LINES_MAX {
            long.push((length, format!("{} {name}", source.path.display())));
        }
    }
    long
}

/// Pronouns of a thousand words, and the words, of prose: code, tables and fences left out.
fn pronouns(prose: &str) -> (usize, usize) {
    let mut words = 0;
    let mut pronouns = 0;
    let mut is_fenced = false;
    for line in prose.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            continue;
        }
        if is_fenced || line.starts_with('|') {
            continue;
        }
        let plain: Vec<&str> = line.split('`').step_by(2).collect();
        for word in plain.join(" ").split(|c: char| !(c.is_ascii_alphabetic() || c == '\'')) {
            if !word.is_empty() {
                words += 1;
                pronouns += usize::from(
                    PRONOUNS.split_whitespace().any(|one| word.eq_ignore_ascii_case(one)),
                );
            }
        }
    }
    (pronouns * 1_000 / words.max(1), words)
}

/// Fails where a figure rose, and where one fell so far that its limit can be lowered.
fn ratchet(what: &str, now: usize, limit: usize, slack: usize) {
    assert!(now <= limit, "{what}: {now}, at most {limit}");
    assert!(now + slack >= limit, "{what}: {now}; lower its limit of {limit}");
}

#[test]
fn functions_and_files_are_short() {
    let sources = sources();
    assert!(sources.len() > 500, "{}", sources.len());
    let mut functions: Vec<_> = sources.iter().flat_map(long_functions).collect();
    functions.sort();
    let long = sources.iter().filter(|source| source.lines.len() > FILE_LINES_MAX);
    let files: Vec<_> =
        long.map(|source| (source.lines.len(), source.path.display().to_string())).collect();
    println!("{functions:#?} {files:#?}");
    ratchet("functions that are too long", functions.len(), LONG_FUNCTIONS, 0);
    ratchet("files that are too long", files.len(), LONG_FILES, 0);
}

#[test]
fn a_type_is_a_noun_and_a_noun_is_one_type() {
    let mut names: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut tuples = 0;
    let mut lines = 0;
    for Source { path, lines: code } in sources() {
        for line in &code {
            if let Some(name) = name_behind(line, &["struct", "enum", "trait"]) {
                names.entry(name.to_owned()).or_default().push(path.clone());
            }
            tuples += usize::from(line.trim_start().starts_with("let (") && line.contains(") = ("));
            lines += usize::from(!line.trim().is_empty() && !line.trim_start().starts_with("//"));
        }
    }
    let words: Vec<&str> = FUNCTION_WORDS.split_whitespace().collect();
    let odd: Vec<&String> = names.keys().filter(|name| words.contains(&name.as_str())).collect();
    assert!(odd.is_empty(), "types that are called by no noun: {odd:?}");
    let count: usize = names.values().map(Vec::len).sum();
    let shared: usize = names.values().filter(|paths| paths.len() > 1).map(Vec::len).sum();
    println!("{:#?}", names.iter().filter(|(_, paths)| paths.len() > 1).collect::<Vec<_>>());
    ratchet("shared names of 1,000", shared * 1_000 / count, SHARED_NAMES_OF_1000, 10);
    ratchet("tuples in place of names of 1,000 lines", tuples * 1_000 / lines, TUPLES_OF_1000, 1);
}

#[test]
fn prose_names_what_it_speaks_of() {
    let mut docs = String::new();
    for source in sources() {
        for line in &source.lines {
            let line = line.trim_start();
            if let Some(text) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) {
                docs.push_str(text.trim_start());
                docs.push('\n');
            }
        }
        docs.push('\n');
    }
    let (of_docs, _) = pronouns(&docs);
    ratchet("pronouns of 1,000 words of doc comments", of_docs, DOC_PRONOUNS_OF_1000, 15);
    let mut pages = files(&root().join("docs"), &[".md"]);
    pages.extend(["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|page| root().join(page)));
    let pages: Vec<String> = pages.iter().map(|page| fs::read_to_string(page).unwrap()).collect();
    let (of_pages, words) = pronouns(&pages.join("\n"));
    ratchet("pronouns of 1,000 words of pages", of_pages, PAGE_PRONOUNS_OF_1000, 20);
    ratchet("words of pages", words, PAGE_WORDS, 6_000);
}
