//! `nouns serve`: serves a schema file over HTTP until a signal stops the program.

mod activation;
mod database;
mod http;
mod limit_flags;
mod listen;
mod reload;
mod self_signed;
mod slow_read;
mod start;
mod supervisor;
mod watch;

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use nouns_codegen::{
    CheckedSchema, Style,
    schema::{self, Schema, size},
};
use nouns_runtime::{
    Model, Service, Store, limits,
    model::watch::WatchState,
    pages::Pages,
    server::ListenAddress,
    store::{Difference, OpenError, StoreOptions, Synchronous},
};
use tokio::runtime::Runtime;
use tracing_subscriber::filter::Targets;

use self::{
    reload::Refused, slow_read::SlowRead, start::Started, supervisor::Supervisor, watch::Watch,
};
use super::{
    Failure, complain,
    log::{Log, LogFormat},
    print, schema_file,
    signals::{Hangups, Signals},
};
use crate::interpret;

const MIB: usize = 1024 * 1024;
/// The default size of the response cache of each worker, in MiB.
const CACHE_MIB: u16 = (limits::CACHE_BYTES / MIB) as u16;
/// The default memory for large responses, in MiB.
const RESPONSE_MEMORY_MIB: u32 = (limits::RESPONSE_BYTES_MAX / MIB) as u32;
/// The smallest allowed memory for large responses, in MiB.
const RESPONSE_MEMORY_MIB_MIN: i64 = 16;

const EXAMPLES: &str = "Examples:
  nouns serve zoo.yaml
  nouns serve zoo.yaml --listen 127.0.0.1:3000 --database /srv/zoo.db
  nouns serve zoo.yaml --watch --mock 20";

#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Serve {
    /// The schema file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    listen: listen::Listen,
    /// Fill each empty collection with this many plausible members, or this many for each parent.
    /// Without `--database`, the database is a temporary one.
    #[arg(long, value_name = "COUNT", env = "NOUNS_MOCK", value_parser = clap::value_parser!(u16).range(1..))]
    mock: Option<u16>,
    /// The seed of `--mock`: the same seed makes the same members.
    #[arg(long, value_name = "SEED", default_value_t = 1, env = "NOUNS_MOCK_SEED")]
    mock_seed: u64,
    /// The address of a listener for health, readiness and metrics alone: a host and a port, or
    /// `unix:FILE` [default: the value in the schema, or none].
    #[arg(long, value_name = "HOST:PORT", env = "NOUNS_ADMIN_LISTEN")]
    admin_listen: Option<String>,
    /// How long the server still serves after a signal to stop, while `/-/ready` is 503 [default:
    /// the value in the schema, or 0s].
    #[arg(long, value_name = "DURATION", env = "NOUNS_DRAIN_DELAY", value_parser = http::seconds)]
    drain_delay: Option<u32>,
    /// The SQLite database [default: the value in the schema, or the name of the schema file
    /// with `.db`, in the working directory].
    #[arg(long, value_name = "FILE", env = "NOUNS_DATABASE")]
    database: Option<PathBuf>,
    /// Apply the additions of the schema to the database.
    #[arg(long, env = "NOUNS_APPLY", value_parser = BoolishValueParser::new())]
    apply: bool,
    /// Reload the schema file whenever it changes, and apply its additions. If other changes do not
    /// fit a database that this run has made, its tables are made again, without their rows. A copy
    /// of a file has the rows.
    #[arg(long, env = "NOUNS_WATCH", value_parser = BoolishValueParser::new())]
    watch: bool,
    /// The directory whose files replace those of the web pages [default: the value in the schema,
    /// or none].
    #[arg(long, value_name = "DIRECTORY", env = "NOUNS_TEMPLATES")]
    templates: Option<PathBuf>,
    /// The point at which a write is acknowledged [default: the value in the schema, or full].
    #[arg(long, value_name = "MODE", value_enum, env = "NOUNS_SYNCHRONOUS")]
    synchronous: Option<Durability>,
    /// The memory of each worker for its response cache, in MiB; 0 disables the cache.
    #[arg(long, value_name = "MIB", default_value_t = CACHE_MIB, env = "NOUNS_CACHE")]
    cache: u16,
    /// The part of the database that is mapped into memory, such as 1GiB. An I/O error in the map
    /// ends the process.
    #[arg(long, value_name = "SIZE", default_value = "0", env = "NOUNS_MMAP", value_parser = mmap_bytes)]
    mmap: u64,
    /// The duration from which a read is logged as slow, such as `100ms` or `2s`; 0 or `off`
    /// disables this.
    #[arg(long, value_name = "DURATION", default_value = "100ms", env = "NOUNS_SLOW_READ")]
    slow_read: SlowRead,
    /// The memory for large responses that clients have not read yet, in MiB, for all workers
    /// together.
    #[arg(long, value_name = "MIB", default_value_t = RESPONSE_MEMORY_MIB, env = "NOUNS_RESPONSE_MEMORY",
        value_parser = clap::value_parser!(u32).range(RESPONSE_MEMORY_MIB_MIN..))]
    response_memory: u32,
    /// The maximum number of rows that a deletion may change, including rows that refer to the
    /// deleted ones.
    #[arg(long, value_name = "ROWS", default_value_t = limits::DELETION_ROWS_MAX, env = "NOUNS_DELETION_ROWS_MAX")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    deletion_rows_max: u64,
    #[command(flatten)]
    http: http::Http,
    #[command(flatten)]
    limit_flags: limit_flags::LimitFlags,
    /// The log filter: `level` or `target=level`, separated by commas.
    #[arg(long, value_name = "FILTER", default_value = "info", env = "NOUNS_LOG")]
    log: String,
    /// The format of the log.
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value = "text",
        env = "NOUNS_LOG_FORMAT"
    )]
    log_format: LogFormat,
}

