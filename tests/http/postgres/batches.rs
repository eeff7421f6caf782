//! Tests of batches: writes of several clients that are one statement.

use std::{
    sync::{Barrier, Mutex},
    thread,
};

use serde_json::{Value as Json, json};

use crate::{
    access::{PASSWORD, add_accounts, basic},
    client::{Answer, Client},
    server::TestServer,
};

/// Fields of every kind, below a parent. A code is unique.
const SCHEMA: &str = "
nouns: 1
resources:
  zoo: { fields: { name: { type: string, required: true } } }
  keeper: { fields: { name: string } }
  animal:
    parent: zoo
    fields:
      code: { type: string, required: true, unique: true }
      about: string
      legs: integer
      weight: number
      price: { type: decimal, scale: 2 }
      tame: boolean
      born: date
      wakes: time
      seen: datetime
      chip: uuid
      notes: json
      keeper_id: { references: keeper }
    limit: { default: 1000, maximum: 1000 }
  toy:
    parent: animal
    fields: { name: string }
";

/// Drafts that only their authors change, and only to drafts.
const POSTS: &str = "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, admin], required: true }
    access: { read: { where: { id: $account.id } } }
  post:
    fields:
      author_id: { references: user, required: true, default: $account.id }
      title: { type: string, required: true }
      status: { enum: [draft, published], required: true, default: draft }
    access:
      read: { where: { author_id: $account.id } }
      create: { where: { status: draft } }
      update: { where: { author_id: $account.id, status: draft } }
";

/// The number of clients that write at the same time, and the rounds of each.
const CLIENTS: usize = 16;
const ROUNDS: usize = 30;

/// Runs the rounds of all clients at the same time. Returns what they return.
fn together<T: Send>(run: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(CLIENTS);
    thread::scope(|scope| {
        let client = |at: usize| {
            let (start, run) = (&start, &run);
            scope.spawn(move || {
                start.wait();
                run(at)
            })
        };
        let clients: Vec<_> = (0..CLIENTS).map(client).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    })
}

/// The sum of a figure of the server, and how often it was counted.
fn figure(server: &TestServer, name: &str) -> [f64; 2] {
    let page = server.client().get("http://localhost/-/metrics");
    let text = String::from_utf8(page.body).unwrap();
    ["_sum ", "_count "].map(|part| {
        let start = format!("{name}{part}");
        text.lines().find_map(|line| line.strip_prefix(&start)).unwrap().parse().unwrap()
    })
}

/// Asserts that at least two writes of the server were one transaction.
fn assert_batches(server: &TestServer) {
    let [writes, transactions] = figure(server, "nouns_write_batch_size");
    assert!(writes > transactions, "{writes} writes, {transactions} transactions");
}

/// The members that a client has written, as they should be.
struct OwnAnimals {
    zoo: usize,
    client: Client,
    /// The target of each, and its last tag and representation.
    known: Vec<(String, String, Json)>,
}

impl OwnAnimals {
    fn create(&mut self, body: &Json) {
        let answer = self.client.create(&format!("/zoos/{}/animals", self.zoo), body);
        let target = answer.field("location").unwrap().to_owned();
        self.check(&answer, &target, body);
        self.known.push((target, answer.field("etag").unwrap().to_owned(), answer.json()));
    }

    fn change(&mut self, at: usize, body: &Json) {
        let (target, tag, before) = self.known[at].clone();
        let text = body.to_string();
        let mut fields = vec![("content-type", "application/merge-patch+json")];
        // Some writes expect the tag that they know.
        if body["legs"].as_u64().is_some_and(|legs| legs % 2 == 0) {
            fields.push(("if-match", &tag));
        }
        let answer = self.client.request("PATCH", &target, &fields, Some(text.as_bytes()));
        assert_eq!(answer.status(), 200, "{answer:?}");
        let mut expected = before.as_object().unwrap().clone();
        expected.extend(body.as_object().unwrap().clone());
        expected.insert("updated_at".into(), answer.json()["updated_at"].clone());
        assert_eq!(answer.json(), Json::Object(expected), "{target}");
        let new = answer.field("etag").unwrap().to_owned();
        assert_ne!(new, tag);
        self.known[at] = (target, new, answer.json());
    }

