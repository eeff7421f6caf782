//! What can be said of an item that has mistakes, so that what stands for it looks as it would
//! without them.

use super::attribute::{self, Argument, Said};
use super::reader::{Reader, last};
use super::resource::{is_no_struct, struct_as_key};
use crate::diagnostic::Diagnostics;
use crate::draft::Value;
use crate::name;
use crate::schema::{Assigned, IdKind};
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
    /// Its fields, if they have names.
    pub fields: Vec<BrokenField>,
    /// Those of its fields that say a default.
    pub defaults: Vec<Ident>,
    /// The kind of its ids, as far as it can be read.
    pub id: IdKind,
    /// Whether a client may bring an id that the server assigns otherwise.
    pub optional_id: bool,
    /// Its parent, as far as it can be read.
    pub parent: Option<BrokenParent>,
    /// Its mistakes.
    pub diagnostics: Diagnostics,
}

/// The parent of an item that has mistakes.
#[derive(Clone)]
pub struct BrokenParent {
    /// The struct.
    pub path: Path,
    /// The name of the field of its id.
    pub field: String,
    /// Whether a member may get another.
    pub is_movable: bool,
}

/// A field of an item that has mistakes.
#[derive(Clone)]
pub struct BrokenField {
    /// Its name.
    pub ident: Ident,
    /// Who may see it.
    pub vis: syn::Visibility,
    /// Its type.
    pub ty: Type,
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
        let has_default = |field: &syn::Field| {
            arguments(&field.attrs).iter().any(|argument| argument.key == "default")
        };
        let defaults = fields
            .iter()
            .filter(|(_, field)| has_default(field))
            .map(|(ident, _)| ident.clone())
            .collect();
        let arguments = arguments(&input.attrs);
        let (id, optional_id) = id(&arguments);
        Box::new(Self {
            ident: input.ident.clone(),
            vis: input.vis.clone(),
            generics: input.generics.clone(),
            defaults,
            id,
            optional_id,
            parent: parent(&arguments),
            fields: fields.into_iter().map(BrokenField::of).collect(),
            diagnostics,
        })
    }
}

impl BrokenField {
    fn of((ident, field): (Ident, &syn::Field)) -> Self {
        Self { ident, vis: field.vis.clone(), ty: field.ty.clone() }
    }
}

/// The arguments that can be read; what cannot be is among the mistakes already.
fn arguments(attributes: &[syn::Attribute]) -> Vec<Argument> {
    attribute::read(attributes, "resource", &mut Reader::default())
}

/// The kind of the ids, and whether a client may bring one that the server assigns otherwise.
fn id(arguments: &[Argument]) -> (IdKind, bool) {
    let text = |key: &str, among: &[Argument]| {
        among.iter().find(|argument| argument.key == key).and_then(|argument| argument.given.text())
    };
    let said =
        arguments.iter().find(|argument| argument.key == "id").map(|argument| &argument.given.said);
    let (word, assigned) = match said {
        Some(Said::Map(inner)) => (text("type", inner), text("assigned", inner)),
        _ => (text("id", arguments), None),
    };
    let known = IdKind::WORDS.iter().find(|(known, _)| word.as_deref() == Some(known));
    let is_optional = assigned.as_deref() == Some(Assigned::Optional.word());
    (known.map_or_else(IdKind::default, |(_, kind)| *kind), is_optional)
}

/// The struct that a path means: one that is named as in YAML is said already.
fn as_struct(path: &Path) -> Path {
    let mut path = path.clone();
    if let Some(segment) =
        path.segments.last_mut().filter(|segment| is_no_struct(&segment.ident.to_string()))
    {
        segment.ident = Ident::new(&name::pascal(&segment.ident.to_string()), segment.ident.span());
    }
    path
}

fn parent(arguments: &[Argument]) -> Option<BrokenParent> {
    let given =
        |key: &str, among: &'_ [Argument]| among.iter().position(|argument| argument.key == key);
    let parent = &arguments[given("parent", arguments)?].given.said;
    let usual = |path: &Path| format!("{}_id", name::snake(&last(path)));
    let (path, field, is_movable) = match parent {
        Said::Map(inner) if struct_as_key(inner).is_some() => {
            let path = Path::from(Ident::new(&inner[0].key, inner[0].at));
            return Some(BrokenParent { field: usual(&path), path, is_movable: false });
        }
        Said::Map(inner) => {
            let field = given("field", inner).and_then(|at| inner[at].given.text());
            let movable = given("movable", inner).map(|at| &inner[at].given.said);
            let is_movable = matches!(movable, Some(Said::Value(Value::Boolean(true))));
            (&inner[given("resource", inner)?].given.said, field, is_movable)
        }
        path => (path, None, false),
    };
    let Said::Path(path) = path else { return None };
    let field = field.unwrap_or_else(|| usual(path));
    Some(BrokenParent { path: as_struct(path), field, is_movable })
}
