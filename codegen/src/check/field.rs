//! Reads a field: its domain, its reference and its mode.

use super::access::{self, AccessDraft};
use super::context::{Context, Scope};
use super::extensions::{Extensions, merge};
use super::map::Map;
use super::{constraints, domain, field_access, links, literal, types};
use crate::diagnostic::{Problem, problem::Owner};
use crate::draft::{Entry, Value, excerpt};
use crate::language;
use crate::name;
use crate::schema::{
    DefaultValue, Domain, Field, FieldKind, FieldMode, Literal, OnDelete, Reference,
};
use nouns_declaration::def::ReferenceDef;
use std::mem;

/// A field as declared, and the checked field. `field` is `None` if the field has mistakes.
pub(super) struct FieldDraft<'d> {
    pub(super) entry: &'d Entry,
    pub(super) map: Option<Map<'d>>,
    pub(super) field: Option<Field>,
    pub(super) access: AccessDraft<'d>,
}

impl<'d> FieldDraft<'d> {
    /// Reads one entry of `fields`.
    pub(super) fn read(entry: &'d Entry, resource: &str, context: &mut Context) -> Self {
        types::check_spelling(entry, "a field", context);
        let owner = Owner::Field { name: excerpt(&entry.key.value), resource: excerpt(resource) };
        let Some(map) = open(entry, &owner, context) else {
            return Self { entry, map: None, field: None, access: AccessDraft::default() };
        };
        let mut access = access::read_of_field(&map, context);
        let field = read(entry, &map, &mut access, context);
        if let Some(field) = &field {
            field_access::check(field, &map, context);
        }
        Self { entry, map: Some(map), field, access }
    }

    pub(super) fn name(&self) -> &'d str {
        &self.entry.key.value
    }
}

fn open<'d>(entry: &'d Entry, owner: &Owner, context: &mut Context) -> Option<Map<'d>> {
    if entry.is_broken() {
        return None;
    }
    if matches!(entry.value.value, Value::Null) {
        context.report(entry.key.at, Problem::MissingType { owner: owner.clone() });
        return None;
    }
    Map::open(&entry.value, entry.key.at, owner, &language::FIELD, context)
}

fn read(
    entry: &Entry,
    map: &Map<'_>,
    access: &mut AccessDraft<'_>,
    context: &mut Context,
) -> Option<Field> {
    let name = entry.key.value.as_str();
    let required = map.holds("required", context);
    let own_mode = mode(map, context);
    let mode = own_mode.unwrap_or_default();
    let reference = map.entry("references").map(|_| reference(name, map, required, context));
    refuse_unsettable(name, required, mode, map, context);
    let column = column(map, context).unwrap_or_else(|| name.to_owned());
    let flags = Flags::read(map, mode, context);
    let description = map.description(context);
    let (domain, type_name) = domain::read(map, context)?;
    let mode = own_mode.or(domain.kind.map(FieldKind::mode)).unwrap_or_default();
    let (reference, of_reference) = match reference {
        Some(reference) => {
            reference.map(|(reference, extensions)| (Some(reference), extensions))?
        }
        None => Default::default(),
    };
    let resource = reference.as_ref().map(|reference| reference.resource.as_str());
    let ordered = domain.is_ordered();
    Some(Field {
        name: name.to_owned(),
        column,
        rust: entry.rust.clone().unwrap_or_else(|| name::rust_field(name)),
        type_name,
        required,
        default: default(map, &domain, resource, context),
        unique: flags.unique,
        index: flags.index,
        mode,
        filterable: flags.filterable.unwrap_or(ordered && is_visible(mode)),
        sortable: flags.sortable.unwrap_or(ordered && is_visible(mode)),
        description,
        example: example(map, &domain, resource, context),
        deprecated: flags.deprecated,
        access: access.of_field.take().unwrap_or_default(),
        extensions: merge(
            [map.extensions.clone(), of_reference, mem::take(&mut access.extensions)],
            context,
        ),
        domain,
        reference,
    })
}

/// The boolean keys of a field. `None` means that the key is not present.
struct Flags {
    unique: bool,
    index: bool,
    filterable: Option<bool>,
    sortable: Option<bool>,
    deprecated: bool,
}

impl Flags {
    fn read(map: &Map<'_>, mode: FieldMode, context: &mut Context) -> Self {
        let flags = Self {
            unique: map.holds("unique", context),
            index: map.holds("index", context),
            filterable: map.flag("filterable", context),
            sortable: map.flag("sortable", context),
            deprecated: map.holds("deprecated", context),
        };
        for (key, flag) in [("filterable", flags.filterable), ("sortable", flags.sortable)] {
            if flag == Some(true) && !is_visible(mode) {
                context.report(map.key_place(key), Problem::Reveals { key, mode: mode.word() });
            }
        }
        flags
    }
}

/// Whether clients may read a field of this mode.
const fn is_visible(mode: FieldMode) -> bool {
    !matches!(mode, FieldMode::WriteOnly | FieldMode::Hidden)
}

