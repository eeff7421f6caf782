//! Reads a field of a struct: its Rust type and its attribute become an entry of `fields`.

use super::attribute::{self, Argument, ValueSyntax};
use super::reader::{Reader, entry, last, node};
use super::rust_type::{self, RustType, UnfitType, Values};
use super::{FieldItem, document};
use crate::diagnostic::{Problem, problem::Owner, shape};
use crate::draft::{Entry, Origin, Spanned, Value};
use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned as _;

/// Keys of a field in a schema file that the attribute does not accept, because Rust code declares
/// them in another way. Each has advice for a message.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["type"], "the Rust type of the field determines it"),
    (
        &["required", "null", "nullable", "optional", "allow_null", "blank", "not_null"],
        "a field may be null if its type is `Option<…>`, and is required otherwise",
    ),
    (&["as"], "write `references(as = …)`"),
    (&["on_delete"], "write `references(on_delete = …)`"),
    (&["children"], "write `references(children = …)`"),
];

/// Reads a field. Returns the entry of `fields`, and the Rust parts of the field if its type can be
/// read.
pub(super) fn read(
    field: &syn::Field,
    ident: &Ident,
    reader: &mut Reader,
) -> (Entry, Option<FieldItem>) {
    let mut arguments = attribute::read(&field.attrs, "resource", reader);
    let (name, at) = take_name(&mut arguments, reader)
        .unwrap_or_else(|| (ident.unraw().to_string(), ident.span()));
    refuse_elsewhere(&mut arguments, ELSEWHERE, reader);
    let key = Spanned { value: name, at: Origin::Rust(at) };
    let rust = Some(ident.to_string());
    let ty = rust_type::read(&field.ty).and_then(|ty| no_resource(ty, reader));
    let Some(ty) = ok_or_report(ty, reader) else {
        return (Entry { key, rust, value: node(Value::Null, at) }, None);
    };
    let standard = format!("The field `{}`.", key.value);
    let description = document::description(&field.attrs, &arguments, &standard);
    let mut entries = of_type(&ty, &field.ty, &mut arguments, reader);
    if !ty.optional {
        entries.push(entry("required", field.ty.span(), Value::Boolean(true)));
    }
    entries.extend(description);
    entries.extend(arguments.into_iter().filter_map(|argument| argument.lower(reader)));
    let item = item(field, ident, ty);
    (Entry { key, rust, value: node(Value::Map(entries), at) }, Some(item))
}

/// Returns an error if a field has the struct of a resource as its type, instead of `Id<…>`.
fn no_resource(ty: RustType, reader: &Reader) -> Result<RustType, UnfitType> {
    let ident = match &ty.values {
        Values::Named(path) => last(path),
        _ => return Ok(ty),
    };
    if !reader.resources.contains_key(&ident) || reader.types.contains_key(&ident) {
        return Ok(ty);
    }
    let advice = format!("write `Id<{ident}>` to refer to a member");
    Err(UnfitType { at: ty.inner.span(), written: ident, advice })
}

/// The Rust parts of a field.
pub(super) fn item(field: &syn::Field, ident: &Ident, ty: RustType) -> FieldItem {
    let named = matches!(ty.values, Values::Named(_));
    let reference = match ty.values {
        Values::Reference(path) => Some(path),
        _ => None,
    };
    let docs = document::attributes(&field.attrs);
    let (inner, optional) = (ty.inner, ty.optional);
    let (ident, vis, ty) = (ident.clone(), field.vis.clone(), field.ty.clone());
    FieldItem { ident, vis, ty, inner, optional, reference, named, docs }
}

/// Returns the Rust type, or reports why a field cannot have it.
pub(super) fn ok_or_report(
    ty: Result<RustType, UnfitType>,
    reader: &mut Reader,
) -> Option<RustType> {
    let say = |UnfitType { at, written, advice }| {
        reader.report(at, Problem::UnfitRustType { written, advice });
    };
    ty.map_err(say).ok()
}

/// Removes the argument `name` from the arguments, and returns its text and position.
pub(super) fn take_name(
    arguments: &mut Vec<Argument>,
    reader: &mut Reader,
) -> Option<(String, Span)> {
    let index = arguments.iter().position(|argument| argument.key == "name")?;
    let value = arguments.remove(index).value;
    let text = value.text();
    if text.is_none() {
        let problem = Problem::WrongShape {
            what: Owner::Key("name".to_owned()),
            expected: shape::TEXT,
            found: value.kind(),
        };
        reader.report(value.at, problem);
    }
    text.map(|text| (text, value.at))
}

