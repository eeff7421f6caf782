//! Opening of a store: new databases, existing databases, changed declarations and unusable files.

use std::{fs, sync::Arc};

use nouns_runtime::{
    Model, Store,
    def::{DefaultDef, FieldDef, FieldKind, Literal, OnDelete, ReferenceDef, ResourceDef},
    sql::{self, Dialect},
    store::{Difference, OpenError, StoreOptions},
};
use rusqlite::Connection;

use super::bed::{Bed, changed, field, int, json, leaked, linked, options, text, wait};

fn with_field(def: &mut ResourceDef, field: FieldDef) {
    let mut fields = def.fields.to_vec();
    fields.push(field);
    def.fields = Vec::leak(fields);
}

fn without_field(def: &mut ResourceDef, name: &str) {
    def.fields = Vec::leak(def.fields.iter().copied().filter(|field| field.name != name).collect());
}

fn applying(bed: &Bed) -> StoreOptions {
    options(bed.path()).apply(true)
}

/// Closes the store of a test bed, and opens its file with another model. Returns the applied
/// differences.
fn reopen(bed: Bed, model: Arc<Model>) -> Result<(Bed, Vec<Difference>), OpenError> {
    wait(bed.store.close());
    let pending = Store::open(&model, &options(bed.path()));
    let (store, applied) = Store::open(&model, &applying(&bed))?;
    match pending {
        Err(OpenError::Pending(differences)) => assert_eq!(differences, applied),
        Ok(_) => assert!(applied.is_empty()),
        Err(other) => return Err(other),
    }
    let (store_again, nothing) = Store::open(&model, &options(bed.path()))?;
    assert!(nothing.is_empty());
    drop(store);
    Ok((Bed { store: store_again, model, ..bed }, applied))
}

#[test]
fn a_new_database_has_the_schema_that_its_statements_make() {
    let bed = Bed::new();
    let opened = bed.other();
    let expected = Connection::open_in_memory().unwrap();
    expected.execute_batch(&sql::schema(&bed.model, Dialect::Sqlite)).unwrap();
    let rows = |database: &Connection| -> Vec<String> {
        let mut rows = database
            .prepare(
                "SELECT concat_ws(' ', type, name, tbl_name, sql) FROM sqlite_schema ORDER BY type, name",
            )
            .unwrap();
        let rows = rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap);
        rows.filter(|row: &String| !row.contains(" _nouns_") && !row.contains(" sqlite_")).collect()
    };
    assert_eq!(rows(&opened), rows(&expected));
    assert!(rows(&opened).iter().any(|row| row.starts_with("trigger ")));
    let whole: String = opened.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok");
}

fn whats(differences: &[Difference]) -> Vec<&str> {
    differences.iter().map(|difference| difference.description.as_str()).collect()
}

fn refused(model: &Arc<Model>) -> Vec<String> {
    let bed = Bed::filled();
    wait(bed.store.close());
    match Store::open(model, &applying(&bed)) {
        Err(OpenError::Refused(differences)) => {
            assert!(differences.iter().all(|one| !one.reason.is_empty() && !one.repair.is_empty()));
            differences.into_iter().map(|one| one.description).collect()
        }
        other => panic!("the store must refuse to open with differences, not {other:?}"),
    }
}

#[test]
fn a_new_resource_a_field_and_an_index_are_added() {
    let bed = Bed::filled();
    let mut resources = changed("pupil", |def| {
        with_field(def, FieldDef { index: true, ..FieldDef::new("house", FieldKind::String) });
        let given = Some(DefaultDef::Value(Literal::Integer(7)));
        with_field(
            def,
            FieldDef {
                required: true,
                default: given,
                ..FieldDef::new("points", FieldKind::Integer)
            },
        );
    })
    .api
    .resources
    .to_vec();
    let room = ResourceDef {
        name: "room",
        collection: "rooms",
        table: "rooms",
        rust: "Room",
        ..*resources[5]
    };
    resources.push(leaked(room));
    let (bed, applied) = reopen(bed, linked(resources)).unwrap();
    assert_eq!(
        whats(&applied),
        [
            "The column `pupils.house` is new.",
            "The column `pupils.points` is new.",
            "In `pupils`, `class_id` with `house` with `name` with `id` gets an index.",
            "In `pupils`, `class_id` with `house` with `id` gets an index.",
            "The table `rooms` is new."
        ]
    );
    let pupil = &json(bed.read(&bed.get("pupil", &[1, 1, 1], int(1))).sink)[0];
    assert_eq!((&pupil["points"], &pupil["house"]), (&7.into(), &serde_json::Value::Null));
    bed.add("room", &[], &[("id", text("r1")), ("name", text("Room 1"))]);
    bed.add("pupil", &[1, 1, 1], &[("name", text("Bea"))]);
}

