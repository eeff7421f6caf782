//! Nodes behind the connection pooler PgBouncer.

use std::{io, thread, time::Duration};

use super::{
    database::{Database, Pooler},
    nodes::{Node, NodeKind},
    trial::Trial,
};
use crate::start::Program;

/// Kills a pooler during the load, and starts it again. A pooler that shares a connection between
/// several clients is refused.
pub(super) fn modes(program: &Program, count: u64) -> io::Result<String> {
    let database = Database::create()?;
    let pooler = Pooler::start(&database, "session")?;
    let mut trial = Trial::start(program, &Database::url(&[pooler.port]))?;
    for _ in 0..count {
        let round = trial.round(|_, random| {
            pooler.kill()?;
            thread::sleep(Duration::from_millis(random.to(60)));
            pooler.start_again()?;
            Ok(&database)
        });
        round.map_err(|error| pooler.told(&error))?;
    }
    let counts = trial.end()?;
    let folder = tempfile::tempdir()?;
    for (mode, part) in
        [("transaction", "`pool_mode = session`"), ("statement", "cannot be reached")]
    {
        let pooler = Pooler::start(&database, mode)?;
        let url = Database::url(&[pooler.port]);
        match Node::start(NodeKind::Served, program, &url, folder.path()) {
            Err(error) if error.to_string().contains(part) => {}
            Err(error) => return Err(error),
            Ok(_) => return Err(io::Error::other(format!("a node has started in mode {mode}"))),
        }
    }
    Ok(format!("session mode, {count} trials, no write lost: {counts}; other modes are refused"))
}
