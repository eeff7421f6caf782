//! Tests of nested URLs with a broken chain of parents. Each link is broken in each way, with each
//! method. The response is 404 and names the link, and nothing is changed.

use serde_json::{Value as Json, json};

use crate::{
    client::{Answer, Client},
    database,
    server::TestServer,
};

const SCHEMA: &str = "
nouns: 1
resources:
  continent:
    fields: &fields { name: { type: string, required: true } }
    methods: &all [list, create, get, replace, update, delete, delete_many]
  country: { parent: continent, fields: *fields, methods: *all }
  city: { parent: country, fields: *fields, methods: *all }
  street: { parent: city, fields: *fields, methods: *all }
  house: { parent: street, fields: *fields, methods: *all }
";

/// The names of the resources and of their collections, outermost first.
const LEVELS: [(&str, &str); 5] = [
    ("continent", "continents"),
    ("country", "countries"),
    ("city", "cities"),
    ("street", "streets"),
    ("house", "houses"),
];

const ABSENT: i64 = 999_999;

const ON_COLLECTIONS: [&str; 4] = ["GET", "HEAD", "POST", "DELETE"];
const ON_MEMBERS: [&str; 5] = ["GET", "HEAD", "PUT", "PATCH", "DELETE"];

/// The path of the collection at a level, under parents with these ids. With one more id, it is the
/// path of a member.
fn path(level: usize, ids: &[i64]) -> String {
    let mut path = String::new();
    for (at, (_, collection)) in LEVELS[..=level].iter().enumerate() {
        path += &format!("/{collection}");
        path.extend(ids.get(at).map(|id| format!("/{id}")));
    }
    path
}

