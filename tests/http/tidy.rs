//! Tests of the source itself: the sizes of files and functions, names, and documentation.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

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

/// A function that has a body.
#[derive(Debug, PartialEq)]
struct FunctionSize {
    name: String,
    /// The number of the line that has `fn`.
    line: usize,
    lines: usize,
}

/// Adds all functions of some tokens, whatever their signatures and wherever they stand: in traits,
/// in macros, in other functions.
///
/// A function is `fn` and a name, and after some tokens a body in braces. Braces before `>` or `,`
/// are a constant in a type.
fn add_functions(tokens: TokenStream, to: &mut Vec<FunctionSize>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let is_sign = |at: usize, signs: &str| match tokens.get(at) {
        Some(TokenTree::Punct(sign)) => signs.contains(sign.as_char()),
        _ => false,
    };
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            add_functions(group.stream(), to);
        }
        let name: String = tokens[at + 1..].iter().take(2).map(ToString::to_string).collect();
        let is_name = |letter: char| letter.is_alphanumeric() || "_$".contains(letter);
        let (TokenTree::Ident(keyword), true) = (token, name.starts_with(is_name)) else {
            continue;
        };
        if *keyword != "fn" {
            continue;
        }
        let name = name.split(|letter| !is_name(letter)).next().unwrap_or_default().to_owned();
        let mut rest = (at..tokens.len()).take_while(|at| !is_sign(*at, ";"));
        let body = rest.find_map(|at| match &tokens[at] {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                Some(group).filter(|_| !is_sign(at + 1, ">,"))
            }
            _ => None,
        });
        if let Some(body) = body {
            let line = keyword.span().start().line;
            to.push(FunctionSize { name, line, lines: body.span_close().end().line - line + 1 });
        }
    }
}

/// Returns all functions of a source file.
fn functions(text: &str) -> Vec<FunctionSize> {
    let mut functions = vec![];
    add_functions(text.parse().unwrap(), &mut functions);
    functions.sort_by_key(|function| function.line);
    functions
}

#[test]
fn functions_are_short() {
    let mut long = vec![];
    for (path, text) in product() {
        for FunctionSize { name, line, lines } in functions(&text) {
            if lines > FUNCTION_LINES_MAX {
                long.push(format!("{}:{line}: `{name}` has {lines} lines", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn functions_are_counted_whatever_their_signatures() {
    let text = r#"
        pub(in crate::store) async fn a<T>(_: T) {}
        pub(super) const unsafe fn b() -> u8 {
            // fn comment() {
            0
        }
        unsafe extern "C" fn c(call: fn(u8) -> u8, of: Option<extern "C" fn()>)
        where
            Self: Fn() -> fn(),
        {
            fn d() {
            }
        }
        trait Walks {
            fn without_body(&self, legs: [u8; 2]);
            fn e(&self) {
                (|legs| { legs })(4);
            }
        }
        macro_rules! functions {
            ($name:ident) => { fn $name() {
            } }
        }
        many! { fn f<
            T,
        >() -> Legs<{ 2 }, { 4 }> {
        } }
    "#;
    let functions = functions(text);
    let found: Vec<_> = functions.iter().map(|one| (&*one.name, one.line, one.lines)).collect();
    let expected = [
        ("a", 2, 1),
        ("b", 3, 4),
        ("c", 7, 7),
        ("d", 11, 2),
        ("e", 16, 3),
        ("$name", 21, 2),
        ("f", 24, 4),
    ];
    assert_eq!(found, expected);
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
