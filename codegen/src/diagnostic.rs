//! The diagnostics of a declaration: mistakes or warnings with their positions, rendered as text or
//! as data.
//!
//! The list of mistakes is in [`problem`], the rendering in `render`, and help texts in `help`.

pub(crate) mod advice;
mod help;
#[cfg(feature = "yaml")]
mod render;
pub(crate) mod shape;

use crate::draft::{Origin, Source};
pub use nouns_declaration::problem::{self, Problem};
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote_spanned;
#[cfg(feature = "yaml")]
use std::fmt;

/// A problem and its position.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The position of the problem.
    pub at: Origin,
    /// The problem.
    pub problem: Problem,
}

impl Diagnostic {
    /// A help text that tells how to repair the problem, if there is one.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        help::of(&self.problem)
    }
}

/// All mistakes of a declaration, or all its warnings, in the order of their positions.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    #[cfg_attr(
        not(feature = "yaml"),
        expect(dead_code, reason = "only rendering reads the source")
    )]
    source: Source,
    found: Vec<Diagnostic>,
}

/// The style in which diagnostics are rendered.
#[cfg(feature = "yaml")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without colours, for files, pipes and tests.
    Plain,
    /// With colours, for terminals.
    Colour,
}

impl Diagnostics {
    /// Creates diagnostics from a list in any order. The list is sorted by position, and repeated
    /// items are removed.
    #[must_use]
    pub fn new(source: Source, mut found: Vec<Diagnostic>) -> Self {
        found.sort_by_key(|diagnostic| start(diagnostic.at));
        found.dedup_by(|a, b| start(a.at) == start(b.at) && a.problem == b.problem);
        Self { source, found }
    }

    /// The number of diagnostics.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are no diagnostics.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Iterates over the diagnostics in the order of their positions.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.found.iter()
    }

    /// Renders each diagnostic together with its line of the source.
    ///
    /// ```
    /// let text = "nouns: 2\nresources: {}\n";
    /// let mistakes = nouns_codegen::read_yaml("zoo.yaml", text).unwrap_err();
    /// assert!(mistakes.render(nouns_codegen::Style::Plain).contains("--> zoo.yaml:1:8"));
    /// ```
    #[cfg(feature = "yaml")]
    #[must_use]
    pub fn render(&self, style: Style) -> String {
        render::text(&self.source, &self.found, style)
    }

    /// Renders each diagnostic for a web page. One in the mapping `server` is named by its line
    /// alone, since the values there may be secrets.
    ///
    /// ```
    /// let text = "nouns: 1\nserver: { listen: secret }\nresources: { zoo: { limt: {} } }\n";
    /// let mistakes = nouns_codegen::read_yaml("zoo.yaml", text).unwrap_err();
    /// let page = mistakes.render_for_pages();
    /// assert!(page.contains("zoo.yaml:2") && !page.contains("secret") && page.contains("limt"));
    /// ```
    #[cfg(feature = "yaml")]
    #[must_use]
    pub fn render_for_pages(&self) -> String {
        render::text_for_pages(&self.source, &self.found)
    }

    /// Converts the diagnostics to calls of `compile_error!` for a macro to emit, each with its
    /// position.
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

    /// Converts the diagnostics to a JSON array of `{code, severity, message, file, line, column,
    /// end_line, end_column, help}`.
    ///
    /// Lines and columns begin with 1, and columns count characters. `end_column` is the column
    /// after the last character. A position or help text that does not exist is absent.
    #[cfg(feature = "yaml")]
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

#[cfg(feature = "yaml")]
impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.render(Style::Plain))
    }
}

#[cfg(feature = "yaml")]
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

/// The sort key of a position: positions with these keys are in the order of the source.
fn start(at: Origin) -> [usize; 4] {
    match at {
        Origin::Yaml(span) => [span.start, span.end, 0, 0],
        Origin::Rust(span) => {
            let (start, end) = (span.start(), span.end());
            [start.line, start.column, end.line, end.column]
        }
    }
}
