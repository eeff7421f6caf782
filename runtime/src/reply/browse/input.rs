//! The inputs of a form: one for each field that its user may set, by the type of the field.

use std::collections::HashMap;

use nouns_declaration::constraint::Constraint;
use serde::Serialize;
use serde_json::Value as Json;

use super::{column::beginning, frame::heading};
use crate::{
    model::{
        Default, FieldIx, FieldModel, ResourceModel, Role,
        def::{FieldKind, FieldMode, Format},
    },
    reply::describe::rules::literal,
    request::action::{BEFORE, RefusedForm, is_same},
};

/// The longest value that a form contains, in bytes. A form contains it twice, and each byte may be
/// escaped.
const VALUE_BYTES_MAX: usize = 64 * 1024;

/// The longest text that has one line in a form, in characters.
const LINE_CHARACTERS: u32 = 255;

/// The longest beginning of a value in a comparison, in characters.
const COMPARED_CHARACTERS: usize = 200;

/// An input of a form.
#[derive(Debug, Serialize)]
pub(super) struct FormInput {
    /// The name of the field.
    pub(super) name: String,
    label: String,
    description: Option<&'static str>,
    /// The type of the input in HTML; `select` for a list of choices, `textarea` for lines of text.
    kind: &'static str,
    value: String,
    /// The value before the change, if the form changes a member.
    before: Option<Before>,
    choices: Vec<String>,
    /// Whether the list of choices has one for no value.
    has_blank: bool,
    is_required: bool,
    /// What browsers that have no keyboard of keys offer.
    keyboard: Option<&'static str>,
    /// A value in the form that the input needs, if the form is not obvious.
    example: Option<&'static str>,
    hint: Option<&'static str>,
    /// What is wrong with the value that was entered.
    messages: Vec<String>,
    /// What another has stored meanwhile, if it differs from what was entered.
    pub(super) conflict: Option<Conflict>,
    /// Whether the value is too long for a form.
    is_too_long: bool,
}

/// The value of an input before the change.
#[derive(Debug, Serialize)]
struct Before {
    name: String,
    value: String,
}

/// Two values of a field that two people have entered.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Conflict {
    pub(super) yours: String,
    pub(super) theirs: String,
}

/// What a form is for.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// A new member, whose parent is in the URL or an input.
    New { is_nested: bool },
    /// The change of a member, whose values the map has by the names of the fields.
    Change(&'a HashMap<&'a str, Option<&'a str>>),
}

impl Purpose<'_> {
    /// Whether the form has an input of a field.
    fn has(self, field: &FieldModel) -> bool {
        let is_set = matches!(field.mode, FieldMode::ReadWrite | FieldMode::WriteOnly);
        let is_offered = match (self, field.role) {
            (_, Role::CreatedAt | Role::UpdatedAt) => false,
            (Self::New { is_nested }, Role::Parent) => !is_nested,
            (Self::New { .. }, _) => is_set || field.mode == FieldMode::CreateOnly,
            (Self::Change(_), Role::Id) => false,
            (Self::Change(_), _) => is_set,
        };
        is_offered && !field.is_withheld
    }
}

/// Returns the inputs of a form.
pub(super) fn inputs(
    resource: &ResourceModel,
    purpose: Purpose<'_>,
    refused: Option<&RefusedForm>,
) -> Vec<FormInput> {
    let entered: HashMap<&str, &str> = refused
        .iter()
        .flat_map(|refused| &refused.inputs)
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let input = |(ix, field): (FieldIx, &FieldModel)| {
        let input = FormInput::of(resource, ix, field, purpose);
        match refused {
            Some(refused) => input.again(field, &entered, refused),
            None => input,
        }
    };
    resource.indexed().filter(|(_, field)| purpose.has(field)).map(input).collect()
}

