//! The levels of fields and named types.

use nouns_declaration::constraint::ConstraintKey;

use super::{FIELD_ACCESS, Key, Level, TextShape, ValueShape, key, shape::word};
use crate::schema::{Format, OnDelete};

/// The largest allowed `max_length`: a body with such a string must fit into memory.
const LENGTH_MAX: u32 = 1 << 30;

/// The largest allowed `scale`: a decimal is stored as a scaled 64-bit integer.
const SCALE_MAX: u32 = 18;

const PATTERN: TextShape =
    TextShape { format: Some("regex"), ..TextShape::like(&["^[A-Z]{3}-[0-9]+$"]) };

/// A key that constrains values.
const fn constraint(of: ConstraintKey) -> Key {
    let value = match of {
        ConstraintKey::Enum => ValueShape::Choices,
        ConstraintKey::Minimum | ConstraintKey::Maximum => ValueShape::Bound,
        ConstraintKey::MinLength | ConstraintKey::MaxLength => {
            ValueShape::Count(0, LENGTH_MAX, None)
        }
        ConstraintKey::Pattern => ValueShape::Text(PATTERN),
        ConstraintKey::Format => word!(Format),
        ConstraintKey::Scale => ValueShape::Count(0, SCALE_MAX, None),
        ConstraintKey::IgnoreCase => ValueShape::Flag(Some(false)),
    };
    key(of.word(), of.meaning(), value)
}

/// A boolean that is false by default.
const fn flag(name: &'static str, meaning: &'static str) -> Key {
    key(name, meaning, ValueShape::Flag(Some(false)))
}

/// The keys of a named type.
pub static TYPE: Level = Level {
    name: "a type",
    definition: "type",
    shape: "a type or a mapping",
    keys: &[
        key(
            "type",
            "The type that this type builds on: built in, or declared above.",
            ValueShape::TypeName,
        ),
        constraint(ConstraintKey::Enum),
        constraint(ConstraintKey::Minimum),
        constraint(ConstraintKey::Maximum),
        constraint(ConstraintKey::MinLength),
        constraint(ConstraintKey::MaxLength),
        constraint(ConstraintKey::Pattern),
        constraint(ConstraintKey::Format),
        constraint(ConstraintKey::Scale),
        constraint(ConstraintKey::IgnoreCase),
        key("description", "The description of the type.", ValueShape::Text(TextShape::VISIBLE)),
        key("example", "An example value.", ValueShape::Any),
    ],
    ..Level::PLAIN
};

/// The keys of a field.
pub static FIELD: Level = Level {
    name: "a field",
    definition: "field",
    shape: "a type or a mapping",
    keys: &[
        key(
            "type",
            "The type of the values: built in, or declared under `types`.",
            ValueShape::TypeName,
        ),
        key(
            "references",
            "The resource that the field refers to.",
            ValueShape::Either(&[ValueShape::Name(None), ValueShape::Map(&REFERENCES)], None),
        ),
        flag("required", "Whether null is refused."),
        key(
            "default",
            "The value of a new member that has none in the request; `$now` is the time of the \
             request, `$account.id` the account of the caller.",
            ValueShape::Any,
        ),
        flag("unique", "Whether no two members have the same value."),
        flag("index", "Whether the field has its own index."),
        constraint(ConstraintKey::IgnoreCase),
        constraint(ConstraintKey::Minimum),
        constraint(ConstraintKey::Maximum),
        constraint(ConstraintKey::MinLength),
        constraint(ConstraintKey::MaxLength),
        constraint(ConstraintKey::Pattern),
        constraint(ConstraintKey::Enum),
        constraint(ConstraintKey::Format),
        constraint(ConstraintKey::Scale),
        flag("read_only", "Whether the field is returned, and set only by the server."),
        flag("write_only", "Whether the field is accepted, and never returned."),
        flag("create_only", "Whether the field is accepted only when a member is created."),
        flag("hidden", "Whether the field is neither accepted nor returned."),
        key(
            "filterable",
            "Whether a request may filter by the field.",
            ValueShape::Flag(Some(true)),
        ),
        key("sortable", "Whether a request may sort by the field.", ValueShape::Flag(Some(true))),
        key(
            "column",
            "The database column, by default named like the field.",
            ValueShape::FreeName,
        ),
        key("description", "The description of the field.", ValueShape::Text(TextShape::VISIBLE)),
        key("example", "An example value.", ValueShape::Any),
        flag("deprecated", "Whether the field is deprecated."),
        key("access", "Which callers may read and set the field.", ValueShape::Map(&FIELD_ACCESS)),
    ],
    ..Level::PLAIN
};

/// The keys of the mapping `references` in a field.
pub static REFERENCES: Level = Level {
    name: "`references`",
    definition: "references",
    shape: "a resource or a mapping",
    keys: &[
        key("resource", "The name of the target resource.", ValueShape::Name(None)),
        key(
            "as",
            "The name of the target member in this resource, by default the field without `_id`.",
            ValueShape::FreeName,
        ),
        key(
            "on_delete",
            "The effect on this member when the target member is deleted.",
            word!(OnDelete, OnDelete::Restrict),
        ),
        key("children", "The name of these members in the target resource.", ValueShape::FreeName),
    ],
    required: &["resource"],
    ..Level::PLAIN
};
