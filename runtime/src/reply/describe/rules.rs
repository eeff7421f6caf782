//! The constraints on the values of a field, in the keywords of the schema language.

use nouns_declaration::constraint::{Constraint, ConstraintKey};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::{
    base::limits,
    model::{
        FieldModel, Role,
        def::{DefaultDef, FieldDef, FieldKind, FieldMode, Literal},
        value::Value,
    },
};

/// The keywords that constrain the values of a field, each with its value, in a fixed order.
pub(super) struct FieldRules(Vec<(&'static str, Json)>);

impl Serialize for FieldRules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl FieldRules {
    /// Returns the rules of a declared field, or of an integer id that clients choose. Returns
    /// `None` for other fields.
    pub(super) fn of(field: &FieldModel) -> Option<Self> {
        if field.role == Role::Id
            && field.mode == FieldMode::CreateOnly
            && field.kind == FieldKind::Integer
        {
            let (least, most) = (1.into(), limits::INTEGER_ID_MAX.into());
            let keys = [ConstraintKey::Minimum, ConstraintKey::Maximum].map(ConstraintKey::word);
            return Some(Self(keys.into_iter().zip([least, most]).collect()));
        }
        let def: &FieldDef = field.def?;
        let described = |one: Constraint| Some((one.key().word(), described(field.kind, one)?));
        let mut rules: Vec<_> = def.constraints().filter_map(described).collect();
        rules.extend(def.unique.then_some(("unique", true.into())));
        rules.extend(def.ignore_case.then_some((ConstraintKey::IgnoreCase.word(), true.into())));
        let default = def.default.and_then(|default| match default {
            DefaultDef::Value(value) => literal(field.kind, value),
            DefaultDef::Now => Some("$now".into()),
            DefaultDef::Account(field) => Some(format!("$account.{field}").into()),
        });
        rules.extend(default.map(|default| ("default", default)));
        Some(Self(rules))
    }
}

/// Returns the JSON value of a constraint's keyword; `None` if a literal has the wrong kind. Bounds
/// and choices have the same form as the field's values in responses.
fn described(kind: FieldKind, constraint: Constraint) -> Option<Json> {
    Some(match constraint {
        Constraint::Enum(choices) => {
            choices.iter().filter_map(|choice| literal(kind, *choice)).collect()
        }
        Constraint::Minimum(bound) | Constraint::Maximum(bound) => literal(kind, bound)?,
        Constraint::MinLength(length) | Constraint::MaxLength(length) => length.into(),
        Constraint::Pattern(pattern) => pattern.into(),
        Constraint::Format(format) => format.word().into(),
        Constraint::Scale(scale) => scale.into(),
    })
}

/// Returns a literal of a declaration in JSON, in the form that the field's values have in
/// responses. Returns `None` if the field cannot have the literal as a value.
pub(in crate::reply) fn literal(kind: FieldKind, literal: Literal) -> Option<Json> {
    let spelled = Value::literal(kind, literal).ok()?.spell(kind);
    match literal {
        Literal::String(_) => Some(spelled.into()),
        _ => serde_json::from_str(&spelled).ok(),
    }
}
