//! What the values of a field must satisfy, by the keys of the schema language.

use serde::Serialize;
use serde_json::Value as Json;

use crate::{
    base::limits,
    model::{
        Field, Role,
        def::{DefaultDef, FieldDef, FieldKind, FieldMode, Literal},
        value::Value,
    },
};

/// The keys of a declared field that say which values are good.
#[derive(Default, Serialize)]
pub(super) struct Rules {
    #[serde(skip_serializing_if = "<[Json]>::is_empty")]
    r#enum: Box<[Json]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_length: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<u8>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unique: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ignore_case: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Json>,
}

impl Rules {
    /// Those of a field, if it was declared, or is an integer id that clients bring.
    pub(super) fn of(field: &Field) -> Option<Self> {
        if field.role == Role::Id && field.mode == FieldMode::CreateOnly && field.kind == FieldKind::Integer {
            let (minimum, maximum) = (Some(1.into()), Some(limits::INTEGER_ID_MAX.into()));
            return Some(Self { minimum, maximum, ..Self::default() });
        }
        let def: &FieldDef = field.def?;
        let json = |literal| json(field.kind, literal);
        Some(Self {
            r#enum: def.choices.iter().filter_map(|literal| json(*literal)).collect(),
            minimum: def.minimum.and_then(json),
            maximum: def.maximum.and_then(json),
            min_length: def.min_length,
            max_length: def.max_length,
            pattern: def.pattern,
            format: def.format.map(crate::model::def::Format::word),
            scale: if let FieldKind::Decimal { scale } = field.kind { Some(scale) } else { None },
            unique: def.unique,
            ignore_case: def.ignore_case,
            default: def.default.and_then(|default| match default {
                DefaultDef::Value(literal) => json(literal),
                DefaultDef::Now => Some("$now".into()),
            }),
        })
    }
}

/// A value of a declaration as members have it.
fn json(kind: FieldKind, literal: Literal) -> Option<Json> {
    let spelled = Value::literal(kind, literal).ok()?.spell(kind);
    match literal {
        Literal::String(_) => Some(spelled.into()),
        _ => serde_json::from_str(&spelled).ok(),
    }
}
