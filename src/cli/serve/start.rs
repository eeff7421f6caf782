//! Starts and stops the server. A signal to stop may come while it still starts.

use std::{sync::Arc, time::Duration};

use nouns_codegen::schema::Schema;
use nouns_runtime::{Model, Service, Store, server::RunningServer};
use tokio::{runtime::Handle, task::spawn_blocking, time::sleep};

use super::{Serve, activation::PassedSockets, database::is_missing, listen, reload::Served};
use crate::cli::{
    Failure, banner,
    log::Log,
    signals::{Signals, StopSignal},
};

/// The time that a start may still take after a signal to stop. It is that of requests in progress.
const START_END_MAX: Duration = Duration::from_secs(5);

/// A server that has started.
pub(super) struct Started {
    pub(super) served: Served,
    pub(super) running: RunningServer,
    pub(super) store: Store,
    pub(super) banner: String,
}

impl Serve {
    /// Binds the addresses, opens and fills the database, and starts the workers.
    fn start(
        &self,
        schema: Schema,
        model: &Arc<Model>,
        passed: PassedSockets,
    ) -> Result<Started, Failure> {
        let (server, fingerprint) = self.listen.bind(&schema.server, passed)?;
        let mut server = server.drain_delay(self.drain_delay(&schema));
        if let Some(address) = self.admin_address(&schema)? {
            let failed = |error| listen::bind_failure(&address, "--admin-listen", &error);
            server = server.with_admin(address.clone()).map_err(failed)?;
        }
        let options = self.options(&schema);
        let is_new_file = !self.is_temporary() && is_missing(&options.database);
        let store = self.open(model, &options)?;
        let store = self.filled(store, &schema)?;
        let store = store.with_deletion_rows_max(self.deletion_rows_max);
        store.log_slow_reads(self.slow_read.0);
        Handle::current().block_on(store.ready()).map_err(|error| {
            let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            Failure(format!("error: the server cannot start: {cause}"))
        })?;
        let service: Service = self.service(&store);
        let running = server.start(&service)?;
        let database = &self.database_name(&options, "");
        let banner = banner::banner(model, &self.file, database, &running, fingerprint, self.watch);
        Ok(Started { served: Served { schema, service, is_new_file }, running, store, banner })
    }
}

/// Starts the server on another thread. If a signal comes meanwhile, the server stops as soon as it
/// has started, and `None` is returned. A start that goes on after that, and one for which a second
/// signal comes, ends with the program.
pub(super) async fn start(
    serve: &Arc<Serve>,
    schema: Schema,
    model: &Arc<Model>,
    signals: &mut Signals,
    log: &Log,
) -> Result<Option<Started>, Failure> {
    let passed = PassedSockets::take()?;
    let (serve, model) = (Arc::clone(serve), Arc::clone(model));
    let mut starting = spawn_blocking(move || serve.start(schema, &model, passed));
    let signal = tokio::select! {
        started = &mut starting => return started?.map(Some),
        signal = signals.any() => signal,
    };
    tracing::info!(target: "nouns", "a signal to stop has come while the server starts");
    tokio::select! {
        started = starting => {
            let Started { running, store, .. } = started??;
            stop(running, &store, signals, log).await.map(|()| None)
        }
        () = sleep(START_END_MAX) => end(log, signal, "the start takes too long; it is ended"),
        second = signals.another() => end(log, second, SECOND),
    }
}

/// Stops the server, and closes its database. A second signal ends the program at once.
pub(super) async fn stop(
    running: RunningServer,
    store: &Store,
    signals: &mut Signals,
    log: &Log,
) -> Result<(), Failure> {
    tracing::info!(target: "nouns", "the server is stopping");
    let stopped = async {
        spawn_blocking(|| running.stop()).await??;
        store.close().await;
        Ok(())
    };
    tokio::select! {
        stopped = stopped => stopped,
        second = signals.another() => end(log, second, SECOND),
    }
}

const SECOND: &str = "a second signal ends the server at once";

/// Ends the program at once. The next start recovers the database.
fn end(log: &Log, signal: StopSignal, why: &'static str) -> ! {
    tracing::warn!(target: "nouns", "{why}");
    log.flush();
    signal.end()
}
