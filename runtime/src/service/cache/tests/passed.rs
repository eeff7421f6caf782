//! Responses with rows of other tables, which rules hide from some callers: random reads and writes
//! on one node and on three, whose responses are compared with those of a model without SQL.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use http::{Request, StatusCode, header};
use tempfile::TempDir;

use crate::{
    base::secret::Secret,
    http::body::Body,
    model::{
        FieldIx, Model, Op, RelatedSelection, RelationIx, ResourceIx,
        def::{ApiDef, FieldDef, FieldKind, OnDelete, ReferenceDef, ResourceDef},
        rule::{ResourceRules, Rule, RuleTest, RuleValue},
        value::Value,
    },
    plan::{Account, Caller, grant::PasswordMark},
    service::Service,
    store::{Store, StoreOptions},
};

const TEAMS: u64 = 4;
const TASKS: u64 = 6;

/// The rounds on one node, and on three. Each has a read or a write.
const ROUNDS: u32 = 10_000;

static TEAM: ResourceDef = ResourceDef {
    fields: &[FieldDef::new("name", FieldKind::String), FieldDef::new("tenant", FieldKind::String)],
    ..ResourceDef::new("team", "teams", "Team")
};
static TASK: ResourceDef = ResourceDef {
    fields: &[FieldDef {
        reference: Some(ReferenceDef {
            resource: "team",
            alias: "team",
            on_delete: OnDelete::Restrict,
            children: None,
        }),
        ..FieldDef::new("team_id", FieldKind::Reference)
    }],
    ..ResourceDef::new("task", "tasks", "Task")
};
static API: ApiDef = ApiDef { resources: &[&TEAM, &TASK], ..ApiDef::new("Tasks") };

/// The model, in which callers see the teams of their tenant, and all tasks.
fn model() -> Model {
    let model = Model::link(&API).unwrap();
    let team = &model.resources()[0];
    let subject = team.field("tenant").unwrap().into();
    let test = RuleTest::Test { subject, op: Op::Eq, values: vec![RuleValue::Account(0)] };
    let read = Some(Rule::new(&model, ResourceIx(0), test));
    model.with_rules(vec![ResourceRules { read, ..Default::default() }, ResourceRules::default()])
}

/// An account of a tenant.
fn account(tenant: &str) -> Caller {
    Caller::Account(Arc::new(Account {
        id: Value::Null,
        login: String::new(),
        role: None,
        values: [Value::Text(tenant.to_owned())].into(),
        password: PasswordMark::of(""),
        hash: Secret::new(""),
        has_password: false,
        grant: None,
        until: None,
    }))
}