fn send(client: &mut Client, method: &str, path: &str, member: bool) -> Answer {
    let json = [("content-type", "application/json")];
    match method {
        "POST" | "PUT" | "PATCH" => {
            client.request(method, path, &json, Some(br#"{"name":"changed"}"#))
        }
        "DELETE" if !member => client.request(method, &format!("{path}?name[ne]="), &[], None),
        _ => client.request(method, path, &[], None),
    }
}

fn create(client: &mut Client, level: usize, above: &[i64]) -> i64 {
    let answer = client.post(&path(level, above), &json!({ "name": "new" }));
    assert_eq!(answer.status(), 201, "{}", answer.json());
    answer.json()["id"].as_i64().unwrap()
}

/// Creates a member at each level, each under the previous one. Returns their ids. No two calls
/// return the same id for a level.
fn line(client: &mut Client) -> Vec<i64> {
    let mut ids = vec![];
    for level in 0..LEVELS.len() {
        ids.push(create(client, level, &ids));
    }
    ids
}

/// Reads every row of every table, including the tables that the store uses internally.
fn dump(server: &TestServer) -> Vec<(String, Vec<Vec<String>>)> {
    let names = match database::is_postgres() {
        // A new connection has counters of its own, which begin with 0.
        true => {
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
             AND tablename NOT IN ('_nouns_slots', '_nouns_counters') UNION ALL
             SELECT '(SELECT name, sum(count) FROM _nouns_counters GROUP BY name)' ORDER BY 1"
        }
        false => "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
    };
    let names: Vec<_> = server.database.rows(names).into_iter().flatten().collect();
    let rows = |name: &String| {
        let mut rows = server.database.rows(&format!("SELECT * FROM {name} AS t"));
        rows.sort_unstable();
        rows
    };
    assert!(names.len() > LEVELS.len(), "the dump must contain the internal tables of the store");
    names.iter().map(|name| (name.clone(), rows(name))).collect()
}

/// The ids of a broken chain, and the level of its first broken link.
struct BrokenChain {
    ids: Vec<i64>,
    link: usize,
}

/// Returns the broken chains. `own` and `other` are the ids of two separate chains. Each link of
/// `own` is replaced by an absent id, or by the id in `other`. Or it and all links after it are
/// replaced by those of `other`.
fn broken_chains(own: &[i64], other: &[i64]) -> Vec<BrokenChain> {
    let mut all = vec![];
    for link in 0..own.len() {
        let mut absent = own.to_vec();
        absent[link] = ABSENT;
        all.push(BrokenChain { ids: absent, link });
        // An outermost member of the other line exists, so the first broken link is that of its
        // child.
        let mut foreign = own.to_vec();
        foreign[link] = other[link];
        let first = if link == 0 { 1 } else { link };
        if first < own.len() {
            all.push(BrokenChain { ids: foreign, link: first });
        }
        if link > 0 {
            let rest = own[..link].iter().chain(&other[link..own.len()]).copied().collect();
            all.push(BrokenChain { ids: rest, link });
        }
    }
    all
}

fn check_missing(answer: &Answer, method: &str, path: &str, broken: &BrokenChain) {
    assert_eq!(answer.status(), 404, "{method} {path}");
    if method == "HEAD" {
        return;
    }
    let name = |link: usize| format!("{} `{}`", LEVELS[link].0, broken.ids[link]);
    let mut expected = match broken.link {
        0 => format!("There is no {}.", name(0)),
        link => format!("There is no {} under {}.", name(link), name(link - 1)),
    };
    if method == "PUT" && broken.link + 1 == broken.ids.len() {
        expected += " PUT creates a member only if clients choose the ids.";
    }
    assert_eq!(answer.problem(), "not-found", "{method} {path}");
    assert_eq!(answer.json()["detail"], expected.as_str(), "{method} {path}");
    assert_eq!(answer.json()["instance"], path, "{method}");
}

/// Conformance 27: every link of the chain is checked, at every depth, for every method.
#[test]
fn a_missing_link_is_404_that_names_it_and_changes_nothing() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let (own, other) = (line(&mut client), line(&mut client));
    let before = dump(&server);
    let mut requests = 0;
    for level in 0..LEVELS.len() {
        for (ids, methods) in [(level, &ON_COLLECTIONS[..]), (level + 1, &ON_MEMBERS[..])] {
            for broken in broken_chains(&own[..ids], &other[..ids]) {
                let target = path(level, &broken.ids);
                for method in methods {
                    let answer = send(&mut client, method, &target, ids > level);
                    check_missing(&answer, method, &target, &broken);
                    requests += 1;
                }
            }
        }
    }
    assert!(requests > 250, "the test sent only {requests} requests");
    assert_eq!(dump(&server), before);
}

#[test]
fn a_whole_chain_is_answered_at_every_depth() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let own = line(&mut client);
    let other = line(&mut client);
    for level in 0..LEVELS.len() {
        let above = &own[..level];
        let collection = path(level, above);
        let id = create(&mut client, level, above);
        let member = format!("{collection}/{id}");
        let wanted = [
            ("GET", 200),
            ("HEAD", 200),
            ("PUT", 200),
            ("PATCH", 200),
            ("DELETE", 204),
            ("GET", 404),
        ];
        for (method, status) in wanted {
            assert_eq!(
                send(&mut client, method, &member, true).status(),
                status,
                "{method} {member}"
            );
        }
        for (method, status) in [("GET", 200), ("HEAD", 200), ("POST", 201)] {
            assert_eq!(
                send(&mut client, method, &collection, false).status(),
                status,
                "{method} {collection}"
            );
        }
        let listed = client.get(&collection).json();
        let ids: Vec<&Json> =
            listed["items"].as_array().unwrap().iter().map(|item| &item["id"]).collect();
        assert!(
            ids.contains(&&own[level].into())
                && (level == 0) == ids.contains(&&other[level].into())
        );
    }
}

#[test]
fn deleting_many_stays_below_the_chain() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let (own, other) = (line(&mut client), line(&mut client));
    for level in (0..LEVELS.len()).rev() {
        let collection = path(level, &own[..level]);
        let filter = if level == 0 { format!("id={}", own[0]) } else { "name[ne]=".into() };
        assert_eq!(client.delete(&format!("{collection}?{filter}")).status(), 204, "{collection}");
        assert_eq!(client.get(&path(level, &own[..=level])).status(), 404);
        assert_eq!(client.get(&path(level, &other[..=level])).status(), 200);
    }
}

#[test]
fn the_parent_in_a_body_may_only_be_that_of_the_url() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let (own, other) = (line(&mut client), line(&mut client));
    let before = dump(&server);
    for level in 1..LEVELS.len() {
        let parent = format!("{}_id", LEVELS[level - 1].0);
        let body = json!({ "name": "moved", parent.as_str(): other[level - 1] });
        let collection = path(level, &own[..level]);
        let answers = [
            client.post(&collection, &body),
            client.put(&path(level, &own[..=level]), &body),
            client.patch(&path(level, &own[..=level]), &body),
        ];
        for answer in answers {
            assert_eq!(answer.status(), 422, "{collection}");
            assert_eq!(answer.json()["errors"][0]["pointer"], format!("/{parent}"));
        }
    }
    assert_eq!(dump(&server), before);
}
