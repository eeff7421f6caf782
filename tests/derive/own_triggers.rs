//! Triggers that somebody else has written into the database, seen from hooks and transactions.

use nouns::{Api, Error, Id, Kind, Patch, Resource};
use serde_json::json;

use crate::{bed::Bed, database};

#[derive(Clone, Debug, Resource)]
struct Room {
    id: Id<Self>,
    name: String,
}

/// Writes names in upper case, and refuses one of them.
const SQLITE: &str = "CREATE TRIGGER upper_new AFTER INSERT ON rooms BEGIN
        UPDATE rooms SET name = upper(name) WHERE id = new.id; END;
    CREATE TRIGGER upper_old AFTER UPDATE ON rooms WHEN new.name <> upper(new.name) BEGIN
        UPDATE rooms SET name = upper(name) WHERE id = new.id; END;
    CREATE TRIGGER no_attic BEFORE INSERT ON rooms WHEN new.name = 'attic' BEGIN
        SELECT RAISE(ABORT, 'The attic is no room.'); END";

const POSTGRES: &str = "CREATE FUNCTION upper_name() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN UPDATE rooms SET name = upper(name) WHERE id = NEW.id; RETURN NULL; END $$;
    CREATE TRIGGER upper_name AFTER INSERT OR UPDATE ON rooms FOR EACH ROW
        WHEN (NEW.name <> upper(NEW.name)) EXECUTE FUNCTION upper_name();
    CREATE FUNCTION no_attic() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'The attic is no room.' USING ERRCODE = 'NX409'; END $$;
    CREATE TRIGGER no_attic BEFORE INSERT ON rooms FOR EACH ROW
        WHEN (NEW.name = 'attic') EXECUTE FUNCTION no_attic()";

fn bed() -> Bed {
    let api = Api::new("House").resource::<Room>().hooks::<Room>(|hooks| {
        hooks.within_write(|_, change| match &change.after {
            Some(room) if room.name != room.name.to_uppercase() => {
                Err(Error::internal("a hook sees the row before its triggers"))
            }
            _ => Ok(()),
        })
    });
    let bed = Bed::of(api);
    bed.database.run(if database::is_postgres() { POSTGRES } else { SQLITE });
    bed
}

#[test]
fn a_hook_and_the_response_have_the_row_as_triggers_have_left_it() {
    let bed = bed();
    let (status, fields, room) = bed.ask("POST /rooms", &json!({ "name": "blue" }));
    assert_eq!((status, &room["name"]), (201, &json!("BLUE")), "{room}");
    assert_eq!(bed.ask("GET /rooms/1", &json!(null)).1["etag"], fields["etag"]);
    let (status, fields, room) = bed.ask("PATCH /rooms/1", &json!({ "name": "green" }));
    assert_eq!((status, &room["name"]), (200, &json!("GREEN")), "{room}");
    assert_eq!(bed.ask("GET /rooms/1", &json!(null)).1["etag"], fields["etag"]);
    let (status, _, problem) = bed.ask("POST /rooms", &json!({ "name": "attic" }));
    assert_eq!((status, &problem["detail"]), (409, &json!("The attic is no room.")));
    let (status, _, many) = bed.ask("POST /rooms", &json!([{ "name": "a" }, { "name": "b" }]));
    assert_eq!((status, &many["items"][1]["name"]), (201, &json!("B")), "{many}");
}

#[test]
fn a_transaction_goes_on_after_the_refusal_of_a_trigger() {
    let bed = bed();
    let names = bed.store().transaction_as_system(|tx| {
        let blue = tx.of::<Room>().create(NewRoom::new("blue".into()))?;
        let refused = tx.of::<Room>().create(NewRoom::new("attic".into())).unwrap_err();
        assert_eq!(
            (refused.kind(), &*refused.to_string()),
            (Kind::RULE_VIOLATED, "The attic is no room.")
        );
        let patch = RoomPatch { name: Patch::Set("green".into()) };
        let green = tx.of::<Room>().if_match(blue.revision).update(blue.id, patch)?;
        Ok([blue.into_inner().name, green.into_inner().name])
    });
    assert_eq!(bed.wait(names).unwrap(), ["BLUE", "GREEN"]);
    let rooms = bed.wait(bed.store().of::<Room>().count(&Room::query()));
    assert_eq!(rooms.unwrap(), 1);
}
