//! Which index serves a list, and which line of a declaration would make one.
//!
//! The checker of declarations has the same rule for what a declaration promises, and a test
//! compares that one with what SQLite does; this one has the tests below.

use super::{
    index,
    record::{Index, Key},
};
use crate::{
    model::{FieldIx, Model, Place, Resource, SortKey},
    plan::{Filter, Op},
};

/// What a list asks for, in the words of a query, and what would make it fast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    pub(crate) filter: String,
    pub(crate) order: String,
    pub(crate) advice: String,
}

impl Advice {
    /// On a list at a place.
    pub(crate) fn on(model: &Model, place: Place, filter: &Filter, sort: &[SortKey]) -> Self {
        let resource = &model[place.resource];
        let list = List::of(resource, place, filter, sort);
        let order =
            sort.iter().map(|key| signed(resource, key.field, key.descending)).collect::<Vec<_>>();
        let mut tests =
            list.parent().map(|parent| name(resource, parent).to_owned()).into_iter().collect();
        self::tests(resource, filter, &mut tests);
        tests.dedup();
        Self { filter: tests.join(","), order: order.join(","), advice: list.advice() }
    }
}

/// A list, as far as an index can serve it.
struct List<'m> {
    resource: &'m Resource,
    nested: bool,
    /// The fields of which all that are found have one value, that of the parent first.
    equal: Vec<FieldIx>,
    /// What an index would have to have after them.
    order: Vec<Key>,
    sort: &'m [SortKey],
    /// What no index serves.
    hindered: Option<String>,
}

