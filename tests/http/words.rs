//! Tests of the prose of the project, as far as it can be counted: the width of lines, the length
//! of sentences and pages, and words that have a better alternative.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::tidy::{root, sources};

/// The maximum number of columns of a line of prose.
const COLUMNS_MAX: usize = 100;
/// The maximum number of words in a sentence.
const SENTENCE_WORDS_MAX: usize = 35;
/// The mean number of words in the sentences of a page must be below this.
const SENTENCE_WORDS_MEAN_MAX: f64 = 18.0;
/// The maximum number of lines of a page. The changelog has no maximum.
const PAGE_LINES_MAX: usize = 400;

/// The pages that a program writes, whose prose is not checked.
const GENERATED: [&str; 2] = ["docs/conformance.md", "docs/diagnostics.md"];

/// Words that are not allowed, and what to write instead.
const WORDS: &[(&str, &str)] = &[
    ("a place in the order", "a cursor; a position"),
    ("anew", "again; retried; rebuilt"),
    ("be it", "whether … or"),
    ("coded", "compressed; encoded"),
    ("come to rest", "become idle"),
    ("comes to rest", "becomes idle"),
    ("dressed", "header fields are added"),
    ("given up", "released; discarded"),
    ("go before", "take precedence"),
    ("goes before", "takes precedence"),
    ("he who", "the client; they"),
    ("is told", "is logged; is notified"),
    ("kept answer", "cached response"),
    ("kept answers", "cached responses"),
    ("lead nowhere", "do not exist; are not routed"),
    ("leads nowhere", "does not exist; is not routed"),
    ("let go", "released; discarded"),
    ("lets go", "releases; discards"),
    ("in turns", "alternately; serialized"),
    ("made anew", "retried; rebuilt"),
    ("members that pass", "members that match"),
    ("octet", "byte"),
    ("octets", "bytes"),
    ("of one's own", "custom"),
    ("of whom", "name them"),
    ("once more", "again; retried; rebuilt"),
    ("pass over", "ignore; skip"),
    ("passed over", "ignored; skipped"),
    ("passes over", "ignores; skips"),
    ("rows that pass", "rows that match"),
    ("so it is with", "the same holds for"),
    ("that which", "what"),
    ("the author's", "of user code; custom"),
    ("thereof", "of it"),
    ("upon", "on"),
    ("what is asked for", "the request"),
    ("who may do what", "access rules"),
];

/// A paragraph, a list item, a heading or a row of a table, without its inline code and link
/// targets.
struct Block {
    line: usize,
    kind: Kind,
    text: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Sentences,
    Heading,
    Row,
}

impl Block {
    /// Splits the text into sentences. A sentence ends before a word that looks like the beginning
    /// of a sentence.
    fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![String::new()];
        for word in self.text.split_whitespace() {
            let before = sentences.last_mut().unwrap();
            let is_end =
                before.trim_end_matches(['"', ')', '*', '”']).ends_with(['.', '!', '?', ':']);
            let begins = word.trim_start_matches(['"', '(', '*', '“']);
            let is_begin =
                begins.starts_with(|first: char| first.is_uppercase() || first.is_numeric());
            if is_end && (is_begin || word.starts_with(['`', '['])) {
                sentences.push(word.into());
            } else {
                *before = format!("{before} {word}").trim().into();
            }
        }
        sentences
    }
}

