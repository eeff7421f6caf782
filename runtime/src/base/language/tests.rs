//! Tests that the templates in the source code and the keys of the translation tables are equal.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::*;
use crate::base::error::Kind;

/// The code that stands before a built-in text in the source.
const BEGINNINGS: [&str; 2] = ["text!(", "language.says("];

/// Calls `look` with the path and the code of each source file below a folder. Tests and comments
/// are removed from the code.
fn each_source(folder: &Path, look: &mut dyn FnMut(&str, &str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_source(&path, look);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            let source = fs::read_to_string(&path).unwrap();
            let product = source.split("\n#[cfg(test)]\n").next().unwrap();
            let code: Vec<_> =
                product.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            look(&path.display().to_string(), &code.join("\n"));
        }
    }
}

/// The values of the string literals that follow one of [`BEGINNINGS`].
fn literals(code: &str) -> Vec<String> {
    let starts = BEGINNINGS.iter().flat_map(|beginning| {
        code.match_indices(beginning).map(|(at, _)| code[at + beginning.len()..].trim_start())
    });
    starts.filter_map(|rest| rest.strip_prefix('"')).map(literal).collect()
}

fn literal(rest: &str) -> String {
    let mut text = String::new();
    let mut characters = rest.chars().peekable();
    loop {
        match characters.next().expect("a string literal ends with a quotation mark") {
            '"' => return text,
            '\\' => match characters.next() {
                Some('\n') => while characters.next_if(|next| next.is_whitespace()).is_some() {},
                Some(plain @ ('"' | '\\')) => text.push(plain),
                other => {
                    panic!("this test does not parse the escape of {other:?} in a string literal")
                }
            },
            character => text.push(character),
        }
    }
}

/// The placeholder names in a template: the texts between braces.
fn gaps(template: &str) -> BTreeSet<&str> {
    template
        .split('{')
        .skip(1)
        .map(|rest| {
            rest.split_once('}').expect("an opening brace in a template has a closing brace").0
        })
        .collect()
}

fn all_entries() -> impl Iterator<Item = &'static Translation> {
    german::TABLES.iter().flat_map(|table| table.iter())
}

fn ours() -> BTreeMap<String, String> {
    let mut ours = BTreeMap::new();
    each_source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut |path, code| {
        ours.extend(literals(code).into_iter().map(|text| (text, path.to_owned())));
    });
    assert!(
        ours.len() > 50,
        "the source must have more than 50 built-in texts; this test found fewer"
    );
    for kind in Kind::ALL {
        for text in [kind.title, kind.meaning] {
            ours.insert(text.into(), format!("the problem {}", kind.slug));
        }
    }
    ours
}

/// Conformance 98: every built-in text that a client can receive has a translation in every
/// language.
#[test]
fn every_text_has_a_translation() {
    let missing: Vec<_> =
        ours().into_iter().filter(|(text, _)| find(&german::TABLES, text).is_none()).collect();
    assert!(missing.is_empty(), "texts without a German translation: {missing:#?}");
}

#[test]
fn every_translation_is_of_a_text() {
    let ours = ours();
    let unused: Vec<_> = all_entries().filter(|(key, _)| !ours.contains_key(*key)).collect();
    assert!(
        unused.is_empty(),
        "translations of texts that the source does not contain: {unused:#?}"
    );
}

#[test]
fn a_translation_has_the_same_gaps() {
    for (english, german) in all_entries() {
        assert_eq!(gaps(english), gaps(german), "{german}");
        let stop = |text: &str| text.ends_with('.');
        assert_eq!(stop(english), stop(german), "{german}");
        assert_eq!(english.starts_with("must "), german.starts_with("muss "), "{german}");
        assert_eq!(english.matches('`').count() % 2, german.matches('`').count() % 2, "{german}");
    }
}

#[test]
fn tables_are_sorted_and_say_nothing_twice() {
    for table in german::TABLES {
        for pair in table.windows(2) {
            assert!(
                pair[0].0 < pair[1].0,
                "the table is not sorted: {:?} is before {:?}",
                pair[0].0,
                pair[1].0
            );
        }
    }
    let keys: BTreeSet<_> = all_entries().map(|(key, _)| key).collect();
    assert_eq!(keys.len(), all_entries().count());
}

/// The calls that create errors and faults of built-in kinds.
const MAKERS: [&str; 7] = [
    "::new(Kind::",
    "Error::unavailable(",
    "Error::about(",
    "Fault::body(",
    "Fault::parameter(",
    ".fault(",
    ".hint(Some(",
];

/// Returns the arguments of a call up to its closing parenthesis, without `text!` texts and
/// whitespace.
fn arguments(rest: &str) -> String {
    let mut depth = 1;
    let end = rest.find(|character| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        depth == 0
    });
    let mut arguments = rest[..end.unwrap_or(rest.len())].to_owned();
    while let Some(at) = arguments.find("text!(") {
        let text = &arguments[at + 6..];
        let open = text.find('"').map_or(0, |quote| quote + 1);
        let end = at + 6 + open + text[open..].find('"').map_or(0, |quote| quote + 1);
        arguments.replace_range(at..end, "");
    }
    arguments
}

/// Every error text must be written with `text!`. Without the macro, a text would be English in
/// every language.
#[test]
fn every_error_is_made_of_texts_of_ours() {
    let mut wrong = vec![];
    each_source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut |path, code| {
        for maker in MAKERS {
            for (at, _) in code.match_indices(maker) {
                let arguments = arguments(&code[at + maker.len()..]);
                // A literal with a space is a sentence, as codes and JSON Pointers have no spaces.
                if arguments.split('"').skip(1).step_by(2).any(|literal| literal.contains(' ')) {
                    wrong.push(format!("{path}: {maker}{arguments}"));
                }
            }
        }
    });
    each_source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut |path, code| {
        let says = MAKERS.iter().any(|maker| code.contains(maker));
        let plainly = |rest: &str| rest.trim_start().starts_with(['"', 'f']);
        let details =
            code.match_indices("let detail =").map(|(at, found)| &code[at + found.len()..]);
        wrong.extend(
            details.filter(|rest| says && plainly(rest)).map(|_| format!("{path}: a detail")),
        );
    });
    assert!(
        wrong.is_empty(),
        "error texts without `text!`, which cannot be translated: {wrong:#?}"
    );
}
