//! Which modules of a crate need which, read from its paths.
//!
//! ```text
//! crate::store::{read, Tip}      needs `store::read`, and whatever module `store` has `Tip` from
//! super::rows::place             needs the neighbour `rows`
//! use rows::{Row, place};        who says `store::Row` needs `store::rows`
//! ```
//! A module is a file. Tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The names from the crate's root down: `["store", "read"]`.
type Module = Vec<String>;

/// Every circle among the modules below this `src`, each in order of their names.
pub(crate) fn circles(src: &Path) -> Vec<Vec<String>> {
    let mut files = BTreeMap::new();
    read_modules(src, &Vec::new(), &mut files);
    let house = House::new(&files);
    let needs: BTreeMap<&Module, BTreeSet<Module>> =
        files.iter().map(|(module, paths)| (module, house.needs(module, paths))).collect();
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        files.keys().map(|module| (module, reached_from(module, &needs))).collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &reached {
        let is_mutual = |other: &&Module| reached[other].contains(*module);
        let circle: Vec<String> =
            others.iter().filter(is_mutual).map(|one| one.join("::")).collect();
        if !circle.is_empty() {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

/// Reads each file below `folder`, whose own module is `parent`; files of tests are left out.
fn read_modules(folder: &Path, parent: &Module, files: &mut BTreeMap<Module, Vec<Use>>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_stem().unwrap().to_str().unwrap().to_owned();
        if name == "tests" {
            continue;
        }
        let module = if ["lib", "main", "mod"].contains(&&*name) {
            parent.clone()
        } else {
            [parent.as_slice(), &[name]].concat()
        };
        if entry.is_dir() {
            read_modules(&entry, &module, files);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.entry(module).or_default().extend(paths_of(&fs::read_to_string(&entry).unwrap()));
        }
    }
}

/// A path as it is written in a file.
struct Use {
    path: Vec<String>,
    /// The name under which a `use` gives it on, a private one to the modules inside; `*` for all that is there.
    given_as: Option<String>,
}

/// The modules of a crate, and what each gives on.
struct House<'a> {
    modules: &'a BTreeMap<Module, Vec<Use>>,
    /// A name in a module, and the path that it stands for.
    given: BTreeMap<Module, Module>,
    /// A module, and those all of whose names it gives on.
    given_whole: BTreeMap<Module, Vec<Module>>,
}

impl<'a> House<'a> {
    fn new(modules: &'a BTreeMap<Module, Vec<Use>>) -> Self {
        let (mut given, mut given_whole) = (BTreeMap::new(), BTreeMap::<_, Vec<_>>::new());
        for (module, uses) in modules {
            for one in uses {
                let Some(name) = &one.given_as else { continue };
                let path = absolute(module, &one.path, modules);
                if name == "*" {
                    given_whole.entry(module.clone()).or_default().push(path);
                } else {
                    let key = [module.as_slice(), std::slice::from_ref(name)].concat();
                    // `pub use crate_name;` stands for nothing in here
                    if key != path {
                        given.insert(key, path);
                    }
                }
            }
        }
        Self { modules, given, given_whole }
    }

    /// The other modules that one needs.
    fn needs(&self, module: &Module, uses: &[Use]) -> BTreeSet<Module> {
        let starts_here = |one: &&Use| ["crate", "super", "self"].contains(&&*one.path[0]);
        let paths = uses
            .iter()
            .filter(starts_here)
            .flat_map(|one| self.modules_of(&absolute(module, &one.path, self.modules)));
        paths.filter(|other| other != module).collect()
    }

    /// The module that a path leads to; where a name on it is given on, each module that it comes through.
    fn modules_of(&self, path: &Module) -> Vec<Module> {
        let (mut paths, mut modules) = (vec![path.clone()], Vec::new());
        let mut seen = BTreeSet::new();
        while let Some(path) = paths.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            let heads = (1..=path.len()).rev().map(|length| path.split_at(length));
            for (head, rest) in heads {
                if self.modules.contains_key(head) {
                    let whole = self.given_whole.get(head).into_iter().flatten();
                    paths.extend(whole.map(|other| [other, rest].concat()));
                    modules.push(head.to_vec());
                    break;
                }
                if let Some(target) = self.given.get(head) {
                    modules.extend(self.home(target));
                    paths.push([target, rest].concat());
                    break;
                }
            }
        }
        modules
    }

    /// The module that a path is in, by its words alone.
    fn home(&self, path: &Module) -> Option<Module> {
        let heads = (1..=path.len()).rev().map(|length| &path[..length]);
        heads.into_iter().find(|head| self.modules.contains_key(*head)).map(<[String]>::to_vec)
    }
}

/// The path from the crate's root: `self` and `super` are gone from it, and a module inside is named in
/// full. Paths of other crates stay as they are; they name no module here.
fn absolute(module: &Module, path: &[String], modules: &BTreeMap<Module, Vec<Use>>) -> Module {
    let inside = [module.as_slice(), &path[..1]].concat();
    let mut whole = if modules.contains_key(&inside) { module.clone() } else { Vec::new() };
    for (index, name) in path.iter().enumerate() {
        match name.as_str() {
            "crate" => whole.clear(),
            "self" if index == 0 => whole = module.clone(),
            "super" => {
                if index == 0 {
                    whole = module.clone();
                }
                whole.pop();
            }
            name => whole.push(name.to_owned()),
        }
    }
    whole
}

