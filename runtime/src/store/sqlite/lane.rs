//! Read connections: one for each worker, reached through its thread, and a few for whoever else asks.
//!
//! Everything on a connection happens in a synchronous closure, never across an await.

use std::{
    cell::RefCell,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use ahash::AHashMap;
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use tokio::sync::Semaphore;

use super::{fault, handle::Handle, system};
use crate::{
    error::{Error, text},
    http_date::Second,
    model::{Model, ResourceIx},
    validator::{self, Current, Identity},
};

/// How many threads that are no workers read at the same time.
const FOREIGN_LANES_MAX: usize = 16;
/// How many requests wait for one of those lanes; beyond it they are refused with 503.
const FOREIGN_WAITING_MAX: usize = 1024;
/// How long a read waits for another program, in milliseconds: it holds up its whole thread.
const BUSY_MS: u64 = 100;
/// How much of the file is mapped into memory, in bytes: the map is shared by all connections.
pub(super) const MAPPED_BYTES: i64 = 1 << 30;

/// A read connection, and the revisions of the tables as it last saw them.
pub(super) struct Lane {
    pub(super) handle: Handle,
    pub(super) identity: Identity,
    version: Option<i64>,
    revisions: AHashMap<&'static str, (u64, Second)>,
}

/// All lanes of a store.
pub(super) struct Lanes(Arc<Shared>);

struct Shared {
    path: PathBuf,
    identity: Identity,
    free: Mutex<Vec<Lane>>,
    permits: Semaphore,
    seats: Semaphore,
}

thread_local! {
    /// The lanes of this thread, one for each store that it has entered.
    static OWN: RefCell<Vec<(Weak<Shared>, Lane)>> = const { RefCell::new(Vec::new()) };
}

impl Lanes {
    pub(super) fn new(path: PathBuf, identity: Identity) -> Self {
        Self(Arc::new(Shared {
            path,
            identity,
            free: Mutex::default(),
            permits: Semaphore::new(FOREIGN_LANES_MAX),
            seats: Semaphore::new(FOREIGN_LANES_MAX + FOREIGN_WAITING_MAX),
        }))
    }

    /// Opens a lane for this thread, and forgets those of stores that have ended.
    pub(super) fn enter(&self) -> Result<(), Error> {
        OWN.with_borrow_mut(|own| {
            own.retain(|(store, _)| store.strong_count() > 0);
            if !own.iter().any(|(store, _)| self.is(store)) {
                own.push((Arc::downgrade(&self.0), self.0.open()?));
            }
            Ok(())
        })
    }

    /// A lane for a thread that reads for long: what it sorts goes to files, so that memory is not the bound.
    pub(super) fn long(&self) -> Result<Lane, Error> {
        let lane = self.0.open()?;
        let connection = &lane.handle.connection;
        connection.pragma_update(None, "temp_store", "FILE").map_err(|cause| fault::error(&cause))?;
        Ok(lane)
    }

    /// Works on this thread's lane, or on one that is free.
    pub(super) async fn with<T>(&self, work: impl FnOnce(&mut Lane) -> T) -> Result<T, Error> {
        let mut work = Some(work);
        if let Some(done) = self.with_own(&mut work) {
            return Ok(done);
        }
        let work = work.take().expect("work is taken by a lane of this thread alone");
        let busy = || Error::unavailable(text!("Too many requests wait for the database."), 1);
        let _seat = self.0.seats.try_acquire().map_err(|_| busy())?;
        let _permit = self.0.permits.acquire().await.map_err(|_| busy())?;
        self.0.with_free(work)
    }

    fn with_own<T, W: FnOnce(&mut Lane) -> T>(&self, work: &mut Option<W>) -> Option<T> {
        OWN.with_borrow_mut(|own| {
            let (_, lane) = own.iter_mut().find(|(store, _)| self.is(store))?;
            work.take().map(|work| work(lane))
        })
    }

    fn is(&self, store: &Weak<Shared>) -> bool {
        std::ptr::eq(store.as_ptr(), Arc::as_ptr(&self.0))
    }
}

impl Shared {
    /// A lane whose work panics does not come back.
    fn with_free<T>(&self, work: impl FnOnce(&mut Lane) -> T) -> Result<T, Error> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut lane = free.map_or_else(|| self.open(), Ok)?;
        let done = work(&mut lane);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(lane);
        Ok(done)
    }

    fn open(&self) -> Result<Lane, Error> {
        let handle = self.connect().map_err(|cause| fault::error(&cause))?;
        let identity = self.identity.clone();
        Ok(Lane { handle, identity, version: None, revisions: AHashMap::new() })
    }

    fn connect(&self) -> rusqlite::Result<Handle> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        // Otherwise a statement is prepared again for each new value of a bound LIMIT.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.busy_timeout(Duration::from_millis(BUSY_MS))?;
        connection.pragma_update(None, "query_only", true)?;
        connection.pragma_update(None, "mmap_size", MAPPED_BYTES)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        Handle::new(connection)
    }
}

impl Lane {
    /// Works in one snapshot, with the revisions of the tables in it.
    pub(super) fn snapshot<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.handle.keep("BEGIN")?;
        let snapshot = Snapshot(self);
        snapshot.0.refresh()?;
        work(snapshot.0)
    }

    /// Forgets the revisions where another connection has committed since.
    fn refresh(&mut self) -> rusqlite::Result<()> {
        let connection = &self.handle.connection;
        let version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if self.version != Some(version) {
            self.revisions.clear();
            self.version = Some(version);
        }
        Ok(())
    }

    /// The validator and the time of a collection, as of the snapshot; of the tables it depends on, only those are read that are
    /// not known yet.
    pub(super) fn current(
        &mut self,
        model: &Model,
        seed: u64,
        reads: &[ResourceIx],
    ) -> rusqlite::Result<Current> {
        for ix in reads {
            let table = model[*ix].def.table;
            if !self.revisions.contains_key(table) {
                let revision = system::read_revision(&self.handle.connection, table)?;
                self.revisions.insert(table, revision);
            }
        }
        let tables = reads.iter().map(|ix| self.revisions[model[*ix].def.table]);
        Ok(validator::collection(seed, &self.identity, tables))
    }
}

/// A read transaction that ends however its work does.
struct Snapshot<'l>(&'l mut Lane);

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let handle = &self.0.handle;
        let Err(cause) = handle.keep("COMMIT") else { return };
        tracing::error!(%cause, "a snapshot did not end");
        if !handle.connection.is_autocommit() && handle.keep("ROLLBACK").is_err() {
            self.0.version = None;
        }
    }
}