#[test]
fn what_is_loosened_is_rebuilt_around_its_rows() {
    let bed = Bed::filled();
    bed.add("pupil", &[1, 1, 1], &[("name", text("Bea"))]);
    bed.write(bed.delete("pupil", &[1, 1, 1], int(2)));
    let tag = bed.tag("pupil");
    let model = changed("pupil", |def| {
        field(def, "name", |name| name.required = false);
        field(def, "nickname", |name| name.index = false);
        field(def, "enrolled_at", |at| at.default = None);
        with_field(
            def,
            FieldDef {
                default: Some(DefaultDef::Now),
                ..FieldDef::new("seen_at", FieldKind::DateTime)
            },
        );
    });
    let (bed, applied) = reopen(bed, model).unwrap();
    assert_eq!(
        whats(&applied),
        [
            "In `pupils`, `class_id` with `nickname` with `name` with `id` loses an index.",
            "In `pupils`, `class_id` with `nickname` with `id` loses an index.",
            "The column `pupils.name` is no longer required.",
            "The default of `pupils.enrolled_at` has changed.",
            "The column `pupils.seen_at` is new."
        ]
    );
    assert_eq!(bed.tag("pupil"), tag);
    let pupil = &json(bed.read(&bed.get("pupil", &[1, 1, 1], int(1))).sink)[0];
    assert_eq!(pupil["name"], "Ada");
    assert!(pupil["seen_at"].is_string());
    let (id, _) = bed.add("pupil", &[1, 1, 1], &[("name", nouns_runtime::value::Value::Null)]);
    assert_eq!(id, int(3), "the id of a deleted member must not be assigned again");
    let before = bed.tag("pupil");
    bed.other().execute("INSERT INTO pupils (class_id) VALUES (1)", []).unwrap();
    assert_ne!(bed.tag("pupil"), before, "the rebuilt table must have its triggers");
    let other = bed.other();
    assert!(
        other.execute("INSERT INTO pupils (class_id) VALUES (99)", []).is_err(),
        "the rebuilt table must have its foreign keys"
    );
    assert_eq!(other.execute("DELETE FROM classes", []).unwrap(), 1);
    assert!(
        bed.revision("pupil", int(1)).is_none(),
        "a foreign key to the rebuilt table must cascade"
    );
}

#[test]
fn ids_that_clients_may_bring_change_nothing_in_the_database() {
    for brings in ["pupil", "teacher"] {
        let (bed, applied) =
            reopen(Bed::filled(), changed(brings, |def| def.optional_id = true)).unwrap();
        assert_eq!(whats(&applied), [""; 0]);
        let (_, applied) = reopen(bed, Arc::new(Model::link(&crate::twin::API).unwrap())).unwrap();
        assert_eq!(whats(&applied), [""; 0]);
    }
}

#[test]
fn a_parent_that_is_no_longer_required_is_an_addition_and_the_other_way_is_none() {
    let optional = || {
        changed("school", |def| {
            def.parent = def
                .parent
                .map(|parent| nouns_runtime::def::ParentDef { required: false, ..parent });
        })
    };
    let (bed, applied) = reopen(Bed::filled(), optional()).unwrap();
    let index = "In `schools`, `district_id` with `name` with `id` gets an index.";
    assert_eq!(
        whats(&applied),
        ["The column `schools.district_id` is no longer required.", index],
        "a unique index with an optional column cannot serve an order"
    );
    bed.other().execute("INSERT INTO schools (name, budget) VALUES ('Stray', 0)", []).unwrap();
    wait(bed.store.close());
    let plain = Arc::new(Model::link(&crate::twin::API).unwrap());
    let Err(OpenError::Refused(differences)) = Store::open(&plain, &applying(&bed)) else {
        panic!("the store must refuse to make a column required")
    };
    assert!(whats(&differences).contains(&"The column `schools.district_id` is now required."));
}

