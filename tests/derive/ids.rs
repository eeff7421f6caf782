//! Ids that clients assign: in typed calls of the store, and in before hooks.

use nouns::{Api, Error, Id, Resource, Uuid};
use serde_json::json;

use crate::bed::Bed;

#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id(assigned = optional))]
struct Invoice {
    id: Id<Self>,
    title: String,
}

#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id(type = uuid, assigned = optional))]
struct Device {
    id: Id<Self>,
    title: String,
}

fn api() -> Api {
    Api::new("Ids").resource::<Invoice>().resource::<Device>()
}

fn invoice(id: Option<i64>, title: &str) -> NewInvoice {
    NewInvoice { id: id.map(Id::new), ..NewInvoice::new(title.into()) }
}

#[test]
fn a_new_member_carries_an_id_or_gets_one() {
    let bed = Bed::of(api());
    let invoices = bed.store().of::<Invoice>();
    let id = |new| bed.wait(invoices.create(new)).map(|created| *created.id.key());
    assert_eq!(id(invoice(None, "a")).unwrap(), 1);
    assert_eq!(id(invoice(Some(80), "b")).unwrap(), 80);
    assert_eq!(id(invoice(None, "c")).unwrap(), 81);
    let many = vec![invoice(Some(90), "d"), invoice(None, "e")];
    let many = bed.wait(invoices.create_many(many)).unwrap();
    assert_eq!(many.iter().map(|created| *created.id.key()).collect::<Vec<_>>(), [90, 91]);
    let status = |error: Error| error.status().as_u16();
    assert_eq!(id(invoice(Some(80), "x")).map_err(status), Err(409));
    for wrong in [0, -1, 1 << 53, i64::MAX] {
        assert_eq!(
            id(invoice(Some(wrong), "x")).map_err(status),
            Err(422),
            "a new member with the id {wrong} must be refused"
        );
    }
    let other = Uuid::from_u128(7);
    let device = NewDevice { id: Some(Id::new(other)), ..NewDevice::new("a".into()) };
    assert_eq!(*bed.wait(bed.store().of::<Device>().create(device)).unwrap().id.key(), other);
}

#[test]
fn replace_creates_at_an_id_and_says_it_at_most_once_more() {
    let bed = Bed::of(api());
    let invoices = bed.store().of::<Invoice>();
    let replaced = |at: i64, new| {
        let done = bed.wait(async { invoices.replace(Id::new(at), new).await });
        done.map(|created| (*created.id.key(), created.title.clone()))
            .map_err(|error| error.status().as_u16())
    };
    assert_eq!(replaced(5, invoice(None, "a")), Ok((5, "a".into())));
    assert_eq!(replaced(5, invoice(Some(5), "b")), Ok((5, "b".into())));
    assert_eq!(replaced(6, invoice(Some(5), "b")), Err(422));
    assert_eq!(replaced(1 << 53, invoice(None, "b")), Err(422));
    assert_eq!(replaced(0, invoice(None, "b")), Err(404));
}

#[test]
fn a_hook_sees_the_id_changes_it_and_takes_it_back() {
    let bed = Bed::of(
        api()
            .hooks::<Invoice>(|hooks| {
                hooks.before_create(|_, new: NewInvoice| async move {
                    let id = match new.id.map(Id::into_key) {
                        Some(1000) => None,
                        Some(2000) => Some(Id::new(0)),
                        None if new.title == "gets one" => Some(Id::new(77)),
                        id => id.map(Id::new),
                    };
                    Ok(NewInvoice { id, ..new })
                })
            })
            .hooks::<Device>(|hooks| {
                hooks.before_create(
                    |_, new: NewDevice| async move { Ok(NewDevice { id: None, ..new }) },
                )
            }),
    );
    let created = |body| {
        let (status, _, json) = bed.ask("POST /invoices", &body);
        (status, json["id"].as_i64())
    };
    assert_eq!(created(json!({ "id": 7, "title": "kept" })), (201, Some(7)));
    assert_eq!(created(json!({ "id": 1000, "title": "taken back" })), (201, Some(8)));
    assert_eq!(created(json!({ "title": "gets one" })), (201, Some(77)));
    assert_eq!(created(json!({ "id": 2000, "title": "wrong" })), (422, None));
    assert_eq!(created(json!({ "title": "next" })), (201, Some(78)));
    let (status, headers, _) = bed.ask("PUT /invoices/500", &json!({ "title": "put" }));
    assert_eq!(status, 201);
    assert_eq!(headers["location"], "/invoices/500");
    let (status, ..) = bed.ask("PUT /invoices/1000", &json!({ "title": "taken back" }));
    assert_eq!(status, 500, "PUT must be 500 when a hook changes the id in the URL");

    let id = "01890a5d-ac96-474b-8cce-b302099a8057";
    let (status, _, json) = bed.ask("POST /devices", &json!({ "id": id, "title": "a" }));
    assert_eq!((status, json["id"] != id, json["id"].as_str().unwrap().len()), (201, true, 36));
}
