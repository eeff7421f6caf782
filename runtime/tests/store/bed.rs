//! [`Bed`], a test bed: a store in its own folder, with short constructors of plans.

use std::{path::PathBuf, sync::Arc};

use nouns_runtime::{
    Error, Location, Model, Store,
    def::{ApiDef, FieldDef, ResourceDef},
    model::{FieldIx, Layout, ResourceIx},
    plan::{Filter, Outcome, Part, Place, Plan, Shape, Sources, Step, TagCipher, View},
    sink::{JsonSink, Sink},
    store::{PlanResult, StoreOptions},
    value::Value,
};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::database::{self, TestDatabase};

/// A test bed: a store of the API that the module `twin` declares.
pub(crate) struct Bed {
    pub(crate) folder: TempDir,
    pub(crate) database: TestDatabase,
    pub(crate) model: Arc<Model>,
    pub(crate) store: Store,
}

pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.into())
}

pub(crate) const fn int(value: i64) -> Value {
    Value::Integer(value)
}

/// An SQL expression for a text of this many letters.
pub(crate) fn letters(count: usize) -> String {
    match database::is_postgres() {
        true => format!("repeat('x', {count})"),
        false => format!("printf('%.*c', {count}, 'x')"),
    }
}

pub(crate) fn options(at: impl Into<Location>) -> StoreOptions {
    StoreOptions::new(at).apply(false)
}

impl Bed {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let model = Arc::new(Model::link(&crate::twin::API).unwrap());
        let database = TestDatabase::new(folder.path().join("schools.db"));
        let (store, _) = Store::open(&model, &options(database.location())).unwrap();
        Self { folder, database, model, store }
    }

    /// Creates a test bed with a district, a school, a class and a pupil, each with the id 1, and a
    /// teacher.
    pub(crate) fn filled() -> Self {
        let bed = Self::new();
        bed.add("district", &[], &[("name", text("North"))]);
        bed.add("school", &[1], &[("name", text("Hill"))]);
        bed.add("class", &[1, 1], &[("name", text("a")), ("year", int(1))]);
        bed.add("pupil", &[1, 1, 1], &[("name", text("Ada"))]);
        bed.add("teacher", &[1, 1], &[("id", text(TEACHER)), ("name", text("Grace"))]);
        bed
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("schools.db")
    }

    /// A further connection to the database file, as another program would open it.
    pub(crate) fn other(&self) -> Connection {
        let connection = Connection::open(self.path()).unwrap();
        connection.pragma_update(None, "foreign_keys", true).unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
        connection
    }

    pub(crate) fn resource(&self, name: &str) -> ResourceIx {
        self.model.resources().iter().find(|resource| resource.def.name == name).unwrap().ix
    }

    pub(crate) fn field(&self, resource: &str, name: &str) -> FieldIx {
        self.model[self.resource(resource)].field(name).unwrap()
    }

    pub(crate) fn place(&self, resource: &str, depth: usize) -> Place {
        Place::new(self.resource(resource), depth.try_into().unwrap())
    }

    pub(crate) fn plan(&self, steps: Vec<Step>) -> Plan {
        let resource = steps[0].shape.place().resource;
        let writes = match steps[0].shape {
            Shape::List { .. } | Shape::Get { .. } => vec![],
            Shape::Delete { .. } | Shape::DeleteMany { .. } => {
                self.model[resource].deletes.to_vec()
            }
            _ => vec![resource],
        };
        let mut plan = Plan::default();
        plan.reads = Some(Sources { seed: 0, place: Place::new(resource, 0), passed: None });
        (plan.writes, plan.steps) = (writes, steps);
        plan
    }

    pub(crate) fn list(
        &self,
        resource: &str,
        chain: &[i64],
        filter: (Filter, Vec<Value>),
        limit: i64,
    ) -> Plan {
        let place = self.place(resource, chain.len());
        let sort = self.model[place.resource].sort.to_vec();
        let mut values: Vec<_> = chain.iter().copied().map(int).collect();
        values.extend(filter.1);
        values.extend([int(limit), int(0)]);
        self.plan(vec![Step {
            shape: Shape::List {
                place,
                filter: filter.0,
                sort,
                selection: View::Shown.into(),
                part: Part::First,
                beyond: vec![],
            },
            values,
        }])
    }

    pub(crate) fn all(&self, resource: &str, chain: &[i64]) -> Plan {
        self.list(resource, chain, (Filter::EVERY, vec![]), 100)
    }

    pub(crate) fn get(&self, resource: &str, chain: &[i64], id: Value) -> Plan {
        self.plan(vec![self.keyed(
            Shape::Get { place: self.place(resource, chain.len()), selection: View::Shown.into() },
            chain,
            id,
        )])
    }

    pub(crate) fn delete(&self, resource: &str, chain: &[i64], id: Value) -> Plan {
        self.plan(vec![self.keyed(
            Shape::Delete { place: self.place(resource, chain.len()) },
            chain,
            id,
        )])
    }

    fn keyed(&self, shape: Shape, chain: &[i64], id: Value) -> Step {
        let mut values: Vec<_> = chain.iter().copied().map(int).collect();
        values.push(id);
        Step { shape, values }
    }

    fn columns(&self, resource: &str, body: &[(&str, Value)]) -> Vec<FieldIx> {
        body.iter().map(|(name, _)| self.field(resource, name)).collect()
    }

    pub(crate) fn insert(&self, resource: &str, chain: &[i64], body: &[(&str, Value)]) -> Step {
        let mut values: Vec<_> = chain.iter().copied().map(int).collect();
        values.extend(body.iter().map(|(_, value)| value.clone()));
        let place = self.place(resource, chain.len());
        Step {
            shape: Shape::Insert {
                place,
                columns: self.columns(resource, body),
                view: View::Shown,
            },
            values,
        }
    }

    pub(crate) fn update(
        &self,
        resource: &str,
        chain: &[i64],
        id: Value,
        body: &[(&str, Value)],
    ) -> Step {
        let shape = Shape::Update {
            place: self.place(resource, chain.len()),
            columns: self.columns(resource, body),
            merged: vec![],
            view: View::Shown,
        };
        let mut step = self.keyed(shape, chain, id);
        step.values.extend(body.iter().map(|(_, value)| value.clone()));
        step
    }

    pub(crate) fn sink(&self, plan: &Plan) -> Sink {
        let resource = plan.steps[0].shape.place().resource;
        Sink::Json(JsonSink::new(Layout::of(&self.model, resource, None), ""))
    }

    pub(crate) fn read(&self, plan: &Plan) -> PlanResult {
        wait(self.store.read(plan, self.sink(plan))).unwrap()
    }

    pub(crate) fn write(&self, plan: Plan) -> PlanResult {
        self.try_write(plan).unwrap()
    }

    pub(crate) fn try_write(&self, plan: Plan) -> Result<PlanResult, Error> {
        let sink = self.sink(&plan);
        wait(self.store.write(plan, sink))
    }

    pub(crate) fn add(
        &self,
        resource: &str,
        chain: &[i64],
        body: &[(&str, Value)],
    ) -> (Value, u64) {
        let result = self.write(self.plan(vec![self.insert(resource, chain, body)]));
        let Outcome::Members { mut written, created: true, .. } = result.outcome else {
            panic!("the insert must create a member, not {:?}", result.outcome)
        };
        let (id, tag) = written.remove(0);
        (id, self.cipher().decrypt(tag))
    }

    /// The number of members of a resource, read as one page.
    pub(crate) fn shown(&self, resource: &str) -> usize {
        json(self.read(&self.all(resource, &[])).sink).as_array().unwrap().len()
    }

    /// The validator of the collection of a resource.
    pub(crate) fn tag(&self, resource: &str) -> u64 {
        match self.read(&self.all(resource, &[])).outcome {
            Outcome::Page { tag, .. } => tag,
            other => panic!("a list must return a page, not {other:?}"),
        }
    }

    /// The cipher that hides the revisions in tags.
    pub(crate) fn cipher(&self) -> TagCipher {
        let hex = match database::is_postgres() {
            true => "encode(secret, 'hex')",
            false => "hex(secret)",
        };
        let hex = self.database.cell(&format!("SELECT {hex} FROM _nouns_state"));
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        TagCipher::of(&(0..hex.len()).step_by(2).map(byte).collect::<Vec<_>>())
    }

    /// The revision of a member; `None` if the member does not exist.
    pub(crate) fn revision(&self, resource: &str, id: Value) -> Option<u64> {
        self.member_tag(resource, id).map(|tag| self.cipher().decrypt(tag))
    }

    /// The number in the tag of a member; `None` if the member does not exist.
    pub(crate) fn member_tag(&self, resource: &str, id: Value) -> Option<u64> {
        match self.read(&self.get(resource, &[], id)).outcome {
            Outcome::Members { written, .. } => Some(written[0].1),
            _ => None,
        }
    }
}