#[test]
fn a_rebuilt_table_is_still_referred_to() {
    let bed = Bed::filled();
    let model = changed("class", |def| field(def, "year", |year| year.required = false));
    let (bed, _) = reopen(bed, model).unwrap();
    let other = bed.other();
    assert!(other.execute("UPDATE pupils SET class_id = 7", []).is_err());
    assert_eq!(other.execute("DELETE FROM classes", []).unwrap(), 1);
    assert!(bed.revision("pupil", int(1)).is_none());
    let problems: i64 = other
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(problems, 0);
}

#[test]
fn uniqueness_is_added_where_rows_agree_and_dropped_anywhere() {
    let unique = || changed("pupil", |def| field(def, "name", |name| name.unique = true));
    let (bed, applied) = reopen(Bed::filled(), unique()).unwrap();
    assert_eq!(whats(&applied), ["In `pupils`, `name` must be unique."]);
    let plain = Arc::new(Model::link(&crate::twin::API).unwrap());
    let (bed, applied) = reopen(bed, plain).unwrap();
    assert_eq!(whats(&applied), ["In `pupils`, `name` need no longer be unique."]);
    bed.add("pupil", &[1, 1, 1], &[("name", text("Ada"))]);
    wait(bed.store.close());
    let Err(OpenError::Refused(differences)) = Store::open(&unique(), &applying(&bed)) else {
        panic!("the store must refuse a unique field with equal values")
    };
    assert_eq!(whats(&differences), ["In `pupils`, `name` must be unique."]);
    assert_eq!(differences[0].reason, "Several rows share the value `Ada`.");
    Store::open(&Arc::new(Model::link(&crate::twin::API).unwrap()), &options(bed.path()))
        .expect("a refused change must leave the database as it was");
}

#[test]
fn another_order_is_another_index() {
    let model = changed("pupil", |def| {
        def.sort = &[nouns_runtime::def::SortDef { field: "born", descending: true }];
    });
    let (bed, applied) = reopen(Bed::filled(), model).unwrap();
    assert_eq!(
        whats(&applied),
        [
            "In `pupils`, `class_id` with `name` with `id` loses an index.",
            "In `pupils`, `class_id` with `nickname` with `name` with `id` loses an index.",
            "In `pupils`, `class_id` with `born` with `id` gets an index.",
            "In `pupils`, `class_id` with `nickname` with `born` with `id` gets an index."
        ]
    );
    drop(bed);
}

#[test]
fn what_would_lose_or_break_rows_is_refused() {
    let cases: Vec<(Arc<Model>, &str)> = vec![
        (
            linked(crate::twin::API.resources[..6].to_vec()),
            "The table `exams` is no longer declared.",
        ),
        (
            changed("pupil", |def| without_field(def, "born")),
            "The column `pupils.born` is no longer declared.",
        ),
        (
            changed("pupil", |def| field(def, "born", |born| born.kind = FieldKind::String)),
            "The type of `pupils.born` has changed from date to string.",
        ),
        (
            changed("school", |def| {
                field(def, "budget", |budget| budget.kind = FieldKind::Decimal { scale: 3 });
            }),
            "The type of `schools.budget` has changed from decimal with 2 fraction digits to decimal with 3 fraction digits.",
        ),
        (
            changed("pupil", |def| field(def, "born", |born| born.required = true)),
            "The column `pupils.born` is now required.",
        ),
        (
            changed("pupil", |def| {
                with_field(
                    def,
                    FieldDef { required: true, ..FieldDef::new("house", FieldKind::String) },
                );
            }),
            "The column `pupils.house` is new and required.",
        ),
        (
            changed("district", |def| field(def, "name", |name| name.ignore_case = false)),
            "`ignore_case` of `districts.name` has changed.",
        ),
        (
            changed("exam", |def| {
                field(def, "class_id", |class| {
                    class.reference = class
                        .reference
                        .map(|of| ReferenceDef { on_delete: OnDelete::Cascade, ..of });
                });
            }),
            "The target or the `on_delete` action of `exams.class_id` has changed.",
        ),
        (
            changed("class", |def| {
                let reference = ReferenceDef {
                    resource: "pupil",
                    alias: "pupil",
                    on_delete: OnDelete::SetNull,
                    children: None,
                };
                let default = Some(DefaultDef::Value(Literal::Integer(1)));
                let field = FieldDef {
                    reference: Some(reference),
                    default,
                    ..FieldDef::new("pupil_id", FieldKind::Reference)
                };
                with_field(def, field);
            }),
            "The reference `classes.pupil_id` is new and has a default.",
        ),
    ];
    for (model, what) in cases {
        assert_eq!(refused(&model), [what]);
    }
}

