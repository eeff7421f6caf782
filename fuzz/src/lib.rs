//! The fuzz targets as functions. Each function checks properties that hold for any input.
//!
//! `fuzz_targets/` calls these functions with random inputs. `tests/seeds.rs` calls them with the
//! seeds, on every toolchain.

mod shapes;

use std::{
    fs,
    hash::{BuildHasher as _, RandomState},
    pin::pin,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    thread::LocalKey,
};

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, request::Parts};
use nouns::{
    __runtime::{
        Body, Model, Peer, Service, Store, access,
        action::{Action, ActionKind, Assignments, CollectionQuery, Window},
        arriving::Arriving,
        def::FieldKind,
        error::Error,
        identify::Caller,
        model::{FieldIx, MemberPath, ResourceIx, ResourceModel, RuleSet},
        plan::{EarlyEnd, Ends, Plan, Shape, View},
        reply::Reply,
        route::{Chain, Target},
        sql::{Dialect, positions, text},
        store::{StoreOptions, Synchronous},
        value::Value,
    },
    codegen::{
        Schema, declare,
        diagnostic::{Diagnostics, Style},
        read_rust, read_yaml,
    },
    interpret::api_def,
};

/// A schema with every kind of field, id and nesting. One field has the name of a query parameter.
const SCHEMA: &str = include_str!("everything.yaml");

/// The maximum number of schemas linked in one process, because linked definitions are never freed.
const LINKED_MAX: u32 = 2000;

static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let schema = read_yaml("everything.yaml", SCHEMA)
        .unwrap_or_else(|found| panic!("{}", found.render(Style::Plain)));
    Arc::new(Model::link(api_def(&schema)).expect("a checked schema can be linked"))
});

thread_local! {
    /// A database for the model of `SCHEMA`, in which SQL statements are prepared.
    static DATABASE: (rusqlite::Connection, tempfile::TempDir) = {
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        let path = folder.path().join("fuzz.db");
        let options = StoreOptions::new(&path).synchronous(Synchronous::Normal);
        let (store, _) = Store::open(&MODEL, &options).expect("a new database can be created");
        drop(store);
        (rusqlite::Connection::open(&path).expect("the database file can be opened"), folder)
    };
    static RUNTIME: tokio::runtime::Runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a current-thread runtime can be built");
}

fn with<T: 'static, R>(of: &'static LocalKey<T>, run: impl FnOnce(&T) -> R) -> R {
    of.with(run)
}

/// Checks that the statement of any shape binds each value of its step once, and each parameter has
/// one origin.
pub fn shape(bytes: &[u8]) {
    let shape = shapes::Draw(bytes.iter()).shape(&MODEL);
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let written = text(&shape, &MODEL, dialect);
        let positions = positions(&shape, &MODEL, dialect);
        let mark = if dialect == Dialect::Sqlite { '?' } else { '$' };
        let numbers = shapes::numbers(&written, mark);
        assert!(numbers.into_iter().eq(1..=positions.len()), "{shape:?}: {written}");
        let mut of_step: Vec<_> = positions.into_iter().flatten().collect();
        of_step.sort_unstable();
        assert!(of_step.iter().copied().eq(0..of_step.len()), "{shape:?}: {written}");
    }
    with(&DATABASE, |(database, _)| {
        database
            .prepare(&text(&shape, &MODEL, Dialect::Sqlite))
            .expect("the statement can be prepared");
    });
}

/// Checks that any text is either a schema or has mistakes. Mistakes can be rendered, and a checked
/// schema can be linked.
pub fn schema(text: &str) {
    static LINKED: AtomicU32 = AtomicU32::new(0);
    match read_yaml("fuzz.yaml", text) {
        Ok(schema) => {
            said_again(&schema);
            forget_spans();
            if LINKED.fetch_add(1, Ordering::Relaxed) < LINKED_MAX {
                Model::link(api_def(&schema)).expect("a checked schema can be linked");
            }
        }
        Err(mistakes) => shown(&mistakes),
    }
}

