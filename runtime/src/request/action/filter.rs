//! Filters: `field=v`, `field[op]=v` and their long form, as a tree of tests with the values beside it.

use super::{
    meant,
    parameter::{Parameter, SUGGESTED},
    tree::Tree,
};
use crate::{
    base::{
        error::{Fault, excerpt, text},
        limits, nearest,
    },
    model::{Field, FieldIx, Resource, def::FieldKind, value::Value},
    plan::{Filter, Op},
};

/// A filter with the values of its tests, in the order of a walk from left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The tree.
    pub filter: Filter,
    /// The values.
    pub values: Vec<Value>,
}

/// Every operator by its name in a query.
const OPERATORS: [&str; 13] = [
    "eq",
    "ne",
    "lt",
    "lte",
    "gt",
    "gte",
    "in",
    "nin",
    "contains",
    "starts_with",
    "ends_with",
    "between",
    "null",
];

/// The name of an operator in a query.
pub(crate) const fn operator(op: Op) -> &'static str {
    match op {
        Op::Eq => "eq",
        Op::Ne => "ne",
        Op::Lt => "lt",
        Op::Lte => "lte",
        Op::Gt => "gt",
        Op::Gte => "gte",
        Op::In(_) => "in",
        Op::NotIn(_) => "nin",
        Op::Contains => "contains",
        Op::StartsWith => "starts_with",
        Op::EndsWith => "ends_with",
        Op::Between => "between",
        Op::Null | Op::NotNull => "null",
    }
}

/// The operators of a filter by a field of a kind.
pub(crate) fn operators(kind: FieldKind) -> impl Iterator<Item = &'static str> {
    OPERATORS.into_iter().filter(move |op| fits(op, kind))
}

/// Collects the tests of a query. Values of one `field=` are alternatives, everything else must hold.
pub(super) struct FilterReader<'model> {
    resource: &'model Resource,
    equal: Vec<(FieldIx, Vec<Value>)>,
    tests: Vec<Tree>,
    values: usize,
    /// Said of the parameter whose values are the first too many.
    excess: Option<Fault>,
}

impl<'model> FilterReader<'model> {
    pub(super) const fn new(resource: &'model Resource) -> Self {
        Self { resource, equal: vec![], tests: vec![], values: 0, excess: None }
    }

    pub(super) fn read(&mut self, name: &str, op: Option<&str>, of: &Parameter<'_>) -> Result<(), Fault> {
        let known = self.resource.field(name).filter(|ix| self.resource[*ix].visible());
        let Some(ix) = known else { return Err(unknown_field(self.resource, name, of)) };
        let field = &self.resource[ix];
        if !field.filterable {
            return Err(of.fault("unfilterable", text!("`{name}` is not a field to filter by.", name)));
        }
        let Some(op) = op else {
            let values = vec![value(field, &of.value, of)?];
            self.count(1, of);
            self.equals(ix, values);
            return Ok(());
        };
        if !OPERATORS.contains(&op) {
            return Err(unknown_operator(field, op, of));
        }
        if !fits(op, field.kind) {
            return Err(
                of.fault("operator", text!("`{op}` is only for text, and `{name}` is none.", op, name))
            );
        }
        let (op, values) = test(field, op, of)?;
        self.count(values.len(), of);
        self.tests.push(Tree::test(ix, op, values));
        Ok(())
    }

    fn count(&mut self, values: usize, of: &Parameter<'_>) {
        self.values += values;
        if self.values > limits::FILTER_VALUES_MAX && self.excess.is_none() {
            let detail = text!("A filter has at most {most} values.", most = limits::FILTER_VALUES_MAX);
            self.excess = Some(of.fault("range", detail));
        }
    }

    fn equals(&mut self, ix: FieldIx, values: Vec<Value>) {
        match self.equal.iter_mut().find(|(field, _)| *field == ix) {
            Some((_, known)) => known.extend(values),
            None => self.equal.push((ix, values)),
        }
    }

    /// The tree, in an order that does not depend on that of the parameters.
    pub(super) fn finish(self) -> Result<Condition, Fault> {
        if let Some(fault) = self.excess {
            return Err(fault);
        }
        let equal = self.equal.into_iter().map(|(field, values)| Tree::test(field, Op::In(0), values));
        Ok(Condition::from(&Tree::all(self.tests.into_iter().chain(equal))))
    }
}

