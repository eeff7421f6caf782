//! The inputs of a form: one for each field that its user may set, by the type of the field.

mod current_password;

use std::collections::HashMap;

use nouns_declaration::constraint::Constraint;
use serde::Serialize;
use serde_json::Value as Json;

use super::{
    browser_value::{is_date, whole_seconds},
    column::beginning,
    frame::heading,
    reference::ReferenceControl,
};
use crate::{
    model::{
        Default, FieldIx, FieldModel, Model, ResourceModel, Role,
        def::{FieldKind, FieldMode, Format},
    },
    plan::FoundLookups,
    reply::describe::rules::literal,
    request::action::{BEFORE, RefusedForm, empty_choice, is_same},
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
    /// Whether the input is for the present password of its user.
    is_current: bool,
    value: String,
    /// The value before the change, if the form changes a member.
    before: Option<Before>,
    choices: Vec<String>,
    /// The control of a reference, if its choices are known.
    reference: Option<ReferenceControl>,
    /// Whether the list of choices has one for no value.
    has_blank: bool,
    is_required: bool,
    /// The value of `inputmode`: the keyboard that a browser shows on a touch screen.
    keyboard: Option<&'static str>,
    /// A value in the form that the input needs, if the form is not obvious.
    example: Option<&'static str>,
    hint: Option<&'static str>,
    /// The error messages about the value that was entered.
    messages: Vec<String>,
    /// The input that has the message about this one, if it has it together with others.
    shared: Option<String>,
    /// The conflict with a value that another user has stored meanwhile, if the two differ.
    pub(super) conflict: Option<Conflict>,
    /// Whether the value is too long for a form.
    pub(super) is_too_long: bool,
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

/// The purpose of a form.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// A new member, whose parent is in the URL or an input.
    New { is_nested: bool },
    /// The change of a member, whose values the map has by the names of the fields.
    Change(&'a HashMap<&'a str, Option<&'a str>>),
}

impl Purpose<'_> {
    pub(super) const fn is_new(self) -> bool {
        matches!(self, Self::New { .. })
    }

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
    model: &Model,
    resource: &ResourceModel,
    (purpose, refused): (Purpose<'_>, Option<&RefusedForm>),
    found: &FoundLookups,
) -> Vec<FormInput> {
    let entered: HashMap<&str, &str> = refused
        .iter()
        .flat_map(|refused| &refused.inputs)
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let input = |(ix, field): (FieldIx, &FieldModel)| {
        let stored = match purpose {
            Purpose::New { .. } => default(field),
            Purpose::Change(stored) => {
                stored.get(&*field.name).copied().flatten().map(|value| spelled(field, value))
            }
        };
        let place = InputPlace { resource, ix, field, is_new: purpose.is_new() };
        let stored = stored.unwrap_or_default();
        let input = match refused {
            Some(refused) => place.again(&stored, &entered, refused),
            None => place.input(&stored, Some(&stored)),
        };
        input.with_choices(model, field, found)
    };
    let mut inputs: Vec<_> =
        resource.indexed().filter(|(_, field)| purpose.has(field)).map(input).collect();
    refused.iter().for_each(|refused| share_messages(&mut inputs, refused));
    inputs
}

/// Leaves a message about several fields at the first input that has it. The others are marked.
fn share_messages(inputs: &mut [FormInput], refused: &RefusedForm) {
    let joint = refused.messages.iter().filter(|message| message.is_joint);
    for text in joint.map(|message| &message.text) {
        let mut with_it = inputs.iter_mut().filter(|input| input.has_message(text));
        let Some(first) = with_it.next().map(|first| first.name.clone()) else { continue };
        for input in with_it {
            input.messages.retain(|message| message != text);
            input.shared = Some(first.clone());
        }
    }
}

/// Returns the value of a field as its input has it. In a list of choices, an empty value is none.
fn spelled(field: &FieldModel, value: &str) -> String {
    let empty = value.is_empty().then(|| empty_choice(field)).flatten();
    empty.unwrap_or_else(|| value.to_owned())
}

/// The field of an input, and whether the form is for a new member.
#[derive(Clone, Copy)]
struct InputPlace<'m> {
    resource: &'m ResourceModel,
    ix: FieldIx,
    field: &'m FieldModel,
    is_new: bool,
}

