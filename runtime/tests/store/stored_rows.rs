//! Changed declarations of a database, where it depends on its rows whether a change is possible.

use std::sync::Arc;

use nouns_runtime::{
    Model, Store,
    def::{DefaultDef, FieldDef, FieldKind, Literal, OnDelete, ReferenceDef, ResourceDef},
    store::{Difference, OpenError},
};

use super::bed::{Bed, changed, field, options, text, wait};
use crate::database;

fn with_field(def: &mut ResourceDef, field: FieldDef) {
    let mut fields = def.fields.to_vec();
    fields.push(field);
    def.fields = Vec::leak(fields);
}

fn open(bed: &Bed, model: &Arc<Model>) -> Result<Vec<Difference>, OpenError> {
    wait(bed.store.close());
    let (store, applied) = Store::open(model, &options(bed.database.location()).apply(true))?;
    wait(store.close());
    let (store, nothing) = Store::open(model, &options(bed.database.location()))?;
    wait(store.close());
    assert!(nothing.is_empty());
    Ok(applied)
}

/// The sentences about the only change, which is refused.
fn refusal(bed: &Bed, model: &Arc<Model>) -> String {
    match open(bed, model) {
        Err(OpenError::Refused(differences)) if differences.len() == 1 => {
            differences[0].to_string()
        }
        other => panic!("one change must be refused, not {other:?}"),
    }
}

fn tagged() -> FieldDef {
    FieldDef { required: true, ..FieldDef::new("tag", FieldKind::String) }
}

/// Adds a reference to the members of `target`.
fn with_reference(
    def: &mut ResourceDef,
    target: &'static str,
    required: bool,
    default: Option<DefaultDef>,
) {
    let reference = ReferenceDef {
        resource: target,
        alias: target,
        on_delete: OnDelete::Restrict,
        children: None,
    };
    let name = Box::leak(format!("{target}_id").into_boxed_str());
    let field = FieldDef::new(name, FieldKind::Reference);
    with_field(def, FieldDef { reference: Some(reference), required, default, ..field });
}

#[test]
fn a_table_without_rows_gets_any_new_field() {
    let bed = Bed::filled();
    let model = changed("exam", |def| {
        with_field(def, tagged());
        with_reference(def, "pupil", true, Some(DefaultDef::Value(Literal::Integer(7))));
        field(def, "taken_on", |taken_on| taken_on.required = true);
    });
    let applied = open(&bed, &model).unwrap();
    let said: Vec<_> = applied.iter().map(ToString::to_string).collect();
    let apply = "It can be applied when the database is opened.";
    assert_eq!(
        said,
        [
            format!(
                "The column `exams.taken_on` is now required. Every row has a value for it. {apply}"
            ),
            format!("The column `exams.tag` is new. The table has no rows. {apply}"),
            format!("The column `exams.pupil_id` is new. Rows get its default, or null. {apply}"),
            format!("In `exams`, `pupil_id` gets an index. No row changes. {apply}"),
        ]
    );
    let columns = match database::is_postgres() {
        true => {
            "SELECT column_name FROM information_schema.columns \
            WHERE table_schema = current_schema() AND table_name = 'exams' AND is_nullable = 'NO'"
        }
        false => "SELECT name FROM pragma_table_info('exams') WHERE \"notnull\"",
    };
    let required = bed.database.rows(columns);
    for column in ["taken_on", "tag", "pupil_id"] {
        assert!(required.iter().any(|row| row[0] == column), "{column} is not in {required:?}");
    }
    let checks = if database::is_postgres() { "" } else { "PRAGMA foreign_keys = ON;" };
    let wrong = "INSERT INTO exams (class_id, subject_id, taken_on, tag) \
        VALUES (1, 'art', '2026-11-20', 'a')";
    let refused = bed.database.session().try_rows(&format!("{checks} {wrong}")).unwrap_err();
    assert!(
        refused.to_lowercase().contains("foreign key"),
        "the references of the new table must hold: {refused}"
    );
}

