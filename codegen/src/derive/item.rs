//! The shape of an item: what a derive can read, and what to write instead of the rest.

use super::reader::Reader;
use super::{attribute, field};
use crate::diagnostic::Problem;
use crate::name;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Fields, Token};

/// What a resource looks like.
const RESOURCE: &str =
    "a resource is a struct with named fields: `struct Zoo { id: Id<Self>, name: String }`";

/// What a field type looks like.
const FIELD_TYPE: &str = "a field type is a struct around one type, `struct Email(String);`, or an enum without data, `enum Status { Draft }`";

/// The field or the variants of a field type.
pub(super) enum Shape<'i> {
    Newtype(&'i Field),
    Enum(&'i Punctuated<syn::Variant, Token![,]>),
}

/// The fields of a struct that can be a resource.
pub(super) fn named_fields<'i>(
    input: &'i DeriveInput,
    reader: &mut Reader,
) -> Option<&'i Punctuated<Field, Token![,]>> {
    let generic = refuse_generics(input, reader);
    let found = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => return (!generic).then_some(&fields.named),
            Fields::Unnamed(_) => "is a struct whose fields have no names",
            Fields::Unit => "is a struct without fields",
        },
        Data::Enum(_) => "is an enum",
        Data::Union(_) => "is a union",
    };
    say(input, found, RESOURCE, reader);
    None
}

/// What a field type consists of.
pub(super) fn shape<'i>(input: &'i DeriveInput, reader: &mut Reader) -> Option<Shape<'i>> {
    let generic = refuse_generics(input, reader);
    let found = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                return (!generic).then(|| Shape::Newtype(&fields.unnamed[0]));
            }
            Fields::Unnamed(_) => "is a struct around several types or none",
            Fields::Named(_) => "is a struct with named fields",
            Fields::Unit => "is a struct around nothing",
        },
        Data::Enum(data) if data.variants.is_empty() => "is an enum without variants",
        Data::Enum(data) => {
            let plain = !data
                .variants
                .iter()
                .map(|variant| refuse_data(variant, reader))
                .fold(false, |a, b| a | b);
            return (plain && !generic).then_some(Shape::Enum(&data.variants));
        }
        Data::Union(_) => "is a union",
    };
    say(input, found, FIELD_TYPE, reader);
    None
}

/// Whether a variant holds something or counts by itself; if so, that is said.
fn refuse_data(variant: &syn::Variant, reader: &mut Reader) -> bool {
    let (found, advice) = match (&variant.fields, &variant.discriminant) {
        (Fields::Unit, None) => return false,
        (Fields::Unit, Some(_)) => {
            ("has a number", "write `#[field_type(value = 1)]` to say its value")
        }
        _ => ("has data", FIELD_TYPE),
    };
    let name = variant.ident.unraw().to_string();
    reader.say(variant.ident.span(), Problem::WrongItem { name, found, advice: advice.to_owned() });
    true
}

fn say(input: &DeriveInput, found: &'static str, advice: &'static str, reader: &mut Reader) {
    let name = input.ident.unraw().to_string();
    reader.say(input.ident.span(), Problem::WrongItem { name, found, advice: advice.to_owned() });
}

fn refuse_generics(input: &DeriveInput, reader: &mut Reader) -> bool {
    let parameters = &input.generics.params;
    if let Some(first) = parameters.first() {
        let lifetimes =
            parameters.iter().all(|parameter| matches!(parameter, syn::GenericParam::Lifetime(_)));
        let what = if lifetimes { "lifetimes" } else { "parameters" };
        let name = input.ident.unraw().to_string();
        reader.say(first.span(), Problem::Generic { name, what });
    }
    !parameters.is_empty()
}

/// The name that an item declares: that of its attribute, else the one that follows from its
/// identifier.
pub(super) fn declared_name(input: &DeriveInput, attribute: &str) -> String {
    // What cannot be read here is said when the item itself is read.
    let mut silent = Reader::default();
    let mut arguments = attribute::read(&input.attrs, attribute, &mut silent);
    let declared = field::take_name(&mut arguments, &mut silent).map(|(name, _)| name);
    declared.unwrap_or_else(|| name::snake(&input.ident.unraw().to_string()))
}
