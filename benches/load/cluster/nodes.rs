//! The nodes: processes that serve the same database.

use std::{
    ffi::OsString,
    fs::File,
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
};

use nouns::{Api, Change, Error, Tx};
use tracing_subscriber::filter::LevelFilter;

use self::ledger::{Movement, NewMovement, Order};
use super::database::free_port;
use crate::{child::Child, start::Program};

/// The same resources as in the schema file that `nouns serve` gets.
mod ledger {
    nouns::schema!("load/cluster/ledger.yaml");
}

/// Records an order in the transaction that creates it.
fn recorded(tx: &mut Tx<'_>, change: &Change<Order>) -> Result<(), Error> {
    let Some(order) = &change.after else { return Ok(()) };
    tx.as_system().of::<Movement>().create(NewMovement { name: order.name.clone() }).map(drop)
}

/// Serves the ledger with its hook until the process ends.
pub(super) fn serve(database: &str, listen: &str) -> io::Result<()> {
    tracing_subscriber::fmt().with_writer(io::stderr).with_max_level(LevelFilter::WARN).init();
    let api: Api = ledger::api().hooks::<Order>(|hooks| hooks.within_create(recorded));
    let service = api.open(database).map_err(|error| io::Error::other(error.to_string()))?;
    crate::child::announce(listen.parse().map_err(io::Error::other)?);
    nouns::serve(service, listen)
}

/// The program that a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// `nouns serve`, with the schema file.
    Served,
    /// A program of its own, with a hook that writes within each order.
    Hooked,
}

/// A node. It keeps its address when it is killed and started again.
pub(super) struct Node {
    program: PathBuf,
    arguments: Vec<OsString>,
    log: PathBuf,
    pub(super) address: SocketAddr,
    child: Option<Child>,
}

impl Node {
    /// Starts a node of a database. Its log goes to a file in this folder.
    pub(super) fn start(
        kind: NodeKind,
        program: &Program,
        database: &str,
        folder: &Path,
    ) -> io::Result<Self> {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()?));
        let listen = address.to_string();
        let schema = folder.join("ledger.yaml");
        std::fs::write(&schema, include_str!("ledger.yaml"))?;
        let schema = schema.into_os_string();
        let (program, arguments): (_, Vec<OsString>) = match kind {
            NodeKind::Served => {
                let flags = ["--listen", &listen, "--log", "warn", "--database", database];
                let flags = flags.map(OsString::from);
                (program.path()?, ["serve".into(), schema].into_iter().chain(flags).collect())
            }
            NodeKind::Hooked => {
                let arguments = ["cluster-node", database, &listen].map(OsString::from);
                (std::env::current_exe()?, arguments.into())
            }
        };
        let log = folder.join(format!("{}.log", address.port()));
        let mut node = Self { program, arguments, log, address, child: None };
        node.start_again()?;
        Ok(node)
    }

    /// Starts a node that was killed, at the same address.
    pub(super) fn start_again(&mut self) -> io::Result<()> {
        let log = File::options().create(true).append(true).open(&self.log)?;
        let mut command = Command::new(&self.program);
        let child = Child::start(command.args(&self.arguments).stderr(log)).map_err(|error| {
            let log = std::fs::read_to_string(&self.log).unwrap_or_default();
            io::Error::other(format!("{error}: {log}"))
        })?;
        self.child = Some(child);
        Ok(())
    }

    /// Kills the node with SIGKILL.
    pub(super) fn kill(&mut self) {
        self.child = None;
    }

    /// The id of the process.
    pub(super) fn id(&self) -> u32 {
        self.child.as_ref().map_or(0, Child::id)
    }

    /// The lines of the log that tell of a panic or an error of the node itself.
    pub(super) fn errors(&self) -> Vec<String> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let is_error = |line: &&str| line.contains("panicked") || line.contains("ERROR");
        log.lines().filter(is_error).map(str::to_owned).collect()
    }
}

/// Sends a signal to a process.
pub(super) fn signal(id: u32, name: &str) -> io::Result<()> {
    let sent = Command::new("kill").args([&format!("-{name}"), &id.to_string()]).status()?;
    match sent.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("the node cannot get SIG{name}"))),
    }
}
