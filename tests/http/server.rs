//! A server for tests: on a free port, with a schema and a database of its own.

use std::{
    net::{SocketAddr, TcpStream},
    num::NonZero,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use nouns::{
    __runtime::{
        Model, Service, Store,
        limits::{CACHE_BYTES, RESPONSE_BYTES_MAX},
        plan::TagCipher,
        server::{RunningServer, Server},
        store::StoreOptions,
    },
    Difference, Location, OpenError,
    codegen::read_yaml,
    interpret::api_def,
};

use socket2::{Domain, Socket, Type};

use crate::{client::Client, database::TestDatabase};

/// The time after which a test fails that waits for the server.
const PATIENCE: Duration = Duration::from_secs(100);

/// A server that stops when this value is dropped.
pub(crate) struct TestServer {
    pub(crate) model: Arc<Model>,
    pub(crate) service: Service,
    pub(crate) database: Arc<TestDatabase>,
    location: Location,
    bounds: Bounds,
    pub(crate) running: Option<RunningServer>,
    _folder: tempfile::TempDir,
}

/// The bytes that a server may have for large responses, and for its response cache.
#[derive(Clone, Copy)]
struct Bounds {
    memory: usize,
    cache: usize,
}

impl Bounds {
    const USUAL: Self = Self { memory: RESPONSE_BYTES_MAX, cache: CACHE_BYTES };
}

impl TestServer {
    /// Starts a server of a schema in YAML. Panics if the schema has mistakes.
    pub(crate) fn of(yaml: &str) -> Self {
        Self::serve(model(yaml))
    }

    /// Starts a server of the schema `schemas/zoo.yaml`.
    pub(crate) fn zoo() -> Self {
        Self::of(include_str!("../../schemas/zoo.yaml"))
    }

    /// Starts a server of a linked model.
    pub(crate) fn serve(model: Arc<Model>) -> Self {
        Self::with_memory(model, RESPONSE_BYTES_MAX)
    }

    /// Starts a server of a schema in YAML on SQLite or on PostgreSQL, with this many bytes for its
    /// response cache.
    pub(crate) fn on(is_postgres: bool, cache: usize, yaml: &str) -> Self {
        let bounds = Bounds { cache, ..Bounds::USUAL };
        Self::bounded(model(yaml), bounds, |file| TestDatabase::on(is_postgres, file))
    }

    /// Starts a server of a linked model, with this many bytes for large responses.
    pub(crate) fn with_memory(model: Arc<Model>, memory: usize) -> Self {
        Self::bounded(model, Bounds { memory, ..Bounds::USUAL }, TestDatabase::new)
    }

    fn bounded(
        model: Arc<Model>,
        bounds: Bounds,
        database: impl Fn(PathBuf) -> TestDatabase,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = Arc::new(database(folder.path().join("test.db")));
        let location = Location::from(database.location());
        let (service, running) = start(&model, &location, bounds);
        Self { model, service, database, location, bounds, running, _folder: folder }
    }

    /// Starts a server of a schema in YAML and of a database of another location.
    pub(crate) fn at(yaml: &str, location: Location) -> Self {
        let (model, folder) = (model(yaml), tempfile::tempdir().unwrap());
        let database = Arc::new(TestDatabase::new(folder.path().join("test.db")));
        let bounds = Bounds::USUAL;
        let (service, running) = start(&model, &location, bounds);
        Self { model, service, database, location, bounds, running, _folder: folder }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running.as_ref().unwrap().address().tcp().unwrap()
    }

    /// Stops the server, closes the database, and starts a server of the same database on another
    /// port.
    pub(crate) fn restart(&mut self) {
        self.running.take().unwrap().stop().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(self.service.store().close());
        (self.service, self.running) = start(&self.model, &self.location, self.bounds);
    }

    /// Starts another server of the same database, beside this one.
    pub(crate) fn another(&self) -> Self {
        let (model, database) = (Arc::clone(&self.model), Arc::clone(&self.database));
        let (location, bounds) = (self.location.clone(), self.bounds);
        let (service, running) = start(&model, &location, bounds);
        let folder = tempfile::tempdir().unwrap();
        Self { model, service, database, location, bounds, running, _folder: folder }
    }

    /// Starts a server of another schema in YAML, and of the same database.
    pub(crate) fn next(&self, yaml: &str) -> Self {
        Self::at(yaml, self.location.clone())
    }

    /// Opens the database for another schema in YAML. Returns the applied differences, too.
    pub(crate) fn open(&self, yaml: &str) -> Result<(Store, Vec<Difference>), OpenError> {
        Store::open(&model(yaml), &StoreOptions::new(self.location.clone()))
    }

    /// Runs a script in the database, as another program does.
    pub(crate) fn elsewhere(&self, script: &str) {
        self.database.run(script);
    }

    /// Returns the text of the one cell that a query of another program returns.
    pub(crate) fn cell(&self, query: &str) -> String {
        self.database.cell(query)
    }

    /// The cipher that hides the revisions of the database in tags.
    pub(crate) fn cipher(&self) -> TagCipher {
        let hex = if self.database.is_postgres { "encode(secret, 'hex')" } else { "hex(secret)" };
        let hex = self.cell(&format!("SELECT {hex} FROM _nouns_state"));
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        TagCipher::of(&(0..hex.len()).step_by(2).map(byte).collect::<Vec<_>>())
    }

    /// Opens a new connection to the server from another loopback address.
    pub(crate) fn connect_from(&self, address: [u8; 4]) -> TcpStream {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((address, 0)).into()).unwrap();
        socket.connect(&self.address().into()).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.into()
    }

    /// Waits until the server has accepted each connection that clients have opened.
    pub(crate) fn wait_until_accepted(&self) {
        let local = format!(":{:04X} ", self.address().port());
        let until = Instant::now() + PATIENCE;
        // A line has both addresses, the state (0A is a listening socket), and the lengths of the
        // queues: of a listening socket, that of connections which are not accepted yet.
        let waits = |line: &str| {
            let listening = line.split_once(" 0A ").filter(|(ends, _)| ends.contains(&local));
            listening.is_some_and(|(_, queues)| !queues.starts_with("00000000:00000000"))
        };
        while std::fs::read_to_string("/proc/net/tcp").unwrap().lines().any(waits) {
            assert!(Instant::now() < until, "the server does not accept a connection");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Opens a new connection to the server.
    pub(crate) fn client(&self) -> Client {
        Client::connect(self.address())
    }
}

/// Links a schema in YAML. Panics if the schema has mistakes.
fn model(yaml: &str) -> Arc<Model> {
    let schema = read_yaml("test.yaml", yaml).unwrap_or_else(|diagnostics| {
        panic!("{}", diagnostics.render(nouns::codegen::diagnostic::Style::Plain))
    });
    Arc::new(Model::link(api_def(&schema)).unwrap())
}

/// Starts a server with two workers. The database is created if it does not exist.
fn start(
    model: &Arc<Model>,
    location: &Location,
    bounds: Bounds,
) -> (Service, Option<RunningServer>) {
    let (store, _) = Store::open(model, &StoreOptions::new(location.clone())).unwrap();
    let service = Service::with_cache(store, bounds.cache).with_response_memory(bounds.memory);
    let server =
        Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), NonZero::new(2).unwrap()).unwrap();
    let running = server.start(&service).unwrap();
    (service, Some(running))
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().unwrap();
        }
    }
}
