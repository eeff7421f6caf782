//! A database, its nodes and the clients that write to them, over several faults.

use std::{
    io,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use super::{
    database::Database,
    ledger::{Counts, Ledger},
    nodes::{Node, NodeKind},
    writer::{Addresses, Writer, WriterKind},
};
use crate::{start::Program, workload::Random};

/// The number of clients that write at the same time, and of those with plain writes only. These
/// write to one node, whose batches have several writes then.
const WRITERS: u64 = 6;
const PLAIN_WRITERS: u64 = 16;

/// The number of errors of each node, the last ones, that a failed trial prints.
const ERRORS_TOLD: usize = 3;

/// Nodes of one database, and clients that write to them.
pub(super) struct Trial {
    folder: tempfile::TempDir,
    pub(super) nodes: Vec<Node>,
    writers: Vec<Writer>,
    ledger: Ledger,
    counts: Counts,
    pub(super) random: Random,
}

impl Trial {
    /// Starts two nodes of each kind.
    pub(super) fn start(program: &Program, url: &str) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let kinds = [NodeKind::Served, NodeKind::Served, NodeKind::Hooked, NodeKind::Hooked];
        let nodes = start(&kinds, program, url, folder.path())?;
        let all = nodes.iter().map(|node| node.address).collect();
        let hooked = nodes[2..].iter().map(|node| node.address).collect();
        let addresses = Addresses { all, hooked };
        let one = Addresses { all: vec![nodes[0].address], hooked: vec![] };
        let mixed = |at| Writer::new(WriterKind::Mixed, format!("w{at}"), addresses.clone(), at);
        let plain = |at| Writer::new(WriterKind::Plain, format!("p{at}"), one.clone(), at);
        let writers = (1..=WRITERS).map(mixed).chain((1..=PLAIN_WRITERS).map(plain)).collect();
        let (ledger, counts) = Default::default();
        Ok(Self { folder, nodes, writers, ledger, counts, random: Random::new(7) })
    }

    /// Lets the clients write while a fault happens. Afterwards compares the database, which may be
    /// another one then, with what they know.
    pub(super) fn round<D: std::borrow::Borrow<Database>>(
        &mut self,
        fault: impl FnOnce(&mut Vec<Node>, &mut Random) -> io::Result<D>,
    ) -> io::Result<D> {
        let going = AtomicBool::new(true);
        let Self { nodes, writers, random, .. } = self;
        let (written, database) = thread::scope(|scope| {
            let threads: Vec<_> =
                writers.iter_mut().map(|writer| scope.spawn(|| writer.work(&going))).collect();
            thread::sleep(Duration::from_millis(20 + random.to(300)));
            let database = fault(nodes, random);
            thread::sleep(Duration::from_millis(100 + random.to(150)));
            going.store(false, Ordering::Relaxed);
            let panicked = |_| Err(io::Error::other("a client panicked"));
            let ends = threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked));
            (ends.collect::<io::Result<Vec<()>>>(), database)
        });
        let database = database?;
        written.map_err(|error| {
            let last = |node: &Node| node.errors().into_iter().rev().take(ERRORS_TOLD);
            let errors = self.nodes.iter().flat_map(last).collect::<Vec<_>>();
            io::Error::other(format!("{error}\n{}", errors.join("\n")))
        })?;
        database.borrow().be_quiet()?;
        self.verify(database.borrow())?;
        Ok(database)
    }

    fn verify(&mut self, database: &Database) -> io::Result<()> {
        for writer in &mut self.writers {
            self.ledger.add(&mut writer.ledger);
            self.counts.add(std::mem::take(&mut writer.counts));
        }
        self.ledger.verify(database, &mut self.counts)
    }

    /// Ends the trial, and returns the counts of the clients. An error if a node panicked.
    pub(super) fn end(self) -> io::Result<Counts> {
        let panicked =
            |node: &Node| node.errors().into_iter().find(|line| line.contains("panicked"));
        match self.nodes.iter().find_map(panicked) {
            Some(line) => Err(io::Error::other(line)),
            None => {
                drop(self.nodes);
                self.folder.close()?;
                Ok(self.counts)
            }
        }
    }
}

/// Starts nodes of a database.
pub(super) fn start(
    kinds: &[NodeKind],
    program: &Program,
    url: &str,
    folder: &Path,
) -> io::Result<Vec<Node>> {
    kinds.iter().map(|kind| Node::start(*kind, program, url, folder)).collect()
}