fn reached_from(module: &Module, needs: &BTreeMap<&Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![module]);
    while let Some(module) = next.pop() {
        for other in &needs[module] {
            if reached.insert(other.clone()) {
                next.push(other);
            }
        }
    }
    reached
}

/// Every path of a file that begins with `crate`, `super` or `self`, and every one that is given on.
fn paths_of(text: &str) -> Vec<Use> {
    let words = words_of(text);
    let mut uses = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let before = at.checked_sub(1).map(|before| words[before].as_str());
        match words[at].as_str() {
            "use" => at = read_tree(&words, at + 1, &[], true, &mut uses),
            "crate" | "super" | "self"
                if before != Some("::")
                    && before != Some("in")
                    && words.get(at + 1).is_some_and(|word| word == "::") =>
            {
                at = read_tree(&words, at, &[], false, &mut uses);
            }
            _ => at += 1,
        }
    }
    uses
}

/// Reads `a::b::{c, d as e, self}` from `at` on, and gives the place behind it.
fn read_tree(
    words: &[String],
    mut at: usize,
    base: &[String],
    given_on: bool,
    uses: &mut Vec<Use>,
) -> usize {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let mut path = base.to_vec();
    loop {
        match word(at) {
            "{" => {
                at += 1;
                while !["}", ""].contains(&word(at)) {
                    at = read_tree(words, at, &path, given_on, uses);
                    at += usize::from(word(at) == ",");
                }
                return at + 1;
            }
            "*" => {
                uses.push(Use { path, given_as: given_on.then(|| "*".to_owned()) });
                return at + 1;
            }
            "self" if !path.is_empty() => {}
            name if name.starts_with(|first: char| first.is_alphabetic() || first == '_') => {
                path.push(name.to_owned());
            }
            _ => return at + 1,
        }
        at += 1;
        if word(at) == "::" && word(at + 1) != "<" {
            at += 1;
            continue;
        }
        let mut name = path.last().cloned();
        if word(at) == "as" {
            (name, at) = (Some(word(at + 1).to_owned()), at + 2);
        }
        uses.push(Use { path, given_as: name.filter(|_| given_on) });
        return at;
    }
}

/// The names and signs of a file without its comments and its module of tests.
fn words_of(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let mut words = Vec::new();
    for line in lines {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let is_sign = |one: char| !one.is_alphanumeric() && one != '_';
            let length = match first {
                _ if rest.starts_with("::") => 2,
                sign if is_sign(sign) => sign.len_utf8(),
                _ => rest.find(is_sign).unwrap_or(rest.len()),
            };
            words.push(rest[..length].to_owned());
            rest = rest[length..].trim_start();
        }
    }
    words
}

/// The circles of a crate of these files.
fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    circles(folder.path())
}

#[test]
fn circles_are_found_through_groups_and_names_that_are_given_on() {
    let circle = vec!["a".to_owned(), "b::inner".to_owned()];
    for (a, inner) in [
        ("use crate::b::inner::Row;", "use crate::a::Row;"),
        ("use crate::{\n    c, b::{self, inner}};", "fn f() { crate::a::f() }"),
        ("use crate::{b::{Row}, other::Row};", "use super::super::a;"),
        ("use crate::Row as Other;", "use crate::{a as x};"),
        ("use super::Row;", "use crate::Of;"),
        ("fn f() -> super::b::Row { g::<crate::b::All>() }", "use crate::a::Row;"),
    ] {
        let files = [
            (
                "lib.rs",
                "mod a; mod b; pub use other; pub use b::Row; pub use self::a::Given as Of;",
            ),
            ("a.rs", a),
            ("b/mod.rs", "mod inner; pub(crate) use inner::{Other, Row}; pub use inner::*;"),
            ("b/inner.rs", inner),
            ("c.rs", "pub struct Row;"),
        ];
        let found = circles_of(&files);
        assert_eq!(found, std::slice::from_ref(&circle), "{a} and {inner}");
    }
}

#[test]
fn tests_comments_and_names_that_a_module_imports_make_no_circle() {
    for a in [
        "// use crate::b::Row;",
        "#[cfg(test)]\nmod tests {\n    use crate::b::Row;\n}",
        "use superroot_b::crate_b;",
        "use crate::{a::inner, c::Row};",
    ] {
        let files = [
            ("main.rs", "mod a; mod b; mod c; use b::Row;"),
            ("a.rs", a),
            ("a/inner.rs", "use super::Row;"),
            ("a/tests.rs", "use crate::b::Row;"),
            ("b.rs", "use crate::a::Row;"),
            ("c.rs", "pub struct Row;"),
        ];
        assert_eq!(circles_of(&files), Vec::<Vec<String>>::new(), "{a}");
    }
}