fn shown(mistakes: &Diagnostics) {
    assert!(!mistakes.render(Style::Plain).is_empty());
    let json: serde_json::Value =
        serde_json::from_str(&mistakes.to_json()).expect("the diagnostics are valid JSON");
    assert!(json.as_array().is_some_and(|list| !list.is_empty()));
}

/// An eighth of the maximum number of brackets and operators in a Rust text. The parser recurses
/// for each level of them. rustc limits the levels before a derive runs.
const BRACKETS_MAX: usize = 64;

/// Checks that any Rust text is either a schema or has mistakes. A schema can be generated as Rust
/// and parsed again; mistakes can be rendered.
pub fn rust(text: &str) {
    let deep = text.bytes().filter(|byte| b"([{<|&*!-".contains(byte)).count() > BRACKETS_MAX * 8;
    if deep {
        return;
    }
    match read_rust("fuzz.rs", text) {
        Ok(schema) => {
            said_again(&schema);
        }
        Err(mistakes) => shown(&mistakes),
    }
    forget_spans();
}

/// Checks that a schema, generated as Rust and parsed again, equals the original.
fn said_again(schema: &Schema) {
    let text = declare::rust(schema);
    let again = read_rust("again.rs", &text).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(&again, schema, "{text}");
}

/// Frees the source texts of spans. Outside of a compiler, `proc_macro2` keeps them until this
/// call.
fn forget_spans() {
    proc_macro2::extra::invalidate_current_thread_spans();
}

fn resource(name: &str) -> ResourceIx {
    let found = MODEL.resources().iter().find(|resource| resource.def.name == name);
    found.expect("the schema declares a resource of this name").ix
}

/// Checks that a query string is refused with 400, or has a canonical form with the same meaning.
/// Then the links of its pages are accepted, and it can be converted to SQL.
pub fn query(text: &str) {
    let ix = resource("animal");
    let chain = Chain { resource: ix, ids: vec![Value::Integer(1)] };
    let parse = |text: &str| CollectionQuery::parse(MODEL.seen(RuleSet::NONE), &chain, Some(text));
    let query = match parse(text) {
        Ok(query) => query,
        Err(error) => return refused(&error, &[400]),
    };
    let again = parse(&query.text).expect("the canonical form of an accepted query is accepted");
    assert_eq!(again, query, "the canonical form has the same meaning");
    let place = || Some(query.sort.iter().map(|key| sample(MODEL[ix][key.field].kind)).collect());
    let early = text.len().is_multiple_of(2).then_some(EarlyEnd { members: 1, fits: 1 });
    let ends = Ends { first: place(), last: place(), early };
    let links = [
        query.prev(&MODEL[ix], &ends, true, None),
        query.next(&MODEL[ix], &ends, true),
        Some(query.first()),
    ];
    for link in links.into_iter().flatten() {
        let linked = parse(&format!("{}&{link}", query.link_parameters))
            .expect("the query of a page link is accepted");
        assert_eq!(
            (&linked.predicate, &linked.sort, linked.page.limit),
            (&query.predicate, &query.sort, query.page.limit)
        );
        if let Window::After(cursor) | Window::Before(cursor) = &linked.page.window {
            let values = Some(&cursor.values);
            assert!(
                [ends.first.as_ref(), ends.last.as_ref()].contains(&values),
                "the cursor of a link is the first or last member of the page"
            );
        }
    }
    check_plan(&MODEL, ActionKind::List { chain, query });
}

/// A sample value for a kind of field. A cursor contains such values.
fn sample(kind: FieldKind) -> Value {
    let text = match kind {
        FieldKind::Number => "-2.5e-7",
        FieldKind::Boolean => "true",
        FieldKind::Date => "2026-11-20",
        FieldKind::Time => "08:30:00.5",
        FieldKind::DateTime => "2026-11-20T08:30:00.000000Z",
        FieldKind::Uuid => "01890a5d-ac96-774b-bcce-b302099a8057",
        _ => "12",
    };
    Value::parse(kind, text).expect("the sample is a valid value of its kind")
}

