//! Fields of type [`Password`]: clients set them, the database has their hashes, and nobody can
//! read them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use nouns::{
    Api, Caller, Error, Id, Kind, Password, Patch, Query, Resource, Service, Timeout,
    http::{Request, StatusCode},
};
use serde_json::{Value as Json, json};

use crate::bed::Bed;

#[derive(Clone, Debug, Resource)]
#[resource(methods = [list, get, create, replace, update, delete])]
struct User {
    id: Id<Self>,
    #[resource(unique)]
    name: String,
    password: Password,
    #[resource(min_length = 4, max_length = 4, pattern = "^[0-9]+$")]
    pin: Option<Password>,
}

fn api() -> Api {
    Api::new("Users").resource::<User>()
}

const PLAIN: &str = "correct horse";

fn user(name: &str) -> Json {
    json!({ "name": name, "password": PLAIN })
}

/// Returns the password of the user with this id, as a program reads it.
fn password(bed: &Bed, id: i64) -> Password {
    bed.wait(bed.store().of::<User>().get(Id::new(id))).unwrap().password.clone()
}

fn is(bed: &Bed, of: &Password, plain: &str) -> bool {
    bed.wait(bed.store().has_password(Some(of), plain)).unwrap()
}

#[test]
fn a_password_is_stored_as_a_hash_that_no_client_can_read() {
    let bed = Bed::of(api());
    let (status, _, created) = bed.ask("POST /users", &user("Kim"));
    assert_eq!((status, created.get("password")), (201, None));
    let first = password(&bed, 1);
    assert!(first.hash().unwrap().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    assert_eq!((first.plain(), format!("{first:?}")), (None, "[hidden]".into()));
    assert!(is(&bed, &first, PLAIN) && !is(&bed, &first, "correct horsf"));
    assert!(!is(&bed, &first, first.hash().unwrap()), "a hash is no password");
    for target in ["/users/1", "/users", "/users?fields=name", "/users?format=csv"] {
        let (_, _, json) = bed.ask(&format!("GET {target}"), &Json::Null);
        assert!(!json.to_string().contains("argon2"), "{json}");
    }
    for target in ["?password=x", "?fields=password", "?sort=password", "?filter[password]=x"] {
        assert_eq!(bed.ask(&format!("GET /users{target}"), &Json::Null).0, 400, "{target}");
    }
    let (_, _, described) = bed.ask("OPTIONS /users", &Json::Null);
    let field = &described["fields"][2];
    assert_eq!((&field["type"], &field["mode"]), (&json!("password"), &json!("write_only")));
    assert_eq!((&field["min_length"], &field["max_length"]), (&json!(8), &json!(256)));
}

#[test]
fn a_password_changes_when_a_request_says_so() {
    let bed = Bed::of(api());
    bed.ask("POST /users", &user("Kim"));
    let first = password(&bed, 1);
    assert_eq!(bed.ask("PATCH /users/1", &json!({ "name": "Robin" })).0, 200);
    assert_eq!(bed.ask("PUT /users/1", &json!({ "name": "Sam" })).0, 200);
    assert_eq!(password(&bed, 1), first);
    assert_eq!(bed.ask("PATCH /users/1", &json!({ "password": "another horse" })).0, 200);
    let second = password(&bed, 1);
    assert!(is(&bed, &second, "another horse") && !is(&bed, &second, PLAIN));
    let whole = json!({ "name": "Sam", "password": "third horse", "pin": "1234" });
    assert_eq!(bed.ask("PUT /users/1", &whole).0, 200);
    assert!(is(&bed, &password(&bed, 1), "third horse"));
    // A member that a program writes back keeps its password.
    let users = bed.store().of::<User>();
    let old = bed.wait(users.get(Id::new(1))).unwrap().into_inner();
    let third = old.password.clone();
    let new = NewUser { name: "Jo".into(), ..old.into() };
    bed.wait(async { users.replace(Id::new(1), new).await }).unwrap();
    assert_eq!(password(&bed, 1), third);
}

#[test]
fn a_wrong_password_is_refused_before_it_is_hashed() {
    let bed = Bed::of(api());
    let refused = |body: Json, code: &str| {
        let (status, _, problem) = bed.ask("POST /users", &body);
        assert_eq!((status, &problem["errors"][0]["code"]), (422, &json!(code)), "{problem}");
        assert!(!problem.to_string().contains("s3cret"), "{problem}");
    };
    refused(json!({ "name": "Kim", "password": "s3cret" }), "min_length");
    refused(json!({ "name": "Kim", "password": "s3cret".repeat(50) }), "max_length");
    refused(json!({ "name": "Kim", "password": null }), "required");
    refused(json!({ "name": "Kim" }), "required");
    refused(json!({ "name": "Kim", "password": ["s3cret"] }), "type");
    refused(json!({ "name": "Kim", "password": "s3cret s3cret\0" }), "type");
    refused(json!({ "name": "Kim", "password": "correct horse", "pin": "s3cr" }), "pattern");
    let many: Vec<_> = (0..101).map(|at| user(&at.to_string())).collect();
    refused(json!(many), "max_items");
    assert_eq!(bed.wait(bed.store().of::<User>().count(&Query::new())).unwrap(), 0);
}

#[test]
fn hooks_before_a_write_see_the_password_and_later_ones_its_hash() {
    let seen = Arc::new(Mutex::new(vec![]));
    let (before, within) = (Arc::clone(&seen), Arc::clone(&seen));
    let bed = Bed::of(api().hooks::<User>(move |hooks| {
        hooks
            .before_create(move |_, new: NewUser| {
                before.lock().unwrap().push(new.password.plain().map(str::to_owned));
                async move {
                    match new.password.plain() {
                        Some("12345678") => Err(Error::new(Kind::INVALID_CONTENT, "Too common.")),
                        _ => Ok(new),
                    }
                }
            })
            .within_create(move |_, change| {
                let user = change.after.as_ref().unwrap();
                within.lock().unwrap().push(user.password.plain().map(str::to_owned));
                Ok(())
            })
    }));
    let common = json!({ "name": "Kim", "password": "12345678" });
    assert_eq!(bed.ask("POST /users", &common).0, 422);
    assert_eq!(bed.ask("POST /users", &user("Kim")).0, 201);
    let seen = seen.lock().unwrap();
    assert_eq!(*seen, [Some("12345678".to_owned()), Some(PLAIN.to_owned()), None]);
}

#[test]
fn a_transaction_takes_a_password_that_is_hashed() {
    let bed = Bed::of(api());
    let create = |password: Password| {
        let new = NewUser::new("Kim".into(), password);
        bed.wait(
            bed.store()
                .transaction_as_system(move |tx| tx.of::<User>().create(new.clone()).map(drop)),
        )
    };
    let refused = create(PLAIN.into()).unwrap_err();
    assert!(refused.source().unwrap().to_string().contains("store.hashed(password)"));
    let hashed = bed.wait(bed.store().hashed(PLAIN.into())).unwrap();
    assert_eq!(bed.wait(bed.store().hashed(hashed.clone())).unwrap(), hashed);
    create(hashed).unwrap();
    assert!(is(&bed, &password(&bed, 1), PLAIN));
    // A hash of another system is taken as it is, and a text that is none is refused.
    let bcrypt = "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW";
    assert!(Password::of_hash(bcrypt).is_none());
    let error = bed.database.session().try_rows("UPDATE users SET password = 'plain'").unwrap_err();
    assert!(error.to_lowercase().contains("check"), "{error}");
    bed.database.run("UPDATE users SET password = '$argon2id$nonsense'");
    assert_eq!(bed.database.cell("SELECT password FROM users"), "$argon2id$nonsense");
    assert!(!is(&bed, &password(&bed, 1), PLAIN));
}

#[test]
fn an_account_that_does_not_exist_has_no_password() {
    let bed = Bed::of(api());
    assert!(!bed.wait(bed.store().has_password(None, "")).unwrap());
    assert!(!bed.wait(bed.store().has_password(None, PLAIN)).unwrap());
    let plain = Password::new(PLAIN);
    assert!(is(&bed, &plain, PLAIN) && !is(&bed, &plain, "other"));
}

#[test]
fn a_query_cannot_compare_a_password() {
    let bed = Bed::of(api());
    let list = |query: &Query<User>| bed.wait(bed.store().of::<User>().list(query));
    let filtered = Query::<User>::new().filter(|user| user.password.eq(Password::new(PLAIN)));
    assert_eq!(list(&filtered).unwrap_err().status(), StatusCode::BAD_REQUEST);
    let sorted = Query::<User>::new().sort(|user| user.password.asc());
    assert_eq!(list(&sorted).unwrap_err().status(), StatusCode::BAD_REQUEST);
    assert!(list(&Query::<User>::new().filter(|user| user.pin.is_null())).is_ok());
}

#[test]
fn a_password_can_be_deserialized_but_not_serialized() {
    let new: NewUser = serde_json::from_value(user("Kim")).unwrap();
    assert_eq!(new.password.plain(), Some(PLAIN));
    let patch = UserPatch { password: Patch::Set(PLAIN.into()), ..UserPatch::default() };
    for refused in [serde_json::to_value(&new), serde_json::to_value(&patch)] {
        assert_eq!(refused.unwrap_err().to_string(), "a password cannot be serialized");
    }
    let without = UserPatch { name: Patch::Set("Kim".into()), ..UserPatch::default() };
    assert_eq!(serde_json::to_value(&without).unwrap(), json!({ "name": "Kim" }));
    let short = serde_json::from_value::<NewUser>(json!({ "name": "Kim", "password": 5 }));
    assert!(short.is_err());
}

/// Many clients at once: each is answered, and those that cannot be served in time get a 503. The
/// deadline of a request is far off, because hashes without optimization are slow.
#[test]
fn a_crowd_is_refused_and_nobody_waits_for_ever() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let api = api().timeout(Timeout::Request, Duration::from_secs(600));
    let store = nouns::Store::temporary(&api.build().unwrap()).unwrap();
    let service = Service::new(store.clone());
    let statuses = runtime.block_on(async {
        let requests: Vec<_> = (0_u8..150)
            .map(|at| {
                let service = service.clone();
                tokio::spawn(async move {
                    let mut request = Request::post("/users")
                        .header("content-type", "application/json")
                        .body(nouns::Body::from(user(&format!("user {at}")).to_string()))
                        .unwrap();
                    let address = ([127, 0, 0, 1], 1000 + u16::from(at)).into();
                    request.extensions_mut().insert(nouns::Peer { address });
                    request.extensions_mut().insert(Caller::Anonymous);
                    service.reply(request).await.status.as_u16()
                })
            })
            .collect();
        let mut statuses = vec![];
        for request in requests {
            statuses.push(request.await.unwrap());
        }
        statuses
    });
    let created = statuses.iter().filter(|status| **status == 201).count();
    assert!(statuses.iter().all(|status| matches!(status, 201 | 503)), "{statuses:?}");
    assert!(created >= 64, "{created}");
    let count = store.of::<User>();
    let stored = runtime.block_on(count.count(&Query::new())).unwrap();
    assert_eq!(stored, created as u64);
}