/// The point at which a write is acknowledged.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Durability {
    /// Once the write is on disk.
    Full,
    /// Before the write is on disk: a power failure may lose the last writes.
    Normal,
}

impl From<schema::Synchronous> for Durability {
    fn from(declared: schema::Synchronous) -> Self {
        match declared {
            schema::Synchronous::Full => Self::Full,
            schema::Synchronous::Normal => Self::Normal,
        }
    }
}

impl From<Durability> for Synchronous {
    fn from(durability: Durability) -> Self {
        match durability {
            Durability::Full => Self::Full,
            Durability::Normal => Self::Normal,
        }
    }
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // Without listeners, a signal would end the program while it starts.
        let listen = async { io::Result::Ok((Hangups::listen()?, Signals::listen()?)) };
        let signals = runtime.block_on(listen)?;
        // The watch begins before the file is read, so no change is missed.
        let watch = Watch::of(self.watch.then_some(&*self.file));
        let read = self.read(&watch).map_err(|refused| refused.message)?;
        let log = start_log(&self.log, self.log_format)?;
        let served = Arc::new(self).serve(&runtime, signals, read, watch, &log);
        log.flush();
        // A reload may still run. The end of the process ends it.
        runtime.shutdown_background();
        served
    }

    /// Reads and checks the schema file and the templates, and links the model.
    fn read(&self, watch: &Watch) -> Result<(Schema, Arc<Model>), Refused> {
        let CheckedSchema { mut schema, warnings } = schema_file::check(&self.file)?;
        complain(&warnings.render(schema_file::style(&io::stderr())));
        self.http.override_in(&mut schema.server);
        self.limit_flags.override_in(&mut schema.server);
        let mut model =
            Model::link(interpret::api_def(&schema)).map_err(|error| self.http.failure(&error))?;
        if self.watch {
            model.watch = WatchState::watched();
        }
        let templates = self.templates.clone();
        let templates = templates.or(schema.server.templates.as_ref().map(PathBuf::from));
        watch.follow(templates.as_deref());
        if let Some(folder) = templates {
            let pages = Pages::read(&folder).map_err(|error| Failure(error.to_string()))?;
            model.pages = Arc::new(pages);
        }
        Ok((schema, Arc::new(model)))
    }

    fn serve(
        self: &Arc<Self>,
        runtime: &Runtime,
        (hangups, mut signals): (Hangups, Signals),
        (schema, model): (Schema, Arc<Model>),
        watch: Watch,
        log: &Log,
    ) -> Result<(), Failure> {
        runtime.block_on(async {
            let started = start::start(self, schema, &model, &mut signals, log).await?;
            let Some(Started { served, running, store, banner }) = started else { return Ok(()) };
            let supervisor = Supervisor::of_environment();
            print(&banner);
            supervisor.ready();
            let causes = reload::Causes { hangups, watch };
            let served = Arc::new(served);
            reload::until_stopped(self, served, &running, &mut signals, causes, &supervisor).await;
            supervisor.stopping();
            start::stop(running, &store, &mut signals, log).await
        })
    }

    fn admin_address(&self, schema: &Schema) -> Result<Option<ListenAddress>, Failure> {
        let listen = self.admin_listen.as_deref().or(schema.server.admin_listen.as_deref());
        listen.map(listen::address).transpose()
    }

    fn drain_delay(&self, schema: &Schema) -> Duration {
        let seconds = self.drain_delay.unwrap_or(schema.server.drain_delay_seconds);
        Duration::from_secs(seconds.into())
    }

    fn service(&self, store: &Store) -> Service {
        Service::with_cache(store.clone(), usize::from(self.cache) * MIB)
            .with_response_memory(self.response_memory as usize * MIB)
    }
}

/// Parses the size of the memory map in bytes, and checks it against the limit of SQLite.
fn mmap_bytes(text: &str) -> Result<u64, String> {
    let bytes = size::bytes(text).map_err(|rule| format!("it must be {rule}"))?;
    if bytes <= limits::MMAP_BYTES_MAX {
        return Ok(bytes);
    }
    Err(format!("SQLite maps at most {}", size::text(limits::MMAP_BYTES_MAX)))
}

