//! Prints and parses queries as query strings of URLs. Prints conditions as readable expressions.

use std::{fmt, str::FromStr};

use super::{Query, declared, linked};
use crate::{
    base::error::Error,
    code::resource::Resource,
    model::{
        Chain, FieldIx, Op, SeenModel, SortKey, TestSubject, def::ResourceDef,
        predicate::Predicate, value::Value,
    },
    request::action::{self, RESERVED, append},
};

impl<R: Resource> FromStr for Query<R> {
    type Err = Error;

    /// Parses a query string, without the `?`.
    ///
    /// A text is parsed without a store. So the names are those of the resource alone, as it
    /// declares them; [`Collection::query`](super::Collection::query) has those of a store.
    ///
    /// # Errors
    /// 400 with all parameters that are unknown, repeated, of the wrong type or out of range.
    fn from_str(text: &str) -> Result<Self, Error> {
        let resource = linked::<R>()?;
        let chain = Chain { resource: resource.ix, ids: vec![] };
        action::CollectionQuery::parse(SeenModel::alone(resource), &chain, Some(text))
            .and_then(|parsed| Self::whole(&parsed))
    }
}

/// Prints the canonical query string, without default values.
impl<R: Resource> fmt::Display for Query<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for (name, value) in self.parameters() {
            append(&mut text, &name, &value);
        }
        f.write_str(&text)
    }
}

impl<R: Resource> Query<R> {
    /// Whether the printed query string parses to the same query.
    ///
    /// The result is false for `|`, unless it joins equalities of one field, and for `!`, unless it
    /// negates `eq`, `ne`, `one_of`, `none_of`, `is_null` or `is_not_null`. It is also false for
    /// cursors of long texts, fields that clients may not use, and pages over the limits of
    /// clients.
    #[must_use]
    pub fn fits_url(&self) -> bool {
        self.to_string().parse::<Self>().is_ok_and(|read| read == *self)
    }

    fn parameters(&self) -> Vec<(String, String)> {
        let mut pairs = filter(R::DEF, &self.tree)
            .unwrap_or_else(|| vec![("filter".into(), expression(R::DEF, &self.tree))]);
        let mut say = |name: &str, value: String| pairs.push((name.into(), value));
        if self.order() != declared::sort(R::DEF) {
            say("sortby", sorted(R::DEF, &self.sort));
        }
        if self.size() != R::DEF.limit.default {
            say("limit", self.size().to_string());
        }
        if self.offset > 0 {
            say("offset", self.offset.to_string());
        }
        if let Some(cursor) = &self.after {
            let spell =
                |(key, value): (&SortKey, &Value)| escaped(&spell(R::DEF, key.field, value));
            let readable = || cursor.keys().map(spell).collect::<Vec<_>>().join(",");
            let spelled = linked::<R>().ok().and_then(|resource| cursor.spell(resource));
            say("after", spelled.unwrap_or_else(readable));
        }
        if self.count {
            say("count", "true".into());
        }
        pairs
    }
}

/// The query parameters of a filter; `None` unless the filter is a list of conditions on single
/// fields that must all be true.
fn filter(def: &'static ResourceDef, tree: &Predicate) -> Option<Vec<(String, String)>> {
    let mut equal: Vec<FieldIx> = vec![];
    let mut pairs = vec![];
    for part in tree.parts() {
        let Predicate::Test { subject: TestSubject::Field(field), op, values } = part else {
            return None;
        };
        // In a query string, `a=1&a=2` means either value. A second equality is therefore written
        // as a list with one value, `a[in]=2`, which the member must match, too.
        let again = *op == Op::Eq && equal.contains(field);
        let op = if again { Op::In(1) } else { *op };
        equal.extend((op == Op::Eq).then_some(*field));
        pairs.push((
            parameter(declared::name(def, *field), op),
            spell_test(def, *field, op, values),
        ));
    }
    Some(pairs)
}

/// Returns the name of a parameter: `field`, `field[op]`, or `filter[field]` if the field has the
/// name of a reserved parameter.
fn parameter(name: &str, op: Op) -> String {
    let reserved = RESERVED.contains(&name);
    match (op, reserved) {
        (Op::Eq, false) => name.to_owned(),
        (Op::Eq, true) => format!("filter[{name}]"),
        (op, false) => format!("{name}[{}]", op.name()),
        (op, true) => format!("filter[{name}][{}]", op.name()),
    }
}

fn spell_test(def: &'static ResourceDef, field: FieldIx, op: Op, values: &[Value]) -> String {
    match (op, values) {
        (Op::Null, _) => "true".into(),
        (Op::NotNull, _) => "false".into(),
        (Op::In(_) | Op::NotIn(_) | Op::Between, values) => values
            .iter()
            .map(|value| escaped(&spell(def, field, value)))
            .collect::<Vec<_>>()
            .join(","),
        (_, values) => values.iter().map(|value| spell(def, field, value)).collect(),
    }
}

fn spell(def: &'static ResourceDef, field: FieldIx, value: &Value) -> String {
    value.spell(declared::kind(def, field))
}

/// Escapes the backslashes and commas in an item of a comma-separated list.
fn escaped(item: &str) -> String {
    item.replace('\\', r"\\").replace(',', r"\,")
}

/// Prints the keys of an order. The id is left out if the server adds it as the last key anyway.
fn sorted(def: &'static ResourceDef, keys: &[SortKey]) -> String {
    let significant = match keys {
        [significant @ .., before, id]
            if id.field == FieldIx::ID && id.descending == before.descending =>
        {
            &keys[..=significant.len()]
        }
        keys => keys,
    };
    let spell = |key: &SortKey| {
        let sign = if key.descending { "-" } else { "" };
        [sign, declared::name(def, key.field)].concat()
    };
    significant.iter().map(spell).collect::<Vec<_>>().join(",")
}

/// Prints a filter as a readable expression: `name eq "Bella" and not (weight_kg lt 2)`.
pub(super) fn expression(def: &'static ResourceDef, tree: &Predicate) -> String {
    let joined = |parts: &[Predicate], joint: &str, none: &str| match parts {
        [] => none.to_owned(),
        parts => parts.iter().map(|part| operand(def, part)).collect::<Vec<_>>().join(joint),
    };
    match tree {
        Predicate::Test { subject: TestSubject::Field(field), op, values } => {
            test(def, *field, *op, values)
        }
        // No program can make these yet.
        Predicate::Test { .. }
        | Predicate::Compared(_)
        | Predicate::Related(_)
        | Predicate::Given(_) => "a test of related members".to_owned(),
        Predicate::Not(inner) => format!("not ({})", expression(def, inner)),
        Predicate::All(parts) => joined(parts, " and ", "true"),
        Predicate::Any(parts) => joined(parts, " or ", "false"),
    }
}

fn operand(def: &'static ResourceDef, tree: &Predicate) -> String {
    match tree {
        Predicate::All(_) | Predicate::Any(_) => format!("({})", expression(def, tree)),
        tree => expression(def, tree),
    }
}

fn test(def: &'static ResourceDef, field: FieldIx, op: Op, values: &[Value]) -> String {
    let quoted = |value: &Value| match value {
        Value::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
        value => spell(def, field, value),
    };
    let values = values.iter().map(quoted).collect::<Vec<_>>().join(", ");
    let name = declared::name(def, field);
    match op {
        Op::Null => format!("{name} is null"),
        Op::NotNull => format!("{name} is not null"),
        Op::In(_) | Op::NotIn(_) | Op::Between => format!("{name} {} ({values})", op.name()),
        op => format!("{name} {} {values}", op.name()),
    }
}