    /// Writes a toy of the first animal. Another zoo has no such animal, and no such toy.
    fn play(&mut self, round: usize) {
        let (right, _, _) = &self.known[0];
        let wrong = format!(
            "/zoos/{}{}",
            self.zoo % CLIENTS + 1,
            &right[right.find("/animals").unwrap()..]
        );
        let toy = json!({ "name": format!("{} {round}", self.zoo) });
        assert_eq!(self.client.post(&format!("{wrong}/toys"), &toy).status(), 404);
        let created = self.client.create(&format!("{right}/toys"), &toy);
        let target = created.field("location").unwrap().to_owned();
        let other = target.replace(right, &wrong);
        assert_eq!(self.client.patch(&other, &json!({ "name": "x" })).status(), 404, "{other}");
        let changed = self.client.patch(&target, &json!({ "name": "y" }));
        assert_eq!((changed.status(), &changed.json()["name"]), (200, &json!("y")), "{target}");
    }

    /// Asserts that an answer is of the member with these values, and that the store agrees.
    fn check(&mut self, answer: &Answer, target: &str, body: &Json) {
        let member = answer.json();
        for (name, value) in body.as_object().unwrap() {
            assert_eq!(member[name], *value, "{name} of {target}");
        }
        assert_eq!(member["zoo_id"], json!(self.zoo), "{target}");
        assert!(target.ends_with(&format!("/{}", member["id"])), "{target}");
    }
}

fn animal(client: usize, round: usize) -> Json {
    let mut body = json!({
        "code": format!("{client}-{round}"), "about": format!("\"{client}\"\\ of {round}, é"),
        "legs": round, "weight": round as f64 / 4.0, "price": format!("{round}.25"),
        "tame": round.is_multiple_of(2), "born": format!("20{:02}-02-28", round % 100),
        "wakes": format!("{:02}:30:00", round % 24), "seen": format!("2026-01-02T03:04:{:02}.000000Z", round % 60),
        "chip": format!("01890a5d-ac96-774b-bcce-{client:06}{round:06}"),
        "notes": { "client": client, "round": [round, null] },
    });
    // Some values are null.
    for (at, name) in ["about", "legs", "weight", "price", "tame", "born", "wakes", "seen", "chip"]
        .into_iter()
        .enumerate()
    {
        if (round + at).is_multiple_of(5) {
            body[name] = Json::Null;
        }
    }
    body
}

/// Each client gets the answer to its own write, with values of all kinds. What one of them cannot
/// do changes nothing for the others.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn each_client_gets_the_answer_to_its_own_write() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    for at in 0..CLIENTS {
        client.create("/zoos", &json!({ "name": format!("Zoo {at}") }));
    }
    client.create("/zoos/1/animals", &json!({ "code": "taken" }));
    let known = together(|at| {
        let mut own = OwnAnimals { zoo: at + 1, client: server.client(), known: vec![] };
        for round in 0..ROUNDS {
            own.create(&animal(at, round));
            let first = own.known[0].clone();
            let refused = match (at + round) % 8 {
                0 => ("POST", "/zoos/99/animals".into(), json!({ "code": "x" }), 404),
                1 => ("POST", "/zoos/1/animals".into(), json!({ "code": "taken" }), 409),
                2 => ("PATCH", first.0, json!({ "code": "taken" }), 409),
                3 => ("PATCH", first.0, json!({ "keeper_id": 7 }), 409),
                4 => ("PATCH", format!("/zoos/{}/animals/1", at + 2), json!({ "legs": 1 }), 404),
                5 => ("PATCH", "/zoos/1/animals/99999".into(), json!({ "legs": 1 }), 404),
                _ => ("PATCH", first.0, json!({ "legs": "x" }), 422),
            };
            let (method, target, body, status) = refused;
            let answer = own.client.send(method, &target, &body);
            assert_eq!(answer.status(), status, "{method} {target} {body}: {answer:?}");
            own.play(round);
            own.change(round / 2, &json!({ "legs": round, "about": format!("{at} {round}") }));
            own.change(round, &json!({ "weight": null, "price": format!("{round}.50") }));
        }
        own.known
    });
    for (at, known) in known.iter().enumerate() {
        let page = client.get(&format!("/zoos/{}/animals?sortby=id", at + 1)).json();
        let stored = page["items"].as_array().unwrap();
        let expected: Vec<_> = known.iter().map(|(.., member)| member).collect();
        let skipped = usize::from(at == 0);
        assert_eq!(stored.iter().skip(skipped).collect::<Vec<_>>(), expected, "of {at}");
        for (target, tag, _) in known {
            assert_eq!(client.get(target).field("etag"), Some(tag.as_str()));
        }
    }
    assert_batches(&server);
}

