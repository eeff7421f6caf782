//! Tests that no text makes the reader panic, overflow the stack or use up the memory.

use nouns_codegen::{Style, read_rust, read_yaml};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn read(text: &str) {
    if let Err(mistakes) = read_yaml("text.yaml", text) {
        assert!(!mistakes.is_empty());
        let _ = (mistakes.render(Style::Plain), mistakes.to_json());
    }
}

fn read_as_rust(text: &str) {
    if let Err(mistakes) = read_rust("text.rs", text) {
        assert!(!mistakes.is_empty());
        let _ = (mistakes.render(Style::Plain), mistakes.to_json());
    }
}

/// The texts of all valid and invalid test schemas and of the shipped schemas, to be mutated.
fn seeds() -> Vec<String> {
    texts(&["tests/ok", "tests/err", "../schemas"], "yaml")
}

fn texts(folders: &[&str], extension: &str) -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = folders.iter().map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let paths = folders.flatten().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// Pieces of text that are likely to break YAML or names.
const PIECES: &[&str] = &[
    "", " ", "\n", "\t", "\r", ":", ": ", "- ", "{", "}", "[", "]", "&a ", "*a", "<<: ", "!!str ",
    "|\n", "\"", "'", "#", "---\n", "é", "🦁", "\u{feff}", "\0", "\u{85}", "~", "1e999", "0x",
    ".nan", "$now", "-", "_", "x-", "null", "true",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        read(&text);
    }

    #[test]
    fn any_text_of_the_alphabet_of_yaml_is_read_or_refused(text in r"[-a-z0-9_ :\n\[\]{},&*!|>'#.]{0,300}") {
        read(&text);
    }

    #[test]
    fn a_mutated_schema_is_read_or_refused(
        seed in proptest::sample::select(seeds()),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, proptest::sample::select(PIECES)), 1..6),
    ) {
        let mut characters: Vec<char> = seed.chars().collect();
        for (at, length, piece) in cuts {
            let start = at.index(characters.len() + 1);
            let end = (start + length).min(characters.len());
            characters.splice(start..end, piece.chars());
        }
        read(&characters.into_iter().collect::<String>());
    }

    #[test]
    fn a_mutated_file_of_rust_is_read_or_refused(
        seed in proptest::sample::select(texts(&["tests/rust", "tests/err_rust"], "rs")),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..6, proptest::sample::select(PIECES_OF_RUST)), 1..4),
    ) {
        let mut characters: Vec<char> = seed.chars().collect();
        for (at, length, piece) in cuts {
            let start = at.index(characters.len() + 1);
            let end = (start + length).min(characters.len());
            characters.splice(start..end, piece.chars());
        }
        read_as_rust(&characters.into_iter().collect::<String>());
    }
}

/// Pieces of text that are likely to break attributes or types.
const PIECES_OF_RUST: &[&str] = &[
    "",
    " ",
    ",",
    "=",
    "(",
    ")",
    "[",
    "]",
    "{}",
    "<",
    ">",
    "::",
    "-",
    "r#type",
    "Self",
    "Option<",
    "Id<",
    "null",
    "5u8",
    "1.",
    "\"é\"",
    "'a",
    "parent = Zoo,",
    "name = \"\",",
    "/// é\n",
    "enum",
    "#[resource]",
    "é",
    "0x",
    "\"x-\" = 1",
];

#[test]
fn deep_nesting_is_refused_at_once() {
    for piece in ["[", "{a: ", "- ", "? ", "a:\n "] {
        read(&piece.repeat(100_000));
    }
    let blocks: String = (0..3_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    read(&blocks);
}

/// A schema with the given lines before its resources.
fn with(lines: &str) -> String {
    format!("nouns: 1\n{lines}resources:\n  zoo:\n    fields:\n      name: string\n")
}

/// Two items for each mistake in a text: its code, and the first four characters of its position.
fn places(text: &str) -> Vec<String> {
    let mistakes = read_yaml("text.yaml", text).err();
    let drawn = mistakes.map(|mistakes| mistakes.render(Style::Plain)).unwrap_or_default();
    let place = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix("--> text.yaml:")
            .or_else(|| line.strip_prefix("error["))?
            .get(..4)
            .map(str::to_owned)
    };
    drawn.lines().filter_map(place).collect()
}

#[test]
fn what_aliases_expand_to_is_bounded_in_bytes() {
    let long = "l".repeat(900_000);
    let aliases = |piece: &str, count: usize| vec![piece; count].join(", ");
    for bomb in [
        format!("x-a: &a {long}\nx-b: [{}]\n", aliases("*a", 5_000)),
        format!("x-a: [&a {long}]\nx-b: {{ c: [{}] }}\n", aliases("*a", 20)),
        format!("x-a: {{ ? &a {long} : 1 }}\nx-b: [{}]\n", aliases("{ ? *a : 1 }", 500)),
        format!("x-a: &a {{ k: {long} }}\nx-b: {{ <<: [{}] }}\n", aliases("*a", 5_000)),
        format!("x-a: &a {{ k: {long} }}\nx-b: [{}]\n", aliases("{ <<: *a }", 100)),
        format!(
            "x-a: &a {}\nx-b: &b [{}]\nx-c: [{}]\n",
            "l".repeat(1_000),
            aliases("*a", 100),
            aliases("*b", 200)
        ),
    ] {
        let places = places(&with(&bomb));
        assert_eq!((places.len(), places[0].as_str()), (2, "N007"), "{places:?}");
        assert!(
            places[1].starts_with("3:") || places[1].starts_with("4:"),
            "the mistake is reported at an alias: {places:?}"
        );
    }
    let anchors: String = (0..60).map(|at| format!("&a{at} [")).collect();
    assert_eq!(places(&with(&format!("x-a: {anchors}{long}{}\n", "]".repeat(60))))[0], "N007");
    assert!(
        read_yaml("large.yaml", &with(&format!("x-a: &a {long}\nx-b: [{}]\n", aliases("*a", 10))))
            .is_ok()
    );
}

