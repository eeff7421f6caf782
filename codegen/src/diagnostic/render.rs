//! Renders diagnostics as text, with the line of the source as in rustc, and as JSON.

use super::{Diagnostic, Style};
use crate::draft::{Origin, Source, Span};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::ops::Range;

/// Renders the diagnostics without colours. Those in the mapping `server` are left to the terminal.
pub(super) fn text_for_pages(source: &Source, found: &[Diagnostic]) -> String {
    let (lines, hidden) = (Lines::of(&source.text), server_lines(&source.text));
    let one = |diagnostic: &Diagnostic| match diagnostic.at {
        Origin::Yaml(span) if hidden.contains(&lines.index(span.start)) => format!(
            "error[{}]: there is a mistake in `server`, which the terminal shows\n --> {}:{}\n",
            diagnostic.problem.code(),
            source.name,
            lines.index(span.start) + 1
        ),
        _ => text(source, std::slice::from_ref(diagnostic), Style::Plain),
    };
    found.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// The indices of the lines of the mapping `server`: from its key, up to the next line that is not
/// indented. If no line begins with the key, all lines that follow the first in which its name
/// stands, since it may then be anywhere.
fn server_lines(text: &str) -> Range<usize> {
    let is_key = |line: &str| {
        let name = line.trim_start_matches(['"', '\'']).strip_prefix("server");
        let rest = name.map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
        rest.is_some_and(|rest| rest.starts_with(':'))
    };
    let Some(first) = text.lines().position(is_key) else {
        let first = text.lines().position(|line| line.contains("server"));
        return first.unwrap_or(usize::MAX)..usize::MAX;
    };
    let is_next = |line: &str| !line.is_empty() && !line.starts_with([' ', '\t', '#', '}', ']']);
    let count = text.lines().skip(first + 1).position(is_next);
    first..count.map_or(usize::MAX, |count| first + 1 + count)
}

/// Renders each diagnostic, with an empty line between two diagnostics.
pub(super) fn text(source: &Source, found: &[Diagnostic], style: Style) -> String {
    let lines = Lines::of(&source.text);
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    let mut drawn = String::new();
    for diagnostic in found {
        if !drawn.is_empty() {
            drawn.push('\n');
        }
        let excerpt = match diagnostic.at {
            Origin::Yaml(span) => Some(Excerpt::of(&lines, span)),
            Origin::Rust(_) => None,
        };
        let snippet = excerpt.as_ref().map(|excerpt| excerpt.snippet(source));
        let one = renderer.render(&[group(diagnostic, snippet.map(Element::from))]);
        drawn.push_str(&match &excerpt {
            Some(excerpt) => excerpt.correct(source, one),
            None => one,
        });
        drawn.push('\n');
    }
    drawn
}

fn group<'a>(diagnostic: &Diagnostic, snippet: Option<Element<'a>>) -> Group<'a> {
    let problem = &diagnostic.problem;
    let level = if problem.is_warning() { Level::WARNING } else { Level::ERROR };
    let title = level.primary_title(problem.to_string()).id(problem.code());
    let help = diagnostic.help().map(|help| Element::from(Level::HELP.message(help)));
    title.elements(snippet.into_iter().chain(help))
}

/// The number of bytes of a line that are rendered before and after a position.
const AROUND_BYTES: usize = 240;

/// A position in its line of the source. Only the text near the position is rendered, so that
/// rendering takes linear time for large files and long lines.
struct Excerpt<'a> {
    line: usize,
    /// The column of the position in the whole line, counted from 1.
    column: usize,
    drawn_column: usize,
    text: &'a str,
    marked: Range<usize>,
}

impl<'a> Excerpt<'a> {
    fn of(lines: &Lines<'a>, span: Span) -> Self {
        let Position { line, column } = lines.position(span.start);
        let (begin, text) = (lines.starts[line - 1], lines.text(line - 1));
        let start = (span.start - begin).min(text.len());
        let end = (span.end - begin).clamp(start, text.len());
        let from = text.floor_char_boundary(start.saturating_sub(AROUND_BYTES));
        let to =
            text.ceil_char_boundary(end.min(start + AROUND_BYTES).saturating_add(AROUND_BYTES));
        let marked = start - from..text.floor_char_boundary(end.min(to)) - from;
        let drawn_column = text[from..start].chars().count() + 1;
        Self { line, column, drawn_column, text: &text[from..to], marked }
    }

