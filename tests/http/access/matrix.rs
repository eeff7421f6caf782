//! Random rules against a model of a few lines: no row is seen and no write gets through that the
//! model does not allow, and all that it allows works.

use std::{cell::RefCell, sync::Arc};

use nouns::{
    __runtime::{
        Body, Model, Service, Store,
        reply::Reply,
        store::{StoreOptions, Worker},
    },
    codegen::read_yaml,
    interpret::api_def,
};
use proptest::{prelude::*, test_runner::Config};
use serde_json::{Value as Json, json};

use super::{HASH, PASSWORD, basic};
use crate::database::{TestDatabase, TestSession, is_postgres};

/// The accounts: their logins and their roles. The ids count from 1.
const ACCOUNTS: [(&str, &str); 3] = [("ann", "reader"), ("eve", "editor"), ("root", "admin")];

/// A rule, as the model has it.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    Public,
    SignedIn,
    Role(Vec<&'static str>),
    Status(&'static str),
    StatusIn(bool),
    Author { is: bool },
    AuthorRole(&'static str),
    ScoreBelow(i64),
    ScoreNull(bool),
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
}

/// A post: its status, the id of its author, and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Post {
    status: &'static str,
    author: usize,
    score: Option<i64>,
}

impl Rule {
    pub(super) fn yaml(&self) -> String {
        let list = |rules: &[Self]| rules.iter().map(Self::yaml).collect::<Vec<_>>().join(", ");
        match self {
            Self::Public => "public".into(),
            Self::SignedIn => "signed_in".into(),
            Self::Role(roles) => format!("{{ role: [{}] }}", roles.join(", ")),
            Self::Status(status) => format!("{{ where: {{ status: {status} }} }}"),
            Self::StatusIn(true) => "{ where: { status: [draft, published] } }".into(),
            Self::StatusIn(false) => "{ where: { status: { nin: [draft] } } }".into(),
            Self::Author { is: true } => "{ where: { author_id: $account.id } }".into(),
            Self::Author { is: false } => "{ where: { author_id: { ne: $account.id } } }".into(),
            Self::AuthorRole(role) => format!("{{ where: {{ author.role: {role} }} }}"),
            Self::ScoreBelow(most) => format!("{{ where: {{ score: {{ lt: {most} }} }} }}"),
            Self::ScoreNull(true) => "{ where: { score: null } }".into(),
            Self::ScoreNull(false) => "{ where: { score: { ne: null } } }".into(),
            Self::All(rules) => format!("{{ all: [{}] }}", list(rules)),
            Self::Any(rules) => format!("{{ any: [{}] }}", list(rules)),
            Self::Not(rule) => format!("{{ not: {} }}", rule.yaml()),
        }
    }

    /// Whether the rule is `wanted` for a caller, by its index, and a post. A test with a value of
    /// an account is neither true nor false for a caller without one.
    fn is(&self, wanted: bool, caller: Option<usize>, post: Post) -> bool {
        let each = |rules: &[Self], all: bool| match all {
            true => rules.iter().all(|rule| rule.is(wanted, caller, post)),
            false => rules.iter().any(|rule| rule.is(wanted, caller, post)),
        };
        let found = match self {
            Self::Public => true,
            Self::SignedIn => caller.is_some(),
            Self::Role(roles) => caller.is_some_and(|at| roles.contains(&ACCOUNTS[at].1)),
            Self::Status(status) => post.status == *status,
            Self::StatusIn(any) => *any || post.status != "draft",
            Self::Author { is } => match caller {
                Some(caller) => (post.author == caller) == *is,
                None => return false,
            },
            Self::AuthorRole(role) => ACCOUNTS[post.author].1 == *role,
            Self::ScoreBelow(most) => post.score.is_some_and(|score| score < *most),
            Self::ScoreNull(null) => post.score.is_none() == *null,
            Self::All(rules) => return each(rules, wanted),
            Self::Any(rules) => return each(rules, !wanted),
            Self::Not(rule) => return rule.is(!wanted, caller, post),
        };
        found == wanted
    }

    pub(super) fn allows(&self, caller: Option<usize>, post: Post) -> bool {
        self.is(true, caller, post)
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    let leaf = prop_oneof![
        Just(Rule::Public),
        Just(Rule::SignedIn),
        proptest::sample::subsequence(vec!["reader", "editor", "admin"], 1..=2)
            .prop_map(Rule::Role),
        proptest::sample::select(vec!["draft", "published"]).prop_map(Rule::Status),
        any::<bool>().prop_map(Rule::StatusIn),
        any::<bool>().prop_map(|is| Rule::Author { is }),
        proptest::sample::select(vec!["reader", "editor"]).prop_map(Rule::AuthorRole),
        (0_i64..4).prop_map(Rule::ScoreBelow),
        any::<bool>().prop_map(Rule::ScoreNull),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Rule::All),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Rule::Any),
            inner.prop_map(|rule| Rule::Not(Box::new(rule))),
        ]
    })
}

