//! Reads a field type: an enum or a newtype becomes a named type.

use super::attribute::{self, Argument, ValueSyntax};
use super::item::{Shape, shape};
use super::reader::{Reader, entry, node};
use super::rust_type::{self, UnfitType, Values};
use super::{document, field};
use crate::diagnostic::Problem;
use crate::diagnostic::problem::{Owner, Suggestion, Words};
use crate::draft::{Entry, Node, Origin, Spanned, Value};
use crate::name;
use syn::ext::IdentExt;
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Ident, Type};

/// The parts of a field type.
pub(super) struct TypeParts {
    /// The entry of `types` that the item declares.
    pub(super) entry: Entry,
    /// The Rust form of the item. `None` if its type cannot be read.
    pub(super) form: Option<Form>,
}

/// The Rust form of a field type.
#[expect(clippy::large_enum_variant, reason = "one value of this type exists at a time")]
pub(super) enum Form {
    Newtype { inner: Type, named: bool, vis: syn::Visibility },
    Enum(Vec<Ident>),
}

/// Keys that the attribute of a newtype does not accept, because Rust code declares them in another
/// way. Each has advice for a message.
const ELSEWHERE: &[(&[&str], &str)] = &[(&["type"], "the inner type of the struct determines it")];

/// Keys that the attribute of an enum does not accept, because Rust code declares them in another
/// way. Each has advice for a message.
const ELSEWHERE_IN_AN_ENUM: &[(&[&str], &str)] =
    &[(&["type", "enum"], "the variants determine it")];

/// Reads an item with `#[derive(FieldType)]`. An item of the wrong form is reported and gives
/// `None`.
pub(super) fn read(input: &DeriveInput, reader: &mut Reader) -> Option<TypeParts> {
    let shape = shape(input, reader)?;
    let mut arguments = attribute::read(&input.attrs, "field_type", reader);
    let (name, at) = field::take_name(&mut arguments, reader)
        .unwrap_or_else(|| (name::snake(&input.ident.unraw().to_string()), input.ident.span()));
    let description =
        document::description(&input.attrs, &arguments, &format!("A value of `{name}`."));
    let key = Spanned { value: name, at: Origin::Rust(at) };
    let rust = Some(input.ident.unraw().to_string());
    let (entries, form) = match shape {
        Shape::Newtype(field) => newtype(field, &mut arguments, reader),
        Shape::Enum(variants) => {
            field::refuse_elsewhere(&mut arguments, ELSEWHERE_IN_AN_ENUM, reader);
            let values = variants.iter().map(|variant| value(variant, reader)).collect();
            let idents = variants.iter().map(|variant| variant.ident.clone()).collect();
            (vec![entry("enum", at, Value::List(values))], Some(Form::Enum(idents)))
        }
    };
    if form.is_none() {
        return Some(TypeParts { entry: Entry { key, rust, value: node(Value::Null, at) }, form });
    }
    let rest = arguments.into_iter().filter_map(|argument| argument.lower(reader));
    let entries = entries.into_iter().chain(description).chain(rest).collect();
    Some(TypeParts { entry: Entry { key, rust, value: node(Value::Map(entries), at) }, form })
}

fn newtype(
    field: &syn::Field,
    arguments: &mut Vec<Argument>,
    reader: &mut Reader,
) -> (Vec<Entry>, Option<Form>) {
    field::refuse_elsewhere(arguments, ELSEWHERE, reader);
    let at = field.ty.span();
    let ty = rust_type::read(&field.ty).and_then(|ty| {
        let advice = match ty.values {
            _ if ty.optional => {
                "write the type without `Option`; the field that has this type determines whether \
                 it may be null"
            }
            Values::Reference(_) => "write `Id<…>` as the type of the field itself",
            _ => return Ok(ty),
        };
        Err(UnfitType { at, written: rust_type::render_type(&field.ty), advice: advice.to_owned() })
    });
    let Some(ty) = field::ok_or_report(ty, reader) else { return (Vec::new(), None) };
    let entries = field::of_type(&ty, &field.ty, arguments, reader);
    let named = matches!(ty.values, Values::Named(_));
    (entries, Some(Form::Newtype { inner: ty.inner, named, vis: field.vis.clone() }))
}

/// The value of a variant: the value in its attribute, otherwise its identifier in snake case.
fn value(variant: &syn::Variant, reader: &mut Reader) -> Node {
    let mut declared = None;
    for argument in attribute::read(&variant.attrs, "field_type", reader) {
        let Argument { key, at, value } = argument;
        if key == "value" && declared.is_none() {
            declared = Some(value);
        } else if key == "value" {
            reader.report(at, Problem::DuplicateKey { key });
        } else {
            let allowed = Words(vec!["value"]);
            reader.report(
                at,
                Problem::UnknownKey {
                    key,
                    level: "a variant",
                    known: allowed,
                    nearest: Suggestion(None),
                },
            );
        }
    }
    let ident = &variant.ident;
    let derived = || node(Value::Text(name::snake(&ident.unraw().to_string())), ident.span());
    match declared {
        Some(value) if matches!(value.syntax, ValueSyntax::Map(_) | ValueSyntax::List(_)) => {
            let (what, expected) = (Owner::Key("value".to_owned()), "text or a whole number");
            reader.report(value.at, Problem::WrongShape { what, expected, found: value.kind() });
            derived()
        }
        Some(value) => value.lower(reader).unwrap_or_else(derived),
        None => derived(),
    }
}