/// Checks that any bytes are either an accepted body or are refused with 400 or 422. The statements
/// of an accepted body can be prepared.
pub fn body(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let methods = [Method::POST, Method::PUT, Method::PATCH];
    let method = &methods[usize::from(first % 3)];
    let place = [("animal", 1), ("zoo", 0), ("keeper", 0)][usize::from(first / 3 % 3)];
    let chain = Chain { resource: resource(place.0), ids: vec![Value::Integer(1); place.1] };
    let id = match MODEL[chain.resource][FieldIx::ID].kind {
        FieldKind::Integer => Value::Integer(1),
        FieldKind::Uuid => Value::Text("01890a5d-ac96-774b-bcce-b302099a8057".into()),
        _ => Value::Text("ada".into()),
    };
    let target =
        if *method == Method::POST { Target::Collection(chain) } else { Target::Member(chain, id) };
    let request = Request::builder().method(method).uri("/").body(Body::from(bytes.to_vec()));
    let (head, content) = request.expect("the method and the URI are valid").into_parts();
    let content = pin!(content);
    let mut content = Arriving::new(content);
    let parse = Action::parse(&MODEL, admitted(target, &head), &head, &mut content);
    match with(&RUNTIME, |runtime| runtime.block_on(parse)) {
        Ok(action) => {
            serde_json::from_slice::<serde::de::IgnoredAny>(bytes)
                .expect("an accepted body is valid JSON");
            check_plan(&MODEL, action.kind);
        }
        Err(error) => refused(&error, &[400, 422]),
    }
}

/// Admits a request to a target through the access rules. Anonymous callers may use any method.
fn admitted(target: Target, head: &Parts) -> access::AdmittedRequest {
    access::admit(&MODEL, target, &Caller::Anonymous, &head.method)
        .expect("the schema has every method for anonymous callers")
}

/// The representation of a member, to which the patches are applied.
const MEMBER: &str = r#"{"id":"01890a5d-ac96-774b-bcce-b302099a8057","zoo_id":1,"name":"Bella","slug":"bella","mail":null,"status":"draft","rank":5,"limit":null,"weight":4.5,"price":"12.50","tame":true,"born":"2020-02-29","fed_at":null,"seen":"2026-11-20T08:30:00.000000Z","chip":null,"extra":{"list":[1,[2]],"a/b":{"c":null},"d":[12345678901234567890123,0.10,-0]},"score":1,"blurb":null,"keeper_id":"ada","mate_id":null,"created_at":"2026-11-20T08:30:00.000000Z","updated_at":"2026-11-20T08:30:00.000000Z"}"#;

/// Checks that any bytes are either a JSON Patch or are refused. The statement for the change of an
/// accepted patch can be prepared.
pub fn patch(bytes: &[u8]) {
    let chain = Chain { resource: resource("animal"), ids: vec![Value::Integer(1)] };
    let id = Value::Text("01890a5d-ac96-774b-bcce-b302099a8057".into());
    let request = Request::builder().method(Method::PATCH).uri("/");
    let request = request.header("content-type", "application/json-patch+json");
    let (head, content) = request
        .body(Body::from(bytes.to_vec()))
        .expect("the method, the URI and the header are valid")
        .into_parts();
    let target = Target::Member(chain.clone(), id.clone());
    let content = pin!(content);
    let mut content = Arriving::new(content);
    let parse = Action::parse(&MODEL, admitted(target, &head), &head, &mut content);
    let patch = match with(&RUNTIME, |runtime| runtime.block_on(parse)) {
        Ok(Action { kind: ActionKind::Amend { patch, .. }, .. }) => patch,
        Ok(other) => panic!("{other:?}"),
        Err(error) => return refused(&error, &[400, 422]),
    };
    let at = MemberPath { chain: &chain, id: &id };
    match patch.change(&MODEL[chain.resource], &Caller::Anonymous, at, MEMBER.as_bytes()) {
        Ok(None) => {}
        Ok(Some(change)) => {
            keeps_numbers(bytes, &MODEL[chain.resource], &change);
            let create = Err(vec![]);
            check_plan(&MODEL, ActionKind::Write { chain, id, change, create, complete: false });
        }
        Err(error) => refused(&error, &[409, 422]),
    }
}

