//! The mistakes of a declaration: many at once, each with its place, drawn or as data.
//!
//! What the mistakes are stands in [`problem`], how they look in `render`, and more about their
//! repair in `help`.

pub(crate) mod advice;
mod help;
mod render;

use crate::draft::{Origin, Source};
pub use nouns_declaration::problem::{self, Problem};
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote_spanned;
use std::fmt;

/// One mistake and its place.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Where it is.
    pub at: Origin,
    /// What it is.
    pub problem: Problem,
}

impl Diagnostic {
    /// More about the repair, where the sentence has no room for it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        help::of(&self.problem)
    }
}

/// All mistakes of a declaration, or all that is doubtful in it, in the order of their places.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    source: Source,
    found: Vec<Diagnostic>,
}

/// How diagnostics are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without colours: for files, pipes and tests.
    Plain,
    /// With the colours of a terminal.
    Colour,
}

impl Diagnostics {
    /// Sorts the mistakes of a declaration by place and drops repeated ones.
    #[must_use]
    pub fn new(source: Source, mut found: Vec<Diagnostic>) -> Self {
        found.sort_by_key(|diagnostic| start(diagnostic.at));
        found.dedup_by(|a, b| start(a.at) == start(b.at) && a.problem == b.problem);
        Self { source, found }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Each mistake, in the order of their places.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.found.iter()
    }

    /// Draws each mistake in its line of the source.
    ///
    /// ```
    /// let mistakes = nouns_codegen::read_yaml("zoo.yaml", "nouns: 2\nresources: {}\n").unwrap_err();
    /// assert!(mistakes.render(nouns_codegen::Style::Plain).contains("--> zoo.yaml:1:8"));
    /// ```
    #[must_use]
    pub fn render(&self, style: Style) -> String {
        render::text(&self.source, &self.found, style)
    }

    /// The mistakes as calls of `compile_error!`, each at its place, for a macro to emit.
    ///
    /// ```
    /// let item = syn::parse_quote!(struct Zoo { name: String });
    /// let broken = nouns_codegen::read_resource(&item).err().unwrap();
    /// let errors = broken.diagnostics.to_compile_errors().to_string();
    /// assert!(errors.contains("N073: `Zoo` needs the field `id: Id<Self>`"));
    /// ```
    #[must_use]
    pub fn to_compile_errors(&self) -> TokenStream {
        self.found.iter().map(compile_error).collect()
    }

    /// The mistakes as a JSON array of
    /// `{code, severity, message, file, line, column, end_line, end_column, help}`.
    ///
    /// Lines and columns begin with 1, columns count characters, and the end is the character after
    /// the last. Places and help are absent where there are none.
    #[must_use]
    pub fn to_json(&self) -> String {
        render::json(&self.source, &self.found)
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.render(Style::Plain))
    }
}

impl std::error::Error for Diagnostics {}

fn compile_error(diagnostic: &Diagnostic) -> TokenStream {
    let span = match diagnostic.at {
        Origin::Rust(span) => span,
        Origin::Yaml(_) => Span::call_site(),
    };
    let problem = &diagnostic.problem;
    let help = diagnostic.help().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    let mut message = Literal::string(&format!("{}: {problem}{help}", problem.code()));
    message.set_span(span);
    quote_spanned! { span => ::core::compile_error! { #message } }
}

/// The order of a place.
fn start(at: Origin) -> [usize; 4] {
    match at {
        Origin::Yaml(span) => [span.start, span.end, 0, 0],
        Origin::Rust(span) => {
            let (start, end) = (span.start(), span.end());
            [start.line, start.column, end.line, end.column]
        }
    }
}
