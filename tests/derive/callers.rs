//! Typed calls on behalf of a caller with an account: its values are defaults, and the access rules
//! of fields keep it from setting a field.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use nouns::{
    __runtime::{Body, reply::Reply},
    Answer, Api, Auth, Caller, Id, Password, Patch, Query, Resource, RouteRequest, Tx,
    http::{Method, Request, StatusCode},
};
use serde_json::{Value as Json, json};

use crate::bed::Bed;

const PLAIN: &str = "correct horse";

#[derive(Clone, Debug, Resource)]
#[resource(access(read = public))]
struct User {
    id: Id<Self>,
    #[resource(unique)]
    login: String,
    password: Password,
    #[resource(default = "reader", access(write(role = admin)))]
    role: String,
}

#[derive(Clone, Debug, Resource)]
#[resource(sort = [-salary, id], access(read = public))]
struct Person {
    id: Id<Self>,
    name: String,
    #[resource(access(read(role = [reader, hr]), write(role = hr)))]
    salary: Option<i64>,
    #[resource(access(read(role = hr)))]
    grade: Option<String>,
    #[resource(default = "$account.id", read_only)]
    owner_id: Id<User>,
}

fn api() -> Api {
    let auth = Auth::of::<User>().login("login");
    Api::new("People")
        .auth(auth)
        .resource::<User>()
        .resource::<Person>()
        .hooks::<Person>(|hooks| {
            hooks.before_create(|context, new: NewPerson| async move {
                let owner = new.owner_id.map(|id| id.to_string());
                let account = context.caller().account().map(|account| account.login().to_owned());
                Ok(NewPerson { name: format!("{} of {owner:?} by {account:?}", new.name), ..new })
            })
        })
        .route(Method::POST, "/hire", |request: RouteRequest| async move {
            let new = NewPerson::new("Kim".into());
            let person = request.store().of::<Person>().create(new).await?;
            Answer::member(&request, person)
        })
        .route(Method::POST, "/hire_well", |request: RouteRequest| async move {
            let new = NewPerson { salary: Some(9), ..NewPerson::new("Kim".into()) };
            let person = request.store().of::<Person>().create(new).await?;
            Answer::member(&request, person)
        })
        .route(Method::POST, "/raise", |request: RouteRequest| async move {
            let people = request.store().of::<Person>();
            let patch = PersonPatch { salary: Patch::Set(Some(70)), ..PersonPatch::default() };
            Answer::member(&request, people.update(Id::new(1), patch).await?)
        })
        .route(Method::POST, "/save", |request: RouteRequest| async move {
            let people = request.store().of::<Person>();
            let old = people.get(Id::new(1)).await?.into_inner();
            let new =
                NewPerson { name: "Saved".into(), grade: None, salary: Some(1), ..old.into() };
            Answer::member(&request, people.replace(Id::new(1), new).await?)
        })
        .route(Method::POST, "/password", |request: RouteRequest| async move {
            let id = own_id(&request);
            let patch =
                UserPatch { password: Patch::Set("new horse".into()), ..UserPatch::default() };
            Answer::member(&request, request.store().of::<User>().update(id, patch).await?)
        })
        .route(Method::POST, "/password_in_transaction", |request: RouteRequest| async move {
            let (id, store) = (own_id(&request), request.store().clone());
            let hash = store.hashed(Password::new("new horse")).await?;
            let change = move |tx: &mut Tx<'_>| {
                let patch =
                    UserPatch { password: Patch::Set(hash.clone()), ..UserPatch::default() };
                tx.as_caller().of::<User>().update(id, patch)
            };
            Answer::member(&request, store.transaction(change).await?)
        })
        .route(Method::GET, "/grades", |request: RouteRequest| async move {
            let person = request.store().of::<Person>().get(Id::new(1)).await?;
            Answer::json(StatusCode::OK, &json!([person.grade]))
        })
        .route(Method::GET, "/page", |request: RouteRequest| async move {
            let people = request.store().of::<Person>().list(&request.query_of()?).await?;
            Answer::page(&request, people)
        })
}

/// The id of the account of the caller.
fn own_id(request: &RouteRequest) -> Id<User> {
    let login = request.caller().account().map(|account| account.login().to_owned());
    Id::new(if login.as_deref() == Some("ann") { 1 } else { 2 })
}

fn bed() -> Bed {
    let bed = Bed::of(api());
    let users = bed.store().of::<User>();
    for (login, role) in [("ann", "reader"), ("hal", "hr"), ("eve", "guest")] {
        let new =
            NewUser { role: Some(role.into()), ..NewUser::new(login.into(), Password::new(PLAIN)) };
        bed.wait(users.create(new)).unwrap();
    }
    let new = NewPerson {
        salary: Some(50),
        grade: Some("A".into()),
        owner_id: Some(Id::new(1)),
        ..NewPerson::new("Ada".into())
    };
    bed.wait(bed.store().of::<Person>().create(new)).unwrap();
    bed
}

fn ask(bed: &Bed, login: &str, request: &str) -> (u16, Json) {
    let credentials = STANDARD.encode(format!("{login}:{PLAIN}"));
    let mut request = empty(request);
    let value = format!("Basic {credentials}").parse().unwrap();
    request.headers_mut().insert("authorization", value);
    reply(bed, request)
}

/// Sends a request whose caller the program has identified.
fn ask_as(bed: &Bed, caller: Caller, request: &str) -> (u16, Json) {
    let mut request = empty(request);
    request.extensions_mut().insert(caller);
    reply(bed, request)
}