/// Checks that each number in a `json` field is written exactly as in the member or in the patch.
fn keeps_numbers(patch: &[u8], resource: &ResourceModel, change: &Assignments) {
    let originals = [numbers(MEMBER.as_bytes()), numbers(patch)].concat();
    for (ix, value) in &change.columns {
        if let (FieldKind::Json, Value::Text(json)) = (resource[*ix].kind, value) {
            assert!(
                numbers(json.as_bytes()).iter().all(|number| originals.contains(number)),
                "{json}"
            );
        }
    }
}

/// The numbers in a JSON text, as they are written.
fn numbers(json: &[u8]) -> Vec<&[u8]> {
    let mut numbers = vec![];
    let (mut in_string, mut escaped, mut start) = (false, false, None);
    for (at, byte) in json.iter().chain(b" ").enumerate() {
        let of_number = !in_string && (byte.is_ascii_digit() || b"+-.eE".contains(byte));
        match start {
            None if of_number && (byte.is_ascii_digit() || *byte == b'-') => start = Some(at),
            Some(from) if !of_number => {
                numbers.push(&json[from..at]);
                start = None;
            }
            _ => {}
        }
        (in_string, escaped) = match byte {
            _ if escaped => (in_string, false),
            b'\\' if in_string => (true, true),
            b'"' => (!in_string, false),
            _ => (in_string, false),
        };
    }
    numbers
}

/// Checks that the path of a collection or member and its canonical form have the same target.
pub fn path(text: &str) {
    let Ok(uri) = text.parse::<Uri>() else { return };
    let (chain, id) = match Target::find(&MODEL, &uri) {
        Ok(Target::Collection(chain)) => (chain, None),
        Ok(Target::Member(chain, id)) => (chain, Some(id)),
        Ok(_) => return,
        Err(error) => return refused(&error, &[400, 404, 414]),
    };
    let mut spelled = String::new();
    let mut line: Vec<_> = MODEL.ancestors(chain.resource).take(chain.ids.len()).collect();
    line.reverse();
    line.push(chain.resource);
    let mut ids = chain.ids.iter().chain(&id);
    for ix in line {
        spelled.extend(["/", MODEL[ix].def.collection]);
        if let Some(id) = ids.next() {
            let id = id.spell(MODEL[ix][FieldIx::ID].kind);
            let encoded =
                percent_encoding::utf8_percent_encode(&id, percent_encoding::NON_ALPHANUMERIC);
            spelled.push('/');
            spelled.extend(encoded);
        }
    }
    let again =
        Target::find(&MODEL, &spelled.parse().expect("a percent-encoded path is a valid URI"))
            .expect("the canonical form of a valid path has a target");
    assert_eq!(again, id.map_or(Target::Collection(chain.clone()), |id| Target::Member(chain, id)));
}

/// Checks that an error has one of the expected statuses, and can be rendered.
fn refused(error: &Error, statuses: &[u16]) {
    assert!(statuses.contains(&error.status().as_u16()), "{error:?}");
    let (head, ()) = Request::new(()).into_parts();
    assert_eq!(Reply::problem(&MODEL, error, &head).status, error.status());
}

/// Checks that each step of a plan has SQL text in both dialects, and a value for each parameter.
fn check_plan(model: &Model, kind: ActionKind) {
    let action = Action::of(Caller::Anonymous, kind);
    let plan = Plan::of(model, &action, View::Shown);
    for step in plan.steps.iter().chain(plan.otherwise.as_deref()) {
        assert!(!text(&step.shape, model, Dialect::Postgres).is_empty());
        let sql = text(&step.shape, model, Dialect::Sqlite);
        let added =
            if matches!(step.shape, Shape::Insert { .. } | Shape::Update { .. }) { 2 } else { 0 };
        with(&DATABASE, |(database, _)| {
            let statement = database.prepare(&sql).unwrap_or_else(|error| panic!("{error}: {sql}"));
            assert_eq!(statement.parameter_count(), step.values.len() + added, "{sql}");
            let of_step = positions(&step.shape, model, Dialect::Sqlite).into_iter().flatten();
            assert_eq!(of_step.max().map_or(0, |last| last + 1), step.values.len(), "{sql}");
        });
    }
}

