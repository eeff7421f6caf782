//! Responses with rows of other tables, which rules hide from some callers: random reads and writes
//! on one node and on three, whose responses are compared with those of a model without SQL.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use http::{Request, StatusCode, header};
use tempfile::TempDir;

use crate::{
    base::secret::Secret,
    http::body::Body,
    model::{
        FieldIx, Filter, ListSelection, Model, Op, RelatedRequest, RelatedSelection,
        RelatedSelections, RelationIx, ResourceIx, SortKey,
        def::{ApiDef, FieldDef, FieldKind, OnDelete, ReferenceDef, ResourceDef},
        rule::{ResourceRules, Rule, RuleTest, RuleValue},
        value::Value,
    },
    plan::{Account, Caller, grant::PasswordMark},
    service::Service,
    store::{Store, StoreOptions},
};

const TEAMS: u64 = 4;
const DESKS: u64 = 2;
/// The number of teams that come with a desk.
const SHOWN: usize = 1;
const TASKS: u64 = 6;

/// The rounds on one node, and on three. Each has a read or a write. A nightly run sets
/// `NOUNS_CACHE_ROUNDS` to more.
const ROUNDS: u32 = 2_000;

const fn reference(
    name: &'static str,
    resource: &'static str,
    children: Option<&'static str>,
) -> FieldDef {
    let (alias, on_delete) = (resource, OnDelete::Restrict);
    FieldDef {
        reference: Some(ReferenceDef { resource, alias, on_delete, children }),
        ..FieldDef::new(name, FieldKind::Reference)
    }
}

static TEAM: ResourceDef = ResourceDef {
    fields: &[
        FieldDef::new("name", FieldKind::String),
        FieldDef::new("tenant", FieldKind::String),
        reference("desk_id", "desk", Some("teams")),
    ],
    ..ResourceDef::new("team", "teams", "Team")
};
static TASK: ResourceDef = ResourceDef {
    fields: &[reference("team_id", "team", None)],
    ..ResourceDef::new("task", "tasks", "Task")
};
static DESK: ResourceDef = ResourceDef {
    fields: &[FieldDef::new("name", FieldKind::String)],
    ..ResourceDef::new("desk", "desks", "Desk")
};
static API: ApiDef = ApiDef { resources: &[&TEAM, &TASK, &DESK], ..ApiDef::new("Tasks") };