pub(crate) const TEACHER: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// The content of a JSON sink as a JSON array.
pub(crate) fn json(sink: Sink) -> serde_json::Value {
    let Sink::Json(sink) = sink else { panic!("the sink must be a JSON sink") };
    let bytes = [b"[".as_slice(), &sink.into_bytes(), b"]"].concat();
    serde_json::from_slice(&bytes).unwrap()
}

pub(crate) fn leaked<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// The model of the API in the module `twin`, after `change` has changed the resource `name`.
pub(crate) fn changed(name: &str, change: impl FnOnce(&mut ResourceDef)) -> Arc<Model> {
    let mut resources = crate::twin::API.resources.to_vec();
    let resource = resources.iter_mut().find(|resource| resource.name == name).unwrap();
    let mut def = **resource;
    change(&mut def);
    *resource = leaked(def);
    linked(resources)
}

pub(crate) fn linked(resources: Vec<&'static ResourceDef>) -> Arc<Model> {
    Arc::new(
        Model::link(leaked(ApiDef { resources: Vec::leak(resources), ..crate::twin::API }))
            .unwrap(),
    )
}

pub(crate) fn field(def: &mut ResourceDef, name: &str, change: impl FnOnce(&mut FieldDef)) {
    let mut fields = def.fields.to_vec();
    change(fields.iter_mut().find(|field| field.name == name).unwrap());
    def.fields = Vec::leak(fields);
}
