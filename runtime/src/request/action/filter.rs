//! Filters in a query string: `field=v`, `field[op]=v`, and the long form `filter[field][op]=v`.

use super::{
    meant,
    parameter::{Parameter, SUGGESTED},
};
use crate::{
    base::{
        error::{Fault, Text, excerpt, text},
        nearest,
    },
    model::{
        FieldIx, FieldModel, Op, ResourceIx, ResourceModel, SeenModel,
        def::{FieldKind, Limit},
        predicate::{Predicate, precise},
        value::Value,
    },
};

/// Collects the tests in a query string. A member must match all tests; several `field=` of the
/// same field are alternatives.
pub(super) struct FilterReader<'model> {
    seen: SeenModel<'model>,
    resource: &'model ResourceModel,
    equal: Vec<(FieldIx, Vec<Value>)>,
    tests: Vec<Predicate>,
    values: usize,
    conditions: usize,
    /// The error for the first parameter that exceeds the maximum number of values or conditions.
    excess: Option<Fault>,
}

impl<'model> FilterReader<'model> {
    pub(super) fn new(seen: SeenModel<'model>, of: ResourceIx) -> Self {
        let resource = seen.resource(of);
        Self {
            seen,
            resource,
            equal: vec![],
            tests: vec![],
            values: 0,
            conditions: 0,
            excess: None,
        }
    }

    pub(super) fn read(
        &mut self,
        name: &str,
        op: Option<&str>,
        of: &Parameter<'_>,
    ) -> Result<(), Fault> {
        let Some(ix) = self.seen.field(self.resource.ix, name) else {
            return Err(unknown_field(self.resource, name, of));
        };
        let field = &self.resource[ix];
        if !field.filterable {
            return Err(
                of.fault("unfilterable", text!("`{name}` is not a field to filter by.", name))
            );
        }
        let Some(op) = op else {
            let values = vec![value(field, &of.value, of)?];
            self.count(1, of);
            self.equals(ix, values);
            return Ok(());
        };
        let Some(op) = Op::from_name(op) else { return Err(unknown_operator(field, op, of)) };
        if !op.fits(field.kind) {
            let detail =
                text!("`{op}` is only for text, and `{name}` is not text.", op = op.name(), name);
            return Err(of.fault("operator", detail));
        }
        let (op, values) = test(field, op, of)?;
        self.count(values.len(), of);
        self.tests.push(precise::test(ix, field.kind, op, values));
        Ok(())
    }

    fn count(&mut self, values: usize, of: &Parameter<'_>) {
        let limits = self.resource.limits;
        let most = |limit| limits.size(limit);
        self.values += values;
        self.conditions += 1;
        let detail = if self.conditions > most(Limit::Filters) {
            text!("A filter has at most {most} conditions.", most = most(Limit::Filters))
        } else if self.values > most(Limit::FilterValues) {
            text!("A filter has at most {most} values.", most = most(Limit::FilterValues))
        } else if values > most(Limit::ListValues) {
            text!("A list has at most {most} values.", most = most(Limit::ListValues))
        } else {
            return;
        };
        self.excess.get_or_insert_with(|| of.fault("range", detail));
    }

    fn equals(&mut self, ix: FieldIx, values: Vec<Value>) {
        match self.equal.iter_mut().find(|(field, _)| *field == ix) {
            Some((_, known)) => known.extend(values),
            None => self.equal.push((ix, values)),
        }
    }

    /// Returns the predicate of all tests. It does not depend on the order of the parameters.
    pub(super) fn finish(self) -> Result<Predicate, Fault> {
        if let Some(fault) = self.excess {
            return Err(fault);
        }
        let equal = self
            .equal
            .into_iter()
            .map(|(ix, values)| precise::test(ix, self.resource[ix].kind, Op::In(0), values));
        Ok(Predicate::all(self.tests.into_iter().chain(equal)))
    }
}

/// The error for a parameter with an unknown field, with a hint about the closest field name.
fn unknown_field(resource: &ResourceModel, name: &str, parameter: &Parameter<'_>) -> Fault {
    if name.is_empty() {
        return parameter.fault("unknown", text!("A parameter must have a name before the `=`."));
    }
    let fields = resource.fields.iter().filter(|field| field.filterable).map(|field| &*field.name);
    let hint = meant::parameter(resource, name, parameter)
        .or_else(|| nearest::hint(name, fields.chain(SUGGESTED)));
    let (resource, name) = (resource.def.name, excerpt(name));
    let detail = text!("`{resource}` has no field or parameter `{name}`.", resource, name);
    parameter.fault("unknown", detail).hint(hint)
}

fn unknown_operator(field: &FieldModel, op: &str, of: &Parameter<'_>) -> Fault {
    let (shown, known) = (excerpt(op), Op::names(field.kind).collect::<Vec<_>>().join(", "));
    let detail =
        text!("There is no operator `{op}`; the operators are: {known}.", op = shown, known);
    let near = || nearest::hint(op, Op::names(field.kind));
    of.fault("operator", detail).hint(meant::operator(field, op, &of.value).or_else(near))
}

/// The operator and the values of a parameter.
fn test(field: &FieldModel, op: Op, of: &Parameter<'_>) -> Result<(Op, Vec<Value>), Fault> {
    match op {
        Op::In(_) | Op::NotIn(_) => Ok((op, list(field, of)?)),
        Op::Between => {
            match list(field, of)? {
                values if values.len() == op.arity() => Ok((op, values)),
                _ => Err(of
                    .fault("type", text!("`between` takes two values with a comma between them."))),
            }
        }
        Op::Null | Op::NotNull => match &*of.value {
            "true" => Ok((Op::Null, vec![])),
            "false" => Ok((Op::NotNull, vec![])),
            _ => Err(of.fault("type", text!("`null` takes true or false."))),
        },
        _ => Ok((op, vec![value(field, &of.value, of)?])),
    }
}

fn list(field: &FieldModel, of: &Parameter<'_>) -> Result<Vec<Value>, Fault> {
    split(&of.value).iter().map(|item| value(field, item, of)).collect()
}

fn value(field: &FieldModel, text: &str, of: &Parameter<'_>) -> Result<Value, Fault> {
    Value::operand(field.kind, text).map_err(|expected| {
        let (name, found) = (&field.name, excerpt(text));
        let detail = text!("`{name}` must be {expected}, not `{found}`.", name, expected, found);
        let blank = blank(field, text, of);
        of.fault("type", detail).hint(blank.or_else(|| meant::no_value(field, of)))
    })
}

/// A hint for a date-time with a space in it.
fn blank(field: &FieldModel, text: &str, of: &Parameter<'_>) -> Option<Text> {
    if field.kind != FieldKind::DateTime || !text.contains(' ') {
        return None;
    }
    let with_t = text.replacen(' ', "T", 1);
    if of.has_plus {
        Some(text!("A `+` in a query means a space; write it as `%2B`."))
    } else if Value::parse(field.kind, &with_t).is_ok() {
        Some(text!("Write `T` between the date and the time."))
    } else {
        None
    }
}

/// Splits a list at its commas. In an item, `\,` stands for a comma and `\\` for a backslash.
fn split(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut characters = list.chars().peekable();
    while let Some(character) = characters.next() {
        let item =
            items.last_mut().expect("the list of items begins with one item and never shrinks");
        match character {
            ',' => items.push(String::new()),
            '\\' => {
                item.push(characters.next_if(|next| matches!(next, ',' | '\\')).unwrap_or('\\'));
            }
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