pub(super) fn posts() -> Vec<Post> {
    let of = |status, author, score| Post { status, author, score };
    vec![
        of("draft", 0, None),
        of("draft", 0, Some(0)),
        of("published", 0, Some(3)),
        of("published", 1, None),
        of("draft", 1, Some(1)),
        of("draft", 2, Some(2)),
        of("published", 2, Some(1)),
    ]
}

pub(super) struct Bed {
    service: Service,
    /// Another program, which has the database open.
    other: RefCell<TestSession>,
    runtime: tokio::runtime::Runtime,
    /// The connections of a worker. On SQLite a worker would see what it has seen in its turn, and
    /// here no turn ends.
    _worker: Option<Worker>,
    _folder: tempfile::TempDir,
}

impl Bed {
    fn new([read, create, update, delete]: [&Rule; 4]) -> Self {
        let yaml = format!(
            "
nouns: 1
auth: {{ accounts: user, login: login }}
resources:
  user:
    fields:
      login: {{ type: string, required: true, unique: true }}
      password: {{ type: password, required: true }}
      role: {{ enum: [reader, editor, admin], required: true }}
    access: {{ read: public }}
  post:
    methods: [list, get, create, update, delete, delete_many]
    fields:
      status: {{ enum: [draft, published], required: true }}
      author_id: {{ references: user, required: true }}
      score: integer
      note: string
    access: {{ read: {}, create: {}, update: {}, delete: {} }}
",
            read.yaml(),
            create.yaml(),
            update.yaml(),
            delete.yaml()
        );
        Self::of(&yaml)
    }

