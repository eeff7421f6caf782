//! [`Pages`]: what the web pages are made of, apart from the data: templates, and the files that the
//! pages load.

mod check;
mod fault;
mod folder;

use std::sync::{Arc, LazyLock};

use minijinja::{
    AutoEscape, Environment, Error, Output, State, UndefinedBehavior, Value, escape_formatter,
    syntax::SyntaxConfig, value::Serde,
};
use serde::Serialize;

pub use self::fault::{TemplateFault, TemplatesError};
use super::{
    escape::escape,
    page_file::{self, PageFile, TEMPLATES},
};
use crate::base::{hash::StableHasher, limits::TEMPLATE_FUEL};

/// The templates and files of the web pages. They are embedded; a directory may replace some.
#[derive(Debug)]
pub struct Pages {
    /// The compiled templates. Values in them are escaped for HTML, by the names of the templates.
    environment: Environment<'static>,
    /// The files that the pages load.
    files: Vec<Arc<PageFile>>,
    /// The number of files that come from the directory. They are the first ones.
    own: usize,
    /// A hash of the templates, the files and the version of the program.
    hash: u64,
}

/// The pages of a server without a directory of its own.
static EMBEDDED: LazyLock<Arc<Pages>> = LazyLock::new(|| {
    let pages = Pages::of(vec![], vec![]);
    Arc::new(pages.expect("a test compiles every embedded template"))
});

impl PartialEq for Pages {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Pages {
    /// The pages that are embedded in the program.
    pub(crate) fn embedded() -> Arc<Self> {
        Arc::clone(&EMBEDDED)
    }

    /// Compiles the templates. Each of these templates and files replaces the embedded one of its
    /// name, if there is one.
    fn of(templates: Vec<(String, String)>, mut files: Vec<PageFile>) -> Result<Self, Error> {
        let mut environment = Environment::new();
        environment.set_syntax(syntax());
        environment.set_formatter(format);
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.set_fuel(Some(TEMPLATE_FUEL));
        let mut hash = StableHasher::new().text(env!("CARGO_PKG_VERSION"));
        for template in TEMPLATES {
            hash = hash.text(template.text);
            environment.add_template(template.name, template.text)?;
        }
        for (name, text) in templates {
            hash = hash.text(&name).text(&text);
            environment.add_template_owned(name, text)?;
        }
        let own = files.len();
        for file in page_file::embedded() {
            if !files[..own].iter().any(|own| own.name == file.name) {
                files.push(file);
            }
        }
        let hash = files.iter().fold(hash, |hash, file| hash.text(&file.path)).finish();
        Ok(Self { environment, files: files.into_iter().map(Arc::new).collect(), own, hash })
    }

    /// Renders a template.
    pub(crate) fn render(&self, template: &str, view: &impl Serialize) -> Result<String, Error> {
        debug_assert_eq!(check::unlike(template, &Value::from(Serde(view))), None);
        self.environment.get_template(template)?.render(Serde(view))
    }

    /// Finds the file with this path below `/-/pages/`.
    pub(crate) fn find(&self, path: &str) -> Option<Arc<PageFile>> {
        let is = |file: &&Arc<PageFile>| file.path.strip_prefix("/-/pages/") == Some(path);
        self.files.iter().find(is).cloned()
    }

    /// Returns the path of an embedded file, or of the one that replaces it.
    pub(crate) fn path(&self, name: &str) -> &str {
        let found = self.files.iter().find(|file| file.name == name);
        found.map_or("/-/pages/", |file| &file.path)
    }

    /// Returns the files that come from a directory.
    pub(crate) fn own_files(&self) -> &[Arc<PageFile>] {
        &self.files[..self.own]
    }

    /// Returns a hash of all that a page is made of beside its data: the files, the templates and
    /// the version of the program. The entity tags of pages contain it.
    pub(crate) const fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the names of the embedded templates and files that people change, each with its
    /// text.
    pub fn texts() -> impl Iterator<Item = (String, String)> {
        let templates = TEMPLATES.iter().map(|one| (one.name.to_owned(), check::explained(one)));
        let is_own = |file: &PageFile| !file.is_compressed && !file.name.ends_with("LICENSE.txt");
        let files = page_file::embedded().filter(is_own);
        let text = |file: PageFile| (file.name, String::from_utf8_lossy(&file.content).into());
        templates.chain(files.map(text))
    }
}

/// The syntax of templates. A line that has a tag alone leaves no empty line.
fn syntax() -> SyntaxConfig {
    let syntax = SyntaxConfig::builder().trim_blocks(true).keep_trailing_newline(true).build();
    syntax.expect("the usual delimiters are valid")
}

/// Writes a value of a template. Texts are escaped for HTML as in all pages. The engine would
/// escape slashes, too, which a page has many of.
fn format(output: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str().filter(|_| *state.auto_escape() == AutoEscape::Html && !value.is_safe()) {
        Some(text) => escape(output, text).map_err(Error::from),
        None => escape_formatter(output, state, value),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_file_is_found_by_its_own_path_alone() {
        let pages = Pages::embedded();
        for file in &pages.files {
            let below = file.path.strip_prefix("/-/pages/").unwrap();
            assert_eq!(pages.find(below).as_ref(), Some(file));
            assert_eq!(pages.find(&below.to_uppercase()), None);
            assert_eq!(pages.find(&format!("0000000000000000/{}", file.name)), None);
            assert_eq!(pages.path(&file.name), file.path);
        }
        let paths: BTreeSet<_> = pages.files.iter().map(|file| &file.path).collect();
        assert_eq!(paths.len(), pages.files.len());
    }
}