/// The request header fields that the server reads. A byte of the input selects one of them.
const FIELDS: [&str; 22] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "range",
    "if-range",
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-unmodified-since",
    "prefer",
    "want-repr-digest",
    "want-content-digest",
    "content-digest",
    "content-encoding",
    "content-type",
    "idempotency-key",
    "origin",
    "request-id",
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-proto",
    "x-forwarded-host",
];

thread_local! {
    /// A service for the shipped zoo schema, with one zoo in its database. It trusts the peer of
    /// each request as a proxy.
    static ZOO: (Service, tempfile::TempDir) = {
        let yaml = include_str!("../../schemas/zoo.yaml");
        let mut schema = read_yaml("zoo.yaml", yaml).unwrap_or_else(|found| panic!("{}", found.render(Style::Plain)));
        schema.server.trusted_proxies = vec!["127.0.0.0/8".to_owned()];
        let model = Model::link(api_def(&schema)).expect("a checked schema can be linked");
        let model = Arc::new(model);
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        let path = folder.path().join("zoo.db");
        let options = StoreOptions::new(path).synchronous(Synchronous::Normal);
        let (store, _) = Store::open(&model, &options).expect("a new database can be created");
        let service = Service::new(store);
        let zoo = Request::post("/zoos").body(Body::from(r#"{"name":"Tierpark"}"#));
        let zoo = zoo.expect("the request is valid");
        with(&RUNTIME, |runtime| runtime.block_on(service.reply(zoo)));
        (service, folder)
    };
}

/// Checks that the server responds to any header fields. Each line of the input is a field, and its
/// first byte selects the name. Status 5xx never occurs, and 206 has `Content-Range` or another
/// content type.
pub fn fields(bytes: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Some((first, value)) = line.split_first() else { continue };
        let name = HeaderName::from_static(FIELDS[usize::from(*first) % FIELDS.len()]);
        headers.extend(HeaderValue::from_bytes(value).ok().map(|value| (name, value)));
    }
    for (method, target) in
        [("GET", "/zoos/1"), ("HEAD", "/zoos?limit=2"), ("PATCH", "/zoos/1"), ("POST", "/zoos")]
    {
        let body = if method == "POST" { r#"{"name":"Tierpark"}"# } else { "{}" };
        let request = Request::builder()
            .method(method)
            .uri(target)
            .body(Body::from(body))
            .expect("the request is valid");
        let (mut head, body) = request.into_parts();
        head.headers.clone_from(&headers);
        head.extensions.insert(Peer { address: ([127, 0, 0, 1], 80).into() });
        let reply = with(&ZOO, |(service, _)| {
            with(&RUNTIME, |runtime| {
                runtime.block_on(service.reply(Request::from_parts(head, body)))
            })
        });
        assert!(reply.status.as_u16() < 500, "{method} {target} {headers:?}: {reply:?}");
        assert!(
            reply.status != StatusCode::CREATED,
            "POST fails, because a zoo with this name exists"
        );
        if reply.status == StatusCode::PARTIAL_CONTENT {
            assert!(
                reply.headers.contains_key("content-range")
                    || reply.headers["content-type"] != "application/json"
            );
        }
    }
}

/// Checks that any form gets a redirect, or a page with what is wrong. The first line of the input
/// is the query of the URL that the form is sent to, the rest are its inputs.
pub fn form(bytes: &[u8]) {
    let at = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (query, inputs) = bytes.split_at(at);
    let inputs = inputs.get(1..).unwrap_or_default();
    let Ok(query) = str::from_utf8(query) else { return };
    for path in ["/zoos", "/zoos/1", "/zoos/1/animals"] {
        let request = Request::post(format!("{path}?{query}"))
            .header("content-type", "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin")
            .header("accept", "text/html");
        let Ok(request) = request.body(Body::from(inputs.to_vec())) else { return };
        let reply = with(&ZOO, |(service, _)| {
            with(&RUNTIME, |runtime| runtime.block_on(service.reply(request)))
        });
        let status = reply.status;
        assert!(
            status == StatusCode::SEE_OTHER || status.is_client_error(),
            "{path}?{query}: {reply:?}"
        );
        if let Some(location) = reply.headers.get("location") {
            let location = location.as_bytes();
            assert!(location.starts_with(b"/") && !location.starts_with(b"//"), "{reply:?}");
        }
        if let Body::Full(page) = &reply.body {
            let page = String::from_utf8_lossy(page);
            assert!(page.matches("<script").count() <= 1, "{path}?{query}: {page}");
        }
    }
}

/// The fields of the target `credentials`.
const CREDENTIALS: [&str; 7] = [
    "authorization",
    "cookie",
    "origin",
    "sec-fetch-site",
    "content-type",
    "host",
    "x-forwarded-for",
];

/// A schema whose notes are for those who are signed in. Tokens of an issuer need no account.
const SIGNED_IN: &str = "
nouns: 1
auth: { accounts: user, login: login, jwt: { keys: KEYS, issuer: me, audience: notes } }
resources:
  user:
    fields: { login: { type: string, required: true, unique: true }, password: { type: password } }
  note: { fields: { text: string } }
";

thread_local! {
    static NOTES: (Service, tempfile::TempDir) = {
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        let keys = folder.path().join("jwks.json");
        fs::write(&keys, issuer_keys()).expect("a file can be written");
        let schema = SIGNED_IN.replace("KEYS", &keys.to_string_lossy());
        let schema = read_yaml("notes.yaml", &schema).unwrap_or_else(|found| panic!("{}", found.render(Style::Plain)));
        let model = Arc::new(Model::link(api_def(&schema)).expect("a checked schema can be linked"));
        let options = StoreOptions::new(folder.path().join("notes.db")).synchronous(Synchronous::Normal);
        let (store, _) = Store::open(&model, &options).expect("a new database can be created");
        (Service::new(store), folder)
    };
}

/// The keys of an issuer. The secret is new in each run, so that no input can have its signature.
fn issuer_keys() -> String {
    let hash = || RandomState::new().hash_one(0);
    let secret = format!("{:016x}{:016x}{:016x}", hash(), hash(), hash());
    let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"; // RFC 8037, appendix A.1
    let shared = format!(r#"{{"kty":"oct","alg":"HS256","kid":"1","k":"{secret}"}}"#);
    let public = format!(r#"{{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","kid":"2","x":"{x}"}}"#);
    format!(r#"{{"keys":[{shared},{public}]}}"#)
}

/// Checks that no credentials sign anybody in where there is no account. Each line of the input is
/// a field, as for `fields`. After an empty line comes the body of a request that signs in.
pub fn credentials(bytes: &[u8]) {
    let mut headers = HeaderMap::new();
    let at = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or(bytes.len());
    let (fields, body) = bytes.split_at(at);
    for line in fields.split(|byte| *byte == b'\n') {
        let Some((first, value)) = line.split_first() else { continue };
        let name = HeaderName::from_static(CREDENTIALS[usize::from(*first) % CREDENTIALS.len()]);
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.append(name, value);
        }
    }
    let body = body.get(2..).unwrap_or_default();
    for (method, target) in
        [("GET", "/notes"), ("POST", "/notes"), ("POST", "/sessions"), ("GET", "/tokens")]
    {
        let request = Request::builder().method(method).uri(target);
        let request = request.body(Body::from(body.to_vec())).expect("the request is valid");
        let (mut head, body) = request.into_parts();
        head.headers.clone_from(&headers);
        let reply = with(&NOTES, |(service, _)| {
            with(&RUNTIME, |runtime| {
                runtime.block_on(service.reply(Request::from_parts(head, body)))
            })
        });
        assert!(reply.status.is_client_error(), "{method} {target} {headers:?}: {reply:?}");
        assert!(!reply.headers.contains_key("set-cookie"), "{method} {target}: {reply:?}");
    }
}