/// Reads the mode of a field from keys such as `read_only`. At most one of these keys may be true.
fn mode(map: &Map<'_>, context: &mut Context) -> Option<FieldMode> {
    let mut modes = FieldMode::WORDS
        .iter()
        .filter(|(key, _)| map.flag(key, context) == Some(true))
        .collect::<Vec<_>>()
        .into_iter();
    let (first, mode) = modes.next()?;
    for (second, _) in modes {
        context.report(map.key_place(second), Problem::Exclusive { first, second });
    }
    Some(*mode)
}

fn refuse_unsettable(
    name: &str,
    required: bool,
    mode: FieldMode,
    map: &Map<'_>,
    context: &mut Context,
) {
    let unsettable = matches!(mode, FieldMode::ReadOnly | FieldMode::Hidden);
    if required && unsettable && !map.has("default") {
        let problem = Problem::Unsettable { field: excerpt(name), mode: mode.word() };
        context.report(map.key_place(mode.word()), problem);
    }
}

fn column(map: &Map<'_>, context: &mut Context) -> Option<String> {
    let column = map.text("column", context)?;
    types::check_text_spelling(column, map.place("column"), "a column", context)
        .then(|| column.to_owned())
}

fn default(
    map: &Map<'_>,
    domain: &Domain,
    resource: Option<&str>,
    context: &mut Context,
) -> Option<DefaultValue> {
    let node = &map.entry("default")?.value;
    let variable = match &node.value {
        Value::Text(text) if domain.kind != Some(FieldKind::Json) => text.strip_prefix('$'),
        _ => None,
    };
    match variable {
        None => value("default", map, domain, resource, context).map(DefaultValue::Value),
        Some("now") if domain.kind.is_none_or(has_now) => Some(DefaultValue::Now),
        Some(variable) => {
            let field = variable.strip_prefix("account.").filter(|field| !field.is_empty());
            if let Some(field) = field {
                return Some(DefaultValue::Account(field.to_owned()));
            }
            context.report(node.at, variable_problem(variable, domain.kind));
            None
        }
    }
}

/// Whether `$now` can be the default of a field of this kind.
const fn has_now(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Date | FieldKind::Time | FieldKind::DateTime)
}

/// The problem of a default that begins with `$` and is no allowed variable.
fn variable_problem(variable: &str, kind: Option<FieldKind>) -> Problem {
    let what = format!("${}", excerpt(variable));
    if let Some(kind) = kind.filter(|_| variable == "now") {
        let kind = format!("type `{}`", kind.word());
        return Problem::Unfit { key: what, kind, fits: "`date`, `time` and `datetime`" };
    }
    Problem::WrongValue {
        key: "default".to_owned(),
        value: what,
        expected: "a value, `$now`, `$account.id` or `$account.<field>`".to_owned(),
    }
}

fn example(
    map: &Map<'_>,
    domain: &Domain,
    resource: Option<&str>,
    context: &mut Context,
) -> Option<Literal> {
    value("example", map, domain, resource, context)
}

/// Reads the value of a key and checks its constraints. The value of a reference must be an id of
/// the target resource.
fn value(
    key: &str,
    map: &Map<'_>,
    domain: &Domain,
    resource: Option<&str>,
    context: &mut Context,
) -> Option<Literal> {
    let node = &map.entry(key)?.value;
    if let Some(resource) = resource {
        let id = match context.ids.get(resource) {
            Some(id) => literal::read_id(&node.value, *id),
            None if context.scope == Scope::Item => literal::read_unknown_id(&node.value),
            None => return None,
        };
        return domain::ok_or_report(key, node, id, context);
    }
    let literal = domain::read_literal(key, node, domain.kind, context)?;
    constraints::check_value(key, node, &literal, domain, context);
    Some(literal)
}

/// Reads a reference, and returns its `x-…` keys separately.
fn reference(
    name: &str,
    map: &Map<'_>,
    required: bool,
    context: &mut Context,
) -> Option<(Reference, Extensions)> {
    let inner = map.inner("references", &language::REFERENCES, context)?;
    let on_delete = inner.word("on_delete", OnDelete::WORDS, context).unwrap_or_default();
    if required && on_delete == OnDelete::SetNull {
        context.report(inner.place("on_delete"), Problem::CannotSetNull { field: excerpt(name) });
    }
    let alias = named(&inner, "as", "a reference", context);
    let children = named(&inner, "children", "the reverse of a reference", context);
    inner.needed("resource", context)?;
    let resource = inner.owned("resource", context)?;
    links::check_resource(&resource, inner.place("resource"), context);
    refuse_other_type(&resource, map, context);
    let alias = alias.unwrap_or_else(|| ReferenceDef::usual_alias(name).to_owned());
    Some((Reference { resource, alias, on_delete, children }, inner.extensions))
}

fn named(map: &Map<'_>, key: &str, what: &'static str, context: &mut Context) -> Option<String> {
    let name = map.text(key, context)?;
    types::check_text_spelling(name, map.place(key), what, context).then(|| name.to_owned())
}

/// Reports a reference whose `type` is not the type of the target's ids.
fn refuse_other_type(resource: &str, map: &Map<'_>, context: &mut Context) {
    let (Some(name), Some(id)) = (map.text("type", context), context.ids.get(resource)) else {
        return;
    };
    if name != id.word() {
        let problem = Problem::WrongReferenceType {
            name: excerpt(name),
            resource: excerpt(resource),
            id: id.word(),
        };
        context.report(map.place("type"), problem);
    }
}
