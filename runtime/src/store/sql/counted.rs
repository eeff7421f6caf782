//! PostgreSQL statements that read or increase the counters of tables together with the rows. So a
//! plan is a single statement, which sees one state of the database.

use super::{
    Dialect,
    batch::BatchRows,
    literal,
    parameters::{Origin, SqlStatement},
    quoted,
    text::SqlText,
};
use crate::{
    model::{FieldIx, Model, ResourceIx},
    plan::{Columns, Part, RuleRow, Shape},
};

/// The SQL that locks the account of the caller until the write is done.
const HELD: &str = " FOR SHARE OF t";

/// A statement that writes one member, and that increases the counter of its table first, in one
/// slot. It also tests all that the write depends on. If it does not find the member with the
/// expected revision, or not the account, it changes nothing. If a rule forbids the written row, or
/// its creator to read it, the statement fails.
pub(crate) struct CountedWrite<'w> {
    pub(crate) shape: &'w Shape,
    /// The statement that finds the account of the caller, if the write depends on it.
    pub(crate) account: Option<&'w Shape>,
}

impl CountedWrite<'_> {
    /// Returns the statement. `None` if the shape does not write one member.
    pub(crate) fn statement(&self, model: &Model) -> Option<SqlStatement> {
        self.spell(model, None)
    }

    /// Returns the statement that writes a batch: several members, each with values of its own. It
    /// gets the types of the parameters of [`statement`](Self::statement), and has the same
    /// parameters. Those that differ between the members are arrays. The counter has a time of its
    /// own.
    ///
    /// A member that is not found is left out. `None` if the shape neither creates nor changes a
    /// member.
    pub(crate) fn batch(&self, model: &Model, types: &[&str]) -> Option<SqlStatement> {
        self.spell(model, Some(types)).filter(|_| !matches!(self.shape, Shape::Delete { .. }))
    }

    fn spell(&self, model: &Model, types: Option<&[&str]>) -> Option<SqlStatement> {
        let mut text = SqlText::new(model, Dialect::Postgres, self.shape);
        text.is_counted = true;
        text.batch = types.map(|types| BatchRows { types });
        let time = match types {
            Some(_) => Origin::CounterTime,
            None => Origin::Time,
        };
        // A batch names all its arrays in `unnest`, so each needs its number before.
        self.number(&mut text, &time);
        match self.shape {
            Shape::Insert { columns, view, .. } => text.insert(columns, *view),
            Shape::Update { columns, merged, view, .. } => text.update(columns, merged, *view),
            Shape::Delete { .. } => text.delete(),
            _ => return None,
        }
        if let Some(rule) = self.shape.shows(model) {
            let row = quoted(text.resource().def.table);
            let before = text.reserve(rule);
            text.push(", ");
            text.demanded(|text| text.rule_of(rule, before, row.into()));
        }
        let main = text.take();
        text.push("WITH ");
        self.account(&mut text);
        self.increase(&mut text, time);
        if !matches!(self.shape, Shape::Insert { .. }) {
            text.push(" AND EXISTS (SELECT 1 FROM ");
            text.table();
            text.batch_rows(", ");
            text.by_id();
            text.and_rule(RuleRow::Changed, "t".into());
            text.and_revision();
            text.push(")");
        }
        text.push(" RETURNING set_config('nouns.own', '1', true)) ");
        text.push(&main);
        Some(text.finish())
    }

    /// Gives the parameters their numbers.
    fn number(&self, text: &mut SqlText<'_>, time: &Origin) {
        let stamps = [Origin::Time, Origin::Revision];
        let columns = |set: &Vec<FieldIx>| (0..).take(set.len()).map(Origin::Column);
        let origins: Vec<_> = match self.shape {
            Shape::Insert { columns: set, .. } => columns(set).chain(stamps).collect(),
            Shape::Update { columns: set, .. } => {
                let id = std::iter::once(Origin::Id);
                id.chain(columns(set)).chain(stamps).chain([Origin::Expected]).collect()
            }
            _ => vec![Origin::Id, Origin::Expected],
        };
        let further = if *time == Origin::Time {
            [Origin::Time, Origin::Slot]
        } else {
            [Origin::Slot, Origin::CounterTime]
        };
        for origin in origins.into_iter().chain(further) {
            text.number(origin);
        }
    }

    /// Writes the part that finds and locks the account of the caller.
    fn account(&self, text: &mut SqlText<'_>) {
        let Some(account) = self.account else { return };
        text.push("_account AS (");
        let found = text.of_account(account);
        text.push(&found);
        text.push(HELD);
        text.push("), ");
    }

    /// Writes the increase of the counter, without its end: conditions may follow.
    fn increase(&self, text: &mut SqlText<'_>, time: Origin) {
        text.push("_counted AS (UPDATE \"_nouns_counters\" SET \"count\" = \"count\" + 1, \"changed_at\" = ");
        text.bind(time);
        text.push(" WHERE \"slot\" = ");
        text.bind(Origin::Slot);
        text.push(" AND \"name\" = ");
        text.push(&literal(text.resource().def.table));
        if self.account.is_some() {
            text.push(" AND EXISTS (SELECT 1 FROM _account)");
        }
        if matches!(self.shape, Shape::Insert { .. }) && text.nested() {
            text.push(" AND ");
            text.in_any_row(SqlText::whole);
        }
    }
}

