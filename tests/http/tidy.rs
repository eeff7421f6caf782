//! Tests of the source itself: the sizes of files and functions, names, and documentation.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The maximum number of lines of a source file, without its unit tests.
const FILE_LINES_MAX: usize = 400;

/// The maximum number of lines of a function.
const FUNCTION_LINES_MAX: usize = 70;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the paths of all Rust files in a folder and its subfolders.
pub(crate) fn sources(folder: &str) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

fn product() -> Vec<(PathBuf, String)> {
    let folders = ["src", "declaration/src", "codegen/src", "runtime/src", "resource-derive/src"];
    let files: Vec<_> = folders.iter().flat_map(|folder| sources(folder)).collect();
    assert!(files.len() > 50, "fewer than 50 source files: are the folders right?");
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

pub(crate) fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests").next().unwrap()
}

#[test]
fn files_are_short_and_say_what_they_are_for() {
    for (path, text) in product() {
        let shown = path.display();
        assert!(text.starts_with("//! "), "{shown} must begin with a `//!` comment");
        let lines = without_tests(&text).lines().count();
        assert!(lines <= FILE_LINES_MAX, "{shown} has {lines} lines; split it by concepts");
    }
}

#[test]
fn functions_are_short() {
    for (path, text) in product() {
        let mut begun: Option<(usize, usize, String)> = None;
        for (number, line) in text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            match &begun {
                // A body on the same line is short.
                None if is_function(line) && !line.ends_with([';', '}']) => {
                    begun = Some((number, indent, line.into()));
                }
                // The end of a signature over several lines, without a body.
                Some((_, at, _)) if indent == *at && line.ends_with(';') => begun = None,
                Some((start, at, name)) if indent == *at && line.trim() == "}" => {
                    let lines = number - start + 1;
                    assert!(
                        lines <= FUNCTION_LINES_MAX,
                        "{}: a function of {lines} lines:{name}",
                        path.display()
                    );
                    begun = None;
                }
                _ => {}
            }
        }
    }
}

fn is_function(line: &str) -> bool {
    let line = line.trim_start();
    // `pub(in crate::store)` has a blank.
    let line = match line.strip_prefix("pub(").and_then(|rest| rest.split_once(')')) {
        Some((_, rest)) => rest,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    line.split_once("fn ").is_some_and(|(before, _)| {
        let is_known = |word| ["const", "async", "unsafe", "extern", "\"C\""].contains(&word);
        before.split_whitespace().all(is_known)
    })
}

#[test]
fn functions_are_known_by_their_first_line() {
    for line in [
        "fn f() {",
        "    pub fn f(",
        "pub(in crate::store) async fn f<T>(",
        "pub(super) const unsafe fn f() -> u8 {",
        "unsafe extern \"C\" fn f(",
    ] {
        assert!(is_function(line), "{line}");
    }
    for line in
        ["let f = make_fn (1);", "// fn f", "    make: impl FnOnce() -> F,", "run(fn_of(x))"]
    {
        assert!(!is_function(line), "{line}");
    }
}

/// The packages of a section of `Cargo.toml`, each with its level of optimization.
fn levels(section: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, lines) = text.split_once(&format!("\n[{section}]\n")).unwrap();
    let lines = lines.lines().take_while(|line| !line.starts_with('['));
    let pairs = lines.filter_map(|line| line.split_once(".opt-level = "));
    pairs.map(|(name, level)| (name.to_owned(), level.to_owned())).collect()
}

/// The packages that `release` names would keep its level in `dist`, if that did not name them.
#[test]
fn what_is_shipped_is_optimized_alike() {
    let (release, dist) = (levels("profile.release.package"), levels("profile.dist.package"));
    let expected = release.into_iter().map(|(name, _)| (name, "3".to_owned()));
    assert_eq!(dist, expected.collect::<Vec<_>>());
    assert!(dist.len() > 30, "{dist:?}");
}

#[test]
fn no_file_has_a_name_that_says_nothing() {
    for (path, _) in product() {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        for nothing in ["mod", "utils", "util", "helpers", "helper", "common", "manager", "misc"] {
            assert_ne!(
                stem,
                nothing,
                "{} has a name that says nothing about its content",
                path.display()
            );
        }
    }
}

#[test]
fn nothing_unfinished_is_in_the_source() {
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
    ];
    for (path, text) in product() {
        for word in words {
            assert!(
                !text.contains(word),
                "{} contains the unfinished work `{word}`",
                path.display()
            );
        }
    }
}

#[test]
fn unsafe_code_stands_in_one_module_and_says_why_it_is_sound() {
    for (path, text) in product() {
        let blocks = text.matches("unsafe {").count() + text.matches("unsafe impl").count();
        let may = ["raw.rs", "raw/parts.rs", "raw/statement.rs", "raw/wal_index.rs"];
        let may = may.iter().any(|may| path.ends_with(Path::new("store/sqlite").join(may)));
        let expected = if may { text.matches("// SAFETY: ").count() } else { 0 };
        assert_eq!(
            blocks,
            expected,
            "{} has other `unsafe` blocks than `SAFETY` comments, or may have none",
            path.display()
        );
    }
}

#[test]
fn the_map_of_the_house_is_short() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(map.lines().count() <= 150);
}

#[test]
fn the_map_of_the_house_names_files_that_exist() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let sources = product();
    let named = map.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs"));
    let named: Vec<_> = named.collect();
    assert!(named.len() > 30, "ARCHITECTURE.md names too few files: {named:?}");
    for name in named {
        let is_there =
            sources.iter().any(|(path, _)| path.ends_with(name)) || root().join(name).exists();
        assert!(is_there, "ARCHITECTURE.md names {name}, which does not exist");
    }
}

#[test]
fn every_limit_stands_in_the_documentation() {
    let docs = fs::read_to_string(root().join("docs/limits.md")).unwrap();
    // Tables of other things have another head.
    let tables = docs.split("\n| limit |").skip(1);
    let rows =
        tables.flat_map(|table| table.lines().skip(1).take_while(|line| line.starts_with('|')));
    let rows = rows.filter(|line| line.starts_with("| ")).count();
    let is_limits = |path: &Path| path.to_string_lossy().contains("runtime/src/base/limits");
    let sources = product();
    let limits = sources.iter().filter(|(path, _)| is_limits(path));
    let lines = limits.flat_map(|(_, text)| text.lines());
    let constants = lines.filter(|line| line.starts_with("pub const")).count();
    assert_eq!(rows, constants, "docs/limits.md must have as many limits as limits.rs");
}
