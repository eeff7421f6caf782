//! An enum or a struct around one type becomes a named type.

use super::attribute::{self, Argument, Said};
use super::item::{Shape, shape};
use super::reader::{Reader, entry, node};
use super::rust_type::{self, Unfit, Values};
use super::{document, field};
use crate::diagnostic::Problem;
use crate::diagnostic::problem::{Nearest, Words};
use crate::draft::{Entry, Node, Origin, Spanned, Value};
use crate::name;
use syn::ext::IdentExt;
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Ident, Type};

/// An item, read.
pub(super) struct TypeParts {
    /// What it declares.
    pub(super) entry: Entry,
    /// How it holds its values, where that can be read.
    pub(super) form: Option<Form>,
}

/// How it holds its values.
#[expect(clippy::large_enum_variant, reason = "there is one of it at a time")]
pub(super) enum Form {
    Newtype { inner: Type, named: bool, vis: syn::Visibility },
    Enum(Vec<Ident>),
}

/// Keys of a type that stand elsewhere in Rust.
const ELSEWHERE: &[(&[&str], &str)] = &[(&["type"], "the type inside the struct says it")];

/// Keys of an enum that stand elsewhere in Rust.
const ELSEWHERE_IN_AN_ENUM: &[(&[&str], &str)] = &[(&["type", "enum"], "the variants say it")];

/// Reads an item; `None` if it has the wrong shape, which is said.
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
                "write the type without `Option`; a field that has this type says whether it may be null"
            }
            Values::Reference(_) => "write `Id<…>` as the type of the field itself",
            _ => return Ok(ty),
        };
        Err(Unfit { at, written: rust_type::shown(&field.ty), advice: advice.to_owned() })
    });
    let Some(ty) = field::said(ty, reader) else { return (Vec::new(), None) };
    let entries = field::of_type(&ty, &field.ty, arguments, reader);
    let named = matches!(ty.values, Values::Named(_));
    (entries, Some(Form::Newtype { inner: ty.inner, named, vis: field.vis.clone() }))
}

/// The value of a variant: that of its attribute, else the one that follows from its identifier.
fn value(variant: &syn::Variant, reader: &mut Reader) -> Node {
    let mut said = None;
    for argument in attribute::read(&variant.attrs, "field_type", reader) {
        let Argument { key, at, given } = argument;
        if key == "value" && said.is_none() {
            said = Some(given);
        } else if key == "value" {
            reader.say(at, Problem::DuplicateKey { key });
        } else {
            let known = Words(vec!["value"]);
            reader.say(
                at,
                Problem::UnknownKey { key, level: "a variant", known, nearest: Nearest(None) },
            );
        }
    }
    let ident = &variant.ident;
    let derived = || node(Value::Text(name::snake(&ident.unraw().to_string())), ident.span());
    match said {
        Some(given) if matches!(given.said, Said::Map(_) | Said::List(_)) => {
            let (what, expected) = ("`value`".to_owned(), "text or a whole number");
            reader.say(given.at, Problem::WrongShape { what, expected, found: given.kind() });
            derived()
        }
        Some(given) => given.lower(reader).unwrap_or_else(derived),
        None => derived(),
    }
}
