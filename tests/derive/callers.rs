//! Typed calls on behalf of a caller with an account: its values are defaults, and the access rules
//! of fields keep it from setting a field.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use nouns::{
    __runtime::{Body, reply::Reply},
    Answer, Api, Auth, Id, Password, Patch, Query, Resource, RouteRequest,
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
        .route(Method::GET, "/grades", |request: RouteRequest| async move {
            let person = request.store().of::<Person>().get(Id::new(1)).await?;
            Answer::json(StatusCode::OK, &json!([person.grade]))
        })
        .route(Method::GET, "/page", |request: RouteRequest| async move {
            let people = request.store().of::<Person>().list(&request.query_of()?).await?;
            Answer::page(&request, people)
        })
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
    let (method, target) = request.split_once(' ').unwrap();
    let credentials = STANDARD.encode(format!("{login}:{PLAIN}"));
    let request = Request::builder()
        .method(method)
        .uri(target)
        .header("authorization", format!("Basic {credentials}"))
        .body(Body::Empty)
        .unwrap();
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
