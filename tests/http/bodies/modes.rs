//! Tests of the modes of fields (such as read-only or write-only), and of the defaults of new
//! members.

use serde_json::json;

use crate::server::TestServer;

const MODES: &str = "
nouns: 1
resources:
  member:
    fields:
      name:    { type: string, required: true }
      score:   { type: integer, read_only: true, required: true, default: 100 }
      place:   { type: integer, read_only: true }
      secret:  { type: string, write_only: true }
      pin:     { type: string, write_only: true, required: true, min_length: 4 }
      login:   { type: string, create_only: true, required: true, pattern: '^[a-z]+$' }
      origin:  { type: string, create_only: true }
      note:    { type: string, hidden: true, default: kept }
";

#[test]
fn each_mode_travels_in_its_directions() {
    let server = TestServer::of(MODES);
    let mut client = server.client();
    let body =
        json!({ "name": "Ada", "secret": "s", "pin": "1234", "login": "ada", "origin": "web" });
    let answer = client.create("/members", &body);
    let shown = json!({
        "id": 1, "name": "Ada", "score": 100, "place": null, "login": "ada", "origin": "web",
        "created_at": "T", "updated_at": "T",
    });
    assert_eq!(answer.still(), shown);
    assert_eq!(client.get("/members/1").still(), shown);
    assert_eq!(client.get("/members").still()["items"], json!([shown]));
    let row = stored(&server);
    assert_eq!(row, ("s".into(), "1234".into(), Some("kept".into())));
}

/// The columns of the first member that no response contains.
fn stored(server: &TestServer) -> (String, String, Option<String>) {
    let cell = |column: &str| {
        server.cell(&format!("SELECT coalesce({column}, 'NULL') FROM members WHERE id = 1"))
    };
    (cell("secret"), cell("pin"), Some(cell("note")).filter(|note| note != "NULL"))
}

#[test]
fn what_is_read_only_or_hidden_is_not_accepted_from_a_new_member() {
    let server = TestServer::of(MODES);
    let mut client = server.client();
    let body = json!({ "name": "Ada", "pin": "1234", "login": "ada", "score": 100, "place": null, "note": "x", "revision": 1 });
    let answer = client.post("/members", &body);
    assert_eq!(answer.status_line, "HTTP/1.1 422 Unprocessable Content");
    let faults = answer.faults();
    let mut faults: Vec<_> = faults.split(", ").collect();
    faults.sort_unstable();
    assert_eq!(
        faults,
        ["/note unknown", "/place read_only", "/revision unknown", "/score read_only"]
    );
}

#[test]
fn what_is_only_for_creation_may_later_be_repeated() {
    let server = TestServer::of(MODES);
    let mut client = server.client();
    client.create(
        "/members",
        &json!({ "name": "Ada", "secret": "s", "pin": "1234", "login": "ada" }),
    );
    let put = client
        .put("/members/1", &json!({ "name": "Ida", "login": "ada", "origin": null, "score": 100 }));
    assert_eq!((put.status(), put.json()["name"].as_str()), (200, Some("Ida")));
    let put = client.put("/members/1", &json!({ "name": "Eda" }));
    assert_eq!(
        (put.status(), put.json()["login"].as_str()),
        (200, Some("ada")),
        "PUT may omit a `create_only` field"
    );
    let change = json!({ "login": "eve", "origin": "web", "score": 1, "place": 1 });
    for method in ["PUT", "PATCH"] {
        let mut body = change.clone();
        body["name"] = "Eve".into();
        let answer = client.request(method, "/members/1", &[], Some(body.to_string().as_bytes()));
        assert_eq!(answer.status_line, "HTTP/1.1 422 Unprocessable Content");
        assert_eq!(
            answer.faults(),
            "/score read_only, /place read_only, /login read_only, /origin read_only"
        );
        let faults = &answer.json()["errors"];
        assert_eq!(
            faults[0]["detail"],
            "`score` is read-only, and the sent value differs from the stored one."
        );
        let once = "`login` can only be set when the member is created, and the sent value differs from the stored one.";
        assert_eq!(faults[2]["detail"], once);
    }
    assert_eq!(client.names("/members"), "Eda");
}

#[test]
fn what_is_never_shown_stays_until_it_is_set() {
    let server = TestServer::of(MODES);
    let mut client = server.client();
    client.create(
        "/members",
        &json!({ "name": "Ada", "secret": "s", "pin": "1234", "login": "ada" }),
    );
    assert_eq!(
        client.put("/members/1", &json!({ "name": "Ada" })).status(),
        200,
        "PUT may omit a write-only field, since a client cannot read it"
    );
    assert_eq!(stored(&server), ("s".into(), "1234".into(), Some("kept".into())));
    assert_eq!(client.patch("/members/1", &json!({ "pin": "5678" })).status(), 200);
    assert_eq!(client.put("/members/1", &json!({ "name": "Ada", "secret": "t" })).status(), 200);
    assert_eq!(stored(&server), ("t".into(), "5678".into(), Some("kept".into())));
    let answer = client.patch("/members/1", &json!({ "pin": "56" }));
    assert_eq!(answer.faults(), "/pin min_length");
    assert!(!answer.detail().contains("56"), "the problem must not contain a write-only value");
    let missing = client.post("/members", &json!({ "name": "Eve", "login": "eve" }));
    assert_eq!(missing.faults(), "/pin required");
}