fn words(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Returns the lines of Markdown that are prose or tables, with their numbers. Code blocks and link
/// definitions are omitted.
fn lines(markdown: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    markdown.lines().enumerate().filter_map(move |(at, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        let is_definition = line.starts_with('[') && line.contains("]: ");
        (!is_code && !is_fence && !is_definition).then_some((at + 1, line))
    })
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = vec![];
    let mut is_new = true;
    for (number, line) in lines(markdown) {
        let text = line.trim_start();
        let digits = text.trim_start_matches(|first: char| first.is_ascii_digit());
        let is_item =
            text.starts_with("- ") || digits.len() < text.len() && digits.starts_with(". ");
        let kind = match text.chars().next() {
            Some('#') => Kind::Heading,
            Some('|') => Kind::Row,
            _ => Kind::Sentences,
        };
        match blocks.last_mut() {
            Some(last) if !is_new && !is_item && last.kind == kind && kind == Kind::Sentences => {
                last.text = format!("{} {text}", last.text);
            }
            _ if text.is_empty() => {}
            _ => blocks.push(Block { line: number, kind, text: text.into() }),
        }
        is_new = text.is_empty();
    }
    for block in &mut blocks {
        block.text = without_targets(&without_code(&block.text));
    }
    blocks
}

/// Replaces each piece of inline code by one word.
fn without_code(text: &str) -> String {
    let pieces = text.split('`').enumerate();
    pieces.map(|(at, piece)| if at % 2 == 0 { piece } else { "`Code`" }).collect()
}

/// Replaces each `[text](target)` by `text`.
fn without_targets(text: &str) -> String {
    let mut parts = text.split("](");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    shown
}

/// Returns the mistakes in the words and sentences of these blocks, each with its line number.
fn mistakes(blocks: &[Block]) -> Vec<String> {
    let mut mistakes = vec![];
    for block in blocks {
        let spaced: Vec<_> = block
            .text
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let spaced = format!(" {} ", spaced.join(" "));
        let found = WORDS.iter().filter(|(word, _)| spaced.contains(&format!(" {word} ")));
        mistakes.extend(
            found.map(|(word, instead)| format!("{}: \"{word}\", rather: {instead}", block.line)),
        );
        if block.kind == Kind::Sentences {
            let sentences = block.sentences().into_iter();
            let long = sentences.filter(|sentence| words(sentence) > SENTENCE_WORDS_MAX);
            mistakes
                .extend(long.map(|long| format!("{}: {} words: {long}", block.line, words(&long))));
        }
    }
    mistakes
}

fn pages() -> Vec<(String, String)> {
    let top = ["README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY", "CHANGELOG"];
    let mut names: Vec<_> = top.iter().map(|name| format!("{name}.md")).collect();
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let docs = docs.map(|name| format!("docs/{}", name.to_str().unwrap()));
    names.extend(docs.filter(|name| name.ends_with(".md") && !GENERATED.contains(&&**name)));
    assert!(names.len() > 15, "fewer than 15 pages: is the folder right?");
    let text = |name: &String| fs::read_to_string(root().join(name)).unwrap();
    names.into_iter().map(|name| (name.clone(), text(&name))).collect()
}

/// Returns the comments of a Rust file as Markdown with the same line numbers. Comments at the end
/// of a line of code are omitted.
fn comments(rust: &str) -> String {
    let text = |line: &str| {
        let line = line.trim_start();
        let text = ["///", "//!", "//"].iter().find_map(|marker| line.strip_prefix(marker));
        text.map_or("", |text| text.strip_prefix(' ').unwrap_or(text)).to_owned() + "\n"
    };
    rust.lines().map(text).collect()
}

/// Returns the paths of all Rust files that people write.
fn all_sources() -> Vec<PathBuf> {
    let folders =
        ["benches", "codegen", "declaration", "examples", "fuzz/fuzz_targets", "fuzz/src"];
    let more = ["resource-derive", "runtime", "src", "tests"];
    let all = folders.iter().chain(&more).flat_map(|folder| sources(folder));
    all.filter(|path| !path.starts_with(root().join("codegen/tests/golden"))).collect()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn assert_none(mistakes: &[String]) {
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n"));
}

#[test]
fn lines_of_pages_are_at_most_100_columns_wide() {
    let wide = |(page, text): &(String, String)| {
        lines(text)
            .filter(|(_, line)| !line.trim_start().starts_with('|'))
            .filter(|(_, line)| line.chars().count() > COLUMNS_MAX)
            .map(|(number, line)| format!("{page}:{number}: {} columns", line.chars().count()))
            .collect::<Vec<_>>()
    };
    assert_none(&pages().iter().flat_map(wide).collect::<Vec<_>>());
}

#[test]
fn pages_are_at_most_400_lines_long() {
    let long = |(page, text): &(String, String)| {
        let lines = text.lines().count();
        let is_long = lines > PAGE_LINES_MAX && page != "CHANGELOG.md";
        is_long.then(|| format!("{page}: {lines} lines"))
    };
    assert_none(&pages().iter().filter_map(long).collect::<Vec<_>>());
}

#[test]
fn pages_are_in_plain_words_and_short_sentences() {
    let mut all = vec![];
    for (page, text) in pages() {
        let blocks = blocks(&text);
        all.extend(mistakes(&blocks).iter().map(|mistake| format!("{page}:{mistake}")));
        let prose = blocks.iter().filter(|block| block.kind == Kind::Sentences);
        let lengths: Vec<_> = prose.flat_map(Block::sentences).map(|text| words(&text)).collect();
        let mean = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
        if mean >= SENTENCE_WORDS_MEAN_MAX {
            all.push(format!("{page}: {mean:.1} words a sentence on average"));
        }
    }
    assert_none(&all);
}

#[test]
fn comments_are_at_most_100_columns_wide() {
    let wide = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let comments = comments(&text);
        let prose = lines(&comments).filter(|(_, comment)| !comment.is_empty());
        let width = |number: usize| text.lines().nth(number - 1).unwrap().chars().count();
        let numbers = prose.map(|(number, _)| number).filter(|number| width(*number) > COLUMNS_MAX);
        numbers.map(|number| format!("{}:{number}", shown(path))).collect::<Vec<_>>()
    };
    assert_none(&all_sources().iter().flat_map(wide).collect::<Vec<_>>());
}

#[test]
fn comments_are_in_plain_words_and_short_sentences() {
    let files = all_sources();
    let all = files.iter().flat_map(|path| {
        let mistakes = mistakes(&blocks(&comments(&fs::read_to_string(path).unwrap())));
        mistakes.into_iter().map(move |mistake| format!("{}:{mistake}", shown(path)))
    });
    assert_none(&all.collect::<Vec<_>>());
}
