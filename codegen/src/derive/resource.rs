//! Reads a resource: a struct with its attribute, its id, its parent and its fields.

use super::attribute::{self, Argument, ArgumentValue, ValueSyntax};
use super::reader::{Reader, entry, last, node};
use super::{FieldItem, ParentItem, document, field, item, rust_type};
use crate::diagnostic::{Problem, problem::Owner};
use crate::draft::{Entry, Origin, Spanned, Value};
use crate::name;
use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Ident};

/// The parts of a resource.
pub(super) struct ResourceParts {
    /// The entry of `resources` that the struct declares.
    pub(super) entry: Entry,
    pub(super) id: Option<FieldItem>,
    pub(super) parent: Option<ParentItem>,
    pub(super) fields: Vec<FieldItem>,
}

/// Keys that the attribute of a resource does not accept, because Rust code declares them in
/// another way. Each has advice for a message.
const ELSEWHERE: &[(&[&str], &str)] =
    &[(&["fields"], "the fields of the struct are those of the resource")];

/// Reads a struct with `#[derive(Resource)]`. An item of the wrong form is reported and gives
/// `None`.
pub(super) fn read(input: &DeriveInput, reader: &mut Reader) -> Option<ResourceParts> {
    let fields = item::named_fields(input, reader)?;
    let mut arguments = attribute::read(&input.attrs, "resource", reader);
    let (name, at) = field::take_name(&mut arguments, reader)
        .unwrap_or_else(|| (name::snake(&input.ident.unraw().to_string()), input.ident.span()));
    field::refuse_elsewhere(&mut arguments, ELSEWHERE, reader);
    let mut entries: Vec<Entry> = Vec::new();
    entries.extend(document::description(&input.attrs, &arguments, &format!("One `{name}`.")));
    let mut rest: Vec<(&syn::Field, &Ident)> =
        fields.iter().filter_map(|field| Some((field, field.ident.as_ref()?))).collect();
    let id = id(input, &mut rest, reader);
    let mut parent = None;
    for argument in arguments {
        if argument.key == "parent" && parent.is_none() {
            let (entry, item) = read_parent(argument, input, &mut rest, reader);
            entries.extend(entry);
            parent = Some(item);
        } else {
            entries.extend(argument.lower(reader));
        }
    }
    let (of_fields, fields): (Vec<_>, Vec<_>) =
        rest.into_iter().map(|(field, ident)| field::read(field, ident, reader)).unzip();
    entries.push(entry("fields", input.ident.span(), Value::Map(of_fields)));
    let key = Spanned { value: name, at: Origin::Rust(at) };
    let rust = Some(input.ident.unraw().to_string());
    let entry = Entry { key, rust, value: node(Value::Map(entries), at) };
    Some(ResourceParts {
        entry,
        id,
        parent: parent.flatten(),
        fields: fields.into_iter().flatten().collect(),
    })
}

/// Removes the field `id` from the fields, and returns it. A missing or wrong field is reported.
fn id(
    input: &DeriveInput,
    rest: &mut Vec<(&syn::Field, &Ident)>,
    reader: &mut Reader,
) -> Option<FieldItem> {
    let name = input.ident.unraw().to_string();
    let Some(index) = rest.iter().position(|(_, ident)| ident.unraw() == "id") else {
        let found = "but there is none".to_owned();
        reader.report(input.ident.span(), Problem::MissingId { name, found });
        return None;
    };
    let (field, ident) = rest.remove(index);
    refuse_keys(
        field,
        "the field `id` has no keys; `id = …` on the struct sets the kind of its ids",
        reader,
    );
    if !field::is_id_of(&field.ty, &["Self", &name]) {
        let found = format!("but this one is `{}`", rust_type::render_type(&field.ty));
        reader.report(field.ty.span(), Problem::MissingId { name, found });
        return None;
    }
    Some(field::item(field, ident, rust_type::read(&field.ty).ok()?))
}

/// Reports each key in the attribute of a field that must have no keys.
fn refuse_keys(field: &syn::Field, advice: &'static str, reader: &mut Reader) {
    for Argument { key, at, .. } in attribute::read(&field.attrs, "resource", reader) {
        reader.report(at, Problem::ElsewhereInRust { key, advice });
    }
}

