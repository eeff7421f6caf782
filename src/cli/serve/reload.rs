//! Reloads the schema file, the templates and the certificate of a running server, when SIGHUP
//! comes or when the files have changed.

use std::sync::Arc;

use nouns_codegen::schema::{Schema, Server as Settings};
use nouns_runtime::{
    Service,
    server::RunningServer,
    store::{Difference, OpenError},
};
use tokio::task::spawn_blocking;

use super::{Serve, note_applied, open_failure, supervisor::Supervisor, watch::Watch};
use crate::cli::{
    Failure, complain,
    schema_file::SchemaFileError,
    signals::{Hangups, Signals},
};

/// The schema that a server serves, and its service.
pub(super) struct Served {
    pub(super) schema: Schema,
    pub(super) service: Service,
    /// Whether the database is a file that this process has made.
    pub(super) is_new_file: bool,
}

/// The reason why a schema is not served. Pages show another text than the terminal.
pub(super) struct Refused {
    /// The message for the terminal.
    pub(super) message: Failure,
    /// The text for web pages, without the lines of `server`.
    on_pages: String,
}

impl From<SchemaFileError> for Refused {
    fn from(error: SchemaFileError) -> Self {
        let on_pages = match &error {
            SchemaFileError::Invalid(diagnostics) => diagnostics.render_for_pages(),
            SchemaFileError::Unreadable(message) => message.clone(),
        };
        Self { message: error.into(), on_pages }
    }
}

impl From<Failure> for Refused {
    fn from(message: Failure) -> Self {
        Self { on_pages: message.0.clone(), message }
    }
}

/// The causes for which a server reloads its schema.
pub(super) struct Causes {
    pub(super) hangups: Hangups,
    pub(super) watch: Watch,
}

/// Waits for a signal to stop. Meanwhile SIGHUP, or a change of a file, reloads the schema. A
/// signal to stop also ends a reload: what it has not yet done in the database is rolled back.
pub(super) async fn until_stopped(
    serve: &Arc<Serve>,
    mut served: Arc<Served>,
    running: &RunningServer,
    signals: &mut Signals,
    mut causes: Causes,
    supervisor: &Supervisor,
) {
    loop {
        tokio::select! {
            _ = signals.any() => return,
            () = causes.hangups.next() => {}
            () = causes.watch.changed() => {}
        }
        supervisor.reloading();
        let (reloading, before, tls) = (Arc::clone(serve), Arc::clone(&served), running.tls());
        let watch = causes.watch.clone();
        let reload = move || {
            if let Some(Err(error)) = tls.map(|tls| tls.reload()) {
                tracing::error!(target: "nouns", %error, "the certificate was not reloaded: the server goes on with the former one");
            }
            reloading.reload(&before, &watch)
        };
        let reloaded = tokio::select! {
            reloaded = spawn_blocking(reload) => reloaded,
            _ = signals.any() => return,
        };
        let reloaded = reloaded.unwrap_or_else(|panic| Err(Failure::from(panic).into()));
        match reloaded.and_then(|new| Ok(replace(running, new)?)) {
            Ok(Some(new)) => {
                served = new;
                tracing::info!(target: "nouns", "the schema was reloaded");
            }
            Ok(None) => {
                served.service.store().model().watch.report(None);
                tracing::info!(target: "nouns", "the schema is unchanged");
            }
            Err(Refused { message: Failure(message), on_pages }) => {
                complain(&message);
                served.service.store().model().watch.report(Some(&on_pages));
                tracing::error!(target: "nouns", "the schema was not reloaded: the server goes on with the former one");
            }
        }
        supervisor.ready();
    }
}

/// Serves a reloaded schema.
fn replace(running: &RunningServer, new: Option<Served>) -> Result<Option<Arc<Served>>, Failure> {
    let Some(new) = new else { return Ok(None) };
    running.replace(&new.service)?;
    Ok(Some(Arc::new(new)))
}

impl Serve {
    /// Reads the schema file and the templates again, and changes the database if the flags allow
    /// it. Returns `None` if they declare the same interface as before, with the same pages.
    fn reload(&self, before: &Served, watch: &Watch) -> Result<Option<Served>, Refused> {
        let (schema, model) = self.read(watch)?;
        for key in changed_settings(&before.schema.server, &schema.server) {
            tracing::warn!(target: "nouns", "the new value of `server.{key}` takes effect at the next start");
        }
        let store = before.service.store();
        if model.api == store.model().api && model.pages == store.model().pages {
            return Ok(None);
        }
        let database = self.database_name(&self.options(&schema), "`");
        let is_own = self.is_temporary() || before.is_new_file;
        let adapted = match store.with_model(&model, self.applies_additions()) {
            Err(OpenError::Refused(differences)) if self.watch && is_own => {
                let copy = before.is_new_file.then(|| self.copied(&schema)).transpose()?;
                let adapted = store.with_model_or_new_tables(&model);
                if adapted.is_ok() {
                    note_new_tables(&database, copy.as_deref(), &differences);
                }
                adapted
            }
            adapted => adapted,
        };
        let (store, applied) = adapted.map_err(|error| open_failure(&error))?;
        note_applied(&database, applied);
        let store = if is_own { self.filled(store, &schema)? } else { store };
        let service = before.service.with_store(store);
        Ok(Some(Served { schema, service, is_new_file: before.is_new_file }))
    }
}

/// Says that the tables of a database are empty, and why. A copy may have the rows.
fn note_new_tables(database: &str, copy: Option<&str>, differences: &[Difference]) {
    let rows = copy.map_or_else(String::new, |copy| format!(", which are in `{copy}`"));
    complain(&format!("the tables of {database} were made again, without their rows{rows}:"));
    for difference in differences {
        complain(&format!("- {}", difference.description));
    }
}

/// The settings of the process that have changed.
fn changed_settings<'k>(before: &Settings, now: &Settings) -> impl Iterator<Item = &'k str> {
    let settings = [
        ("listen", before.listen != now.listen),
        ("listen_plain", before.listen_plain != now.listen_plain),
        ("tls", before.tls != now.tls),
        ("admin_listen", before.admin_listen != now.admin_listen),
        ("drain_delay", before.drain_delay_seconds != now.drain_delay_seconds),
        ("database", before.database != now.database),
        ("synchronous", before.synchronous != now.synchronous),
    ];
    settings.into_iter().filter_map(|(key, is_other)| is_other.then_some(key))
}