/// Removes the arguments that Rust code declares in another way, and reports them.
pub(super) fn refuse_elsewhere(
    arguments: &mut Vec<Argument>,
    elsewhere: &[(&[&str], &'static str)],
    reader: &mut Reader,
) {
    arguments.retain(|Argument { key, at, .. }| {
        let advice = elsewhere
            .iter()
            .find(|(keys, _)| keys.contains(&key.as_str()))
            .map(|(_, advice)| advice);
        if let Some(advice) = advice {
            reader.report(*at, Problem::ElsewhereInRust { key: key.clone(), advice });
        }
        advice.is_none()
    });
}

/// The entries that follow from the Rust type of a field. Arguments for its reference are removed.
pub(super) fn of_type(
    ty: &RustType,
    source: &syn::Type,
    arguments: &mut Vec<Argument>,
    reader: &mut Reader,
) -> Vec<Entry> {
    let at = source.span();
    let typed = |word: &str| entry("type", at, Value::Text(word.to_owned()));
    if !matches!(ty.values, Values::Reference(_)) {
        let advice = "the field has the type `Id<…>`, which names the resource";
        refuse_elsewhere(arguments, &[(&["references"], advice)], reader);
    }
    match &ty.values {
        Values::Plain(word) => vec![typed(word)],
        Values::Named(path) => vec![typed(&reader.field_type(path))],
        Values::Reference(path) => vec![reference(path, at, arguments, reader)],
        Values::Sized { rust, minimum, maximum } => {
            let bounds = [("minimum", *minimum), ("maximum", *maximum)]
                .into_iter()
                .filter(|(key, limit)| !declares_bound(rust, key, *limit, arguments, reader))
                .map(|(key, limit)| entry(key, at, Value::Number(limit.to_string())));
            [typed("integer")].into_iter().chain(bounds.collect::<Vec<_>>()).collect()
        }
    }
}

/// Whether the arguments declare a bound. A bound that the Rust type cannot hold is reported.
fn declares_bound(
    rust: &'static str,
    key: &'static str,
    limit: i64,
    arguments: &[Argument],
    reader: &mut Reader,
) -> bool {
    let Some(argument) = arguments.iter().find(|argument| argument.key == key) else {
        return false;
    };
    let bound = match &argument.value.syntax {
        ValueSyntax::Value(Value::Number(number)) => number.parse::<f64>().ok(),
        _ => None,
    };
    let looser =
        |bound: f64| if key == "minimum" { bound < limit as f64 } else { bound > limit as f64 };
    if let Some(bound) = bound.filter(|bound| looser(*bound)) {
        let (value, type_name, limit) = (bound.to_string(), rust.to_owned(), limit.to_string());
        reader.report(argument.value.at, Problem::Looser { key, value, type_name, limit });
    }
    true
}

/// The entry `references`: the resource of `Id<T>`, and the keys of the argument `references`.
fn reference(
    path: &syn::Path,
    at: Span,
    arguments: &mut Vec<Argument>,
    reader: &mut Reader,
) -> Entry {
    let resource = entry("resource", at, Value::Text(reader.resource(path)));
    let index = arguments.iter().position(|argument| argument.key == "references");
    let Some(argument) = index.map(|index| arguments.remove(index)) else {
        return entry("references", at, Value::Map(vec![resource]));
    };
    let ValueSyntax::Map(mut inner) = argument.value.syntax else {
        let advice = "the type `Id<…>` names the resource; write `references(as = …)` for the rest";
        reader.report(argument.at, Problem::ElsewhereInRust { key: argument.key, advice });
        return entry("references", at, Value::Map(vec![resource]));
    };
    refuse_elsewhere(&mut inner, &[(&["resource"], "the type `Id<…>` names it")], reader);
    let entries = [resource]
        .into_iter()
        .chain(inner.into_iter().filter_map(|argument| argument.lower(reader)));
    let value = Value::Map(entries.collect());
    let key = Spanned { value: argument.key, at: Origin::Rust(argument.at) };
    Entry { key, rust: None, value: node(value, argument.value.at) }
}

/// Whether a type is `Id<T>`, and `T` ends with one of these names.
pub(super) fn is_id_of(ty: &syn::Type, own: &[&str]) -> bool {
    id_of(ty, own) == Some(false)
}

/// Whether a type is `Option<Id<T>>`, and `T` ends with one of these names.
pub(super) fn is_optional_id_of(ty: &syn::Type, own: &[&str]) -> bool {
    id_of(ty, own) == Some(true)
}

/// Whether the type is optional: `Some(false)` for `Id<T>` and `Some(true)` for `Option<Id<T>>`, if
/// `T` ends with one of these names. `None` for any other type.
fn id_of(ty: &syn::Type, own: &[&str]) -> Option<bool> {
    match rust_type::read(ty) {
        Ok(RustType { optional, values: Values::Reference(path), .. }) => {
            own.contains(&last(&path).as_str()).then_some(optional)
        }
        _ => None,
    }
}