#[test]
fn what_is_never_shown_cannot_be_asked_for() {
    let server = TestServer::of(MODES);
    let mut client = server.client();
    client.create(
        "/members",
        &json!({ "name": "Ada", "secret": "s", "pin": "1234", "login": "ada" }),
    );
    for field in ["secret", "pin", "note"] {
        let answer = client.get(&format!("/members?{field}=s"));
        assert_eq!((answer.status(), answer.faults()), (400, format!("{field} unknown")));
        assert!(
            answer.json()["errors"][0]["hint"].is_null(),
            "the hint must not name a hidden field"
        );
        assert_eq!(client.get(&format!("/members?{field}[starts_with]=s")).status(), 400);
        let answer = client.get(&format!("/members?sortby={field}"));
        assert_eq!((answer.status(), answer.faults().as_str()), (400, "sortby unknown"));
        assert!(
            !answer.json()["errors"][0]["detail"].as_str().unwrap().contains(&format!(", {field}"))
        );
    }
    assert_eq!(
        client.names("/members?login=ada&score=100&origin[null]=true"),
        "Ada",
        "a filter by visible fields must work"
    );
}

#[test]
fn without_times_a_member_has_none() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  memo:
    timestamps: false
    fields: { name: string }
",
    );
    let mut client = server.client();
    assert_eq!(
        client.create("/memos", &json!({ "name": "a" })).json(),
        json!({ "id": 1, "name": "a" })
    );
    assert_eq!(client.get("/memos?sortby=created_at").faults(), "sortby unknown");
    assert_eq!(client.get("/memos?updated_at=2026-11-20T00:00:00Z").faults(), "updated_at unknown");
    assert_eq!(
        client.patch("/memos/1", &json!({ "created_at": "2026-11-20T00:00:00Z" })).faults(),
        "/created_at unknown"
    );
}

#[test]
fn what_a_new_member_does_not_say_has_its_default() {
    let server = TestServer::of(
        r#"
nouns: 1
resources:
  post:
    fields:
      name:    { type: string, default: untitled }
      rank:    { type: integer, required: true, default: -7 }
      weight:  { type: number, default: 1 }
      price:   { type: decimal, scale: 2, default: 9.5 }
      open:    { type: boolean, default: true }
      status:  { enum: [draft, published], required: true, default: draft }
      extra:   { type: json, default: { a: [1, null] } }
      since:   { type: date, default: $now }
      at:      { type: time, default: $now }
      moment:  { type: datetime, default: $now }
      plain:   string
"#,
    );
    let mut client = server.client();
    let answer = client.create("/posts", &json!({}));
    let mut post = answer.still();
    let moment = post["moment"].take().as_str().unwrap().to_owned();
    let (since, at) = (post["since"].take(), post["at"].take());
    assert_eq!((moment.len(), &moment[26..]), (27, "Z"));
    assert_eq!(since, moment[..10], "the date must be today's (unless midnight has passed)");
    assert!(at.as_str().unwrap().len() >= 8, "{at}");
    assert_eq!(
        post,
        json!({
            "id": 1, "name": "untitled", "rank": -7, "weight": 1.0, "price": "9.50", "open": true, "status": "draft",
            "extra": { "a": [1, null] }, "since": null, "at": null, "moment": null, "plain": null,
            "created_at": "T", "updated_at": "T",
        })
    );
    let values = json!({ "name": "", "rank": 0, "weight": 0, "price": "0", "open": false, "status": "published", "extra": 0 });
    let answer = client.create("/posts", &values).json();
    for (name, value) in
        [("name", json!("")), ("rank", json!(0)), ("weight", json!(0.0)), ("price", json!("0.00"))]
    {
        assert_eq!(answer[name], value);
    }
    assert_eq!(
        (&answer["open"], &answer["status"], &answer["extra"]),
        (&json!(false), &json!("published"), &json!(0))
    );
    let null =
        client.create("/posts", &json!({ "name": null, "since": null, "extra": null })).json();
    assert!(
        null["name"].is_null() && null["since"].is_null() && null["extra"].is_null(),
        "an explicit null must not become the default"
    );
    assert_eq!(client.post("/posts", &json!({ "rank": null })).faults(), "/rank required");
}
