//! Checks the code blocks of the documentation that are no `console` blocks, by their language.

use std::{collections::BTreeSet, fs, path::Path};

use nouns::codegen::read_yaml;

use super::{pages, program};
use crate::tidy::root;

/// The languages of the blocks, and how the blocks of each are checked.
const LANGUAGES: [(&str, &str); 15] = [
    ("console", "the commands are run, and their output is compared"),
    ("crontab", "is for cron alone; `sh` has the command of the backup"),
    ("haproxy", "is used by a test of restarts (`program::postgres`)"),
    ("http", "is a request with the token of another issuer (`access::jwt`)"),
    ("ini", "is for systemd: `packaging/test` checks units with systemd-analyze"),
    ("json", "is parsed"),
    ("nginx", "is for nginx; a test of restarts uses that for several nodes (`program::postgres`)"),
    ("python", "is a part of a program that `tests/openapi/run` runs"),
    ("rust", "is a documentation test, or a part of a tested program"),
    ("sh", "each command of `nouns` has the flags that it shows"),
    ("jinja", "is checked as a template (`program::templates`)"),
    ("sql", "is run beside a server (`bring_your_data`)"),
    ("text", "is no code"),
    ("toml", "the features exist"),
    ("ts", "is a part of a program that `tests/openapi/run` runs"),
];

/// YAML files of other programs, or with mistakes that the page shows.
const FOREIGN_YAML: [&str; 3] = ["# alerts.yml\n", "# draft.yaml\n", "# prometheus.yml\n"];

/// The page whose `rust` blocks are compared with a program (`tutorial`).
const TUTORIAL: &str = "tutorial-rust.md";

/// A code block: the name of its page, the line of its fence, its language and its text.
struct Block {
    page: String,
    line: usize,
    language: String,
    text: String,
}

impl Block {
    fn place(&self) -> String {
        format!("{}:{}", self.page, self.line)
    }
}

fn blocks() -> Vec<Block> {
    pages().iter().flat_map(|path| blocks_of(path)).collect()
}

fn blocks_of(path: &Path) -> Vec<Block> {
    let text = fs::read_to_string(path).unwrap();
    let page = path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut blocks = vec![];
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(fence) = line.strip_prefix("```") else { continue };
        let inside = lines.by_ref().take_while(|(_, line)| *line != "```");
        let text: String = inside.map(|(_, line)| format!("{line}\n")).collect();
        let language = fence.split(',').next().unwrap().to_owned();
        blocks.push(Block { page: page.clone(), line: number + 1, language, text });
    }
    blocks
}

fn of(language: &str) -> Vec<Block> {
    let mut blocks = blocks();
    blocks.retain(|block| block.language == language);
    assert!(!blocks.is_empty(), "there is no block of `{language}`");
    blocks
}

#[test]
fn every_block_has_a_language_that_is_checked() {
    let known: BTreeSet<_> =
        LANGUAGES.iter().map(|(language, _)| *language).chain(["yaml"]).collect();
    let blocks = blocks();
    for block in &blocks {
        let language = block.language.as_str();
        assert!(known.contains(language), "{}: `{language}` is not checked", block.place());
    }
    let used: BTreeSet<_> = blocks.iter().map(|block| block.language.as_str()).collect();
    assert_eq!(used, known, "a language is listed that no page has");
}

/// The schemas that a YAML block may be a part of.
fn wholes(text: &str) -> [String; 6] {
    let indented = |columns: usize| {
        text.lines().map(|line| format!("{}{line}\n", " ".repeat(columns))).collect::<String>()
    };
    let accounts = "nouns: 1\nauth: { accounts: user, login: email }\nresources:\n  user:\n    fields:\n      \
                    email: { type: string, required: true, unique: true }\n      \
                    password: { type: password }\n      role: { enum: [reader, hr, admin] }\n  zoo:\n    fields:\n";
    [
        text.to_owned(),
        format!("nouns: 1\n{text}"),
        format!("nouns: 1\n{text}  animal_type: {{ fields: {{ name: string }} }}\n"),
        format!("nouns: 1\n{text}resources: {{ zoo: {{ fields: {{ name: string }} }} }}\n"),
        format!("nouns: 1\nresources:\n  zoo:\n{}", indented(4)),
        format!("{accounts}{}", indented(6)),
    ]
}

#[test]
fn every_yaml_block_is_a_part_of_a_valid_schema() {
    let mut count = 0;
    for block in of("yaml") {
        if FOREIGN_YAML.iter().any(|name| block.text.starts_with(name)) {
            continue;
        }
        let is_valid = wholes(&block.text).iter().any(|whole| read_yaml("page", whole).is_ok());
        assert!(is_valid, "{}: no valid schema has this part:\n{}", block.place(), block.text);
        count += 1;
    }
    assert!(count >= 20, "only {count} blocks are schemas");
}

#[test]
fn every_json_block_is_json() {
    for block in of("json") {
        for value in serde_json::Deserializer::from_str(&block.text).into_iter() {
            let _: serde_json::Value =
                value.unwrap_or_else(|error| panic!("{}: {error}", block.place()));
        }
    }
}

#[test]
fn every_rust_block_is_compiled() {
    let guides = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    for block in of("rust") {
        let name = &block.page;
        let is_compiled = guides.contains(&format!("/{name}\")]")) || name == TUTORIAL;
        assert!(is_compiled, "{}: `src/lib.rs` does not name the page", block.place());
    }
}

/// Features in the dependency on this crate are features of this crate.
#[test]
fn every_toml_block_names_features_that_exist() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for block in of("toml") {
        let (_, features) = block.text.rsplit_once("features = [").expect("features");
        let features = features.split(']').next().unwrap().split(", ");
        for feature in features.map(|feature| feature.trim_matches('"')) {
            assert!(
                manifest.lines().any(|line| line.starts_with(&format!("{feature} = ["))),
                "{}: there is no feature `{feature}`",
                block.place()
            );
        }
    }
}

/// The commands of `nouns` in a shell block: the words up to a redirection.
fn commands(text: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    let lines = joined.lines().filter_map(|line| {
        let at = line.find("nouns ").filter(|at| *at == 0 || line[..*at].starts_with("NOUNS_"))?;
        let words = line[at..].split_whitespace().take_while(|word| !">|&#".contains(&word[..1]));
        Some(words.map(str::to_owned).collect())
    });
    lines.collect()
}

#[test]
fn every_command_in_a_shell_block_has_its_flags() {
    let mut count = 0;
    for block in of("sh") {
        for words in commands(&block.text) {
            let is_name = |word: &&String| word.chars().all(|one| one.is_ascii_lowercase());
            let mut names: Vec<_> = words.iter().skip(1).take_while(is_name).cloned().collect();
            // The only argument that looks like a command.
            names.retain(|name| !["bash", "zsh", "fish"].contains(&name.as_str()));
            let help = format!("nouns {} --help", names.join(" "));
            let help = program::run(root(), &help);
            assert!(help.contains("Usage: nouns "), "{}: {words:?}\n{help}", block.place());
            for flag in words.iter().filter(|word| word.starts_with('-')) {
                let flag = flag.split('=').next().unwrap();
                let has_it = help.split([' ', ',', '\n']).any(|word| word == flag);
                assert!(has_it, "{}: {words:?} has no flag `{flag}`", block.place());
            }
            count += 1;
        }
    }
    assert!(count >= 15, "only {count} commands are checked");
}
