//! Rules about other rows, which access rules hide from the caller: a hook within a write and a
//! transaction say for whom they read.

use nouns::{
    __runtime::{Body, reply::Reply},
    Actor, Api, Auth, Caller, Change, Error, Id, Kind, Password, Resource, Tx,
    http::Request,
};
use serde_json::{Value as Json, json};

use crate::bed::Bed;

#[derive(Clone, Debug, Resource)]
struct User {
    id: Id<Self>,
    #[resource(unique)]
    login: String,
    password: Password,
}

/// A booking, which only its owner may read, change and delete.
#[derive(Clone, Debug, Resource)]
#[resource(access(
    read(where(owner_id = "$account.id")),
    update(where(owner_id = "$account.id")),
    delete(where(owner_id = "$account.id"))
))]
struct Booking {
    id: Id<Self>,
    room: String,
    #[resource(default = "$account.id", read_only)]
    owner_id: Id<User>,
}

/// The bookings of a room that a transaction finds.
fn bookings<A: Actor>(tx: &mut Tx<'_, A>, room: &str) -> Result<u64, Error> {
    tx.of::<Booking>().count(&Booking::query().filter(|booking| booking.room.eq(room)))
}

fn is_free(tx: &mut Tx<'_>, change: &Change<Booking>) -> Result<(), Error> {
    let Some(booking) = &change.after else { return Ok(()) };
    let seen = bookings(&mut tx.as_caller(), &booking.room)?;
    assert!(seen <= 1, "a caller finds the own booking alone");
    match bookings(&mut tx.as_system(), &booking.room)? {
        1 => Ok(()),
        _ => Err(Error::new(Kind::ALREADY_EXISTS, "The room is taken.")),
    }
}

fn bed() -> Bed {
    let api = Api::new("Hotel").auth(Auth::of::<User>().login("login"));
    let api = api.resource::<User>().resource::<Booking>();
    let bed = Bed::of(api.hooks::<Booking>(|hooks| hooks.within_write(is_free)));
    for login in ["ada", "bob"] {
        let password = Password::new("correct horse");
        bed.wait(bed.store().of::<User>().create(NewUser::new(login.into(), password))).unwrap();
    }
    bed
}

fn caller(bed: &Bed, login: &str) -> Caller {
    bed.wait(bed.store().caller_of(login)).unwrap().unwrap()
}

/// Sends a request. Returns the status and the body of the response.
fn ask(bed: &Bed, login: &str, line: &str, body: &Json) -> (u16, Json) {
    let (method, target) = line.split_once(' ').unwrap();
    let bytes = if body.is_null() { vec![] } else { body.to_string().into_bytes() };
    let request = Request::builder().method(method).uri(target);
    let request = request.header("content-type", "application/json");
    let mut request = request.body(Body::from(bytes)).unwrap();
    request.extensions_mut().insert(caller(bed, login));
    let Reply { status, body, .. } = bed.wait(bed.service.reply(request));
    let Body::Full(bytes) = &body else { return (status.as_u16(), Json::Null) };
    (status.as_u16(), serde_json::from_slice(bytes).unwrap())
}

#[test]
fn two_people_cannot_book_one_room_although_neither_may_read_the_booking_of_the_other() {
    let bed = bed();
    let room = |name: &str| json!({ "room": name });
    let (status, adas) = ask(&bed, "ada", "POST /bookings", &room("Blue"));
    assert_eq!(status, 201, "{adas}");
    let (status, problem) = ask(&bed, "bob", "POST /bookings", &room("Blue"));
    assert_eq!((status, &problem["detail"]), (409, &json!("The room is taken.")));
    assert_eq!(ask(&bed, "bob", "GET /bookings", &Json::Null).1["items"], json!([]));
    let (status, bobs) = ask(&bed, "bob", "POST /bookings", &room("Green"));
    assert_eq!(status, 201, "{bobs}");
    let [adas, bobs] = [adas, bobs].map(|booking| format!("PATCH /bookings/{}", booking["id"]));
    assert_eq!(ask(&bed, "bob", &bobs, &room("Blue")).0, 409);
    assert_eq!(ask(&bed, "ada", &adas, &room("Red")).0, 200);
    assert_eq!(ask(&bed, "bob", &bobs, &room("Blue")).0, 200);
}

#[test]
fn a_transaction_of_a_caller_has_its_rules_or_none() {
    let bed = bed();
    assert_eq!(ask(&bed, "ada", "POST /bookings", &json!({ "room": "Blue" })).0, 201);
    let bob = bed.store().acting_as(&caller(&bed, "bob"));
    let counts = bob.transaction(|tx| {
        let [seen, all] =
            [bookings(&mut tx.as_caller(), "Blue")?, bookings(&mut tx.as_system(), "Blue")?];
        let taken = tx.as_caller().of::<Booking>().delete(Id::new(1));
        assert_eq!(taken.unwrap_err().kind(), Kind::NOT_FOUND);
        // A savepoint of a transaction that has not chosen leaves the choice to its closure.
        let undone = tx.savepoint(|tx| {
            tx.as_system().of::<Booking>().delete(Id::new(1))?;
            Err::<(), _>(Error::new(Kind::ALREADY_EXISTS, "Not this one."))
        });
        assert!(undone.is_err());
        Ok((seen, all, bookings(&mut tx.as_system(), "Blue")?))
    });
    assert_eq!(bed.wait(counts).unwrap(), (0, 1, 1));
    let all = bob.transaction_as_system(|tx| bookings(tx, "Blue"));
    assert_eq!(bed.wait(all).unwrap(), 1, "whoever the caller of the store is");
}
