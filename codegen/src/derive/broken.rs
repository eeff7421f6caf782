//! What can be said of an item that has mistakes, so that what stands for it looks as it would without them.

use super::attribute::{self, Argument, Said};
use super::reader::{Reader, last};
use crate::diagnostic::Diagnostics;
use crate::name;
use crate::schema::IdKind;
use syn::{Data, DeriveInput, Ident, Path, Type};

/// What can be said of an item that has mistakes: enough for a stub.
#[derive(Clone)]
pub struct BrokenItem {
    /// The name of the item.
    pub ident: Ident,
    /// Who may see it.
    pub vis: syn::Visibility,
    /// Its parameters, which are one of the mistakes if there are any.
    pub generics: syn::Generics,
    /// The names and types of its fields, if they have names.
    pub fields: Vec<(Ident, Type)>,
    /// Those of its fields that say a default.
    pub defaults: Vec<Ident>,
    /// The kind of its ids, as far as it can be read.
    pub id: IdKind,
    /// Its parent and the name of the field of the parent's id, as far as they can be read.
    pub parent: Option<(Path, String)>,
    /// Its mistakes.
    pub diagnostics: Diagnostics,
}

impl BrokenItem {
    /// What stands in an item, and what was found in it.
    pub(super) fn of(input: &DeriveInput, diagnostics: Diagnostics) -> Box<Self> {
        let fields: Vec<_> = match &input.data {
            Data::Struct(data) => {
                data.fields.iter().filter_map(|field| Some((field.ident.clone()?, field))).collect()
            }
            _ => Vec::new(),
        };
        let has_default =
            |field: &syn::Field| arguments(&field.attrs).iter().any(|argument| argument.key == "default");
        let defaults =
            fields.iter().filter(|(_, field)| has_default(field)).map(|(ident, _)| ident.clone()).collect();
        let arguments = arguments(&input.attrs);
        Box::new(Self {
            ident: input.ident.clone(),
            vis: input.vis.clone(),
            generics: input.generics.clone(),
            defaults,
            id: id(&arguments),
            parent: parent(&arguments),
            fields: fields.into_iter().map(|(ident, field)| (ident, field.ty.clone())).collect(),
            diagnostics,
        })
    }
}

/// The arguments that can be read; what cannot be is among the mistakes already.
fn arguments(attributes: &[syn::Attribute]) -> Vec<Argument> {
    attribute::read(attributes, "resource", &mut Reader::default())
}

fn id(arguments: &[Argument]) -> IdKind {
    let word =
        arguments.iter().find(|argument| argument.key == "id").and_then(|argument| argument.given.text());
    let known = IdKind::WORDS.iter().find(|(known, _)| word.as_deref() == Some(known));
    known.map_or_else(IdKind::default, |(_, kind)| *kind)
}

fn parent(arguments: &[Argument]) -> Option<(Path, String)> {
    let given = |key: &str, among: &'_ [Argument]| among.iter().position(|argument| argument.key == key);
    let parent = &arguments[given("parent", arguments)?].given.said;
    let (path, field) = match parent {
        Said::Map(inner) => {
            let field = given("field", inner).and_then(|at| inner[at].given.text());
            (&inner[given("resource", inner)?].given.said, field)
        }
        path => (path, None),
    };
    let Said::Path(path) = path else { return None };
    Some((path.clone(), field.unwrap_or_else(|| format!("{}_id", name::snake(&last(path))))))
}
