//! How diagnostics look: drawn in their line as rustc does, and as JSON.

use super::{Diagnostic, Style};
use crate::draft::{Origin, Source, Span};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::ops::Range;

/// Each diagnostic drawn, with an empty line between two.
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

/// How many bytes of a line are drawn on either side of a place: more than a terminal shows.
const AROUND_BYTES: usize = 240;

/// A place in its first line: that line alone, and of a long one what is around the place, so that
/// drawing is not quadratic in the length of a file or a line.
struct Excerpt<'a> {
    line: usize,
    /// The column of the place in the line and in what is drawn of it, from 1.
    column: usize,
    drawn_column: usize,
    text: &'a str,
    marked: Range<usize>,
}

impl<'a> Excerpt<'a> {
    fn of(lines: &Lines<'a>, span: Span) -> Self {
        let (line, column) = lines.position(span.start);
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

    /// Says the column in the whole line, where another was counted in what is drawn of it.
    fn correct(&self, source: &Source, drawn: String) -> String {
        if self.column == self.drawn_column {
            return drawn;
        }
        let place = |column| format!("{}:{}:{column}", source.name, self.line);
        drawn.replacen(&place(self.drawn_column), &place(self.column), 1)
    }
}

/// The diagnostics as a JSON array, one a line.
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
            insert_places(&mut object, (start.line, start.column + 1), (end.line, end.column + 1));
        }
    }
    if let Some(help) = diagnostic.help() {
        object.insert("help".into(), help.into());
    }
    object
}

fn insert_places(object: &mut Map<String, Value>, start: (usize, usize), end: (usize, usize)) {
    object.insert("line".into(), start.0.into());
    object.insert("column".into(), start.1.into());
    object.insert("end_line".into(), end.0.into());
    object.insert("end_column".into(), end.1.into());
}

/// A text and where its lines begin.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// The byte whose position was asked for last, and the characters before it in its line:
    /// mistakes come in the order of their places, so a line is counted once, however many it has.
    last: Cell<(usize, usize)>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let starts =
            [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts, last: Cell::default() }
    }

    /// The line that holds a byte.
    fn index(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// A line without its end.
    fn text(&self, line: usize) -> &'a str {
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[self.starts[line]..end].trim_end_matches(['\n', '\r'])
    }

    /// The line and column of a byte, both from 1, the column in characters.
    fn position(&self, byte: usize) -> (usize, usize) {
        let (line, (known, before)) = (self.index(byte), self.last.get());
        let start = self.starts[line];
        let (from, before) =
            if (start..=byte).contains(&known) { (known, before) } else { (start, 0) };
        let before = before + self.text[from..byte].chars().count();
        self.last.set((byte, before));
        (line + 1, before + 1)
    }
}