/// Reads `parent = Zoo` or `parent(resource = Zoo, …)`. The field that holds the parent's id is
/// removed from the fields.
fn read_parent(
    argument: Argument,
    input: &DeriveInput,
    rest: &mut Vec<(&syn::Field, &Ident)>,
    reader: &mut Reader,
) -> (Option<Entry>, Option<ParentItem>) {
    let Argument { key, at, value: ArgumentValue { syntax, at: value_at } } = argument;
    let mut inner = match syntax {
        ValueSyntax::Map(inner) => match struct_as_key(&inner) {
            Some(named) => {
                let message = format!("write `parent = {named}`");
                reader.report(value_at, Problem::AttributeSyntax { message });
                return (None, None);
            }
            None => inner,
        },
        syntax => {
            vec![Argument {
                key: "resource".to_owned(),
                at,
                value: ArgumentValue { syntax, at: value_at },
            }]
        }
    };
    let advice =
        "the type of its field determines it: `Option<Id<…>>` if a member may have no parent";
    field::refuse_elsewhere(&mut inner, &[(&["required"], advice)], reader);
    let path = match take_path(&mut inner, reader) {
        Ok(path) => path,
        Err(()) => return (None, None),
    };
    let field = inner
        .iter()
        .find(|argument| argument.key == "field")
        .and_then(|argument| argument.value.text());
    let mut entries = Vec::new();
    let item = path.and_then(|(path, at)| {
        entries.push(entry("resource", at, Value::Text(reader.resource(&path))));
        let derived = || format!("{}_id", name::snake(&last(&path)));
        if field.is_none() {
            entries.push(entry("field", at, Value::Text(derived())));
        }
        let field = parent_field(&path, &field.unwrap_or_else(derived), at, input, rest, reader)?;
        if field.optional {
            entries.push(entry("required", field.ty.span(), Value::Boolean(false)));
        }
        Some(ParentItem { path, field })
    });
    entries.extend(inner.into_iter().filter_map(|argument| argument.lower(reader)));
    let key = Spanned { value: key, at: Origin::Rust(at) };
    (Some(Entry { key, rust: None, value: node(Value::Map(entries), value_at) }), item)
}

/// The name of the struct in `parent(Zoo)`, which must be written as `parent = Zoo`.
pub(super) fn struct_as_key(inner: &[Argument]) -> Option<&str> {
    match inner {
        [Argument { key, .. }]
            if key.starts_with(char::is_uppercase) && syn::parse_str::<Ident>(key).is_ok() =>
        {
            Some(key)
        }
        _ => None,
    }
}

/// Removes the path of the parent from the arguments, if there is one. A value that is no path is
/// reported.
fn take_path(
    inner: &mut Vec<Argument>,
    reader: &mut Reader,
) -> Result<Option<(syn::Path, Span)>, ()> {
    let Some(index) = inner.iter().position(|argument| argument.key == "resource") else {
        return Ok(None);
    };
    let ArgumentValue { syntax, at } = inner.remove(index).value;
    match syntax {
        ValueSyntax::Path(path) => Ok(Some((path, at))),
        syntax => {
            let (what, expected) = (
                Owner::Key("parent".to_owned()),
                "the struct of a resource, like `Zoo`, without quotes",
            );
            reader.report(
                at,
                Problem::WrongShape { what, expected, found: ArgumentValue { syntax, at }.kind() },
            );
            Err(())
        }
    }
}

fn parent_field(
    path: &syn::Path,
    name: &str,
    at: Span,
    input: &DeriveInput,
    rest: &mut Vec<(&syn::Field, &Ident)>,
    reader: &mut Reader,
) -> Option<FieldItem> {
    let (rust, parent) = (name::rust_field(name), last(path));
    let missing = |found: String| match no_struct(&parent) {
        Some(problem) => problem,
        None => Problem::MissingParent { field: rust.clone(), path: parent.clone(), found },
    };
    let Some(index) = rest.iter().position(|(_, ident)| **ident == rust) else {
        reader.report(at, missing("but there is none".to_owned()));
        return None;
    };
    let (field, ident) = rest.remove(index);
    refuse_keys(
        field,
        "the keys of the parent and its field belong in `parent(…)` on the struct",
        reader,
    );
    let own = if input.ident == parent { "Self" } else { &parent };
    if !field::is_id_of(&field.ty, &[own, &parent])
        && !field::is_optional_id_of(&field.ty, &[own, &parent])
    {
        let found = format!("but this one is `{}`", rust_type::render_type(&field.ty));
        let at = if no_struct(&parent).is_some() { at } else { field.ty.span() };
        reader.report(at, missing(found));
        return None;
    }
    Some(field::item(field, ident, rust_type::read(&field.ty).ok()?))
}

/// The problem of a word that is a resource name such as `zoo`, where a struct such as `Zoo` is
/// expected. `None` for any other word.
fn no_struct(word: &str) -> Option<Problem> {
    let advice = format!("write `{}`", name::pascal(word));
    let problem = Problem::WrongItem { name: word.to_owned(), found: "is not a struct", advice };
    is_no_struct(word).then_some(problem)
}

/// Whether a word is a lower-case name as in YAML and cannot be the name of a struct.
pub(super) fn is_no_struct(word: &str) -> bool {
    name::is_name(word)
}
