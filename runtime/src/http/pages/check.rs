//! Checks templates when the program starts: their syntax, and the names that they use.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
    sync::Arc,
};

use minijinja::{
    Environment, Error, ErrorKind, Value,
    value::{Enumerator, Object, ObjectRepr},
};

use super::{Pages, TemplateFault, TemplatesError};
use crate::{
    base::{limits::TEMPLATE_FUEL, nearest::nearest},
    http::page_file::{FRAME_VARIABLES, PageFile, PageTemplate, TEMPLATES, TemplateVariables},
};

/// Compiles the templates and files of a directory, and checks what they name.
pub(super) fn compiled(
    folder: &Path,
    templates: Vec<(String, String)>,
    files: Vec<PageFile>,
) -> Result<Pages, TemplatesError> {
    let place = |name: &str, line: Option<usize>| {
        let path = folder.join(name).display().to_string();
        line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"))
    };
    let fault = |error: &Error, name: &str| TemplateFault {
        place: place(error.name().unwrap_or(name), error.line()),
        says: message(error),
    };
    // Each template is compiled alone first, so that each syntax error is found.
    let mut alone = Environment::empty();
    alone.set_syntax(super::syntax());
    let broken: Vec<_> = templates
        .iter()
        .filter_map(|(name, text)| {
            Some(fault(&alone.template_from_named_str(name, text).err()?, name))
        })
        .collect();
    if !broken.is_empty() {
        return Err(TemplatesError(broken));
    }
    let texts = templates.clone();
    let pages = Pages::of(templates, files)
        .map_err(|error| TemplatesError(vec![fault(&error, "layout.html")]))?;
    let mut faults = vec![];
    for (name, text) in &texts {
        for (variable, says) in unknown_variables(&pages.environment, name) {
            faults.push(TemplateFault { place: place(name, line_of(text, &variable)), says });
        }
    }
    if faults.is_empty() {
        faults.extend(rehearsed(&pages).iter().map(|(name, error)| fault(error, name)));
        faults.dedup();
    }
    if faults.is_empty() { Ok(pages) } else { Err(TemplatesError(faults)) }
}

/// Returns the sentence of an error.
fn message(error: &Error) -> String {
    match (error.kind(), error.detail()) {
        (ErrorKind::UndefinedError, None) => {
            "a value is undefined, such as a file that is not in the directory".to_owned()
        }
        (ErrorKind::OutOfFuel, _) => {
            format!("a page takes more than {TEMPLATE_FUEL} steps; shorten its loops")
        }
        (kind @ ErrorKind::SyntaxError, Some(detail)) => format!("{kind}: {detail}"),
        (_, Some(detail)) => detail.to_owned(),
        (kind, None) => kind.to_string(),
    }
}

/// Returns the variables that a template has. One that is no page has those of all pages.
fn variables(name: &str) -> BTreeSet<&'static str> {
    let of = |one: &PageTemplate| match one.variables {
        TemplateVariables::Page(own) => [FRAME_VARIABLES, own].concat(),
        #[cfg(feature = "docs-page")]
        TemplateVariables::Own(own) => own.to_vec(),
        TemplateVariables::Part => FRAME_VARIABLES.to_vec(),
    };
    let page = TEMPLATES.iter().find(|one| one.name == name).filter(|one| one.is_page());
    match page {
        Some(page) => of(page).into_iter().collect(),
        None => TEMPLATES.iter().flat_map(of).chain(PART_VARIABLES.iter().copied()).collect(),
    }
}

/// The variables that parts of pages have where they are included.
const PART_VARIABLES: &[&str] = &["reference", "input", "described"];

/// Returns the unknown variables of a template, each with what is wrong.
fn unknown_variables(environment: &Environment<'_>, name: &str) -> Vec<(String, String)> {
    let Ok(template) = environment.get_template(name) else { return vec![] };
    let known = variables(name);
    let globals: BTreeSet<_> = environment.globals().map(|(name, _)| name.to_owned()).collect();
    let is_known = |name: &String| known.contains(name.as_str()) || globals.contains(name);
    let unknown: BTreeSet<_> =
        template.undeclared_variables(false).into_iter().filter(|name| !is_known(name)).collect();
    let says = |variable: String| {
        let says = match nearest(&variable, known.iter().copied()) {
            Some(near) => format!("there is no `{variable}`; did you mean `{near}`?"),
            None => {
                let known = known.iter().copied().collect::<Vec<_>>().join(", ");
                format!("there is no `{variable}`; the page has {known}")
            }
        };
        (variable, says)
    };
    unknown.into_iter().map(says).collect()
}