impl FormInput {
    fn of(resource: &ResourceModel, ix: FieldIx, field: &FieldModel, purpose: Purpose<'_>) -> Self {
        let stored = match purpose {
            Purpose::New { .. } => default(field),
            Purpose::Change(stored) => {
                stored.get(&*field.name).copied().flatten().map(str::to_owned)
            }
        };
        let is_too_long = stored.as_ref().is_some_and(|value| value.len() > VALUE_BYTES_MAX);
        let stored = stored.filter(|_| !is_too_long).unwrap_or_default();
        let kind = kind(resource, ix, field, &stored);
        let value = if kind == "datetime-local" { local(&stored) } else { stored };
        let mut choices = choices(field);
        // Another program may have stored another value.
        if kind == "select" && !value.is_empty() && !choices.contains(&value) {
            choices.push(value.clone());
        }
        let is_new = matches!(purpose, Purpose::New { .. });
        let is_optional_id = field.role == Role::Id && resource.def.optional_id;
        let is_momentary = matches!(field.default, Some(Default::Now | Default::Account(_)));
        Self {
            label: heading(&field.name),
            description: field.def.and_then(|def| def.description),
            before: (!is_new && !field.kind.is_password())
                .then(|| Before { name: [BEFORE, &field.name].concat(), value: value.clone() }),
            choices,
            has_blank: !field.required || value.is_empty(),
            is_required: field.required
                && !is_optional_id
                && if is_new { !is_momentary } else { !value.is_empty() },
            keyboard: keyboard(field),
            example: example(field, kind),
            hint: hint(field, kind, is_new),
            messages: vec![],
            conflict: None,
            name: field.name.to_string(),
            kind,
            value,
            is_too_long,
        }
    }

    /// Whether there is a message at the input.
    pub(super) fn is_wrong(&self) -> bool {
        !self.messages.is_empty()
    }

    /// Fills the input with what was entered in a form that was refused.
    fn again(
        self,
        field: &FieldModel,
        entered: &HashMap<&str, &str>,
        refused: &RefusedForm,
    ) -> Self {
        let messages = refused.messages.iter().filter(|(name, _)| *name == self.name);
        let messages = messages.map(|(_, message)| message.clone()).collect();
        let Some(yours) = entered.get(&*self.name).filter(|_| !field.kind.is_password()) else {
            return Self { messages, ..self };
        };
        let before = self.before.as_ref().and_then(|before| entered.get(&*before.name).copied());
        let (true, Some(old)) = (refused.is_overtaken(), before) else {
            let before = self.before.map(|own| Before {
                value: before.map_or(own.value, str::to_owned),
                name: own.name,
            });
            return Self { messages, value: (*yours).to_owned(), before, ..self };
        };
        // The value in the form is now the one that is stored.
        let is_same = |one: &str, other: &str| is_same(field, one, other);
        if is_same(yours, old) {
            return Self { messages, ..self };
        }
        let is_contested = !is_same(&self.value, old) && !is_same(&self.value, yours);
        let conflict = is_contested.then(|| Conflict {
            yours: beginning(yours, COMPARED_CHARACTERS),
            theirs: beginning(&self.value, COMPARED_CHARACTERS),
        });
        Self { messages, conflict, value: (*yours).to_owned(), ..self }
    }
}

/// Returns a body of a program that does what a form is for: each value that a new member must
/// have, or the first value of a change.
pub(super) fn body(resource: &ResourceModel, inputs: &[FormInput], is_new: bool) -> Json {
    let count = if is_new { usize::MAX } else { 1 };
    let is_told = |input: &&FormInput| input.is_required || !is_new;
    let pair = |input: &FormInput| {
        let field = &resource[resource.field(&input.name)?];
        Some((input.name.clone(), example_value(field)))
    };
    inputs.iter().filter(is_told).take(count).filter_map(pair).collect()
}

/// Returns a value that a field may have, as far as its declaration tells.
fn example_value(field: &FieldModel) -> Json {
    let declared = field.def.and_then(|def| literal(field.kind, def.example?));
    let choice = || {
        let choice = field.constraints.choices()?.first()?.spell(field.kind);
        Some(serde_json::from_str(&choice).unwrap_or_else(|_| Json::from(choice)))
    };
    declared.or_else(choice).unwrap_or_else(|| match field.kind {
        FieldKind::Integer | FieldKind::Number | FieldKind::Reference => 1.into(),
        FieldKind::Boolean => true.into(),
        FieldKind::Decimal { .. } => "1".into(),
        FieldKind::Date => "2026-01-31".into(),
        FieldKind::Time => "12:00:00".into(),
        FieldKind::DateTime => "2026-01-31T12:00:00Z".into(),
        FieldKind::Uuid => "0191f3a0-0000-7000-8000-000000000001".into(),
        FieldKind::Json => Json::Object(serde_json::Map::new()),
        FieldKind::String | FieldKind::Password => "…".into(),
    })
}

