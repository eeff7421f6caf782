//! PostgreSQL statements that read or increase the counters of tables together with the rows. So a
//! plan is a single statement, which sees one state of the database.

use super::{Dialect, literal, quoted, text::SqlText};
use crate::{
    model::{Model, ResourceIx},
    plan::{RuleRow, Shape},
};

/// What is true once the counters are increased. It reads the result of the increase, so the
/// counters are locked before the rows.
const IS_COUNTED: &str = "(SELECT count(*) FROM _counted) > 0";

/// Returns the text of a statement that writes one member, and that increases the counters of these
/// tables first, in one slot. If there is no such member, nothing is increased.
///
/// The parameters are those of the statement. Those of a deletion are followed by the time, and all
/// by the slot. `None` if the shape does not write one member.
pub(crate) fn counted(shape: &Shape, model: &Model, tables: &[ResourceIx]) -> Option<String> {
    let mut text = SqlText::new(model, Dialect::Postgres, shape);
    text.gate = Some(IS_COUNTED);
    let before = text.values();
    match shape {
        Shape::Insert { columns, view, .. } => text.insert(columns, *view),
        Shape::Update { columns, merged, view, .. } => text.update(columns, merged, *view),
        Shape::Delete { .. } => text.delete(),
        _ => return None,
    }
    let main = text.take();
    let is_insert = matches!(shape, Shape::Insert { .. });
    let time = match shape {
        Shape::Delete { .. } => text.next(),
        _ => text.values() - 1,
    };
    let slot = text.next();
    text.push("WITH _counted AS (UPDATE \"_nouns_counters\" SET \"count\" = \"count\" + 1, \"changed_at\" = ");
    text.parameter(time);
    text.push(" WHERE \"slot\" = ");
    text.parameter(slot);
    text.push(" AND \"name\" IN (");
    text.push(&names(model, tables));
    text.push(")");
    if is_insert && text.nested() {
        text.push(" AND ");
        text.whole();
    } else if !is_insert {
        text.push(" AND EXISTS (SELECT 1 FROM ");
        text.table();
        text.rebind(before);
        text.by_id();
        text.and_rule(RuleRow::Changed, "t".into());
        text.push(")");
    }
    text.push(" RETURNING set_config('nouns.own', '1', true)) ");
    text.push(&main);
    Some(text.take())
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

/// The names of tables, as SQL literals.
fn names(model: &Model, tables: &[ResourceIx]) -> String {
    let names: Vec<_> = tables.iter().map(|table| literal(model[*table].def.table)).collect();
    names.join(", ")
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
        counted(shape, &Model::link(&API).unwrap(), &[ZOOS])
    }

    #[test]
    fn the_counters_are_increased_before_the_rows_are_written() {
        let (place, view) = (Place::new(ZOOS, 0), View::Shown);
        let increase = |time, slot, condition| {
            format!(
                "WITH _counted AS (UPDATE \"_nouns_counters\" SET \"count\" = \"count\" + 1, \"changed_at\" = ${time} \
                 WHERE \"slot\" = ${slot} AND \"name\" IN ('zoos'){condition} RETURNING set_config('nouns.own', '1', true)) "
            )
        };
        let exists = " AND EXISTS (SELECT 1 FROM \"zoos\" AS t WHERE t.\"id\" = $1)";
        let main = |text: &str, start: &str| text.strip_prefix(start).unwrap().to_owned();
        let insert = spelled(&Shape::Insert { place, columns: vec![FieldIx::ID], view }).unwrap();
        assert_eq!(
            main(&insert, &increase(2, 4, "")),
            "INSERT INTO \"zoos\" (\"id\", \"created_at\", \"updated_at\", \"revision\") \
             SELECT CAST($1 AS bigint), CAST($2 AS timestamptz), CAST($2 AS timestamptz), CAST($3 AS bigint) \
             WHERE (SELECT count(*) FROM _counted) > 0 RETURNING \"revision\", \"id\", \"created_at\", \"updated_at\""
        );
        let (columns, merged) = (vec![], vec![]);
        let update = spelled(&Shape::Update { place, columns, merged, view }).unwrap();
        assert_eq!(
            main(&update, &increase(2, 4, exists)),
            "UPDATE \"zoos\" AS t SET \"updated_at\" = _nouns_after(t.\"updated_at\", $2), \"revision\" = $3 \
             WHERE t.\"id\" = $1 AND (SELECT count(*) FROM _counted) > 0 RETURNING \"revision\", \"id\", \"created_at\", \"updated_at\""
        );
        let delete = spelled(&Shape::Delete { place }).unwrap();
        assert_eq!(
            main(&delete, &increase(2, 3, exists)),
            "DELETE FROM \"zoos\" AS t WHERE t.\"id\" = $1 AND (SELECT count(*) FROM _counted) > 0"
        );
        assert_eq!(spelled(&Shape::Exists { place }), None, "it writes nothing");
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
