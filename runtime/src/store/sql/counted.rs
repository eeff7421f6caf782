//! PostgreSQL statements that read or increase the counters of tables together with the rows. So a
//! plan is a single statement, which sees one state of the database.

use super::{Dialect, literal, quoted, text::SqlText};
use crate::{
    model::{Model, ResourceIx},
    plan::{RuleRow, Shape},
};

/// What locks the account of the caller until the write is done.
const HELD: &str = " FOR SHARE OF t";

/// A statement that writes one member, and that increases the counter of its table first, in one
/// slot. It also tests all that the write depends on. If it does not find the member with the
/// expected revision, or not the account, it changes nothing. If a rule forbids the written row, or
/// its creator to read it, the statement fails.
///
/// Its parameters are those of the shape, with the time and the revision, and then these:
///
/// 1. for an update or a deletion, the revision that the member must have, or NULL for any
/// 2. for a deletion, the time
/// 3. the slot
/// 4. for an insert, the values of the rule that says who may read the member
/// 5. those of the statement that finds the account
pub(crate) struct CountedWrite<'w> {
    pub(crate) shape: &'w Shape,
    /// The table whose counter is increased.
    pub(crate) table: ResourceIx,
    /// The statement that finds the account of the caller, if the write depends on it.
    pub(crate) account: Option<&'w Shape>,
}

impl CountedWrite<'_> {
    /// Returns the text. `None` if the shape does not write one member.
    pub(crate) fn text(&self, model: &Model) -> Option<String> {
        let mut text = SqlText::new(model, Dialect::Postgres, self.shape);
        text.is_counted = true;
        let before = text.values();
        match self.shape {
            Shape::Insert { columns, view, .. } => text.insert(columns, *view),
            Shape::Update { columns, merged, view, .. } => text.update(columns, merged, *view),
            Shape::Delete { .. } => text.delete(),
            _ => return None,
        }
        let stamps = text.values();
        let is_insert = matches!(self.shape, Shape::Insert { .. });
        let expected = (!is_insert).then(|| text.next());
        let time = match self.shape {
            Shape::Delete { .. } => text.next(),
            _ => stamps - 1,
        };
        let slot = text.next();
        if let Some(rule) = self.shape.shows(model) {
            let bound = text.values();
            let row = quoted(text.resource().def.table);
            text.push(", ");
            text.demanded(|text| text.condition(rule, bound, row.into()));
            text.rebind(bound + rule.values.len());
        }
        let (main, bound) = (text.take(), text.values());
        text.push("WITH ");
        if let Some(account) = self.account {
            let mut found = SqlText::after(bound, model, Dialect::Postgres, account);
            found.statement(account);
            text.push("_account AS (");
            text.push(&found.finish());
            text.push(HELD);
            text.push("), ");
        }
        text.push("_counted AS (UPDATE \"_nouns_counters\" SET \"count\" = \"count\" + 1, \"changed_at\" = ");
        text.parameter(time);
        text.push(" WHERE \"slot\" = ");
        text.parameter(slot);
        text.push(" AND \"name\" = ");
        text.push(&literal(model[self.table].def.table));
        if self.account.is_some() {
            text.push(" AND EXISTS (SELECT 1 FROM _account)");
        }
        if is_insert && text.nested() {
            text.push(" AND ");
            text.whole();
        }
        if let Some(expected) = expected {
            text.push(" AND EXISTS (SELECT 1 FROM ");
            text.table();
            text.rebind(before);
            text.by_id();
            text.and_rule(RuleRow::Changed, "t".into());
            text.rebind(expected - 1);
            text.and_revision();
            text.push(")");
        }
        text.push(" RETURNING set_config('nouns.own', '1', true)) ");
        text.push(&main);
        Some(text.take())
    }
}