/// The nodes on one database, and the rows that it should have.
struct Nodes {
    services: Vec<Service>,
    runtime: tokio::runtime::Runtime,
    /// The name and the tenant of each team.
    teams: BTreeMap<u64, (String, &'static str)>,
    /// The team of each task.
    tasks: BTreeMap<u64, u64>,
    random: u64,
    hits: u32,
    unchanged: u32,
    /// For each reader and URL: the last entity tag and its content.
    seen: BTreeMap<(Option<&'static str>, String), (String, String)>,
}

impl Nodes {
    fn open(path: &Path, count: usize) -> Self {
        let services = (0..count).map(|_| {
            let model = Arc::new(model());
            Service::new(Store::open(&model, &StoreOptions::new(path)).unwrap().0)
        });
        let services = services.collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (teams, tasks, seen) = Default::default();
        let random = 0x9e37_79b9_7f4a_7c15;
        Self { services, runtime, teams, tasks, random, hits: 0, unchanged: 0, seen }
    }

    fn below(&mut self, count: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % count
    }

    fn send(
        &mut self,
        caller: Caller,
        request: http::request::Builder,
        body: String,
    ) -> crate::reply::Reply {
        let mut request =
            request.header("host", "localhost").body(Body::from(body.into_bytes())).unwrap();
        request.extensions_mut().insert(caller);
        let label = RelatedSelection {
            relation: RelationIx(0),
            fields: [FieldIx(1)].into(),
            length_max: None,
            related: vec![],
        };
        if request.method() == http::Method::GET {
            request.extensions_mut().insert(vec![label]);
        }
        let at = self.below(self.services.len() as u64) as usize;
        self.runtime.block_on(self.services[at].reply(request))
    }

    /// Writes as the program itself.
    fn write(&mut self, (method, target): (&str, &str), body: String) {
        let request = Request::builder()
            .method(method)
            .uri(target)
            .header(header::CONTENT_TYPE, "application/json");
        let reply = self.send(Caller::System, request, body);
        assert!(reply.status.is_success(), "{method} {target}: {}", reply.status);
    }

    fn change(&mut self) {
        let tenant = ["a", "b"][self.below(2) as usize];
        if self.below(3) > 0 {
            let (id, name) = (1 + self.below(TEAMS), format!("team {}", self.below(1000)));
            self.teams.insert(id, (name.clone(), tenant));
            let body = format!(r#"{{"name":"{name}","tenant":"{tenant}"}}"#);
            self.write(("PATCH", &format!("/teams/{id}")), body);
        } else {
            let (id, team) = (1 + self.below(TASKS), 1 + self.below(TEAMS));
            self.tasks.insert(id, team);
            self.write(("PATCH", &format!("/tasks/{id}")), format!(r#"{{"team_id":{team}}}"#));
        }
    }

    /// The team of a task as a reader sees it.
    fn shown(&self, tenant: Option<&str>, task: u64) -> String {
        let (name, of) = &self.teams[&self.tasks[&task]];
        match tenant == Some(of) {
            true => format!(r#"{{"name":"{name}"}}"#),
            false => "null".to_owned(),
        }
    }

    /// Reads a page or a member, and compares each team in it.
    fn read(&mut self) {
        let tenant = [None, Some("a"), Some("b")][self.below(3) as usize];
        let (target, tasks) = match self.below(3) {
            0 => ("/tasks".to_owned(), (1..=TASKS).collect()),
            1 => ("/tasks?limit=2".to_owned(), vec![1, 2]),
            _ => {
                let id = 1 + self.below(2);
                (format!("/tasks/{id}"), vec![id])
            }
        };
        let key = (tenant, target.clone());
        let mut request = Request::builder().uri(&target);
        let known = self.seen.get(&key).cloned().filter(|_| self.random.is_multiple_of(2));
        if let Some((tag, _)) = &known {
            request = request.header(header::IF_NONE_MATCH, tag);
        }
        let caller = tenant.map_or(Caller::Anonymous, account);
        let reply = self.send(caller, request, String::new());
        self.hits += u32::from(reply.statements == 0);
        let expected: Vec<_> = tasks.iter().map(|task| self.shown(tenant, *task)).collect();
        let content = match (reply.status, &reply.body) {
            (StatusCode::NOT_MODIFIED, _) => {
                self.unchanged += 1;
                known.expect("a condition was sent").1
            }
            (StatusCode::OK, Body::Full(content)) => String::from_utf8(content.to_vec()).unwrap(),
            other => panic!("{target}: {other:?}"),
        };
        let teams: Vec<_> = content
            .match_indices(r#""team":"#)
            .map(|(at, name)| {
                let rest = &content[at + name.len()..];
                rest[..rest.find(['}', ',']).unwrap()].trim_end_matches('}').to_owned()
            })
            .collect();
        let expected: Vec<_> = expected.iter().map(|team| team.trim_end_matches('}')).collect();
        assert_eq!(teams, expected, "{target} for {tenant:?}");
        let cache_control = reply.headers[header::CACHE_CONTROL].to_str().unwrap();
        let vary = reply.headers[header::VARY].to_str().unwrap();
        assert!(vary.contains("cookie, authorization"), "{vary}");
        assert_eq!(cache_control, if tenant.is_some() { "private, no-cache" } else { "no-cache" });
        let tag = reply.headers[header::ETAG].to_str().unwrap().to_owned();
        let before = self.seen.insert(key, (tag.clone(), content.clone()));
        if let Some((_, before)) = before.filter(|(before, _)| *before == tag) {
            assert_eq!(before, content, "a tag stands for one content: {target}");
        }
    }

    fn run(mut self, rounds: u32) {
        for _ in 0..TEAMS {
            let tenant = ["a", "b"][self.below(2) as usize];
            let id = self.teams.len() as u64 + 1;
            self.teams.insert(id, (format!("team {id}"), tenant));
            let body = format!(r#"{{"name":"team {id}","tenant":"{tenant}"}}"#);
            self.write(("POST", "/teams"), body);
        }
        for id in 1..=TASKS {
            let team = 1 + self.below(TEAMS);
            self.tasks.insert(id, team);
            self.write(("POST", "/tasks"), format!(r#"{{"team_id":{team}}}"#));
        }
        for _ in 0..rounds {
            if self.below(12) == 0 { self.change() } else { self.read() }
        }
        assert!(self.hits > rounds / 10, "of {rounds} responses, {} were cached", self.hits);
        assert!(self.unchanged > rounds / 20, "{} responses had no content", self.unchanged);
    }
}

#[test]
fn callers_of_one_role_never_get_the_rows_of_each_other() {
    for nodes in [1, 3] {
        let folder = TempDir::new().unwrap();
        Nodes::open(&folder.path().join("tasks.db"), nodes).run(ROUNDS);
    }
}
