//! Threads with a read connection of their own.

#[cfg(feature = "postgres")]
use super::postgres::LanesGuard;
use super::{Engine, Store, sqlite::Seat};
use crate::base::error::Error;

/// The connections of a worker thread. Dropping this value closes them.
#[doc(hidden)]
#[derive(Debug)]
#[must_use = "the connections are closed when this is dropped"]
pub struct Worker(#[expect(dead_code, reason = "dropping it closes the connections")] WorkerSeat);

#[derive(Debug)]
enum WorkerSeat {
    Sqlite(#[expect(dead_code, reason = "dropping it closes the connection")] Seat),
    #[cfg(feature = "postgres")]
    Postgres(#[expect(dead_code, reason = "dropping it closes the connections")] LanesGuard),
}

impl Store {
    /// Runs a future on the calling thread, with a Tokio runtime and a read connection of its own.
    ///
    /// A program that runs its own server calls this once on each of its threads. Reads of the
    /// future then take no lock that threads share, and reads between two waits for events share
    /// one snapshot, as long as nothing is written.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, Service, Store};
    ///
    /// fn serve_on_this_thread(store: &Store) -> Result<(), Error> {
    ///     let service = Service::new(store.clone());
    ///     store.run_worker(async move {
    ///         // Accept connections here, and pass their requests to `service`.
    ///         drop(service);
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    /// If the database cannot be opened a second time, or if the runtime cannot be built.
    pub fn run_worker<T>(&self, future: impl Future<Output = T>) -> Result<T, Error> {
        let _worker = self.enter_worker()?;
        let store = self.clone();
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().on_thread_park(move || store.end_turn()).build()?;
        Ok(runtime.block_on(future))
    }

    /// Gives the calling thread its own read connection until the returned value is dropped.
    ///
    /// # Errors
    /// If the database cannot be opened a second time.
    #[doc(hidden)]
    pub fn enter_worker(&self) -> Result<Worker, Error> {
        self.enter_worker_for(usize::MAX)
    }

    /// Gives the calling thread a read connection for pages of at most this many bytes. A larger
    /// page that another thread can read has the outcome `TooLarge`.
    pub(crate) fn enter_worker_for(&self, read_bytes_max: usize) -> Result<Worker, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => {
                engine.enter_worker(read_bytes_max).map(WorkerSeat::Sqlite).map(Worker)
            }
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => {
                Ok(Worker(WorkerSeat::Postgres(engine.enter_worker(read_bytes_max))))
            }
        }
    }

    /// Marks the calling worker as idle, so that its next read sees the current data.
    ///
    /// All reads between two calls share one snapshot. After the first call, a worker must keep
    /// calling this function: a snapshot that is not released prevents a complete checkpoint of
    /// the WAL. On a thread that is not a worker, the call has no effect.
    #[doc(hidden)]
    pub fn end_turn(&self) {
        match &self.engine {
            Engine::Sqlite(engine) => engine.end_turn(),
            #[cfg(feature = "postgres")]
            Engine::Postgres(_) => {}
        }
    }
}