/// Returns a statement that reads a page, with the state of these tables. The first row
/// is the state. Its cells come after those of a member: the sum of the counters of each table, and
/// the time of the last change. Its first cell is the total number of members, if `count` is the
/// shape that counts them. `None` if the shapes are not those of a page.
///
/// The rows keep their order: the server appends them to the first one, as its statements on lanes
/// have no parallel plans.
pub(crate) fn with_state(
    shape: &Shape,
    count: Option<&Shape>,
    model: &Model,
    tables: &[ResourceIx],
) -> Option<SqlStatement> {
    let Shape::List { filter, part, .. } = shape else { return None };
    let more = Columns::of(model, shape)?.rows() - 1 + usize::from(*part == Part::Earlier);
    let names: Vec<_> = tables.iter().map(|table| literal(model[*table].def.table)).collect();
    let sum =
        |name: &String| format!("CAST(sum(\"count\") FILTER (WHERE \"name\" = {name}) AS bigint)");
    let sums: Vec<_> = names.iter().map(sum).collect();
    let mut text = SqlText::new(model, Dialect::Postgres, shape);
    text.statement(shape);
    let page = text.take();
    match count {
        // Both have the same filter, and so the same parameters.
        Some(Shape::Count { filter: counted, .. }) if counted == filter => {
            text.push("(");
            text.count(filter);
            text.push(")");
        }
        Some(_) => return None,
        None => text.push("NULL"),
    }
    let first = text.take();
    text.push(&format!(
        "SELECT {first}, {}{}, max(\"changed_at\") FROM \"_nouns_counters\" WHERE \"name\" IN ({}) \
         UNION ALL SELECT p.*, {}NULL FROM ({page}) AS p",
        "NULL, ".repeat(more),
        sums.join(", "),
        names.join(", "),
        "NULL, ".repeat(sums.len()),
    ));
    Some(text.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{
            FieldIx, View,
            def::{ApiDef, ResourceDef},
        },
        plan::{Filter, Place},
        store::sql,
    };

    static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
    static API: ApiDef = ApiDef { resources: &[&ZOO], ..ApiDef::new("Zoos") };
    const ZOOS: ResourceIx = ResourceIx(0);

    fn spelled(shape: &Shape) -> Option<String> {
        let write = CountedWrite { shape, account: None };
        write.statement(&Model::link(&API).unwrap()).map(|statement| statement.text)
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
        let write = CountedWrite { shape: &shape, account: Some(&account) };
        let text = write.statement(&Model::link(&API).unwrap()).unwrap().text;
        let start = "WITH _account AS (SELECT 1 FROM \"zoos\" AS t WHERE t.\"id\" = $5 FOR SHARE OF t), \
                     _counted AS (UPDATE \"_nouns_counters\"";
        assert!(text.starts_with(start), "{text}");
        let condition = "\"name\" = 'zoos' AND EXISTS (SELECT 1 FROM _account) AND EXISTS (SELECT 1 FROM \"zoos\"";
        assert!(text.contains(condition), "{text}");
    }

    #[test]
    fn a_batch_writes_several_members() {
        let (place, view) = (Place::new(ZOOS, 0), View::Shown);
        let model = Model::link(&API).unwrap();
        let batch = |shape: &Shape, types: &[&str]| {
            let batch = CountedWrite { shape, account: None }.batch(&model, types);
            batch.map(|statement| statement.text)
        };
        let (columns, merged) = (vec![], vec![]);
        let update = batch(
            &Shape::Update { place, columns, merged, view },
            &["int8", "timestamptz", "int8", "int8", "int4"],
        );
        let rows = "unnest(CAST($1 AS int8[]), CAST($2 AS timestamptz[]), CAST($3 AS int8[]), CAST($4 AS int8[])) \
                    AS _v(_p1, _p2, _p3, _p4)";
        let condition = "t.\"id\" = _v._p1";
        let expected = "(CAST(_v._p4 AS bigint) IS NULL OR t.\"revision\" = _v._p4)";
        assert_eq!(
            update.unwrap(),
            format!(
                "WITH _counted AS (UPDATE \"_nouns_counters\" SET \"count\" = \"count\" + 1, \"changed_at\" = $6 \
                 WHERE \"slot\" = $5 AND \"name\" = 'zoos' AND EXISTS (SELECT 1 FROM \"zoos\" AS t, {rows} \
                 WHERE {condition} AND {expected}) RETURNING set_config('nouns.own', '1', true)) \
                 UPDATE \"zoos\" AS t SET \"updated_at\" = _nouns_after(t.\"updated_at\", _v._p2), \"revision\" = _v._p3 \
                 FROM {rows} WHERE {condition} AND EXISTS (SELECT 1 FROM _counted) AND {expected} \
                 RETURNING \"revision\", \"id\", \"created_at\", \"updated_at\""
            )
        );
        assert_eq!(batch(&Shape::Delete { place }, &[]), None, "a deletion has no batch");
    }

    #[test]
    fn a_page_is_read_after_the_state_of_its_tables_and_its_total() {
        let (place, part) = (Place::new(ZOOS, 0), Part::Counted);
        let selection = View::Shown.into();
        let (filter, sort, beyond) = (Filter::EVERY, vec![], vec![]);
        let shape = Shape::List { place, filter, sort, selection, part, beyond };
        let model = Model::link(&API).unwrap();
        let page = sql::text(&shape, &model, Dialect::Postgres);
        let text = |count| with_state(&shape, count, &model, &[ZOOS]).map(|found| found.text);
        let expected = |first: &str| {
            format!(
                "SELECT {first}, NULL, NULL, NULL, CAST(sum(\"count\") FILTER (WHERE \"name\" = 'zoos') AS bigint), max(\"changed_at\") \
                 FROM \"_nouns_counters\" WHERE \"name\" IN ('zoos') UNION ALL SELECT p.*, NULL, NULL FROM ({page}) AS p"
            )
        };
        assert_eq!(text(None).unwrap(), expected("NULL"));
        let count = Shape::Count { place, filter: Filter::EVERY };
        let total = expected("(SELECT count(*) FROM \"zoos\" AS t)");
        assert_eq!(text(Some(&count)).unwrap(), total);
        let exists = Shape::Exists { place };
        assert_eq!(text(Some(&exists)), None);
        assert!(with_state(&exists, None, &model, &[ZOOS]).is_none());
    }
}