/// Clients that change the same members at the same time all succeed, each with a tag of its own.
/// Of those that expect a tag, one does.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn writes_of_one_member_are_one_after_the_other() {
    let server = TestServer::of(SCHEMA);
    server.client().create("/zoos", &json!({ "name": "North" }));
    for code in ["a", "b"] {
        server.client().create("/zoos/1/animals", &json!({ "code": code, "legs": 0 }));
    }
    let tags = Mutex::new(vec![]);
    let counted = together(|at| {
        let (mut client, mut done) = (server.client(), 0);
        for round in 0..ROUNDS {
            let target = format!("/zoos/1/animals/{}", 1 + (at + round) % 2);
            let answer = client.patch(&target, &json!({ "about": format!("{at} {round}") }));
            assert_eq!(answer.json()["about"], json!(format!("{at} {round}")));
            tags.lock().unwrap().push(answer.field("etag").unwrap().to_owned());
            let read = client.get(&target);
            let body = json!({ "legs": read.json()["legs"].as_u64().unwrap() + 1 }).to_string();
            let fields = [
                ("content-type", "application/merge-patch+json"),
                ("if-match", read.field("etag").unwrap()),
            ];
            let answer = client.request("PATCH", &target, &fields, Some(body.as_bytes()));
            assert!([200, 412].contains(&answer.status()), "{answer:?}");
            if answer.status() == 200 {
                tags.lock().unwrap().push(answer.field("etag").unwrap().to_owned());
                done += 1;
            }
        }
        done
    });
    let legs = server.cell("SELECT sum(legs) FROM animals");
    let done = counted.iter().sum::<usize>();
    assert_eq!(legs, done.to_string(), "each success is one increment");
    let mut tags = tags.into_inner().unwrap();
    let count = tags.len();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), count, "two writes have the same tag");
}

/// A batch is under the rules of its caller. A forbidden write is refused alone.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn the_writes_of_a_batch_have_the_same_caller() {
    let server = TestServer::of(POSTS);
    let logins = ["ann", "bob"];
    add_accounts(&server, &logins.map(|login| (login, "reader")));
    let drafts: Mutex<[Option<String>; 2]> = Mutex::default();
    together(|at| {
        let (login, mut client) = (at % 2, server.client());
        let credentials = basic(logins[login], PASSWORD);
        let mut ask = |method: &str, target: &str, body: Json| {
            let kind = match method {
                "POST" => "application/json",
                _ => "application/merge-patch+json",
            };
            let fields = [("authorization", &*credentials), ("content-type", kind)];
            client.request(method, target, &fields, Some(body.to_string().as_bytes()))
        };
        let mut last = None;
        for round in 0..ROUNDS {
            let title = format!("{at} {round}");
            let created = ask("POST", "/posts", json!({ "title": title }));
            assert_eq!(created.status(), 201, "{created:?}");
            assert_eq!(created.json()["author_id"], json!(login + 1));
            assert_eq!(created.json()["title"], json!(title));
            let target = created.field("location").unwrap().to_owned();
            let changed = ask("PATCH", &target, json!({ "title": format!("{title}!") }));
            assert_eq!(changed.json()["title"], json!(format!("{title}!")), "{changed:?}");
            let forbidden = match round % 3 {
                0 => ask("POST", "/posts", json!({ "title": "x", "status": "published" })),
                1 => ask("PATCH", &target, json!({ "status": "published" })),
                _ => ask("PATCH", last.as_deref().unwrap_or(&target), json!({ "title": "y" })),
            };
            let status = if round % 3 == 2 { 200 } else { 403 };
            assert_eq!(forbidden.status(), status, "{forbidden:?}");
            // The drafts of the other account are not to be seen.
            let other = drafts.lock().unwrap()[1 - login].clone();
            if let Some(other) = other {
                assert_eq!(ask("PATCH", &other, json!({ "title": "z" })).status(), 404, "{other}");
            }
            drafts.lock().unwrap()[login] = Some(target.clone());
            last = Some(target);
        }
    });
    let rows = "SELECT count(*) FROM posts WHERE status = 'draft' AND title NOT IN ('x', 'z')";
    assert_eq!(server.cell(rows), (CLIENTS * ROUNDS).to_string());
    assert_batches(&server);
}
