//! Tests of a power loss at any moment. Any part of the data that was not synced may be on the
//! disk. Acknowledged writes must be there in each case.

use std::{
    collections::BTreeSet,
    num::NonZero,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use nouns::{
    __runtime::{
        Service,
        server::{RunningServer, Server},
        store::{StoreOptions, Synchronous},
    },
    Model, Store,
    interpret::api_def,
};
use tempfile::TempDir;

use crate::{
    client::{Client, Request},
    disk::Disk,
    load::Load,
    random::{Random, env_number, seed},
    state::{self, Kind, State},
};

/// The number of clients that write concurrently.
const CLIENTS: usize = 4;
/// The number of bytes of the large load. It is below the maximum size of the WAL, so the WAL is
/// checkpointed only when the server stops.
const LOG_BYTES: u64 = 20 << 20;
/// The time that the load may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The server under test, in this process.
pub(crate) struct Serving {
    pub(crate) service: Service,
    running: RunningServer,
}

impl Serving {
    pub(crate) fn start(database: &Path, synchronous: Synchronous) -> Self {
        let schema =
            nouns::codegen::read_yaml("library.yaml", include_str!("library.yaml")).unwrap();
        let model = Arc::new(Model::link(api_def(&schema)).unwrap());
        let options = StoreOptions::new(database).synchronous(synchronous);
        let (store, _) = Store::open(&model, &options).unwrap();
        let service = Service::new(store);
        let server =
            Server::bind(std::net::SocketAddr::from(([127, 0, 0, 1], 0)), NonZero::<usize>::MIN)
                .unwrap();
        let running = server.start(&service).unwrap();
        Self { service, running }
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect(self.running.address().tcp().unwrap()).unwrap()
    }

    pub(crate) fn stop(self) {
        self.running.stop().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(self.service.store().close());
    }
}

/// The states that a client expected, in order, and the moment of each on the simulated disk.
type History = Vec<(usize, State)>;

/// A simulated disk, and the states that the clients expected while it recorded.
pub(crate) struct Recording {
    _folder: TempDir,
    pub(crate) disk: Arc<Disk>,
    clients: Vec<(String, History)>,
    /// The moment from which the database exists.
    opened: usize,
}

impl Recording {
    /// Lets the clients write to a new database: small writes, then `bytes` bytes of large writes,
    /// then small writes again.
    pub(crate) fn make(synchronous: Synchronous, bytes: u64, random: &mut Random) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::watch(folder.path());
        let database = folder.path().canonicalize().unwrap().join("library.db");
        let serving = Serving::start(&database, synchronous);
        let opened = disk.now();
        let mut clients: Vec<_> = (0..CLIENTS)
            .map(|at| {
                let load =
                    Load::new(format!("c{at}"), Random::new(random.next()), &mut serving.client());
                let history = vec![(disk.now(), State::default())];
                (load, history)
            })
            .collect();
        for (writes, bytes) in [(60, 0), (0, bytes), (30, 0)] {
            let (until, begun) = (Instant::now() + PATIENCE, disk.written());
            thread::scope(|scope| {
                for (load, history) in &mut clients {
                    let (mut client, disk) = (serving.client(), &disk);
                    load.is_large = bytes > 0;
                    let end = load.acknowledged + writes;
                    scope.spawn(move || {
                        while load.acknowledged < end || disk.written() - begun < bytes {
                            assert!(Instant::now() < until, "the load did not finish in time");
                            load.write(&mut client).unwrap();
                            history.push((disk.now(), load.state.clone()));
                        }
                    });
                }
            });
        }
        serving.stop();
        disk.forget();
        let clients = clients.into_iter().map(|(load, history)| (load.name, history)).collect();
        Self { _folder: folder, disk, clients, opened }
    }

    /// Simulates this many power losses, half of them soon after a response. Returns how many times
    /// a client lost an acknowledged write.
    fn lose_power(&self, times: u64, random: &mut Random) -> u64 {
        let marks: Vec<_> = self
            .clients
            .iter()
            .flat_map(|(_, history)| history.iter().map(|(at, _)| *at))
            .collect();
        self.lose_power_after(&marks, times, random)
    }

    /// Simulates this many power losses, half of them within six operations after one of `marks`.
    /// Returns how many times a client lost an acknowledged write.
    pub(crate) fn lose_power_after(&self, marks: &[usize], times: u64, random: &mut Random) -> u64 {
        let end = self.disk.now() as u64 + 1;
        let mut moments = BTreeSet::new();
        while (moments.len() as u64) < times.min(end) {
            let soon = marks[random.below(marks.len() as u64) as usize] as u64 + random.below(6);
            let any = random.below(end);
            moments.insert(if random.one_in(2) { any } else { soon.min(end - 1) } as usize);
        }
        let mut lost = 0;
        self.disk.lose_power(&moments, random, |moment, folder| lost += self.look(moment, folder));
        println!(
            "{} losses of power within {end} changes, {lost} clients without a write",
            moments.len()
        );
        lost
    }

    /// Starts the server with the files that a power loss at `moment` left. Returns the number of
    /// clients that lost an acknowledged write.
    fn look(&self, moment: usize, folder: &Path) -> u64 {
        let database = folder.join("library.db");
        let serving = Serving::start(&database, Synchronous::Normal);
        let connection = state::sound(&database);
        let (last, cipher) = (state::revisions(&connection)[""], state::cipher(&connection));
        let mut lost = 0;
        for (client, history) in &self.clients {
            let later = history.partition_point(|(since, _)| *since <= moment);
            let found = State::read(&connection, client);
            let is = |at: usize| {
                history.get(at).is_some_and(|(_, state)| state.difference(&found).is_none())
            };
            let acknowledged = later.saturating_sub(1);
            if is(acknowledged) || is(later) {
                assert!(
                    last >= history[acknowledged].1.revision(&cipher),
                    "the revision of the database is lower than one that {client} received"
                );
                continue;
            }
            let what = history[acknowledged].1.difference(&found);
            assert!(
                (0..acknowledged).any(is),
                "at {moment}, {client} has a state that it never had: {what:?}"
            );
            lost += 1;
        }
        if moment >= self.opened {
            let library = Request::new(
                "POST",
                "/libraries".into(),
                Some(serde_json::json!({ "name": "new" })),
            );
            let answer = serving.client().ask(&library).unwrap();
            assert!(
                answer.status == 201 && cipher.decrypt(answer.number().unwrap()) > last,
                "a write after the power loss must be 201, with a higher revision: {answer:?}"
            );
        }
        serving.stop();
        lost
    }
}

#[test]
fn a_loss_of_power_takes_nothing_that_was_acknowledged_and_leaves_nothing_by_halves() {
    let mut random = Random::new(seed("NOUNS_CRASH_SEED"));
    let recording = Recording::make(Synchronous::Full, LOG_BYTES, &mut random);
    let books = recording
        .clients
        .iter()
        .map(|(_, history)| history.last().unwrap().1.names(Kind::Book).len());
    assert!(books.sum::<usize>() > 0, "the load must have created books");
    assert_eq!(recording.lose_power(env_number("NOUNS_POWER_LOSSES", 50), &mut random), 0);
}

/// The control experiment: with `synchronous = NORMAL`, writes may be lost. Without a loss here,
/// the simulated disk would prove nothing.
#[test]
fn without_a_sync_for_each_commit_the_last_writes_may_be_lost_and_nothing_more() {
    let mut random = Random::new(seed("NOUNS_CRASH_SEED"));
    let recording = Recording::make(Synchronous::Normal, LOG_BYTES, &mut random);
    assert!(
        recording.lose_power(25, &mut random) > 0,
        "with `synchronous = NORMAL`, some power loss must lose a write"
    );
}
