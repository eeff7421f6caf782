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
        FieldIx, FieldModel, Op, ResourceIx, ResourceModel, SeenModel, SortKey, TestSubject,
        def::FieldKind,
        predicate::{Predicate, PredicateSubject},
        value::Value,
    },
    request::action::{self, Window, admit, foreign_cursor},
};

impl<R: Resource> Query<R> {
    /// Checks the query and converts it to the query of an action on this resource. `seen` is the
    /// model of the store, as the caller of the query sees it.
    pub(super) fn action(
        &self,
        seen: SeenModel<'_>,
        of: ResourceIx,
    ) -> Result<action::CollectionQuery, Error> {
        let resource = seen.resource(of);
        let mut faults = tests(seen, of, &self.tree);
        // The declared order of the resource in this model.
        let sort = if self.sort.is_empty() { resource.sort.to_vec() } else { self.order() };
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
        seen: SeenModel<'_>,
        of: ResourceIx,
    ) -> Result<(Predicate, String), Error> {
        let mut faults = tests(seen, of, &self.tree);
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

/// A test of a filter.
struct FilterTest<'t> {
    /// The field that is tested. `None` if the test has another subject.
    field: Option<&'t FieldModel>,
    op: Op,
    values: &'t [Value],
}

/// The errors in the conditions of a filter: too many conditions or values, and values that a field
/// cannot have.
fn tests(seen: SeenModel<'_>, of: ResourceIx, tree: &Predicate) -> Vec<Fault> {
    let mut tests = vec![];
    add_tests(seen, of, tree, &mut tests);
    let values: usize = tests.iter().map(|test| test.values.len()).sum();
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
    let broken = tests.iter().filter_map(|found| test(found.field?, found.op, found.values));
    excess.chain(broken).collect()
}

/// Adds the tests of a condition on a row of this resource, those of related rows included. A
/// condition on related rows is itself a test, as the database must look for the rows.
fn add_tests<'t>(
    seen: SeenModel<'t>,
    of: ResourceIx,
    tree: &'t Predicate,
    to: &mut Vec<FilterTest<'t>>,
) {
    match tree {
        Predicate::All(parts) | Predicate::Any(parts) => {
            parts.iter().for_each(|part| add_tests(seen, of, part, to));
        }
        Predicate::Not(part) => add_tests(seen, of, part, to),
        Predicate::Test { subject, op, values } => {
            add_subject(seen, subject, to);
            let field = tested(subject, of).map(|(end, field)| &seen.resource(end)[field]);
            to.push(FilterTest { field, op: *op, values });
        }
        Predicate::Compared(compared) => {
            add_subject(seen, &compared.left, to);
            add_subject(seen, &compared.right, to);
            to.push(FilterTest { field: None, op: Op::Eq, values: &[] });
        }
        Predicate::Related(rows) => {
            add_tests(seen, rows.target, &rows.test, to);
            to.push(FilterTest { field: None, op: Op::NotNull, values: &[] });
        }
        // No filter has it.
        Predicate::Given(_) => {}
    }
}

/// Adds the tests of the rows that a subject counts.
fn add_subject<'t>(
    seen: SeenModel<'t>,
    subject: &'t PredicateSubject,
    to: &mut Vec<FilterTest<'t>>,
) {
    if let TestSubject::Count(rows) = subject {
        add_tests(seen, rows.target, &rows.test, to);
    }
}

/// The resource and the field of a subject. `None` for a number of rows.
fn tested(subject: &PredicateSubject, of: ResourceIx) -> Option<(ResourceIx, FieldIx)> {
    match subject {
        TestSubject::Field(field) => Some((of, *field)),
        TestSubject::Path(path) => Some((path.end, path.field)),
        TestSubject::Count(_) => None,
    }
}

fn test(field: &FieldModel, op: Op, values: &[Value]) -> Option<Fault> {
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
fn keys(resource: &ResourceModel, keys: &[SortKey]) -> Vec<Fault> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        Model, RelatedRows, RelationIx, RuleSet,
        def::{ApiDef, FieldDef, OnDelete, ParentDef, ResourceDef},
    };

    static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
    static ANIMAL: ResourceDef = ResourceDef {
        parent: Some(ParentDef {
            resource: "zoo",
            field: "zoo_id",
            on_delete: OnDelete::Cascade,
            movable: false,
            required: true,
        }),
        fields: &[
            FieldDef::new("legs", FieldKind::Integer),
            FieldDef::new("notes", FieldKind::Json),
        ],
        ..ResourceDef::new("animal", "animals", "Animal")
    };
    static API: ApiDef = ApiDef { resources: &[&ZOO, &ANIMAL], ..ApiDef::new("Zoos") };
    const ZOOS: ResourceIx = ResourceIx(0);

    /// The details of the errors in a filter of zoos, which tests their animals.
    fn refused(
        test: impl FnOnce(RelatedRows<Vec<Value>>) -> Predicate,
        of: Predicate,
    ) -> Vec<String> {
        let model = Model::link(&API).unwrap();
        let relation = model.seen(RuleSet::NONE).relation(ZOOS, "animals").unwrap();
        let steps: Box<[RelationIx]> = Box::default();
        let tree = test(RelatedRows { steps, relation, target: ResourceIx(1), test: of });
        let faults = tests(model.seen(RuleSet::NONE), ZOOS, &tree);
        faults.iter().map(|fault| fault.detail.to_string()).collect()
    }

    fn any(rows: RelatedRows<Vec<Value>>) -> Predicate {
        Predicate::Related(Box::new(rows))
    }

    fn several(rows: RelatedRows<Vec<Value>>) -> Predicate {
        let count = TestSubject::Count(Box::new(rows));
        Predicate::test(count, Op::Gte, vec![Value::Integer(2)])
    }

    /// The declared fields stand after the id and the parent.
    const LEGS: FieldIx = FieldIx(2);
    const NOTES: FieldIx = FieldIx(3);

    #[test]
    fn tests_of_related_rows_are_counted() {
        let test = |legs| Predicate::test(LEGS, Op::Gt, vec![Value::Integer(legs)]);
        let tests = |count| Predicate::Any((1..count).map(test).collect());
        let most = i64::try_from(limits::LIST_TESTS_MAX).unwrap();
        for kind in [any, several] {
            assert_eq!(refused(kind, tests(most)), [""; 0]);
            let detail = format!("A filter has at most {most} tests, not {}.", most + 1);
            assert_eq!(refused(kind, tests(most + 1)), [detail]);
        }
        let values = (0..=limits::LIST_VALUES_MAX).map(|legs| Value::Integer(legs as i64));
        let detail = format!(
            "A filter has at most {most} values, not {}.",
            limits::LIST_VALUES_MAX + 1,
            most = limits::LIST_VALUES_MAX
        );
        assert_eq!(refused(any, Predicate::test(LEGS, Op::In(0), values.collect())), [detail]);
    }

    #[test]
    fn fields_of_related_rows_are_checked() {
        let detail = "`notes` holds JSON, which can only be tested for null.";
        let notes = || Predicate::test(NOTES, Op::Eq, vec![Value::Text("tame".into())]);
        assert_eq!(refused(any, notes()), [detail]);
        assert_eq!(refused(several, notes()), [detail]);
        assert_eq!(refused(any, Predicate::test(NOTES, Op::NotNull, vec![])), [""; 0]);
    }
}