    /// Serves a schema with the resource `user`, and adds the accounts.
    pub(super) fn of(yaml: &str) -> Self {
        let schema =
            read_yaml("posts.yaml", yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"));
        let model = Arc::new(Model::link(api_def(&schema)).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let database = TestDatabase::new(folder.path().join("posts.db"));
        let options = StoreOptions::new(database.location())
            .synchronous(nouns::__runtime::store::Synchronous::Normal);
        let (store, _) = Store::open(&model, &options).unwrap();
        for (login, role) in ACCOUNTS {
            database.run(&format!(
                "INSERT INTO users (login, password, role) VALUES ('{login}', '{HASH}', '{role}')"
            ));
        }
        let other = RefCell::new(database.session());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let worker = is_postgres().then(|| store.enter_worker().unwrap());
        let service = Service::new(store);
        Self { service, other, runtime, _worker: worker, _folder: folder }
    }

    /// Makes the table of posts what it was.
    fn restore(&self) {
        let row = |(id, post): (usize, Post)| {
            let score = post.score.map_or_else(|| "NULL".to_owned(), |score| score.to_string());
            format!("({id}, '{}', {}, {score})", post.status, post.author + 1)
        };
        let rows: Vec<_> = (1..).zip(posts()).map(row).collect();
        let insert = "INSERT INTO posts (id, status, author_id, score) VALUES";
        self.run(&format!("DELETE FROM posts; {insert} {}", rows.join(", ")));
    }

    /// Runs a script, as another program does.
    pub(super) fn run(&self, script: &str) {
        self.other.borrow_mut().rows(script);
    }

    /// Runs a script, as another program does. Returns the one cell of its result.
    pub(super) fn cell(&self, script: &str) -> String {
        self.other.borrow_mut().cell(script)
    }

    fn count(&self, condition: &str) -> i64 {
        let query = format!("SELECT count(*) FROM posts WHERE {condition}");
        self.cell(&query).parse().unwrap()
    }

    pub(super) fn ask(&self, caller: Option<usize>, request: &str, body: &Json) -> (u16, Json) {
        let (method, target) = request.split_once(' ').unwrap();
        let bytes = if body.is_null() { vec![] } else { body.to_string().into_bytes() };
        let mut request = http::Request::builder().method(method).uri(target);
        if let Some(caller) = caller {
            request = request.header("authorization", basic(ACCOUNTS[caller].0, PASSWORD));
        }
        let request = request.body(Body::from(bytes)).unwrap();
        let Reply { status, body, .. } = self.runtime.block_on(self.service.reply(request));
        let json = match body {
            Body::Full(bytes) => serde_json::from_slice(&bytes).unwrap(),
            _ => Json::Null,
        };
        (status.as_u16(), json)
    }

    /// Returns the ids in a list, which `total` counts: none if the caller may not list.
    fn list(&self, caller: Option<usize>, query: &str) -> Vec<i64> {
        let (status, json) =
            self.ask(caller, &format!("GET /posts?count=true&{query}"), &json!(null));
        if matches!(status, 401 | 403) {
            return vec![];
        }
        let items = json["items"].as_array().unwrap_or_else(|| panic!("{status} {json}"));
        assert_eq!(json["total"], items.len(), "{query}");
        items.iter().map(|item| item["id"].as_i64().unwrap()).collect()
    }
}

fn ids(of: impl Fn(Post) -> bool) -> Vec<i64> {
    (1..).zip(posts()).filter(|(_, post)| of(*post)).map(|(id, _)| id).collect()
}

fn refused(caller: Option<usize>) -> [u16; 2] {
    if caller.is_none() { [401, 404] } else { [403, 404] }
}

fn check_lists(bed: &Bed, caller: Option<usize>, sees: impl Fn(Post) -> bool) {
    assert_eq!(bed.list(caller, "sortby=id"), ids(&sees));
    let drafts = ids(|post| sees(post) && post.status == "draft");
    assert_eq!(bed.list(caller, "sortby=id&status=draft"), drafts);
    let mut by_score = bed.list(caller, "sortby=-score");
    by_score.sort_unstable();
    assert_eq!(by_score, ids(&sees));
}

fn check_deletion_of_drafts(
    bed: &Bed,
    caller: Option<usize>,
    sees: impl Fn(Post) -> bool,
    delete: &Rule,
) {
    let (status, _) = bed.ask(caller, "DELETE /posts?status=draft", &json!(null));
    let drafts = |post: Post| sees(post) && post.status == "draft";
    let stays = ids(|post| drafts(post) && !delete.allows(caller, post));
    let gone = if stays.is_empty() && status == 204 { ids(drafts).len() as i64 } else { 0 };
    assert!(status == 204 || refused(caller).contains(&status), "{status}");
    assert!(stays.is_empty() || status != 204);
    assert_eq!(bed.count("id > 0"), posts().len() as i64 - gone);
    if gone > 0 {
        bed.restore();
    }
}

fn check(read: &Rule, create: &Rule, update: &Rule, delete: &Rule) {
    let bed = Bed::new([read, create, update, delete]);
    bed.restore();
    for caller in [None, Some(0), Some(1), Some(2)] {
        let sees = |post| read.allows(caller, post);
        check_lists(&bed, caller, sees);
        for (id, post) in (1_i64..).zip(posts()) {
            let target = format!("/posts/{id}");
            let ask =
                |method: &str, body: Json| bed.ask(caller, &format!("{method} {target}"), &body);
            let (status, json) = ask("GET", json!(null));
            match sees(post) {
                true => assert_eq!((status, &json["status"]), (200, &json!(post.status))),
                false => assert!([401, 403, 404].contains(&status), "{status}"),
            }
            let may_change =
                |after| sees(post) && update.allows(caller, post) && update.allows(caller, after);
            let other = if post.status == "draft" { "published" } else { "draft" };
            for (body, after) in [
                (json!({ "note": "n" }), post),
                (json!({ "status": other }), Post { status: other, ..post }),
                (json!({ "score": null }), Post { score: None, ..post }),
            ] {
                let (status, _) = ask("PATCH", body.clone());
                match may_change(after) {
                    // A change that hides the member from its caller is answered all the same.
                    true => {
                        assert_eq!(status, 200, "{body}");
                        bed.restore();
                    }
                    false => {
                        assert!(refused(caller).contains(&status), "{status} {body}");
                        let row = format!(
                            "id = {id} AND status = '{}' AND note IS NULL AND score IS NOT DISTINCT FROM {}",
                            post.status,
                            post.score.map_or("NULL".into(), |score| score.to_string())
                        );
                        assert_eq!(bed.count(&row), 1, "a refused change changed the row");
                    }
                }
            }
            let (status, _) = ask("DELETE", json!(null));
            match sees(post) && delete.allows(caller, post) {
                true => {
                    assert_eq!((status, bed.count(&format!("id = {id}"))), (204, 0));
                    bed.restore();
                }
                false => {
                    assert!(refused(caller).contains(&status), "{status}");
                    assert_eq!(bed.count(&format!("id = {id}")), 1);
                }
            }
            let body =
                json!({ "status": post.status, "author_id": post.author + 1, "score": post.score });
            let (status, _) = bed.ask(caller, "POST /posts", &body);
            let expected = if create.allows(caller, post) { 201 } else { refused(caller)[0] };
            assert_eq!(status, expected, "{body}");
            assert_eq!(bed.count("id > 0"), posts().len() as i64 + i64::from(expected == 201));
            if expected == 201 {
                bed.restore();
            }
        }
        check_deletion_of_drafts(&bed, caller, sees, delete);
    }
}

proptest! {
    #![proptest_config(Config { cases: 40, ..Config::default() })]

    #[test]
    fn callers_do_what_the_model_allows_and_nothing_else(
        read in rule(), create in rule(), update in rule(), delete in rule(),
    ) {
        check(&read, &create, &update, &delete);
    }
}
