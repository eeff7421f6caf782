//! The triggers for changes by other programs and by foreign keys.
//!
//! Nouns itself sets the revision of a row and increases the counter of its table, and says so with
//! the setting `nouns.own` of its transaction. Triggers do both for everybody else. They are
//! `ENABLE ALWAYS`, so that rows that come by replication count, too.
//!
//! A transaction that they count waits for the disk, also with `synchronous_commit = off`.
//! Otherwise a crash could lose what clients have seen, and the next change would give its tag to
//! other rows.

use crate::store::sql::{literal, quoted, record::Table};

/// The number of slots for the counters of triggers. Other programs that write at the same time
/// seldom share one.
pub(super) const SLOTS: i32 = 4;

/// Whether a transaction is not one of Nouns.
const OTHERS: &str = "current_setting('nouns.own', true) IS DISTINCT FROM '1'";

/// Returns the script that creates the functions. `schema` is the schema of the tables, as an SQL
/// name: the functions also run for programs with another search path.
pub(super) fn functions(schema: &str) -> String {
    format!(
        r#"
CREATE FUNCTION _nouns_after(last timestamptz, at timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN at >= date_trunc('second', last) THEN greatest(at, last)
    WHEN extract(microseconds FROM last)::bigint % 1000000 = 999999 THEN last
    ELSE date_trunc('second', last) + interval '1.999999 seconds' END
$$;
CREATE FUNCTION _nouns_stamp() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.revision := nextval('{schema}."_nouns_revisions"');
  IF TG_OP = 'UPDATE' THEN
    NEW.updated_at := {schema}._nouns_after(OLD.updated_at, clock_timestamp());
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION _nouns_touch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP <> 'TRUNCATE' THEN
    IF NOT EXISTS (SELECT 1 FROM changed) THEN
      RETURN NULL;
    END IF;
  END IF;
  UPDATE {schema}."_nouns_counters" SET "count" = "count" + 1, "changed_at" = clock_timestamp()
    WHERE "name" = TG_ARGV[0] AND "slot" = -1 - pg_backend_pid() % {SLOTS};
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  RETURN NULL;
END $$;
"#
    )
}

/// Returns the script that creates the triggers of the table of grants: grants that another program
/// ends are counted.
pub(super) fn of_grants(table: &str) -> String {
    ["DELETE", "TRUNCATE"].map(|event| touching(table, event)).concat()
}

/// Returns the script that creates the trigger which counts the changes of an event.
fn touching(table: &str, event: &str) -> String {
    let changed = match event {
        "TRUNCATE" => "",
        "DELETE" => " REFERENCING OLD TABLE AS changed",
        _ => " REFERENCING NEW TABLE AS changed",
    };
    let (on, name) = (quoted(table), literal(table));
    let trigger = format!("_nouns_touched_{}", event.to_lowercase());
    format!(
        "CREATE TRIGGER {trigger} AFTER {event} ON {on}{changed} FOR EACH STATEMENT WHEN ({OTHERS}) \
         EXECUTE FUNCTION _nouns_touch({name});\nALTER TABLE {on} ENABLE ALWAYS TRIGGER {trigger};\n"
    )
}

/// Returns the script that creates the triggers of a table.
pub(super) fn create(table: &Table) -> String {
    let on = quoted(&table.name);
    let mut script = format!(
        "CREATE TRIGGER _nouns_inserted BEFORE INSERT ON {on} FOR EACH ROW WHEN ({OTHERS}) EXECUTE FUNCTION _nouns_stamp();\n\
         CREATE TRIGGER _nouns_updated BEFORE UPDATE ON {on} FOR EACH ROW WHEN (NEW.revision = OLD.revision OR {OTHERS}) \
         EXECUTE FUNCTION _nouns_stamp();\n"
    );
    for event in ["INSERT", "UPDATE", "DELETE", "TRUNCATE"] {
        script.push_str(&touching(&table.name, event));
    }
    for trigger in ["_nouns_inserted", "_nouns_updated"] {
        script.push_str(&format!("ALTER TABLE {on} ENABLE ALWAYS TRIGGER {trigger};\n"));
    }
    script
}
