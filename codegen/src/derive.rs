//! The front end for Rust: converts items to a [`Draft`](crate::Draft), with the same keys and
//! checks as in a schema file.
//!
//! [`read_resource`] and [`read_field_type`] read one item, as a derive sees it. [`read_rust`]
//! reads a whole file. Every key of the schema language is a key of the attribute. This module does
//! not check the keys; the checker does.

#[cfg(feature = "yaml")]
mod api;
mod attribute;
mod broken;
mod document;
mod field;
mod field_type;
#[cfg(feature = "yaml")]
mod file;
mod item;
#[cfg(feature = "yaml")]
mod json;
mod reader;
mod resource;
mod rust_type;

#[cfg(feature = "yaml")]
use crate::check::CheckedSchema;
use crate::check::check_item;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::draft::{Source, Value};
#[cfg(feature = "yaml")]
use crate::schema::Schema;
use crate::schema::{self, Literal};
pub use broken::{BrokenField, BrokenItem, BrokenParent};
use field_type::{Form, TypeParts};
use reader::{Reader, entry};
use resource::ResourceParts;
use syn::ext::IdentExt;

/// A checked struct with `#[derive(Resource)]`.
#[derive(Clone)]
pub struct ResourceItem {
    /// The name of the struct.
    pub ident: syn::Ident,
    /// The visibility of the struct.
    pub vis: syn::Visibility,
    /// The declaration of the resource, as far as it follows from this struct alone. The target of
    /// a reference is named after the Rust type. A field with a custom field type has no kind.
    pub schema: schema::Resource,
    /// The field `id`.
    pub id: FieldItem,
    /// The parent, if the resource has one.
    pub parent: Option<ParentItem>,
    /// The declared fields, in the order of `schema.fields`.
    pub fields: Vec<FieldItem>,
}

/// The parent of a resource, as written in Rust.
#[derive(Clone)]
pub struct ParentItem {
    /// The path of the parent's struct.
    pub path: syn::Path,
    /// The field that holds the id of the parent.
    pub field: FieldItem,
}

/// A field of a struct, as written in Rust.
#[derive(Clone)]
pub struct FieldItem {
    /// The name of the field.
    pub ident: syn::Ident,
    /// The visibility of the field.
    pub vis: syn::Visibility,
    /// The type of the field.
    pub ty: syn::Type,
    /// The type of the field without `Option`.
    pub inner: syn::Type,
    /// Whether the type of the field is an `Option`.
    pub optional: bool,
    /// The type `T` if the field is an `Id<T>`.
    pub reference: Option<syn::Path>,
    /// Whether the field has a custom field type.
    pub named: bool,
    /// The `doc` attributes of the field.
    pub docs: Vec<syn::Attribute>,
}

/// A checked enum or struct with `#[derive(FieldType)]`.
#[derive(Clone)]
pub struct TypeItem {
    /// The name of the enum or struct.
    pub ident: syn::Ident,
    /// The visibility of the enum or struct.
    pub vis: syn::Visibility,
    /// The declaration of the named type, as far as it follows from this item alone.
    pub schema: schema::NamedType,
    /// Whether the item is an enum or a newtype, with its Rust types.
    pub form: TypeForm,
}

/// The Rust form of a field type.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "one value of this type exists at a time")]
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
        /// The variants with their values.
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
/// All mistakes of the struct, with the parts from which stub implementations are generated.
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
/// All mistakes of the item, with the parts from which stub implementations are generated.
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
/// and the function `api`. `source` is the name of the file in messages.
///
/// ```
/// let text = "#[derive(Resource)]\nstruct Zoo { id: Id<Self>, name: String }\n";
/// assert_eq!(nouns_codegen::read_rust("zoo.rs", text).unwrap().resources[0].name, "zoo");
/// ```
///
/// # Errors
/// All mistakes of the declaration.
#[cfg(feature = "yaml")]
pub fn read_rust(source: &str, text: &str) -> Result<Schema, Diagnostics> {
    check_rust(source, text).map(|checked| checked.schema)
}

/// Reads and checks a Rust file, and also returns the warnings.
///
/// # Errors
/// All mistakes of the declaration.
#[cfg(feature = "yaml")]
pub fn check_rust(source: &str, text: &str) -> Result<CheckedSchema, Diagnostics> {
    file::read(source, text)
}

/// Unwraps a part of an item that was checked without mistakes.
fn declared<T>(part: Option<T>) -> T {
    part.expect("a checked item without mistakes has all parts")
}

fn broken(input: &syn::DeriveInput, found: Vec<Diagnostic>) -> Box<BrokenItem> {
    BrokenItem::of(input, Diagnostics::new(Source::default(), found))
}
