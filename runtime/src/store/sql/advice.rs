//! The advice on slow lists: the line in a declaration that would add an index to serve the list.
//!
//! The crate `nouns-declaration` decides whether an index serves a list, so that the checker of
//! declarations can warn by the same rule. The tests compare the advice with SQLite's query plans.

use nouns_declaration::index::{Scan, Table};

use super::index;
use crate::{
    model::{FieldIx, Model, Place, ResourceModel, SortKey, TestSubject},
    plan::{Filter, Op},
};

/// A list request, described with its query parameters, and the advice how to make it fast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    pub(crate) filter: String,
    pub(crate) order: String,
    pub(crate) advice: String,
}

impl Advice {
    /// Returns the advice on a list request.
    pub(crate) fn on(model: &Model, place: Place, filter: &Filter, sort: &[SortKey]) -> Self {
        let resource = &model[place.resource];
        let list = List::of(resource, place, filter, sort);
        let order =
            sort.iter().map(|key| signed(resource, key.field, key.descending)).collect::<Vec<_>>();
        let mut tests =
            list.parent.map(|parent| name(resource, parent).to_owned()).into_iter().collect();
        self::tests(resource, filter, &mut tests);
        tests.dedup();
        Self { filter: tests.join(","), order: order.join(","), advice: list.advice() }
    }
}

/// The parts of a list request that decide which index serves it.
struct List<'m> {
    resource: &'m ResourceModel,
    table: Table<FieldIx>,
    /// The field that holds the parent's id, or `None` if the collection is not nested.
    parent: Option<FieldIx>,
    scan: Scan<FieldIx>,
    sort: &'m [SortKey],
    /// A description of the part of the filter that no index can serve, or `None` if there is no
    /// such part.
    hindered: Option<String>,
}

impl<'m> List<'m> {
    fn of(resource: &'m ResourceModel, place: Place, filter: &Filter, sort: &'m [SortKey]) -> Self {
        let parent = resource.parent.filter(|_| place.depth > 0).map(|(_, field)| field);
        let parts = filter.parts();
        let fixed = |part: &Filter| match part.own_test() {
            Some((field, Op::Eq | Op::Null)) => Some(field),
            _ => None,
        };
        let absent = |part: &Filter| match part.own_test() {
            Some((field, Op::Null)) => Some(field),
            _ => None,
        };
        let table = index::table(resource);
        let equal = parent.into_iter().chain(parts.iter().filter_map(fixed));
        let scan =
            Scan { absent: parts.iter().filter_map(absent).collect(), ..table.scan(equal, sort) };
        let first = sort.iter().find(|key| !scan.equal.contains(&key.field)).map(|key| key.field);
        let mut rest = parts.iter().filter(|part| fixed(part).is_none());
        let hindered = rest.find_map(|part| hindrance(resource, part, first));
        Self { resource, table, parent, scan, sort, hindered }
    }

    fn advice(&self) -> String {
        if let Some(hindered) = &self.hindered {
            return format!("no index serves {hindered}");
        }
        let line = self.line(&self.scan).or_else(|| self.line(&self.but_for_ties()?));
        line.unwrap_or_else(|| {
            "an index serves this order only if it is the default order (`sort`)".into()
        })
    }

    /// Returns a scan without the id as the last sort key. It is used if no index can be advised
    /// that serves the whole order. With such an index, SQLite sorts members with equal values by
    /// id; most tables have few of them. Returns `None` if the order does not end with the id.
    fn but_for_ties(&self) -> Option<Scan<FieldIx>> {
        let mut scan = self.scan.clone();
        let tie_break = scan.order.pop()?;
        (tie_break.field == FieldIx::ID && !scan.order.is_empty()).then_some(scan)
    }

    /// Returns the advice to add an index for a scan: the line for the declaration. If an existing
    /// index serves the scan, returns a sentence that says so. Returns `None` if no index helps.
    fn line(&self, scan: &Scan<FieldIx>) -> Option<String> {
        if is_served(&self.table, scan) {
            return Some("an index already serves it; a large page, an `offset`, a count, or many members with one value take the time".into());
        }
        if let Some(field) = self.own_index(scan) {
            return Some(format!("add `index: true` to `{}`", name(self.resource, field)));
        }
        let set = self.set(scan)?;
        let names: Vec<_> = set.iter().map(|field| name(self.resource, *field)).collect();
        Some(format!("add `indexes: [[{}]]`", names.join(", ")))
    }

