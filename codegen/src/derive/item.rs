//! Checks the form of an item: whether a derive can read it, and what to write instead.

use super::reader::Reader;
use super::{attribute, field};
use crate::diagnostic::Problem;
use crate::name;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Fields, Token};

/// The correct form of a resource, for messages.
const RESOURCE: &str =
    "a resource is a struct with named fields: `struct Zoo { id: Id<Self>, name: String }`";

/// The correct form of a field type, for messages.
const FIELD_TYPE: &str = "a field type is a struct around one type, `struct Email(String);`, or \
                          an enum without data, `enum Status { Draft }`";

/// The field of a newtype, or the variants of an enum.
pub(super) enum Shape<'i> {
    Newtype(&'i Field),
    Enum(&'i Punctuated<syn::Variant, Token![,]>),
}

/// The fields of a struct that can be a resource. Any other item is reported.
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
    report(input, found, RESOURCE, reader);
    None
}

/// The contents of an item that can be a field type. Any other item is reported.
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
    report(input, found, FIELD_TYPE, reader);
    None
}

/// Reports a variant that has data or a discriminant. Returns whether the variant was reported.
fn refuse_data(variant: &syn::Variant, reader: &mut Reader) -> bool {
    let (found, advice) = match (&variant.fields, &variant.discriminant) {
        (Fields::Unit, None) => return false,
        (Fields::Unit, Some(_)) => {
            ("has a number", "write `#[field_type(value = 1)]` to set its value")
        }
        _ => ("has data", FIELD_TYPE),
    };
    let name = variant.ident.unraw().to_string();
    reader.report(
        variant.ident.span(),
        Problem::WrongItem { name, found, advice: advice.to_owned() },
    );
    true
}

fn report(input: &DeriveInput, found: &'static str, advice: &'static str, reader: &mut Reader) {
    let name = input.ident.unraw().to_string();
    reader
        .report(input.ident.span(), Problem::WrongItem { name, found, advice: advice.to_owned() });
}

fn refuse_generics(input: &DeriveInput, reader: &mut Reader) -> bool {
    let parameters = &input.generics.params;
    if let Some(first) = parameters.first() {
        let lifetimes =
            parameters.iter().all(|parameter| matches!(parameter, syn::GenericParam::Lifetime(_)));
        let what = if lifetimes { "lifetimes" } else { "parameters" };
        let name = input.ident.unraw().to_string();
        reader.report(first.span(), Problem::Generic { name, what });
    }
    !parameters.is_empty()
}

/// The name that an item declares: the name in its attribute, otherwise its identifier in snake
/// case.
pub(super) fn declared_name(input: &DeriveInput, attribute: &str) -> String {
    // Mistakes are ignored here. They are reported when the item itself is read.
    let mut silent = Reader::default();
    let mut arguments = attribute::read(&input.attrs, attribute, &mut silent);
    let declared = field::take_name(&mut arguments, &mut silent).map(|(name, _)| name);
    declared.unwrap_or_else(|| name::snake(&input.ident.unraw().to_string()))
}