impl<'m> List<'m> {
    fn of(resource: &'m Resource, place: Place, filter: &Filter, sort: &'m [SortKey]) -> Self {
        let nested = place.depth > 0;
        let mut equal: Vec<_> =
            resource.parent.filter(|_| nested).map(|(_, field)| field).into_iter().collect();
        let parts = match filter {
            Filter::All(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let fixed = |part: &Filter| match part {
            Filter::Test { field, op: Op::Eq | Op::Null } => Some(*field),
            _ => None,
        };
        equal.extend(parts.iter().filter_map(fixed));
        equal.dedup();
        let first = sort.iter().find(|key| !equal.contains(&key.field)).map(|key| key.field);
        let mut rest = parts.iter().filter(|part| fixed(part).is_none());
        let hindered = rest.find_map(|part| hindrance(resource, part, first));
        let order = index::list(resource, None, None, sort).keys;
        let is_equal = |key: &Key| equal.iter().any(|field| resource[*field].column == key.column);
        let order = order.into_iter().filter(|key| !is_equal(key)).collect();
        Self { resource, nested, equal, order, sort, hindered }
    }

    fn parent(&self) -> Option<FieldIx> {
        self.equal.first().copied().filter(|_| self.nested)
    }

    fn advice(&self) -> String {
        if let Some(hindered) = &self.hindered {
            return format!("no index serves {hindered}");
        }
        if self.is_served_by_key()
            || index::of(self.resource).iter().any(|index| self.is_served_by(index))
        {
            return "an index serves it; what takes long is a large page, an `offset`, a count, or many members with one value".into();
        }
        if let Some(field) = self.own_index() {
            let field = name(self.resource, field);
            return format!("add `index: true` to `{field}`");
        }
        match self.set() {
            Some(set) => format!("add `indexes: [[{set}]]`"),
            None => "only as the default order, `sort`, is such an order served by an index".into(),
        }
    }

    /// Whether it is one member, or all of them by their ids.
    fn is_served_by_key(&self) -> bool {
        let first = self.sort.first().map(|key| key.field);
        self.equal.contains(&FieldIx::ID) || self.equal.is_empty() && first == Some(FieldIx::ID)
    }

    /// Whether an index finds one member at most, or has what is equal at its beginning and the
    /// order after it, whichever way it is read; the id decides among equal ones alone, which are
    /// few.
    fn is_served_by(&self, index: &Index) -> bool {
        let resource = self.resource;
        let is_equal = |key: &Key| {
            !key.apart && self.equal.iter().any(|field| resource[*field].column == key.column)
        };
        if index.unique && index.keys.iter().all(is_equal) {
            return true;
        }
        let (before, after) = index.keys.split_at(index.keys.len().min(self.equal.len()));
        if before.len() < self.equal.len() || !before.iter().all(is_equal) {
            return false;
        }
        let order = match self.order.as_slice() {
            [keys @ .., last]
                if last.column == resource[FieldIx::ID].column && !keys.is_empty() =>
            {
                keys
            }
            keys => keys,
        };
        let by_rowid = [index::key(resource, FieldIx::ID, false)];
        let after = if after.is_empty() { by_rowid.as_slice() } else { after };
        [false, true].into_iter().any(|turned| {
            let same = |(key, of): (&Key, &Key)| {
                (&key.column, key.apart, key.descending != turned)
                    == (&of.column, of.apart, of.descending)
            };
            after.len() >= order.len() && order.iter().zip(after).all(same)
        })
    }

    /// The field whose own index would do.
    fn own_index(&self) -> Option<FieldIx> {
        let resource = self.resource;
        let own = if self.nested { &self.equal[1..] } else { self.equal.as_slice() };
        let field = match own {
            [field] => *field,
            [] => self.sort.first()?.field,
            _ => return None,
        };
        let may = resource[field].def.is_some_and(|def| !def.index)
            && (self.nested || resource.at_top())
            && if own.is_empty() { resource[field].sortable } else { resource[field].filterable };
        let made = index::own(resource, field).into_iter();
        (may && made.into_iter().any(|index| self.is_served_by(&index))).then_some(field)
    }

    /// The fields of an index that would do, by their declared names.
    fn set(&self) -> Option<String> {
        let mut keys: Vec<Key> =
            self.equal.iter().map(|field| index::key(self.resource, *field, false)).collect();
        let order = self.order.iter().map(|key| Key { descending: false, ..key.clone() });
        keys.extend(order);
        let proposed = Index { keys, unique: false };
        let names = proposed.keys.iter().filter_map(|key| {
            let (ix, _) = self.resource.indexed().find(|(_, field)| field.column == key.column)?;
            (ix != FieldIx::ID).then(|| name(self.resource, ix))
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let is_plain = !proposed.keys.iter().any(|key| key.apart);
        (is_plain && !names.is_empty() && self.is_served_by(&proposed)).then_some(names)
    }
}

/// What of a filter no index serves, in an order that begins with a field.
fn hindrance(resource: &Resource, filter: &Filter, first: Option<FieldIx>) -> Option<String> {
    match filter {
        Filter::Test {
            field,
            op: Op::Lt | Op::Lte | Op::Gt | Op::Gte | Op::Between | Op::NotNull,
        } => {
            let name = name(resource, *field);
            (Some(*field) != first)
                .then(|| format!("a range of `{name}` in another order than `sortby={name}`"))
        }
        Filter::Test { field, op } => Some(format!("`{}[{}]`", name(resource, *field), op.name())),
        Filter::All(parts) => parts.iter().find_map(|part| hindrance(resource, part, first)),
        Filter::Any(_) => Some("alternatives in an order".into()),
        Filter::Not(part) => hindrance(resource, part, None),
    }
}

/// Each test of a filter, as a query names it.
fn tests(resource: &Resource, filter: &Filter, to: &mut Vec<String>) {
    match filter {
        Filter::All(parts) | Filter::Any(parts) => {
            parts.iter().for_each(|part| tests(resource, part, to))
        }
        Filter::Not(part) => tests(resource, part, to),
        Filter::Test { field, op: Op::Eq } => to.push(name(resource, *field).into()),
        Filter::Test { field, op } => to.push(format!("{}[{}]", name(resource, *field), op.name())),
    }
}

fn signed(resource: &Resource, field: FieldIx, descending: bool) -> String {
    format!("{}{}", if descending { "-" } else { "" }, name(resource, field))
}

/// The declared name of a field; those that nobody declares have the names of their columns.
fn name(resource: &Resource, field: FieldIx) -> &str {
    let field = &resource[field];
    field.def.map_or(field.column, |def| def.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::def::{
            ApiDef, FieldDef, FieldKind, OnDelete, ParentDef, ResourceDef, Routes, SortDef,
        },
        request::action::Query,
    };

    static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
    static ANIMAL: ResourceDef = ResourceDef {
        parent: Some(ParentDef {
            resource: "zoo",
            field: "zoo_id",
            on_delete: OnDelete::Restrict,
            movable: false,
            required: true,
        }),
        routes: Routes::Both,
        fields: &[
            FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) },
            FieldDef { index: true, ..FieldDef::new("status", FieldKind::String) },
            FieldDef { column: "birthday", ..FieldDef::new("born", FieldKind::Date) },
            FieldDef { unique: true, ..FieldDef::new("chip", FieldKind::Integer) },
        ],
        sort: &[SortDef { field: "name", descending: false }],
        ..ResourceDef::new("animal", "animals", "Animal")
    };
    static API: ApiDef = ApiDef { resources: &[&ZOO, &ANIMAL], ..ApiDef::new("Zoos") };

    const SERVED: &str = "an index serves it; what takes long is a large page, an `offset`, a count, or many members with one value";

    fn advice(depth: u8, query: &str) -> Advice {
        let model = Model::link(&API).unwrap();
        let resource = model.resources().iter().find(|one| one.def.name == "animal").unwrap();
        let query = Query::parse(resource, &[], Some(query)).unwrap();
        Advice::on(&model, Place::new(resource.ix, depth), &query.predicate.split().0, &query.sort)
    }

    #[test]
    fn each_question_has_the_line_that_makes_it_fast() {
        for (depth, query, said) in [
            (1, "", SERVED),
            (0, "", SERVED),
            (1, "status=ill", SERVED),
            (0, "status=ill&sortby=-name", SERVED),
            (1, "sortby=-status", SERVED),
            (1, "chip=7&sortby=born", SERVED),
            (1, "id=7&sortby=born", SERVED),
            (1, "name[gte]=m", SERVED),
            (1, "born=2026-01-01", "add `index: true` to `born`"),
            (0, "born[null]=true", "add `index: true` to `born`"),
            (1, "sortby=-born", "add `index: true` to `born`"),
            (1, "sortby=chip", "add `index: true` to `chip`"),
            (1, "status=ill&sortby=born", "add `indexes: [[zoo_id, status, born]]`"),
            (0, "status=ill&sortby=-born", "add `indexes: [[status, born]]`"),
            (1, "status=ill&born=2026-01-01", "add `indexes: [[zoo_id, status, born, name]]`"),
            (1, "sortby=status,name", SERVED),
            (1, "sortby=chip,name", "add `index: true` to `chip`"),
            (1, "status=ill&sortby=chip,name", "add `indexes: [[zoo_id, status, chip, name]]`"),
            (
                1,
                "sortby=name,born",
                "only as the default order, `sort`, is such an order served by an index",
            ),
            (
                1,
                "sortby=-born,name",
                "only as the default order, `sort`, is such an order served by an index",
            ),
            (1, "name[contains]=x", "no index serves `name[contains]`"),
            (1, "status[in]=ill,well", "no index serves `status[in]`"),
            (
                1,
                "born[gt]=2026-01-01",
                "no index serves a range of `born` in another order than `sortby=born`",
            ),
            (1, "born[gt]=2026-01-01&sortby=born", "add `index: true` to `born`"),
        ] {
            assert_eq!(advice(depth, query).advice, said, "at {depth}: {query}");
        }
    }

    #[test]
    fn a_question_is_told_in_the_words_of_a_query() {
        let asked = advice(1, "born[gte]=2026-01-01&status=ill&sortby=-born");
        assert_eq!((&*asked.filter, &*asked.order), ("zoo_id,status,born[gte]", "-born,-id"));
    }
}