    fn snippet(&self, source: &'a Source) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        Snippet::source(self.text)
            .line_start(self.line)
            .path(source.name.as_str())
            .annotation(AnnotationKind::Primary.span(self.marked.clone()))
    }

    /// Replaces the column in the rendered excerpt by the column in the whole line.
    fn correct(&self, source: &Source, drawn: String) -> String {
        if self.column == self.drawn_column {
            return drawn;
        }
        let place = |column| format!("{}:{}:{column}", source.name, self.line);
        drawn.replacen(&place(self.drawn_column), &place(self.column), 1)
    }
}

/// The diagnostics as a JSON array, with one diagnostic on each line.
pub(super) fn json(source: &Source, found: &[Diagnostic]) -> String {
    let lines = Lines::of(&source.text);
    let objects: Vec<String> = found
        .iter()
        .map(|diagnostic| Value::Object(object(source, &lines, diagnostic)).to_string())
        .collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}

fn object(source: &Source, lines: &Lines<'_>, diagnostic: &Diagnostic) -> Map<String, Value> {
    let problem = &diagnostic.problem;
    let mut object = Map::new();
    object.insert("code".into(), problem.code().into());
    let severity = if problem.is_warning() { "warning" } else { "error" };
    object.insert("severity".into(), severity.into());
    object.insert("message".into(), problem.to_string().into());
    match diagnostic.at {
        Origin::Yaml(span) => {
            let (start, end) = (lines.position(span.start), lines.position(span.end));
            object.insert("file".into(), source.name.as_str().into());
            insert_places(&mut object, start, end);
        }
        Origin::Rust(span) => {
            let (start, end) = (span.start(), span.end());
            object.insert("file".into(), span.file().into());
            let position =
                |at: proc_macro2::LineColumn| Position { line: at.line, column: at.column + 1 };
            insert_places(&mut object, position(start), position(end));
        }
    }
    if let Some(help) = diagnostic.help() {
        object.insert("help".into(), help.into());
    }
    object
}

/// A line and a column, both counted from 1. The column counts characters.
#[derive(Clone, Copy)]
struct Position {
    line: usize,
    column: usize,
}

fn insert_places(object: &mut Map<String, Value>, start: Position, end: Position) {
    object.insert("line".into(), start.line.into());
    object.insert("column".into(), start.column.into());
    object.insert("end_line".into(), end.line.into());
    object.insert("end_column".into(), end.column.into());
}

/// A text with the byte positions at which its lines begin.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// The last byte that `position` was called with, and the number of characters before it in its
    /// line. Diagnostics are in the order of positions, so no character is counted twice.
    last: Cell<(usize, usize)>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let starts =
            [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts, last: Cell::default() }
    }

    /// The index of the line that contains a byte.
    fn index(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// The text of a line without its line feed.
    fn text(&self, line: usize) -> &'a str {
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[self.starts[line]..end].trim_end_matches(['\n', '\r'])
    }

    /// The line and column of a byte.
    fn position(&self, byte: usize) -> Position {
        let (line, (known, before)) = (self.index(byte), self.last.get());
        let start = self.starts[line];
        let (from, before) =
            if (start..=byte).contains(&known) { (known, before) } else { (start, 0) };
        let before = before + self.text[from..byte].chars().count();
        self.last.set((byte, before));
        Position { line: line + 1, column: before + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_server_end_with_the_next_key() {
        let all = usize::MAX;
        for (text, expected) in [
            ("nouns: 1\nserver:\n  listen: a\n\n# x\n  trace: b\nresources: {}\n", 1..6),
            ("server: { listen: a }\nresources: {}\n", 0..1),
            ("nouns: 1\n\"server\" : {\n  listen: a\n}\nresources: {}\n", 1..4),
            ("nouns: 1\nresources: {}\nserver:\n  listen: a\n", 2..all),
            ("{ nouns: 1,\n  server: { listen: a },\n  resources: {} }\n", 1..all),
            ("nouns: 1\nresources: { servers: {} }\n", 1..all),
            ("nouns: 1\nresources: {}\n", all..all),
        ] {
            assert_eq!(server_lines(text), expected, "{text}");
        }
    }
}