/// Returns the text of a statement that reads, with the state of these tables. After the cells of
/// each row follows whether there is a row at all, and then the sum of the counters and the time of
/// the last change of each table. So there is always a row.
///
/// The rows keep their order: the join has one row on its outer side, and no condition that
/// another kind of join could use.
pub(crate) fn with_state(shape: &Shape, model: &Model, tables: &[ResourceIx]) -> String {
    let state = |(at, table): (usize, &ResourceIx)| {
        let name = literal(model[*table].def.table);
        format!(
            "(SELECT CAST(sum(\"count\") AS bigint) AS n, max(\"changed_at\") AS at FROM \"_nouns_counters\" \
             WHERE \"name\" = {name}) AS s{at}"
        )
    };
    let columns: String = (0..tables.len()).map(|at| format!(", s{at}.n, s{at}.at")).collect();
    let states: Vec<_> = tables.iter().enumerate().map(state).collect();
    format!(
        "SELECT l.*{columns} FROM {} LEFT JOIN (SELECT p.*, TRUE AS {} FROM ({}) AS p) AS l ON TRUE",
        states.join(" CROSS JOIN "),
        quoted("_found"),
        super::text(shape, model, Dialect::Postgres),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{
            FieldIx, View,
            def::{ApiDef, ResourceDef},
        },
        plan::Place,
    };

    static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
    static API: ApiDef = ApiDef { resources: &[&ZOO], ..ApiDef::new("Zoos") };
    const ZOOS: ResourceIx = ResourceIx(0);

    fn spelled(shape: &Shape) -> Option<String> {
        let write = CountedWrite { shape, table: ZOOS, account: None };
        write.text(&Model::link(&API).unwrap())
    }

    #[test]
    fn the_counters_are_increased_before_the_rows_are_written() {
        let (place, view) = (Place::new(ZOOS, 0), View::Shown);
        let increase = |time: usize, slot: usize, condition: &str| {
            format!(
                "WITH _counted AS (UPDATE \"_nouns_counters\" SET \"count\" = \"count\" + 1, \"changed_at\" = ${time} \
                 WHERE \"slot\" = ${slot} AND \"name\" = 'zoos'{condition} RETURNING set_config('nouns.own', '1', true)) "
            )
        };
        let expected =
            |at: usize| format!(" AND (CAST(${at} AS bigint) IS NULL OR t.\"revision\" = ${at})");
        let exists = |at: usize| {
            let expected = expected(at);
            format!(" AND EXISTS (SELECT 1 FROM \"zoos\" AS t WHERE t.\"id\" = $1{expected})")
        };
        let main = |text: &str, start: &str| text.strip_prefix(start).unwrap().to_owned();
        let insert = spelled(&Shape::Insert { place, columns: vec![FieldIx::ID], view }).unwrap();
        assert_eq!(
            main(&insert, &increase(2, 4, "")),
            "INSERT INTO \"zoos\" (\"id\", \"created_at\", \"updated_at\", \"revision\") \
             SELECT CAST($1 AS bigint), CAST($2 AS timestamptz), CAST($2 AS timestamptz), CAST($3 AS bigint) \
             WHERE EXISTS (SELECT 1 FROM _counted) RETURNING \"revision\", \"id\", \"created_at\", \"updated_at\""
        );
        let (columns, merged) = (vec![], vec![]);
        let update = spelled(&Shape::Update { place, columns, merged, view }).unwrap();
        assert_eq!(
            main(&update, &increase(2, 5, &exists(4))),
            "UPDATE \"zoos\" AS t SET \"updated_at\" = _nouns_after(t.\"updated_at\", $2), \"revision\" = $3 \
             WHERE t.\"id\" = $1 AND EXISTS (SELECT 1 FROM _counted)"
                .to_owned()
                + &expected(4)
                + " RETURNING \"revision\", \"id\", \"created_at\", \"updated_at\""
        );
        let delete = spelled(&Shape::Delete { place }).unwrap();
        assert_eq!(
            main(&delete, &increase(3, 4, &exists(2))),
            "DELETE FROM \"zoos\" AS t WHERE t.\"id\" = $1 AND EXISTS (SELECT 1 FROM _counted)"
                .to_owned()
                + &expected(2)
        );
        assert_eq!(spelled(&Shape::Exists { place }), None, "it writes nothing");
    }

    #[test]
    fn an_account_is_held_before_the_counters_are_increased() {
        let place = Place::new(ZOOS, 0);
        let (shape, account) = (Shape::Delete { place }, Shape::Exists { place });
        let write = CountedWrite { shape: &shape, table: ZOOS, account: Some(&account) };
        let text = write.text(&Model::link(&API).unwrap()).unwrap();
        let start = "WITH _account AS (SELECT 1 FROM \"zoos\" AS t WHERE t.\"id\" = $5 FOR SHARE OF t), \
                     _counted AS (UPDATE \"_nouns_counters\"";
        assert!(text.starts_with(start), "{text}");
        let condition = "\"name\" = 'zoos' AND EXISTS (SELECT 1 FROM _account) AND EXISTS (SELECT 1 FROM \"zoos\"";
        assert!(text.contains(condition), "{text}");
    }

    #[test]
    fn a_page_is_read_with_the_state_of_its_tables() {
        let shape = Shape::Exists { place: Place::new(ZOOS, 0) };
        assert_eq!(
            with_state(&shape, &Model::link(&API).unwrap(), &[ZOOS]),
            "SELECT l.*, s0.n, s0.at FROM (SELECT CAST(sum(\"count\") AS bigint) AS n, max(\"changed_at\") AS at \
             FROM \"_nouns_counters\" WHERE \"name\" = 'zoos') AS s0 LEFT JOIN (SELECT p.*, TRUE AS \"_found\" FROM \
             (SELECT 1 FROM \"zoos\" AS t WHERE t.\"id\" = $1) AS p) AS l ON TRUE"
        );
    }
}
