//! Tests the checker's warnings about missing indexes against SQLite's query plans. The proposed
//! index must help.

use nouns::{
    __runtime::{
        Model,
        action::{Action, ActionKind, CollectionQuery},
        identify::Caller,
        model::RuleSet,
        plan::{Plan, View},
        route::Chain,
        sql::{self, Dialect},
        value::Value,
    },
    codegen::check_yaml,
    interpret::api_def,
};
use rusqlite::Connection;

/// Returns SQLite's plan of a query for the nested and the flat collection of the animals, as far
/// as these exist. The `bool` is true for the nested one.
fn plans(model: &Model, query: &str) -> Vec<(bool, String)> {
    let connection = Connection::open_in_memory().unwrap();
    let system = "CREATE TABLE _nouns_state (revision INTEGER, stamped_at TEXT); CREATE TABLE _nouns_tables (name, revision, changed_at);";
    connection.execute_batch(&format!("{system}{}", sql::schema(model, Dialect::Sqlite))).unwrap();
    let resource = model.resources().iter().find(|one| one.def.name == "animal").unwrap();
    let nested = resource.parent.is_some() && model.root("zoos").is_some();
    let collections = [
        (nested && resource.def.routes != nouns::__runtime::def::Routes::Flat, true),
        (resource.at_top(), false),
    ];
    let plans = collections.into_iter().filter(|(is_there, _)| *is_there).map(|(_, nested)| {
        let ids = if nested { vec![Value::Integer(1)] } else { vec![] };
        let chain = Chain { resource: resource.ix, ids };
        let query = CollectionQuery::parse(model.seen(RuleSet::NONE), &chain, Some(query)).unwrap();
        let action = Action::of(Caller::Anonymous, ActionKind::List { chain, query });
        let shape = Plan::of(model, &action, View::Shown).steps.remove(0).shape;
        let text = sql::text(&shape, model, Dialect::Sqlite);
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
        let (mut rows, mut plan) = (statement.raw_query(), String::new());
        while let Some(row) = rows.next().unwrap() {
            plan.push_str(&row.get::<_, String>(3).unwrap());
            plan.push('\n');
        }
        (nested, plan)
    });
    plans.collect()
}

/// Checks that an index serves a filter by `born` or the order by `born`, in each collection. The
/// error is the query plan that uses no index.
fn is_served(model: &Model, promise: &str) -> Result<(), String> {
    let query = if promise == "filterable" { "born=2026-01-01" } else { "sortby=born" };
    for (nested, plan) in plans(model, query) {
        let begins = match promise {
            // At most one row has the unique value, so the plan need not search by zoo.
            "filterable" if plan.contains("animals__born__key (born=?)") => true,
            "filterable" => plan.contains("born=?") && (!nested || plan.contains("zoo_id=?")),
            _ => !nested || plan.contains("(zoo_id=?"),
        };
        if !begins || plan.contains("TEMP B-TREE") || plan.lines().any(|line| line == "SCAN t") {
            return Err(plan);
        }
    }
    Ok(())
}

/// The parts of a declaration of animals. `promise` is a key of the field `born`: `filterable` or
/// `sortable`.
struct Animals {
    parent: &'static str,
    id: &'static str,
    sort: &'static str,
    set: &'static str,
    facts: &'static str,
    promise: &'static str,
}

impl Animals {
    /// Returns the text of the declaration, with additional keys of `born`.
    fn with(&self, more: &str) -> String {
        let Self { parent, id, sort, set, facts, promise } = self;
        format!(
            "nouns: 1\nresources:\n  zoo: {{ fields: {{ name: string }} }}\n  animal:\n    {parent}\n    {id}\n    {sort}\n    \
             {set}\n    fields:\n      name: {{ type: string, required: true }}\n      \
             born: {{ type: date, {facts} {more} {promise}: true }}\n"
        )
    }

    fn all() -> Vec<Self> {
        let mut all = vec![];
        for parent in PARENTS {
            for (id, step) in IDS {
                for sort in SORTS.into_iter().step_by(step) {
                    for facts in FACTS {
                        // A unique field has an index. Without statistics, SQLite may choose
                        // another index, so such cases are omitted.
                        let sets = if facts.contains("unique") { &SETS[..1] } else { &SETS };
                        for set in
                            sets.iter().filter(|set| !parent.is_empty() || !set.contains("zoo_id"))
                        {
                            for promise in ["filterable", "sortable"] {
                                all.push(Self { parent, id, sort, set, facts, promise });
                            }
                        }
                    }
                }
            }
        }
        all
    }
}

const PARENTS: [&str; 4] =
    ["", "parent: zoo", "parent: zoo\n    routes: both", "parent: zoo\n    routes: flat"];
const FACTS: [&str; 4] = ["", "required: true,", "unique: true,", "unique: true, required: true,"];
const SORTS: [&str; 7] = [
    "",
    "sort: [name]",
    "sort: [born]",
    "sort: [-born]",
    "sort: [name, born]",
    "sort: [-name, born]",
    "sort: [-name, id]",
];
/// The kinds of ids. Resources with UUIDs are tested with every third sort order only.
const IDS: [(&str, usize); 2] = [("", 1), ("id: uuid", 3)];
const SETS: [&str; 8] = [
    "",
    "indexes: [[born]]",
    "indexes: [[born, name]]",
    "indexes: [[zoo_id, born]]",
    "indexes: [[zoo_id, born, name]]",
    "unique: [[zoo_id, born]]",
    // `[born]` is a prefix of `[born, name]`, so its index is not created.
    "indexes: [[born], [born, name]]",
    "indexes: [[zoo_id, born, id], [zoo_id, born, name]]",
];

#[test]
fn a_warning_is_there_where_no_index_serves_and_its_line_helps() {
    judge(&Animals::all().into_iter().step_by(3).collect::<Vec<_>>());
}

#[test]
#[ignore = "all declarations take ten seconds: `.ci/nightly` runs it"]
fn the_same_of_all_declarations() {
    judge(&Animals::all());
}

fn judge(all: &[Animals]) {
    let mut warned = 0;
    for animals in all {
        let text = animals.with("");
        let checked = check_yaml("zoo.yaml", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
        let served = is_served(&Model::link(api_def(&checked.schema)).unwrap(), animals.promise);
        let is_warned = !checked.warnings.is_empty();
        assert_eq!(
            is_warned,
            served.is_err(),
            "{text}{}: a warning must mean that no index helps: {served:?}",
            checked.warnings
        );
        if is_warned {
            warned += 1;
            let text = animals.with("index: true,");
            let checked = check_yaml("zoo.yaml", &text).unwrap();
            assert!(
                checked.warnings.is_empty(),
                "the key must remove the warning: {text}{}",
                checked.warnings
            );
            let model = Model::link(api_def(&checked.schema)).unwrap();
            is_served(&model, animals.promise).unwrap_or_else(|plan| {
                panic!("the key must make an index serve the query: {text}{plan}")
            });
        }
    }
    assert!(
        warned > all.len() / 4 && warned < all.len() * 3 / 4,
        "too few or too many warnings: {warned} of {}",
        all.len()
    );
}
