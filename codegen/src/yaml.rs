//! The front end for YAML: converts the events of the YAML parser to a [`Draft`].
//!
//! The tree is built without recursion, and both depth and aliases are limited. So any text can be
//! read safely. This module does not check the keys; the checker does.

mod indentation;
mod scalar;
mod tree;

use crate::check::{CheckedSchema, check_with_warnings};
use crate::diagnostic::{Diagnostic, Diagnostics, Problem};
use crate::draft::{Draft, Node, Origin, Source, Span, Value};
use crate::schema::Schema;
use saphyr_parser::{Event, Parser};
use tree::Tree;

/// Reads and checks the text of a schema file. `source` is the name of the file in messages.
///
/// ```
/// let text = "nouns: 1\nresources: { zoo: { fields: { name: strng } } }\n";
/// let mistakes = nouns_codegen::read_yaml("zoo.yaml", text).unwrap_err();
/// assert!(mistakes.render(nouns_codegen::Style::Plain).contains("did you mean `string`?"));
/// ```
///
/// # Errors
/// All mistakes of the text.
pub fn read_yaml(source: &str, text: &str) -> Result<Schema, Diagnostics> {
    check_yaml(source, text).map(|checked| checked.schema)
}

/// Reads and checks the text of a schema file, and also returns the warnings.
///
/// ```
/// let city = "{ type: string, filterable: true }";
/// let text = format!("nouns: 1\nresources: {{ zoo: {{ fields: {{ city: {city} }} }} }}\n");
/// let checked = nouns_codegen::check_yaml("zoo.yaml", &text).unwrap();
/// let warnings = checked.warnings.render(nouns_codegen::Style::Plain);
/// assert!(warnings.contains("add `index: true` to `city`"));
/// ```
///
/// # Errors
/// All mistakes of the text.
pub fn check_yaml(source: &str, text: &str) -> Result<CheckedSchema, Diagnostics> {
    check_with_warnings(read_draft(source, text)?)
}

/// Reads the text of a schema file without checking it.
///
/// # Errors
/// The text is not a single document with a tree of values. It has a syntax error, several
/// documents, too much nesting, or too many copies by aliases.
pub fn read_draft(source: &str, text: &str) -> Result<Draft, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = Source { name: source.to_owned(), text: text.to_owned() };
    let mut tree = Tree::new(text);
    match build(&mut tree, text) {
        Ok(root) => Ok(Draft { source, root, problems: tree.problems }),
        Err(fatal) => {
            tree.problems.push(fatal);
            Err(Diagnostics::new(source, tree.problems))
        }
    }
}

fn build(tree: &mut Tree, text: &str) -> Result<Node, Diagnostic> {
    let mut documents = 0;
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| tree.syntax_error(&error, text))?;
        if matches!(event, Event::DocumentStart(_)) {
            documents += 1;
            if documents == 2 {
                return Err(Diagnostic {
                    at: tree.place(span),
                    problem: Problem::SeveralDocuments,
                });
            }
        }
        tree.take(event, span)?;
    }
    match tree.root.take() {
        Some(root) if !matches!(root.value, Value::Null) => Ok(root),
        _ => Err(Diagnostic { at: Origin::Yaml(Span::default()), problem: Problem::Empty }),
    }
}