#[test]
fn what_the_body_checker_enforces_is_no_difference() {
    let model = changed("district", |def| {
        field(def, "name", |name| (name.max_length, name.pattern) = (Some(10), Some("^[A-Z]")));
        def.limit.default = 5;
        def.collection = "areas";
    });
    let (_, applied) = reopen(Bed::filled(), model).unwrap();
    assert!(applied.is_empty());
}

fn sentence(path: std::path::PathBuf) -> String {
    let model = Arc::new(Model::link(&crate::twin::API).unwrap());
    match Store::open(&model, &options(path)) {
        Err(error @ OpenError::Unusable { .. }) => error.to_string(),
        other => panic!("the file must be unusable, not {other:?}"),
    }
}

#[test]
fn a_file_that_cannot_be_used_is_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("text.db"), "not a database, but long enough to be read as one".repeat(20))
        .unwrap();
    assert!(sentence(at("text.db")).contains("is not an SQLite database"));
    assert!(sentence(folder.path().into()).contains("is a folder"));
    assert!(sentence(at("none/deep.db")).contains("is in a folder that does not exist"));
    let foreign = Connection::open(at("foreign.db")).unwrap();
    foreign.execute_batch("CREATE TABLE mine (id INTEGER)").unwrap();
    assert!(sentence(at("foreign.db")).contains("was not created by Nouns"));
    let mode: String = foreign.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "delete", "the file of another program must not be changed");
}

#[test]
fn a_database_that_is_read_only_is_refused() {
    let bed = Bed::new();
    wait(bed.store.close());
    let writable = fs::metadata(bed.path()).unwrap().permissions();
    let mut permissions = writable.clone();
    permissions.set_readonly(true);
    fs::set_permissions(bed.path(), permissions).unwrap();
    assert!(sentence(bed.path()).contains("is read-only"));
    fs::set_permissions(bed.path(), writable).unwrap();
}

#[test]
fn a_database_that_is_held_or_newer_or_damaged_is_refused() {
    let bed = Bed::new();
    wait(bed.store.close());
    let other = bed.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(sentence(bed.path()).contains("is locked by another program"));
    other.execute_batch("ROLLBACK; UPDATE _nouns_state SET record = '{'").unwrap();
    assert!(sentence(bed.path()).contains("has a stored schema record that cannot be read"));
    other.execute_batch("UPDATE _nouns_state SET format = 1000").unwrap();
    assert!(sentence(bed.path()).contains("was created by a newer version of Nouns"));
}

#[test]
fn a_database_is_set_as_measured() {
    let bed = Bed::new();
    let other = bed.other();
    let pragma = |name: &str| {
        other.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0)).unwrap()
    };
    assert_eq!(pragma("journal_mode"), "wal".to_owned().into());
    assert_eq!(pragma("page_size"), 4096.into());
    let identity: String =
        other.query_row("SELECT database FROM _nouns_state", [], |row| row.get(0)).unwrap();
    assert_eq!(identity.len(), 32);
}