pub(super) fn fits(op: &str, kind: FieldKind) -> bool {
    !matches!(op, "contains" | "starts_with" | "ends_with") || kind == FieldKind::String
}

/// An unknown field in a parameter, with the nearest known one.
fn unknown_field(resource: &Resource, name: &str, parameter: &Parameter<'_>) -> Fault {
    if name.is_empty() {
        return parameter.fault("unknown", text!("A parameter has a name before its `=`."));
    }
    let fields = resource.fields.iter().filter(|field| field.filterable).map(|field| &*field.name);
    let hint =
        meant::parameter(resource, name, parameter).or_else(|| nearest::hint(name, fields.chain(SUGGESTED)));
    let (resource, name) = (resource.def.name, excerpt(name));
    let detail = text!("`{resource}` has no field or parameter `{name}`.", resource, name);
    parameter.fault("unknown", detail).hint(hint)
}

fn unknown_operator(field: &Field, op: &str, of: &Parameter<'_>) -> Fault {
    let (shown, known) = (excerpt(op), operators(field.kind).collect::<Vec<_>>().join(", "));
    let detail = text!("There is no operator `{op}`; there are: {known}.", op = shown, known);
    let near = || nearest::hint(op, operators(field.kind));
    of.fault("operator", detail).hint(meant::operator(field, op, &of.value).or_else(near))
}

fn test(field: &Field, op: &str, of: &Parameter<'_>) -> Result<(Op, Vec<Value>), Fault> {
    let one = |op| Ok((op, vec![value(field, &of.value, of)?]));
    match op {
        "eq" => one(Op::Eq),
        "ne" => one(Op::Ne),
        "lt" => one(Op::Lt),
        "lte" => one(Op::Lte),
        "gt" => one(Op::Gt),
        "gte" => one(Op::Gte),
        "contains" => one(Op::Contains),
        "starts_with" => one(Op::StartsWith),
        "ends_with" => one(Op::EndsWith),
        "in" => list(field, of).map(|values| (Op::In(0), values)),
        "nin" => list(field, of).map(|values| (Op::NotIn(0), values)),
        "between" => match list(field, of)? {
            values if values.len() == 2 => Ok((Op::Between, values)),
            _ => Err(of.fault("type", text!("`between` takes two values with a comma between them."))),
        },
        _ => match &*of.value {
            "true" => Ok((Op::Null, vec![])),
            "false" => Ok((Op::NotNull, vec![])),
            _ => Err(of.fault("type", text!("`null` takes true or false."))),
        },
    }
}

fn list(field: &Field, of: &Parameter<'_>) -> Result<Vec<Value>, Fault> {
    split(&of.value).iter().map(|item| value(field, item, of)).collect()
}

fn value(field: &Field, text: &str, of: &Parameter<'_>) -> Result<Value, Fault> {
    Value::parse(field.kind, text).map_err(|expected| {
        let (name, found) = (&field.name, excerpt(text));
        let plus = field.kind == FieldKind::DateTime && text.contains(' ');
        let detail = text!("`{name}` must be {expected}, not `{found}`.", name, expected, found);
        let plus = plus.then(|| text!("A `+` in a query is a blank; write it as `%2B`."));
        of.fault("type", detail).hint(plus.or_else(|| meant::no_value(field, of)))
    })
}

/// The items of a list: commas separate, `\,` is a comma and `\\` a backslash.
fn split(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut characters = list.chars().peekable();
    while let Some(character) = characters.next() {
        let item = items.last_mut().expect("there is always one");
        match character {
            ',' => items.push(String::new()),
            '\\' => item.push(characters.next_if(|next| matches!(next, ',' | '\\')).unwrap_or('\\')),
            plain => item.push(plain),
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_at_plain_commas() {
        assert_eq!(split("a,b"), ["a", "b"]);
        assert_eq!(split(r"a\,b,c\\,\d"), ["a,b", r"c\", r"\d"]);
        assert_eq!(split(""), [""]);
        assert_eq!(split(r"\"), [r"\"]);
    }
}
