//! A hidden value leaves the program in no way: not in a response, not in serialized values, not in
//! a log and not in a snapshot.

use std::{
    io,
    sync::{Arc, Mutex},
};

use http_body_util::BodyExt as _;
use nouns::{
    Answer, Api, Body, Id, Patch, Query, Resource, RouteRequest, Service, Store,
    http::{Method, Request, Response, StatusCode},
    snapshot::Recorder,
};

/// The beginning of each hidden value in this test.
const SECRET: &str = "s3cret";

/// A user. The struct does not derive `Serialize`, which would be the program's own choice.
#[derive(Clone, Debug, Resource)]
#[resource(methods = [list, get, create, replace, update, delete, delete_many])]
struct User {
    id: Id<Self>,
    #[resource(unique)]
    name: String,
    #[resource(hidden, unique)]
    token: Option<String>,
    #[resource(write_only, min_length = 8)]
    password: String,
}

fn api() -> Api {
    Api::new("Users")
        .resource::<User>()
        .hooks::<User>(|hooks| {
            hooks
                .before_create(|_, new: NewUser| async move {
                    tracing::warn!(?new, "a new user");
                    let token = Some(format!("{SECRET} token of {}", new.name));
                    Ok(NewUser { token, ..new })
                })
                .before_update(|_, _, patch: UserPatch| async move {
                    tracing::warn!(?patch, "a change of a user");
                    Ok(UserPatch { token: Patch::Set(Some(format!("{SECRET} 2"))), ..patch })
                })
        })
        .route(Method::GET, "/one", |request: RouteRequest| async move {
            let user = request.store().as_system().of::<User>().get(Id::new(1)).await?;
            Answer::member(&request, user)
        })
        .route(Method::GET, "/some", |request: RouteRequest| async move {
            let users = request.store().of::<User>().list(&Query::new()).await?;
            Answer::members(&request, users)
        })
        .route(Method::GET, "/page", |request: RouteRequest| async move {
            let users = request.store().of::<User>().list(&request.query_of()?).await?;
            Answer::page(&request, users)
        })
        .route(Method::GET, "/conflict", |request: RouteRequest| async move {
            // Both have the same token, which is unique.
            let new = |name: &str| NewUser {
                token: Some(format!("{SECRET} 2")),
                ..NewUser::new(name.into(), format!("{SECRET} password"))
            };
            let users = request.store().as_system().of::<User>();
            users.create_many(vec![new("x"), new("y")]).await?;
            Ok(Answer::status(StatusCode::OK))
        })
}

/// The lines that a subscriber has written.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends a request. Returns the header fields and the body of the response as text.
async fn answer(service: &Service, head: &str, body: String) -> String {
    let mut lines = head.lines();
    let (method, target) = lines.next().unwrap().split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        request = request.header(name, value);
    }
    let body = Body::from(body.into_bytes());
    let (head, body) =
        Response::from(service.reply(request.body(body).unwrap()).await).into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    format!("{head:?}\n{}", String::from_utf8_lossy(&bytes))
}

/// The requests of this test, each with its body.
fn requests() -> Vec<(&'static str, String)> {
    let user = |name: &str| format!(r#"{{ "name": "{name}", "password": "{SECRET} 12" }}"#);
    let mut all = vec![
        ("POST /users", user("ada")),
        ("POST /users", format!("[{}, {}]", user("b"), user("c"))),
        ("POST /users\nprefer: return=representation", user("d")),
        ("POST /users", user("ada")),
        ("PUT /users/1", user("ada")),
        ("PATCH /users/1", format!(r#"{{ "password": "{SECRET} 34" }}"#)),
        ("PATCH /users/2\nprefer: return=representation", r#"{ "name": "e" }"#.into()),
        ("PATCH /users/2", r#"{ "password": "s3cret" }"#.into()),
        ("DELETE /users?name=c", String::new()),
    ];
    let reads = [
        "GET /",
        "GET /users",
        "GET /users/1",
        "HEAD /users/1",
        "GET /users\naccept: text/csv",
        "GET /users\naccept: application/x-ndjson",
        "GET /users?limit=all\naccept: text/csv",
        "GET /users/1\naccept: text/html",
        "GET /users/9\naccept: text/html",
        "GET /users?limit=1&sortby=name",
        "GET /users?sortby=token",
        "GET /users?sortby=password",
        "GET /users?token=x",
        "GET /users?token[starts_with]=s",
        "GET /users?password[gte]=a",
        "GET /users?fields=token",
        "GET /users?fields=password",
        "OPTIONS /users",
        "OPTIONS /users/1",
        "GET /one",
        "GET /some",
        "GET /page?limit=1",
        "GET /conflict",
    ];
    all.extend(reads.map(|line| (line, String::new())));
    all
}

#[test]
fn a_hidden_value_leaves_the_program_in_no_way() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let model = api().build().unwrap();
    let service = Service::new(Store::temporary(&model).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut texts = vec![];
    tracing::subscriber::with_default(subscriber, || {
        for (head, body) in requests() {
            texts.push((head, runtime.block_on(answer(&service, head, body))));
        }
    });
    let recorder = Recorder::new(model);
    texts.extend(requests().into_iter().map(|(head, body)| {
        let exchange = recorder.exchange(head, &body);
        (head, exchange.rsplit_once("\n\n").map_or(String::new(), |(_, body)| body.to_owned()))
    }));
    for (head, text) in &texts {
        assert!(!text.contains(SECRET), "{head}: {text}");
    }
    let new = NewUser { token: Some(SECRET.into()), ..NewUser::new("x".into(), SECRET.into()) };
    let patch = UserPatch { token: Patch::Set(Some(SECRET.into())), ..UserPatch::default() };
    for text in [format!("{new:?} {patch:#?}"), serde_json::to_string(&patch).unwrap()] {
        assert!(!text.contains(SECRET), "{text}");
    }
    let seen: Vec<_> = texts.iter().filter(|(_, text)| text.contains("ada")).collect();
    assert!(seen.len() > 8, "the test must see the other values of a user");
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("a new user") && log.contains("[hidden]"), "{log}");
    assert!(!log.contains(SECRET), "{log}");
}