/// Returns the default of a field, unless it depends on the request.
fn default(field: &FieldModel) -> Option<String> {
    match &field.default {
        Some(Default::Value(value)) if !value.is_null() => Some(value.spell(field.kind)),
        _ => None,
    }
}

fn choices(field: &FieldModel) -> Vec<String> {
    match field.constraints.choices() {
        Some(choices) => choices.iter().map(|choice| choice.spell(field.kind)).collect(),
        None if field.kind == FieldKind::Boolean => vec!["true".into(), "false".into()],
        None => vec![],
    }
}

/// The type of an input in HTML.
fn kind(resource: &ResourceModel, ix: FieldIx, field: &FieldModel, value: &str) -> &'static str {
    match field.kind {
        FieldKind::Boolean => "select",
        _ if field.constraints.choices().is_some() => "select",
        FieldKind::Password => "password",
        FieldKind::Json => "textarea",
        FieldKind::Date if has_year(value) => "date",
        FieldKind::DateTime if has_year(value) && has_whole_seconds(value) => "datetime-local",
        FieldKind::String if field.target.is_none() && field.role == Role::Declared => {
            let is_line = resource.label() == Some(ix) || has_one_line(field);
            if is_line && !value.contains(['\n', '\r']) { "text" } else { "textarea" }
        }
        _ => "text",
    }
}

/// Whether a text of a field is short, as far as its declaration tells.
fn has_one_line(field: &FieldModel) -> bool {
    field.def.is_none_or(|def| {
        def.unique
            || def.constraints().any(|constraint| match constraint {
                Constraint::MaxLength(most) => most <= LINE_CHARACTERS,
                Constraint::Format(_) | Constraint::Pattern(_) => true,
                _ => false,
            })
    })
}

/// Whether a browser's input can have the year of a date, which must not be 0 there.
fn has_year(value: &str) -> bool {
    !value.starts_with("0000")
}

/// Whether a `datetime` has no fraction of a second, which the input of a browser could lose.
fn has_whole_seconds(value: &str) -> bool {
    value.split_once('.').is_none_or(|(_, rest)| rest.trim_end_matches(['Z', '0']).is_empty())
}

/// Returns a `datetime` as the input of a browser has it, which knows no offset.
fn local(value: &str) -> String {
    value.get(..19).unwrap_or_default().to_owned()
}

fn keyboard(field: &FieldModel) -> Option<&'static str> {
    let format = field.def.and_then(|def| {
        def.constraints().find_map(|constraint| match constraint {
            Constraint::Format(format) => Some(format),
            _ => None,
        })
    });
    match (field.kind, format) {
        (FieldKind::Integer, _) => Some("numeric"),
        (FieldKind::Number | FieldKind::Decimal { .. }, _) => Some("decimal"),
        (_, Some(Format::Email)) => Some("email"),
        (_, Some(Format::Uri)) => Some("url"),
        _ => None,
    }
}

fn example(field: &FieldModel, kind: &str) -> Option<&'static str> {
    match field.kind {
        FieldKind::DateTime if kind == "text" => Some("2026-01-31T12:00:00Z"),
        FieldKind::Time => Some("12:00:00"),
        _ => None,
    }
}

fn hint(field: &FieldModel, kind: &str, is_new: bool) -> Option<&'static str> {
    match field.kind {
        FieldKind::DateTime if kind == "datetime-local" => Some("in UTC"),
        FieldKind::Json => Some("in JSON"),
        FieldKind::Password if !is_new => Some("empty: stays as it is"),
        _ => None,
    }
}
