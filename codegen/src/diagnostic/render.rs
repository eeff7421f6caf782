//! How diagnostics look: drawn in their line as rustc does, and as JSON.

use super::{Diagnostic, Style};
use crate::draft::{Origin, Source, Span};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};
use serde_json::{Map, Value};

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
        drawn.push_str(&renderer.render(&[group(source, &lines, diagnostic)]));
        drawn.push('\n');
    }
    drawn
}

fn group<'a>(source: &'a Source, lines: &Lines<'a>, diagnostic: &Diagnostic) -> Group<'a> {
    let problem = &diagnostic.problem;
    let level = if problem.is_warning() { Level::WARNING } else { Level::ERROR };
    let title = level.primary_title(problem.to_string()).id(problem.code());
    let snippet = match diagnostic.at {
        Origin::Yaml(span) => Some(Element::from(snippet(source, lines, span))),
        Origin::Rust(_) => None,
    };
    let help = problem.help().map(|help| Element::from(Level::HELP.message(help)));
    title.elements(snippet.into_iter().chain(help))
}

/// The first line of a place with the place marked; only that line, so that drawing is not quadratic in long files.
fn snippet<'a>(
    source: &'a Source,
    lines: &Lines<'a>,
    span: Span,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let line = lines.index(span.start);
    let begin = lines.starts[line];
    let text = lines.text(line);
    let start = (span.start - begin).min(text.len());
    let end = (span.end - begin).clamp(start, text.len());
    Snippet::source(text)
        .line_start(line + 1)
        .path(source.name.as_str())
        .annotation(AnnotationKind::Primary.span(start..end))
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
    if let Some(help) = problem.help() {
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
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let starts = [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
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
        let line = self.index(byte);
        (line + 1, self.text[self.starts[line]..byte].chars().count() + 1)
    }
}
