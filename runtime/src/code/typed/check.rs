//! The conversion of a typed query to the query of an action. It returns errors for mistakes that
//! the Rust types allow.

use super::Query;
use crate::{
    base::{
        error::{Error, Fault, Kind, excerpt, text},
        limits,
    },
    code::resource::Resource,
    model::{
        self, FieldIx, Op, SortKey, TestSubject, def::FieldKind, predicate::Predicate, value::Value,
    },
    request::action::{self, Window, admit, foreign_cursor},
};

impl<R: Resource> Query<R> {
    /// Checks the query and converts it to the query of an action.
    pub(super) fn action(
        &self,
        resource: &model::ResourceModel,
    ) -> Result<action::CollectionQuery, Error> {
        let mut faults = tests(resource, &self.tree);
        let sort = self.order();
        faults.extend(keys(resource, &sort));
        faults.extend(self.size_fault());
        let offset = i64::try_from(self.offset);
        if offset.is_err() {
            faults.push(Fault::parameter(
                "offset",
                "range",
                text!("`offset` is larger than any collection."),
            ));
        }
        let after = self.after.as_ref();
        if after.is_some_and(|cursor| !cursor.belongs(&self.tree, &sort)) {
            faults.push(foreign_cursor("after"));
        }
        refuse(faults)?;
        let counted = Window::Offset(offset.unwrap_or_default());
        let window = after.map_or(counted, |cursor| Window::After(cursor.place().clone()));
        Ok(action::CollectionQuery {
            predicate: self.tree.clone(),
            sort,
            page: action::PageRequest { limit: self.size(), window, is_all: false },
            count: self.count,
            fields: None,
            format: None,
            link_parameters: String::new(),
            text: self.to_string(),
            cursor_key: 0,
        })
    }

    /// Returns the condition that selects the members to delete, and its text. The error is a 400
    /// if the query has no filter, or has anything else, such as an order.
    pub(super) fn deletion(
        &self,
        resource: &model::ResourceModel,
    ) -> Result<(Predicate, String), Error> {
        let mut faults = tests(resource, &self.tree);
        let paging = [
            ("sort", !self.sort.is_empty()),
            ("limit", self.limit.is_some()),
            ("offset", self.offset > 0),
            ("after", self.after.is_some()),
            ("count", self.count),
        ];
        for (name, _) in paging.into_iter().filter(|(_, is_set)| *is_set) {
            faults.push(Fault::parameter(
                name,
                "unknown",
                text!("`{name}` is not supported by a deletion.", name),
            ));
        }
        refuse(faults)?;
        if self.tree.is_every() {
            let detail = text!(
                "Deleting many members needs a filter; to delete all members, test that `id` is not null."
            );
            return Err(Error::new(Kind::INVALID_PARAMETER, detail));
        }
        Ok((self.tree.clone(), self.to_string()))
    }

    fn size_fault(&self) -> Option<Fault> {
        let most = limits::LIST_MEMBERS_MAX.max(R::DEF.limit.maximum);
        let detail = || {
            text!(
                "`{name}` must be a whole number from {least} to {most}.",
                name = "limit",
                least = 1_u8,
                most
            )
        };
        (!(1..=most).contains(&self.size())).then(|| Fault::parameter("limit", "range", detail()))
    }
}

fn refuse(mut faults: Vec<Fault>) -> Result<(), Error> {
    faults.truncate(limits::FAULTS_MAX);
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Error::from_faults(Kind::INVALID_PARAMETER, faults))
    }
}

/// The errors in the conditions of a filter: too many conditions or values, and values that a field
/// cannot have.
fn tests(resource: &model::ResourceModel, tree: &Predicate) -> Vec<Fault> {
    let tests = tree.tests();
    let values: usize = tests.iter().map(|(_, _, values)| values.len()).sum();
    let bounds =
        [(tests.len(), limits::LIST_TESTS_MAX, true), (values, limits::LIST_VALUES_MAX, false)];
    let excess =
        bounds.into_iter().filter(|(count, most, _)| count > most).map(|(count, most, tests)| {
            let detail = match tests {
                true => text!("A filter has at most {most} tests, not {count}.", most, count),
                false => text!("A filter has at most {most} values, not {count}.", most, count),
            };
            Fault::parameter("filter", "range", detail)
        });
    let broken = tests.iter().filter_map(|(subject, op, values)| match subject {
        TestSubject::Field(field) => test(resource, *field, *op, values),
        // No program can make these yet.
        TestSubject::Path(_) | TestSubject::Count(_) => None,
    });
    excess.chain(broken).collect()
}

fn test(resource: &model::ResourceModel, ix: FieldIx, op: Op, values: &[Value]) -> Option<Fault> {
    let field = &resource[ix];
    let name = &field.name;
    if !field.kind.is_ordered() && !matches!(op, Op::Null | Op::NotNull) {
        let detail = match field.kind {
            FieldKind::Password => {
                text!("`{name}` holds a password, which can only be tested for null.", name)
            }
            _ => text!("`{name}` holds JSON, which can only be tested for null.", name),
        };
        return Some(Fault::parameter(&**name, "unfilterable", detail));
    }
    let expected = values.iter().find_map(|value| match value {
        Value::Null => Some(text!("a value; to test for null, use `is_null`")),
        value => {
            let expected = admit(field.kind, value).err()?;
            let found = format!("`{}`", excerpt(&value.spell(field.kind)));
            Some(text!("{expected}, not {found}", expected, found))
        }
    })?;
    Some(Fault::parameter(&**name, "type", text!("`{name}` must be {expected}.", name, expected)))
}

/// The errors in the keys of an order: repeated keys, fields without an order, too many keys.
fn keys(resource: &model::ResourceModel, keys: &[SortKey]) -> Vec<Fault> {
    let mut faults = vec![];
    for (at, key) in keys.iter().enumerate() {
        let field = &resource[key.field];
        if keys[..at].iter().any(|known| known.field == key.field) {
            let detail = text!("`{name}` occurs twice in the order.", name = &field.name);
            faults.push(Fault::parameter("sort", "repeated", detail));
        }
        if !field.kind.is_ordered() {
            let name = &field.name;
            let detail = match field.kind {
                FieldKind::Password => {
                    text!("`{name}` holds a password, which has no order.", name)
                }
                _ => text!("`{name}` holds JSON, which has no order.", name),
            };
            faults.push(Fault::parameter("sort", "unknown", detail));
        }
    }
    // The last key, which the server adds to every order, is the id. It is not counted.
    if keys.len() > limits::SORT_KEYS_MAX + 1 {
        let detail = text!("An order has at most {most} keys.", most = limits::SORT_KEYS_MAX);
        faults.push(Fault::parameter("sort", "range", detail));
    }
    faults
}
