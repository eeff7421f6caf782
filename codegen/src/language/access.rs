//! The levels of access rules.

use super::{Key, Level, ListShape, TextShape, ValueShape, key};

const NAME: &str = "a rule";
const SHAPE: &str = "`public`, `signed_in` or a mapping";

static RULE_OF_ROWS: ValueShape = ValueShape::Map(&RULE);
static RULE_OF_CALLERS: ValueShape = ValueShape::Map(&FIELD_RULE);

/// The keys of the mapping `access` in a resource.
pub static ACCESS: Level = Level {
    name: "`access`",
    definition: "access",
    keys: &[
        key("read", "Who may read which members.", RULE_OF_ROWS),
        key("create", "Who may create which members.", RULE_OF_ROWS),
        key("update", "Who may change which members.", RULE_OF_ROWS),
        key("delete", "Who may delete which members.", RULE_OF_ROWS),
    ],
    is_filled: true,
    ..Level::PLAIN
};

/// The keys of the mapping `access` in a field.
pub static FIELD_ACCESS: Level = Level {
    name: "`access`",
    keys: &[
        key(
            "read",
            "Which callers may read the field, which does not exist for others.",
            RULE_OF_CALLERS,
        ),
        key("write", "Which callers may set the field.", RULE_OF_CALLERS),
    ],
    is_filled: true,
    ..Level::PLAIN
};

const SOME_TEXT: ValueShape = ValueShape::Text(TextShape::SOME);

const ROLE: Key = key(
    "role",
    "The roles that a caller may have.",
    ValueShape::Either(&[SOME_TEXT, ValueShape::List(ListShape::of(&SOME_TEXT))], None),
);

const fn any(rule: &'static ValueShape) -> Key {
    key("any", "Rules of which one must hold.", rules(rule))
}

const fn all(rule: &'static ValueShape) -> Key {
    key("all", "Rules that must all hold.", rules(rule))
}

const fn not(rule: ValueShape) -> Key {
    key("not", "A rule that must not hold.", rule)
}

const fn rules(rule: &'static ValueShape) -> ValueShape {
    ValueShape::List(ListShape { is_set: false, ..ListShape::of(rule) })
}

/// The keys of an access rule.
pub static RULE: Level = Level {
    name: NAME,
    definition: "rule",
    shape: SHAPE,
    keys: &[
        ROLE,
        key("where", "Tests of fields of the member.", ValueShape::Tests),
        any(&RULE_OF_ROWS),
        all(&RULE_OF_ROWS),
        not(RULE_OF_ROWS),
    ],
    is_filled: true,
    ..Level::PLAIN
};

/// The keys of a rule that depends on the caller alone.
pub static FIELD_RULE: Level = Level {
    name: NAME,
    definition: "rule_of_field",
    shape: SHAPE,
    keys: &[ROLE, any(&RULE_OF_CALLERS), all(&RULE_OF_CALLERS), not(RULE_OF_CALLERS)],
    is_filled: true,
    ..Level::PLAIN
};