impl InputPlace<'_> {
    /// Returns the input with a value. `before` is the value before the change.
    fn input(self, value: &str, before: Option<&str>) -> FormInput {
        let Self { field, is_new, .. } = self;
        let is_too_long = value.len() > VALUE_BYTES_MAX;
        let value = if is_too_long { "" } else { value };
        let kind = self.kind(value);
        let value = self.shown(value);
        let mut choices = choices(field);
        // Another program may have stored another value.
        if kind == "select" && !value.is_empty() && !choices.contains(&value) {
            choices.push(value.clone());
        }
        let is_optional_id = field.role == Role::Id && self.resource.def.optional_id;
        let is_momentary = matches!(field.default, Some(Default::Now | Default::Account(_)));
        let before = before.filter(|_| !is_new && !field.kind.is_password());
        FormInput {
            label: heading(&field.name),
            description: field.def.and_then(|def| def.description),
            before: before.filter(|before| before.len() <= VALUE_BYTES_MAX).map(|before| Before {
                name: [BEFORE, &field.name].concat(),
                value: self.shown(before),
            }),
            choices,
            reference: None,
            has_blank: !field.required || value.is_empty(),
            is_required: field.required
                && !is_optional_id
                && if is_new { !is_momentary } else { !value.is_empty() },
            keyboard: keyboard(field),
            example: example(field, kind),
            hint: hint(field, kind, is_new),
            messages: vec![],
            shared: None,
            conflict: None,
            name: field.name.to_string(),
            kind,
            is_current: false,
            value,
            is_too_long,
        }
    }

    /// Returns the input with what was entered in a form that was refused. If somebody else has
    /// changed the member meanwhile, an input that was not changed has the value that is stored
    /// now.
    fn again(
        self,
        stored: &str,
        entered: &HashMap<&str, &str>,
        refused: &RefusedForm,
    ) -> FormInput {
        let field = self.field;
        let messages = refused.messages.iter().filter(|message| *message.field == *field.name);
        let messages = messages.map(|message| message.text.clone()).collect();
        let Some(yours) = entered.get(&*field.name).filter(|_| !field.kind.is_password()) else {
            return FormInput { messages, ..self.input(stored, Some(stored)) };
        };
        let before = entered.get(&*[BEFORE, &field.name].concat()).copied();
        let (true, Some(old)) = (refused.is_overtaken(), before) else {
            return FormInput { messages, ..self.input(yours, before.or(Some(stored))) };
        };
        let is_same = |one: &str, other: &str| is_same(field, one, other);
        if is_same(yours, old) {
            return FormInput { messages, ..self.input(stored, Some(stored)) };
        }
        let theirs = self.shown(stored);
        let is_contested = !is_same(&theirs, old) && !is_same(&theirs, yours);
        let conflict = is_contested.then(|| Conflict {
            yours: beginning(yours, COMPARED_CHARACTERS),
            theirs: beginning(&theirs, COMPARED_CHARACTERS),
        });
        FormInput { messages, conflict, ..self.input(yours, Some(stored)) }
    }

    /// The type of the input in HTML. It can have the value without a change.
    fn kind(self, value: &str) -> &'static str {
        let field = self.field;
        match field.kind {
            FieldKind::Boolean => "select",
            _ if field.constraints.choices().is_some() => "select",
            FieldKind::Password => "password",
            FieldKind::Json => "textarea",
            FieldKind::Date if value.is_empty() || is_date(value) => "date",
            FieldKind::DateTime if value.is_empty() || whole_seconds(value).is_some() => {
                "datetime-local"
            }
            FieldKind::String if field.target.is_none() && field.role == Role::Declared => {
                let is_line = self.resource.label() == Some(self.ix) || has_one_line(field);
                if is_line && !value.contains(['\n', '\r']) { "text" } else { "textarea" }
            }
            _ => "text",
        }
    }

    /// Returns a value as the input has it: a `datetime` of whole seconds without its offset.
    fn shown(self, value: &str) -> String {
        let local = match self.field.kind {
            FieldKind::DateTime => whole_seconds(value),
            _ => None,
        };
        local.unwrap_or(value).to_owned()
    }
}

impl FormInput {
    /// Adds the members that a reference may be set to.
    fn with_choices(self, model: &Model, field: &FieldModel, found: &FoundLookups) -> Self {
        let names = (&*self.name, &*self.label);
        let choices = field.target.and_then(|target| found.choices(target));
        let control = |found| ReferenceControl::new(model, field, names, &self.value, found);
        let control = choices.and_then(control).map(|control| {
            let control = control.in_form(format!("input-{}", self.name), self.is_required);
            if self.has_blank { control.or_none("–") } else { control }
        });
        Self { reference: control, ..self }
    }

    /// Whether there is a message at the input.
    pub(super) fn is_wrong(&self) -> bool {
        !self.messages.is_empty()
    }

    /// Whether this message is at the input.
    pub(super) fn has_message(&self, text: &str) -> bool {
        self.messages.iter().any(|message| message == text)
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
        Some(Default::Value(value)) if !value.is_null() => {
            Some(spelled(field, &value.spell(field.kind)))
        }
        _ => None,
    }
}

fn choices(field: &FieldModel) -> Vec<String> {
    match field.constraints.choices() {
        Some(choices) => {
            choices.iter().map(|choice| spelled(field, &choice.spell(field.kind))).collect()
        }
        None if field.kind == FieldKind::Boolean => vec!["true".into(), "false".into()],
        None => vec![],
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
        // The form does not have a value that its user may not read.
        _ if !is_new && !field.visible() => Some("empty: stays as it is"),
        FieldKind::DateTime if kind == "datetime-local" => Some("in UTC"),
        FieldKind::Json => Some("in JSON"),
        _ => None,
    }
}