/// Returns the first line of a text that contains a word.
fn line_of(text: &str, word: &str) -> Option<usize> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let has = |line: &str| line.split(|letter| !is_word(letter)).any(|one| one == word);
    text.lines().position(has).map(|at| at + 1)
}

/// A value that has every attribute, for a rehearsal. It has one item, whose items have items, and
/// so on to this depth, so that a filter that visits all of them comes to an end.
#[derive(Debug)]
struct AnyValue(u8);

/// The depth of values in a rehearsal. No view is as deep.
const REHEARSED_DEPTH: u8 = 8;

impl Object for AnyValue {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, _: &Value) -> Option<Value> {
        Some(Value::from_object(Self(self.0.saturating_sub(1))))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        if self.0 > 0 { Enumerator::Seq(1) } else { Enumerator::Empty }
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }

    fn render(self: &Arc<Self>, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// Renders each page with values that have every attribute. So most of what a template names is
/// looked up once before a person opens a page: filters, functions, other templates, files.
fn rehearsed(pages: &Pages) -> Vec<(&'static str, Error)> {
    let own = pages.own_files().iter().map(|file| (file.name.clone(), Value::from("/")));
    let files = Value::from(own.collect::<BTreeMap<_, _>>());
    let rehearse = |page: &'static PageTemplate| {
        let value = |name: &str| match name {
            "files" => files.clone(),
            _ => Value::from_object(AnyValue(REHEARSED_DEPTH)),
        };
        let view = variables(page.name).into_iter().map(|name| (name, value(name)));
        let view = Value::from(view.collect::<BTreeMap<_, _>>());
        let template = pages.environment.get_template(page.name);
        let error = template.and_then(|template| template.render(view)).err()?;
        names(&error).then_some((page.name, error))
    };
    TEMPLATES.iter().filter(|one| one.is_page()).filter_map(rehearse).collect()
}

/// Whether an error is of a name or of endless work. Other errors come from the values.
fn names(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::UnknownFilter
            | ErrorKind::UnknownFunction
            | ErrorKind::UnknownTest
            | ErrorKind::UnknownBlock
            | ErrorKind::TemplateNotFound
            | ErrorKind::UndefinedError
            | ErrorKind::OutOfFuel
    )
}

/// Returns the names of variables that a view has and a template should not, or the reverse.
pub(super) fn unlike(template: &str, view: &Value) -> Option<String> {
    let known = variables(template);
    let has: BTreeSet<_> = view.try_iter().ok()?.map(|name| name.to_string()).collect();
    let missing = known.iter().find(|name| !has.contains(**name));
    let further = has.iter().find(|name| !known.contains(name.as_str()));
    let name = missing.copied().or_else(|| further.map(String::as_str))?;
    Some(format!("`{name}` of `{template}`"))
}

/// Returns the text of an embedded template, after a comment about its purpose and its variables.
pub(super) fn explained(template: &PageTemplate) -> String {
    let variables = match template.variables {
        TemplateVariables::Part => "those of the page that it is a part of".to_owned(),
        TemplateVariables::Page(own) => [FRAME_VARIABLES, own].concat().join(", "),
        #[cfg(feature = "docs-page")]
        TemplateVariables::Own(own) => own.join(", "),
    };
    let (purpose, text) = (template.purpose, template.text);
    format!("{{# {purpose}\n   Variables: {variables} #}}\n{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_templates_use_what_they_have() {
        let pages = Pages::embedded();
        for template in TEMPLATES {
            assert_eq!(
                unknown_variables(&pages.environment, template.name),
                [],
                "{}",
                template.name
            );
        }
        assert_eq!(rehearsed(&pages).len(), 0);
    }
}