#[test]
fn aliases_nest_no_deeper_than_what_is_written() {
    let mut lines = String::from("x-0: &a0 x\n");
    for at in 1..40 {
        lines += &format!("x-{at}: &a{at} [[[*a{}]]]\n", at - 1);
    }
    assert_eq!(
        places(&with(&lines)),
        ["N005", "24:1"],
        "the limit of 64 levels is reached by 21 aliases with 3 levels each, and the mapping"
    );
    lines.truncate(lines.find("x-22").unwrap());
    assert!(read_yaml("deep.yaml", &with(&lines)).is_ok());
}

#[test]
fn a_line_of_ten_thousand_mistakes_is_drawn_at_once() {
    let started = Instant::now();
    let fields: String = (0..500).map(|at| format!("é{at}: strng, ")).collect();
    let zoos: String =
        (0..20).map(|at| format!("zoo{at}: {{ fields: {{ {fields} }} }}, ")).collect();
    let mistakes =
        read_yaml("line.yaml", &format!("nouns: 1\nresources: {{ {zoos} }}\n")).unwrap_err();
    assert!(mistakes.len() >= 10_000);
    let (drawn, data) = (mistakes.render(Style::Plain), mistakes.to_json());
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    let last = data.rmatch_indices("\"column\":").next().unwrap().0;
    let column: String = data[last + 9..].chars().take_while(char::is_ascii_digit).collect();
    let place = format!("--> line.yaml:2:{column}\n");
    assert!(drawn.contains(&place) && column.len() == 6, "{place}");
}

#[test]
fn large_values_are_shared_not_copied() {
    let choices: Vec<String> = (0..20_000).map(|number| format!("c{number}")).collect();
    let fields: String = (0..1_000).map(|number| format!("      f{number}: t\n")).collect();
    let resources: String =
        (0..20).map(|number| format!("  zoo{number}:\n    fields:\n{fields}")).collect();
    let text = format!(
        "nouns: 1\ntypes: {{ t: {{ enum: [{}] }} }}\nresources:\n{resources}",
        choices.join(", ")
    );
    assert!(read_yaml("large.yaml", &text).is_ok());
}

/// A check that takes quadratic time would make this test very slow, although the test sets no time
/// limit.
#[test]
fn thousands_of_resources_are_checked() {
    assert_eq!(read_yaml("large.yaml", &large(3_000)).unwrap().resources.len(), 3_000);
}

/// A former path is only compared with paths that have the same beginning. Otherwise this test
/// would run for too long.
#[test]
fn a_hundred_thousand_former_paths_are_checked() {
    let paths = |prefix: &str| {
        (0..50_000).map(|number| format!("{prefix}{number}")).collect::<Vec<_>>().join(", ")
    };
    let (zoos, animals) = (paths("/zoo"), paths("/parks/{zoo_id}/a"));
    let mistakes = places(&format!(
        "nouns: 1\nresources:\n  zoo: {{ fields: {{ name: string }}, moved_from: [{zoos}] }}\n  \
         animal: {{ parent: zoo, fields: {{ name: string }}, moved_from: ['{}', '/parks/{{zoo_id}}/a7'] }}\n  \
         ape: {{ moved_to: /zoo49999/apes, fields: {{ name: string }} }}\n",
        animals.replace(", ", "', '")
    ));
    assert_eq!(
        mistakes.len(),
        4,
        "`/parks/{{zoo_id}}/a7` occurs twice, and `/zoo49999` is redirected again"
    );
    assert!(mistakes[1].starts_with("4:") && mistakes[3].starts_with("5:"), "{mistakes:?}");
}

#[test]
fn a_thousand_broken_resources_are_drawn_at_once() {
    let started = Instant::now();
    let mistakes = read_yaml("large.yaml", &large(1_000).replace("string", "strng")).unwrap_err();
    assert!(mistakes.render(Style::Plain).len() > 100_000);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

/// A declaration of `count` resources with eight fields each. Most have a parent, and all have a
/// reference.
fn large(count: usize) -> String {
    let mut text = String::from("nouns: 1\nresources:\n");
    for number in 0..count {
        text +=
            &format!("  thing_{number}:\n    sort: [name, -weight]\n    unique: [[name, kind]]\n");
        if number % 10 > 0 {
            text += &format!("    parent: thing_{}\n", number - 1);
        }
        text += "    fields:\n      name: { type: string, required: true, max_length: 80 }\n      kind: { enum: [big, small], default: small }\n";
        text += "      weight: { type: number, minimum: 0 }\n      price: { type: decimal, scale: 2, default: 0.5 }\n";
        text +=
            "      born: date\n      seen: { type: datetime, default: $now }\n      data: json\n";
        text += "      other_id: { references: thing_0 }\n";
    }
    text
}
