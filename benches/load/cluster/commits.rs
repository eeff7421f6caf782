//! Trials in which the connection to the database is lost around a COMMIT, or around any message.

use std::{io, thread, time::Duration};

use super::{
    database::Database,
    proxy::{Cut, Moment, Proxy},
    trial::Trial,
};
use crate::start::Program;

/// The number of times that a proxy cuts a connection in a trial.
const CUTS: u64 = 4;

/// Cuts connections of the nodes.
pub(super) fn lost(program: &Program, count: u64) -> io::Result<String> {
    let database = Database::create()?;
    let proxy = Proxy::start(database.port)?;
    let mut trial = Trial::start(program, &Database::url(&[proxy.port]))?;
    for at in 0..count {
        trial.round(|_, random| {
            for cut in 0..CUTS {
                let moments = [Moment::Before, Moment::During, Moment::After];
                let moment = moments[random.to(3) as usize - 1];
                proxy.cut(Cut { moment, is_commit: (at + cut) % 4 != 0 });
                for _ in 0..200 {
                    if proxy.has_cut() {
                        break;
                    }
                    thread::sleep(Duration::from_millis(5));
                }
            }
            Ok(&database)
        })?;
    }
    let cuts = count * CUTS;
    Ok(format!("{cuts} cuts, no write lost, none by halves, none twice: {}", trial.end()?))
}