#[test]
fn a_field_that_every_row_has_becomes_required() {
    let bed = Bed::filled();
    let model = changed("pupil", |def| field(def, "nickname", |name| name.required = true));
    bed.add("pupil", &[1, 1, 1], &[("name", text("Bea")), ("nickname", text("B"))]);
    let required = "The column `pupils.nickname` is now required.";
    let repair = "Give those rows a value first, or keep it optional.";
    assert_eq!(refusal(&bed, &model), format!("{required} 1 row has no value for it. {repair}"));
    bed.database.run("INSERT INTO pupils (class_id, name) VALUES (1, 'Cem')");
    assert!(refusal(&bed, &model).starts_with(&format!("{required} 2 rows have no value for it.")));
    bed.database.run("UPDATE pupils SET nickname = name");
    let applied = open(&bed, &model).unwrap();
    assert!(applied.iter().any(|one| one.description == required), "{applied:?}");
    let null = "INSERT INTO pupils (class_id, name) VALUES (1, 'Dan')";
    assert!(bed.database.session().try_rows(null).is_err(), "the column must be required");
    let names = bed.database.rows("SELECT nickname FROM pupils ORDER BY id");
    assert_eq!(names, [["Ada"], ["Bea"], ["Cem"]]);
}

/// Each repair can be done: what is refused at first is applied after it.
#[test]
fn a_required_reference_is_added_in_two_steps() {
    let bed = Bed::filled();
    let [required, optional] = [true, false].map(|is_required| {
        changed("pupil", |def| with_reference(def, "school", is_required, None))
    });
    let refused = refusal(&bed, &required);
    assert!(
        refused.starts_with(
            "The column `pupils.school_id` is new and required. Existing rows have no value for \
             it. Declare it without `required` first"
        ),
        "{refused}"
    );
    open(&bed, &optional).unwrap();
    assert!(refusal(&bed, &required).contains("1 row has no value for it."));
    bed.database.run("UPDATE pupils SET school_id = 1");
    open(&bed, &required).unwrap();
    let tagged = changed("pupil", |def| with_field(def, tagged()));
    assert!(refusal(&Bed::filled(), &tagged).contains("Give it a fixed default."));
}

#[test]
fn values_that_rows_share_are_named_up_to_ten() {
    let bed = Bed::filled();
    let unique = changed("pupil", |def| def.unique = &[&["name", "born"]]);
    let add = |name: &str, born: &str| {
        bed.add("pupil", &[1, 1, 1], &[("name", text(name)), ("born", text(born))]);
    };
    for _ in 0..2 {
        add("Bea", "2015-04-01");
    }
    add("Bea", "2015-04-02");
    assert_eq!(
        refusal(&bed, &unique),
        "In `pupils`, `name` with `born` must be unique. \
         Several rows share the value `Bea` with `2015-04-01`. \
         Change those rows first, or declare it without `unique`."
    );
    let bed = Bed::filled();
    let unique = changed("district", |def| field(def, "name", |name| name.unique = true));
    wait(bed.store.close());
    let plain = changed("district", |def| field(def, "name", |name| name.unique = false));
    open(&bed, &plain).unwrap();
    let names = ["north", "a\nb"].map(str::to_owned).into_iter();
    for name in names.chain((10..20).map(|at| format!("d{at}"))) {
        bed.database.run(&format!("INSERT INTO districts (name) VALUES ('{name}'), ('{name}')"));
    }
    let refused = refusal(&bed, &unique);
    let values =
        "`North`, `a\u{fffd}b`, `d10`, `d11`, `d12`, `d13`, `d14`, `d15`, `d16`, `d17`, and more.";
    assert!(
        refused.contains(&format!("Several rows share each of the values {values}")),
        "{refused}"
    );
}

#[test]
fn what_is_refused_without_rows_says_so() {
    let model = changed("exam", |def| {
        field(def, "weight", |weight| {
            weight.kind = FieldKind::String;
            (weight.default, weight.minimum) = (None, None);
        });
    });
    assert_eq!(
        refusal(&Bed::filled(), &model),
        "The type of `exams.weight` has changed from number to string. \
         The table has no rows, but only additions are applied. \
         Keep the type, or declare a new field beside it."
    );
}