/// The model, in which callers see the teams of their tenant, all tasks and all desks.
fn model() -> Model {
    let model = Model::link(&API).unwrap();
    let team = &model.resources()[0];
    let subject = team.field("tenant").unwrap().into();
    let test = RuleTest::Test { subject, op: Op::Eq, values: vec![RuleValue::Account(0)] };
    let read = Some(Rule::new(&model, ResourceIx(0), test));
    let open = ResourceRules::default;
    model.with_rules(vec![ResourceRules { read, ..open() }, open(), open()])
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
    /// The desk of each team.
    desks: BTreeMap<u64, u64>,
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
        let (teams, tasks, desks, seen) = Default::default();
        let random = 0x9e37_79b9_7f4a_7c15;
        Self { services, runtime, teams, tasks, desks, random, hits: 0, unchanged: 0, seen }
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
            related: RelatedSelections::default(),
        };
        let list = ListSelection {
            relation: RelationIx(0),
            fields: [FieldIx(1)].into(),
            filter: Filter::EVERY,
            sort: vec![SortKey { field: FieldIx::ID, descending: false }],
            related: RelatedSelections::default(),
        };
        if request.method() == http::Method::GET {
            let selected = match request.uri().path().starts_with("/desks") {
                true => RelatedSelections { members: vec![], lists: vec![list] },
                false => RelatedSelections { members: vec![label], lists: vec![] },
            };
            let limit = Value::Integer(i64::try_from(SHOWN).unwrap());
            let values = selected.lists.iter().map(|_| limit.clone()).collect::<Vec<_>>();
            request.extensions_mut().insert(RelatedRequest { selections: selected, values });
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
        if self.below(4) == 0 {
            let (id, desk) = (1 + self.below(TEAMS), 1 + self.below(DESKS));
            self.desks.insert(id, desk);
            self.write(("PATCH", &format!("/teams/{id}")), format!(r#"{{"desk_id":{desk}}}"#));
        } else if self.below(3) > 0 {
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

    /// The teams of a desk as a reader sees them.
    fn shown_at(&self, tenant: Option<&str>, desk: u64) -> String {
        let at =
            self.teams.iter().filter(|(id, (_, of))| self.desks[id] == desk && tenant == Some(of));
        let names: Vec<_> = at.map(|(_, (name, _))| format!(r#"{{"name":"{name}"}}"#)).collect();
        let more = if names.len() > SHOWN { r#","has_more":true"# } else { "" };
        format!(r#"{{"items":[{}]{more}}}"#, names[..names.len().min(SHOWN)].join(","))
    }

    /// Reads a page or a member, and compares what comes with each row in it.
    fn read(&mut self) {
        let tenant = [None, Some("a"), Some("b")][self.below(3) as usize];
        let (target, rows): (_, Vec<u64>) = match self.below(5) {
            0 => ("/tasks".to_owned(), (1..=TASKS).collect()),
            1 => ("/tasks?limit=2".to_owned(), vec![1, 2]),
            2 => ("/desks".to_owned(), (1..=DESKS).collect()),
            one => {
                let id = 1 + self.below(2);
                (format!("/{}/{id}", if one == 3 { "tasks" } else { "desks" }), vec![id])
            }
        };
        let is_desk = target.starts_with("/desks");
        let key = (tenant, target.clone());
        let mut request = Request::builder().uri(&target);
        let known = self.seen.get(&key).cloned().filter(|_| self.random.is_multiple_of(2));
        if let Some((tag, _)) = &known {
            request = request.header(header::IF_NONE_MATCH, tag);
        }
        let caller = tenant.map_or(Caller::Anonymous, account);
        let reply = self.send(caller, request, String::new());
        self.hits += u32::from(reply.statements == 0);
        let expected = rows.iter().map(|row| match is_desk {
            true => format!(r#""teams":{}"#, self.shown_at(tenant, *row)),
            false => format!(r#""team":{}"#, self.shown(tenant, *row)),
        });
        let expected: Vec<_> = expected.collect();
        let content = match (reply.status, &reply.body) {
            (StatusCode::NOT_MODIFIED, _) => {
                self.unchanged += 1;
                known.expect("a condition was sent").1
            }
            (StatusCode::OK, Body::Full(content)) => String::from_utf8(content.to_vec()).unwrap(),
            other => panic!("{target}: {other:?}"),
        };
        let mut rest = content.as_str();
        for one in expected {
            let at = rest.find(&one);
            let at =
                at.unwrap_or_else(|| panic!("{one} is not in {rest}: {target} for {tenant:?}"));
            rest = &rest[at + one.len()..];
        }
        let name = if is_desk { r#""teams":"# } else { r#""team":"# };
        assert_eq!(content.matches(name).count(), rows.len(), "{target} for {tenant:?}");
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
        for desk in 1..=DESKS {
            self.write(("POST", "/desks"), format!(r#"{{"name":"desk {desk}"}}"#));
        }
        for _ in 0..TEAMS {
            let tenant = ["a", "b"][self.below(2) as usize];
            let id = self.teams.len() as u64 + 1;
            self.teams.insert(id, (format!("team {id}"), tenant));
            let desk = 1 + self.below(DESKS);
            self.desks.insert(id, desk);
            let body = format!(r#"{{"name":"team {id}","tenant":"{tenant}","desk_id":{desk}}}"#);
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
    let rounds = std::env::var("NOUNS_CACHE_ROUNDS").map_or(ROUNDS, |text| text.parse().unwrap());
    for nodes in [1, 3] {
        let folder = TempDir::new().unwrap();
        Nodes::open(&folder.path().join("tasks.db"), nodes).run(rounds);
    }
}
