//! The front end for Rust: items become a [`Draft`](crate::Draft), with the same keys and checks as
//! in a schema file.
//!
//! [`read_resource`] and [`read_field_type`] read one item, as a derive sees it; [`read_rust`]
//! reads a whole file. Every key of the schema language is a key of the attribute; this module does
//! not know what keys mean.

mod api;
mod attribute;
mod broken;
mod document;
mod field;
mod field_type;
mod file;
mod item;
mod json;
mod reader;
mod resource;
mod rust_type;

use crate::check::{CheckedSchema, check_item};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::draft::{Source, Value};
use crate::schema::{self, Literal, Schema};
pub use broken::{BrokenField, BrokenItem, BrokenParent};
use field_type::{Form, TypeParts};
use reader::{Reader, entry};
use resource::ResourceParts;
use syn::ext::IdentExt;

/// A struct with `#[derive(Resource)]`, checked.
#[derive(Clone)]
pub struct ResourceItem {
    /// The name of the struct.
    pub ident: syn::Ident,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// Its declaration, as far as one item can tell. A reference names the resource after its Rust
    /// type, and a named type of another item has no kind.
    pub schema: schema::Resource,
    /// The field of its id.
    pub id: FieldItem,
    /// The parent, if it has one.
    pub parent: Option<ParentItem>,
    /// The declared fields, in the order of `schema.fields`.
    pub fields: Vec<FieldItem>,
}

/// The parent of a resource as it was written.
#[derive(Clone)]
pub struct ParentItem {
    /// The struct of the parent.
    pub path: syn::Path,
    /// The field that holds the parent's id.
    pub field: FieldItem,
}

/// A field as it was written.
#[derive(Clone)]
pub struct FieldItem {
    /// Its name.
    pub ident: syn::Ident,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// Its type.
    pub ty: syn::Type,
    /// Its type without `Option`.
    pub inner: syn::Type,
    /// Whether its type is an `Option`.
    pub optional: bool,
    /// The `T` of `Id<T>`.
    pub reference: Option<syn::Path>,
    /// Whether its type is a custom field type.
    pub named: bool,
    /// Its `doc` attributes.
    pub docs: Vec<syn::Attribute>,
}

/// An enum or struct with `#[derive(FieldType)]`, checked.
#[derive(Clone)]
pub struct TypeItem {
    /// The name of the item.
    pub ident: syn::Ident,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// Its declaration, as far as one item can tell.
    pub schema: schema::NamedType,
    /// Its Rust form.
    pub form: TypeForm,
}

/// The Rust form of a field type.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one of it at a time")]
pub enum TypeForm {
    /// A struct with one unnamed field.
    Newtype {
        /// The type of the field.
        inner: syn::Type,
        /// Whether `inner` is a custom field type.
        named: bool,
        /// The visibility of the field.
        vis: syn::Visibility,
    },
    /// An enum without data.
    Enum {
        /// Its variants with their values.
        variants: Vec<(syn::Ident, Literal)>,
    },
}

/// Reads and checks a struct with `#[derive(Resource)]`.
///
/// ```
/// let item = syn::parse_quote! {
///     #[resource(sort = [-opened])]
///     struct Zoo { id: Id<Self>, opened: Option<Date> }
/// };
/// let zoo = nouns_codegen::read_resource(&item).ok().unwrap();
/// assert_eq!((zoo.schema.collection.as_str(), zoo.schema.sort[0].descending), ("zoos", true));
/// ```
///
/// # Errors
/// All mistakes of the struct, with what a stub needs.
pub fn read_resource(input: &syn::DeriveInput) -> Result<ResourceItem, Box<BrokenItem>> {
    let mut reader = Reader::default();
    let name = item::declared_name(input, "resource");
    for own in ["Self".to_owned(), input.ident.unraw().to_string()] {
        reader.resources.insert(own, name.clone());
    }
    let parts = resource::read(input, &mut reader);
    let Some(ResourceParts { entry: resource, id, parent, fields }) = parts else {
        return Err(broken(input, reader.problems));
    };
    let at = input.ident.span();
    let draft = reader.draft(vec![entry("resources", at, Value::Map(vec![resource]))]);
    let mut schema = check_item(draft).map_err(|diagnostics| BrokenItem::of(input, diagnostics))?;
    let (schema, id) = (declared(schema.resources.pop()), declared(id));
    Ok(ResourceItem {
        ident: input.ident.clone(),
        vis: input.vis.clone(),
        schema,
        id,
        parent,
        fields,
    })
}

/// Reads and checks an enum or struct with `#[derive(FieldType)]`.
///
/// ```
/// let item = syn::parse_quote! { enum Status { Draft, Published } };
/// let status = nouns_codegen::read_field_type(&item).ok().unwrap();
/// assert_eq!(status.schema.domain.choices.len(), 2);
/// ```
///
/// # Errors
/// All mistakes of the item, with what a stub needs.
pub fn read_field_type(input: &syn::DeriveInput) -> Result<TypeItem, Box<BrokenItem>> {
    let mut reader = Reader::default();
    let Some(TypeParts { entry: named, form }) = field_type::read(input, &mut reader) else {
        return Err(broken(input, reader.problems));
    };
    let at = input.ident.span();
    let draft = reader.draft(vec![entry("types", at, Value::Map(vec![named]))]);
    let mut schema = check_item(draft).map_err(|diagnostics| BrokenItem::of(input, diagnostics))?;
    let schema = declared(schema.types.pop());
    let form = match declared(form) {
        Form::Newtype { inner, named, vis } => TypeForm::Newtype { inner, named, vis },
        Form::Enum(idents) => {
            let values = schema.domain.choices.iter().cloned();
            TypeForm::Enum { variants: idents.into_iter().zip(values).collect() }
        }
    };
    Ok(TypeItem { ident: input.ident.clone(), vis: input.vis.clone(), schema, form })
}

/// Reads and checks a Rust file: the items with `#[derive(Resource)]` and `#[derive(FieldType)]`,
/// and the function `api` that builds the interface. `source` is its name in messages.
///
/// ```
/// let text = "#[derive(Resource)]\nstruct Zoo { id: Id<Self>, name: String }\n";
/// assert_eq!(nouns_codegen::read_rust("zoo.rs", text).unwrap().resources[0].name, "zoo");
/// ```
///
/// # Errors
/// All mistakes of the declaration.
pub fn read_rust(source: &str, text: &str) -> Result<Schema, Diagnostics> {
    check_rust(source, text).map(|checked| checked.schema)
}

/// Reads and checks a Rust file, and returns the warnings too.
///
/// # Errors
/// All mistakes of the declaration.
pub fn check_rust(source: &str, text: &str) -> Result<CheckedSchema, Diagnostics> {
    file::read(source, text)
}

/// A part of an item without mistakes.
fn declared<T>(part: Option<T>) -> T {
    part.expect("an item that lacks a part has a mistake")
}

fn broken(input: &syn::DeriveInput, found: Vec<Diagnostic>) -> Box<BrokenItem> {
    BrokenItem::of(input, Diagnostics::new(Source::default(), found))
}