fn open(model: &Arc<Model>, options: &StoreOptions) -> Result<Store, Failure> {
    let (store, applied) = Store::open(model, options).map_err(|error| open_failure(&error))?;
    note_applied(&format!("`{}`", options.database), applied);
    Ok(store)
}

fn note_applied(database: &str, applied: Vec<Difference>) {
    for difference in applied {
        complain(&format!("applied to {database}: {}", difference.description));
    }
}

fn open_failure(error: &OpenError) -> Failure {
    Failure(match error {
        OpenError::Pending(_) => format!("error: {error}Start again with --apply to apply them."),
        error => format!("error: {error}"),
    })
}

/// The log levels, the least verbose first.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The first word of the filter that is neither a level nor a directive for a target. `Targets`
/// would take the word for a target and silence all other targets.
fn unknown_level(filter: &str) -> Option<&str> {
    let mut words = filter.split(',').map(str::trim).filter(|word| !word.is_empty());
    let is_level = |word: &str| {
        LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
            || matches!(word, "0" | "1" | "2" | "3" | "4" | "5")
    };
    words.find(|word| !word.contains('=') && !word.contains("::") && !is_level(word))
}

/// Adds a directive for the HTTP/2 library, unless the filter has one: a client can make it warn as
/// often as it likes. Leaves out white space and empty directives. An empty filter shows errors.
fn with_quiet_http2(filter: &str) -> String {
    let words = filter.split(',').map(str::trim).filter(|word| !word.is_empty());
    let mut words: Vec<_> = words.collect();
    if words.is_empty() {
        words.push("error");
    }
    if !filter.contains("h2") {
        words.push("h2=error");
    }
    words.join(",")
}

fn start_log(filter: &str, format: LogFormat) -> Result<Log, Failure> {
    if let Some(word) = unknown_level(filter) {
        let levels = LEVELS.join(", ");
        return Err(Failure(format!(
            "error: `{word}` is not a log level; the levels are: {levels}"
        )));
    }
    if filter.contains(['[', '{', '"']) {
        return Err(Failure(format!(
            "error: `{filter}` filters by more than levels and targets, such as `info` or `nouns=debug`"
        )));
    }
    let filter = with_quiet_http2(filter).parse::<Targets>().map_err(|error| {
        Failure(format!(
            "error: `{filter}` is not a log filter, such as `info` or `nouns=debug`: {error}"
        ))
    })?;
    let coloured = matches!(schema_file::style(&io::stderr()), Style::Colour);
    let failed = |error| Failure(format!("error: the log cannot be started: {error}"));
    super::log::start(filter, format, coloured).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct ServeProgram {
        #[command(flatten)]
        serve: Serve,
    }

    fn synchronous(flags: &[&str], declared: schema::Synchronous) -> Synchronous {
        let words = ["nouns", "zoo.yaml"].iter().chain(flags);
        let serve = <ServeProgram as clap::Parser>::parse_from(words).serve;
        let text = format!(
            "nouns: 1\nserver: {{ synchronous: {} }}\nresources: {{ zoo: {{ fields: {{}} }} }}",
            declared.word()
        );
        let schema = nouns_codegen::read_yaml("zoo.yaml", &text).unwrap();
        serve.options(&schema).synchronous
    }

    #[test]
    fn a_filter_of_the_log_shows_errors_at_least_and_is_quiet_about_http2() {
        for (filter, expected) in [
            ("", "error,h2=error"),
            (" , ", "error,h2=error"),
            ("info, nouns=debug,", "info,nouns=debug,h2=error"),
            ("info,h2=trace", "info,h2=trace"),
        ] {
            assert_eq!(with_quiet_http2(filter), expected);
        }
    }

    #[test]
    fn nothing_is_mapped_unless_it_is_asked_for_and_no_more_than_sqlite_maps() {
        let mapped = |flags: &[&str]| {
            let words = ["nouns", "zoo.yaml"].iter().chain(flags);
            <ServeProgram as clap::Parser>::try_parse_from(words).map(|program| program.serve.mmap)
        };
        assert_eq!(mapped(&[]).unwrap(), 0);
        assert_eq!(mapped(&["--mmap", "1GiB"]).unwrap(), 1 << 30);
        assert_eq!(mapped(&["--mmap", "2097088KiB"]).unwrap(), limits::MMAP_BYTES_MAX);
        let refused = mapped(&["--mmap", "2GiB"]).unwrap_err().to_string();
        assert!(refused.contains("SQLite maps at most 2097088KiB"), "{refused}");
    }

    #[test]
    fn durability_is_that_of_the_flag_else_of_the_schema() {
        use schema::Synchronous::{Full, Normal};
        assert_eq!(synchronous(&[], Full), Synchronous::Full);
        assert_eq!(synchronous(&[], Normal), Synchronous::Normal);
        assert_eq!(synchronous(&["--synchronous", "normal"], Full), Synchronous::Normal);
        assert_eq!(synchronous(&["--synchronous", "full"], Normal), Synchronous::Full);
    }
}
