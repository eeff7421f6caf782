//! Trials in which a node or the database server ends, or a node stops for a while.

use std::{io, thread, time::Duration};

use super::{database::Database, nodes::signal, trial::Trial};
use crate::start::Program;

/// Kills a node during the load, and starts it again.
pub(super) fn kills(program: &Program, count: u64) -> io::Result<String> {
    let database = Database::create()?;
    let mut trial = Trial::start(program, &Database::url(&[database.port]))?;
    for _ in 0..count {
        trial.round(|nodes, random| {
            let victim = random.to(nodes.len() as u64) as usize - 1;
            nodes[victim].kill();
            thread::sleep(Duration::from_millis(random.to(60)));
            nodes[victim].start_again()?;
            Ok(&database)
        })?;
    }
    Ok(format!("{count} trials, no write lost, none by halves, none twice: {}", trial.end()?))
}

/// Stops the database server at once during the load, and starts it again.
pub(super) fn crashes(program: &Program, count: u64) -> io::Result<String> {
    let database = Database::create()?;
    let mut trial = Trial::start(program, &Database::url(&[database.port]))?;
    for at in 0..count {
        trial.round(|_, random| {
            // Every other time all processes are killed, which is harder.
            match at % 2 {
                0 => database.stop_at_once()?,
                _ => database.kill()?,
            }
            thread::sleep(Duration::from_millis(random.to(60)));
            database.start()?;
            Ok(&database)
        })?;
    }
    Ok(format!("{count} trials, no write lost, none by halves, none twice: {}", trial.end()?))
}

/// Stops a node for a while, during which its leases end. Another node takes its slots, or folds
/// them.
pub(super) fn stops(program: &Program, count: u64) -> io::Result<String> {
    let database = Database::create()?;
    let mut trial = Trial::start(program, &Database::url(&[database.port]))?;
    let mut leased = 0;
    for at in 0..count {
        trial.round(|nodes, random| {
            let victim = random.to(nodes.len() as u64) as usize - 1;
            signal(nodes[victim].id(), "STOP")?;
            // All leases have ended, so the next node takes slots that are in use. Every other time
            // it folds them when it starts.
            let end = ["now() - interval '1 second'", "'-infinity'"][at as usize % 2];
            database.query(&format!("UPDATE _nouns_slots SET until = {end} WHERE slot > 0"))?;
            let other = (victim + 1) % nodes.len();
            nodes[other].kill();
            // A stopped node may hold a lock that the other one needs to start.
            let pause = Duration::from_millis(50 + random.to(100));
            let stopped = nodes[victim].id();
            thread::scope(|scope| {
                let starting = scope.spawn(|| nodes[other].start_again());
                thread::sleep(pause);
                signal(stopped, "CONT")?;
                starting.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
            })?;
            let held = database
                .query("SELECT count(*) FROM _nouns_slots WHERE slot > 0 AND until > now()")?;
            leased += held.parse::<u64>().unwrap_or_default();
            Ok(&database)
        })?;
    }
    Ok(format!("{count} trials, {leased} slots were leased again, no write lost: {}", trial.end()?))
}