    /// Returns the field whose own index (`index: true`) would serve the scan, or `None` if there
    /// is no such field.
    fn own_index(&self, scan: &Scan<FieldIx>) -> Option<FieldIx> {
        let own: Vec<_> =
            scan.equal.iter().copied().filter(|field| Some(*field) != self.parent).collect();
        let field = match own.as_slice() {
            [field] => *field,
            [] => self.sort.first()?.field,
            _ => return None,
        };
        self.resource[field].def?;
        let mut table = self.table.clone();
        table.columns.iter_mut().find(|column| column.field == field)?.index = true;
        is_served(&table, scan).then_some(field)
    }

    /// Returns the fields of an index on several columns that would serve the scan, or `None` if
    /// there is none.
    fn set(&self, scan: &Scan<FieldIx>) -> Option<Vec<FieldIx>> {
        let order = scan.order.iter().map(|key| key.field);
        let whole: Vec<_> = scan.equal.iter().copied().chain(order).collect();
        let but_for_id = whole.iter().copied().filter(|field| *field != FieldIx::ID).collect();
        [but_for_id, whole].into_iter().filter(|set| !set.is_empty()).find(|set| {
            let mut table = self.table.clone();
            table.indexes.push(set.clone());
            is_served(&table, scan)
        })
    }
}

fn is_served(table: &Table<FieldIx>, scan: &Scan<FieldIx>) -> bool {
    table.is_served(&table.indexes(), scan)
}

/// Returns a description of the first part of a filter that no index serves. `first` is the first
/// sort key for which the filter allows several values. Returns `None` if an index can serve the
/// filter.
fn hindrance(resource: &ResourceModel, filter: &Filter, first: Option<FieldIx>) -> Option<String> {
    match filter {
        Filter::Test {
            subject: TestSubject::Field(field),
            op: Op::Lt | Op::Lte | Op::Gt | Op::Gte | Op::Between | Op::NotNull,
            ..
        } => {
            let name = name(resource, *field);
            (Some(*field) != first)
                .then(|| format!("a range of `{name}` in another order than `sortby={name}`"))
        }
        Filter::Test { subject: TestSubject::Field(field), op, .. } => {
            Some(format!("`{}[{}]`", name(resource, *field), op.name()))
        }
        Filter::Test { .. } | Filter::Compared(_) | Filter::Related(_) | Filter::Given(()) => {
            Some("a test of related members".into())
        }
        Filter::All(parts) => parts.iter().find_map(|part| hindrance(resource, part, first)),
        Filter::Any(_) => Some("alternatives (`|`) with a sort order".into()),
        Filter::Not(part) => hindrance(resource, part, None),
    }
}

/// Appends the name of the query parameter of each test in a filter, such as `name` or `age[gt]`.
fn tests(resource: &ResourceModel, filter: &Filter, to: &mut Vec<String>) {
    match filter {
        Filter::All(parts) | Filter::Any(parts) => {
            parts.iter().for_each(|part| tests(resource, part, to));
        }
        Filter::Not(part) => tests(resource, part, to),
        one => to.extend(one.own_test().map(|(field, op)| match op {
            Op::Eq => name(resource, field).into(),
            op => format!("{}[{}]", name(resource, field), op.name()),
        })),
    }
}

fn signed(resource: &ResourceModel, field: FieldIx, descending: bool) -> String {
    format!("{}{}", if descending { "-" } else { "" }, name(resource, field))
}

/// Returns the name of a field in the declaration. A field that is not declared, such as the id,
/// has the name of its column.
fn name(resource: &ResourceModel, field: FieldIx) -> &str {
    let field = &resource[field];
    field.def.map_or(field.column, |def| def.name)
}

#[cfg(test)]
mod tests;
