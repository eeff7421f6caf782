//! The readable parts of an item with mistakes. The derive macro generates a stub implementation
//! from these parts.

use super::attribute::{self, Argument, ValueSyntax};
use super::reader::{Reader, last};
use super::resource::{is_no_struct, struct_as_key};
use super::rust_type;
use crate::diagnostic::Diagnostics;
use crate::draft::Value;
use crate::name;
use crate::schema::{IdAssignment, IdKind};
use syn::{Data, DeriveInput, Ident, Path, Type};

/// The readable parts of an item with mistakes. A stub implementation of the item is generated from
/// these parts.
#[derive(Clone)]
pub struct BrokenItem {
    /// The name of the item.
    pub ident: Ident,
    /// The visibility of the item.
    pub vis: syn::Visibility,
    /// The generic parameters of the item. An item with generic parameters has a mistake.
    pub generics: syn::Generics,
    /// Whether the item is an enum.
    pub is_enum: bool,
    /// The named fields of the item.
    pub fields: Vec<BrokenField>,
    /// The names of the fields that declare a default.
    pub defaults: Vec<Ident>,
    /// The kind of the ids, or the default kind if it cannot be read.
    pub id: IdKind,
    /// Whether a client may choose the id of a new member. If the client does not, the server
    /// assigns the id.
    pub optional_id: bool,
    /// The parent, if it is declared and can be read.
    pub parent: Option<BrokenParent>,
    /// The mistakes of the item.
    pub diagnostics: Diagnostics,
}

/// The parent of an item with mistakes.
#[derive(Clone)]
pub struct BrokenParent {
    /// The path of the parent's struct.
    pub path: Path,
    /// The name of the field that holds the id of the parent.
    pub field: String,
    /// Whether the parent of a member may change.
    pub is_movable: bool,
}

/// A field of an item with mistakes.
#[derive(Clone)]
pub struct BrokenField {
    /// The name of the field.
    pub ident: Ident,
    /// The visibility of the field.
    pub vis: syn::Visibility,
    /// The type of the field.
    pub ty: Type,
    /// Whether the type is a custom field type.
    pub named: bool,
}

impl BrokenItem {
    /// Collects the readable parts of an item. `diagnostics` are the mistakes of the item.
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
            is_enum: matches!(input.data, Data::Enum(_)),
            defaults,
            id,
            optional_id,
            parent: parent(&arguments),
            fields: fields
                .into_iter()
                .map(|(ident, field)| BrokenField::of(ident, field))
                .collect(),
            diagnostics,
        })
    }
}

impl BrokenField {
    fn of(ident: Ident, field: &syn::Field) -> Self {
        let named = ident != "id" && rust_type::is_custom(&field.ty);
        Self { ident, vis: field.vis.clone(), ty: field.ty.clone(), named }
    }
}

/// The arguments that can be parsed. Syntax errors are ignored, because an earlier check has
/// reported them.
fn arguments(attributes: &[syn::Attribute]) -> Vec<Argument> {
    attribute::read(attributes, "resource", &mut Reader::default())
}

/// Returns the kind of the ids, and whether clients may choose the id of a new member.
fn id(arguments: &[Argument]) -> (IdKind, bool) {
    let text = |key: &str, among: &[Argument]| {
        among.iter().find(|argument| argument.key == key).and_then(|argument| argument.value.text())
    };
    let syntax = arguments
        .iter()
        .find(|argument| argument.key == "id")
        .map(|argument| &argument.value.syntax);
    let (word, assigned) = match syntax {
        Some(ValueSyntax::Map(inner)) => (text("type", inner), text("assigned", inner)),
        _ => (text("id", arguments), None),
    };
    let kind = IdKind::WORDS.iter().find(|(name, _)| word.as_deref() == Some(name));
    let is_optional = assigned.as_deref() == Some(IdAssignment::Optional.word());
    (kind.map_or_else(IdKind::default, |(_, kind)| *kind), is_optional)
}

/// The struct that a path probably means. A lower-case name as in YAML becomes the struct's name;
/// the mistake was already reported.
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
    let position =
        |key: &str, among: &'_ [Argument]| among.iter().position(|argument| argument.key == key);
    let parent = &arguments[position("parent", arguments)?].value.syntax;
    let usual = |path: &Path| format!("{}_id", name::snake(&last(path)));
    let (path, field, is_movable) = match parent {
        ValueSyntax::Map(inner) if struct_as_key(inner).is_some() => {
            let path = Path::from(Ident::new(&inner[0].key, inner[0].at));
            return Some(BrokenParent { field: usual(&path), path, is_movable: false });
        }
        ValueSyntax::Map(inner) => {
            let field = position("field", inner).and_then(|at| inner[at].value.text());
            let movable = position("movable", inner).map(|at| &inner[at].value.syntax);
            let is_movable = matches!(movable, Some(ValueSyntax::Value(Value::Boolean(true))));
            (&inner[position("resource", inner)?].value.syntax, field, is_movable)
        }
        path => (path, None, false),
    };
    let ValueSyntax::Path(path) = path else { return None };
    let field = field.unwrap_or_else(|| usual(path));
    Some(BrokenParent { path: as_struct(path), field, is_movable })
}