fn empty(request: &str) -> Request<Body> {
    let (method, target) = request.split_once(' ').unwrap();
    Request::builder().method(method).uri(target).body(Body::Empty).unwrap()
}

fn reply(bed: &Bed, request: Request<Body>) -> (u16, Json) {
    let Reply { status, body, .. } = bed.wait(bed.service.reply(request));
    let json = match body {
        Body::Full(bytes) => serde_json::from_slice(&bytes).unwrap(),
        _ => Json::Null,
    };
    (status.as_u16(), json)
}

#[test]
fn a_typed_call_follows_the_rules_of_its_caller() {
    let bed = bed();
    // The default is the account of the caller, and hooks see it.
    let (status, hired) = ask(&bed, "ann", "POST /hire");
    assert_eq!((status, &hired["owner_id"]), (200, &json!(1)), "{hired}");
    assert_eq!(hired["name"], "Kim of Some(\"1\") by Some(\"ann\")");
    assert_eq!((hired.get("salary"), hired.get("grade")), (Some(&json!(null)), None));
    for (login, request, expected) in [
        ("ann", "POST /hire_well", 422),
        ("hal", "POST /hire_well", 200),
        ("ann", "POST /raise", 422),
        ("eve", "POST /raise", 422),
        ("hal", "POST /raise", 200),
        ("ann", "POST /save", 200),
    ] {
        let (status, json) = ask(&bed, login, request);
        assert_eq!(status, expected, "{login} {request} {json}");
        assert_eq!(json.get("grade").is_some(), login == "hal" && status == 200, "{json}");
    }
    let stored = bed.wait(bed.store().of::<Person>().get(Id::new(1))).unwrap();
    assert_eq!(
        (&*stored.name, stored.salary, stored.grade.as_deref()),
        ("Saved", Some(70), Some("A"))
    );
    // A struct has all fields; what is made for the caller has not.
    assert_eq!(ask(&bed, "ann", "GET /grades").1, json!(["A"]));
    let (_, page) = ask(&bed, "eve", "GET /page?limit=1");
    assert_eq!((page["items"][0].get("salary"), &page["items"][0]["id"]), (None, &json!(1)));
    assert_eq!(ask(&bed, "eve", "GET /page?salary=70").0, 400);
    assert_eq!(ask(&bed, "ann", "GET /page?salary=70").0, 200);
}

/// The system has no account, so it says the value itself.
#[test]
fn the_system_has_no_value_of_an_account() {
    let bed = bed();
    let refused = bed.wait(bed.store().of::<Person>().create(NewPerson::new("Kim".into())));
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("owner_id"), "{error}");
    assert_eq!(bed.wait(bed.store().of::<Person>().count(&Query::new())).unwrap(), 1);
}

/// A program may identify the account of a caller itself, without a password.
#[test]
fn the_program_names_the_account_of_a_caller() {
    let bed = bed();
    let of = |login: &str| bed.wait(bed.store().caller_of(login)).unwrap();
    let ann = of("ann").unwrap();
    assert_eq!((ann.role(), ann.account().unwrap().login()), (Some("reader"), "ann"));
    assert_eq!(of("nobody"), None);
    let (status, hired) = ask_as(&bed, ann.clone(), "POST /hire");
    assert_eq!((status, &hired["owner_id"]), (200, &json!(1)), "{hired}");
    assert_eq!(ask_as(&bed, ann.clone(), "POST /raise").0, 422);
    assert_eq!(ask_as(&bed, of("hal").unwrap(), "POST /raise").0, 200);
    // The account is as it was when the program asked. A write looks again.
    let demote = UserPatch { role: Patch::Set("guest".into()), ..UserPatch::default() };
    bed.wait(async { bed.store().of::<User>().update(Id::new(1), demote).await }).unwrap();
    let (status, json) = ask_as(&bed, ann, "POST /hire");
    assert_eq!(status, 503, "{json}");
    assert_eq!(of("ann").unwrap().role(), Some("guest"));
}

/// Code that acts for a caller changes its password only if the caller is confirmed: not by a
/// caller that the program has named, but after the request has sent the present password.
#[test]
fn code_changes_a_password_only_for_a_confirmed_caller() {
    let bed = bed();
    let ann = bed.wait(bed.store().caller_of("ann")).unwrap().unwrap();
    for request in ["POST /password", "POST /password_in_transaction"] {
        let (status, json) = ask_as(&bed, ann.clone(), request);
        assert_eq!(status, 403, "{request}: {json}");
        let (status, json) = ask(&bed, "hal", request);
        assert_eq!(status, 200, "{request}: {json}");
        let system = bed.store().of::<User>();
        let reset = UserPatch { password: Patch::Set(PLAIN.into()), ..UserPatch::default() };
        bed.wait(async { system.update(Id::new(2), reset).await }).unwrap();
    }
}

/// A named caller has no account, but it may have a role.
#[test]
fn the_program_names_the_role_of_a_caller() {
    let bed = bed();
    for (caller, reads) in [
        (Caller::with_role("importer", "hr"), true),
        (Caller::with_role("importer", "guest"), false),
        (Caller::with_role("importer", "unheard of"), false),
        (Caller::named("importer"), false),
        (Caller::Anonymous, false),
        (Caller::System, true),
    ] {
        let (status, person) = ask_as(&bed, caller.clone(), "GET /people/1");
        assert_eq!(status, 200);
        assert_eq!(person.get("grade").is_some(), reads, "{caller:?}: {person}");
        let filtered = ask_as(&bed, caller.clone(), "GET /people?grade=A").0;
        assert_eq!(filtered, if reads { 200 } else { 400 }, "{caller:?}");
    }
}
