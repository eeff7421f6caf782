//! The client that behaves well ("guest"): a few connections that send requests at a fixed rate.

use std::{
    fmt, io, mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{Field, ZOOS, connection::Connection};
use crate::workload::Random;

const CONNECTIONS: u64 = 4;
/// The time between two requests of a connection.
const INTERVAL: Duration = Duration::from_millis(20);
/// The maximum number of unexpected responses that are printed.
const SHOWN_MAX: usize = 10;

/// The times of requests, and descriptions of the refused requests. The time of a request begins
/// when it was due, and ends with its response.
#[derive(Debug, Default)]
pub(super) struct Latencies {
    micros: Vec<u32>,
    /// The times of writes in microseconds. `micros` contains them too.
    writes: Vec<u32>,
    refused: Vec<String>,
}

impl Latencies {
    pub(super) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.micros.extend(part.micros);
            all.writes.extend(part.writes);
            all.refused.extend(part.refused);
        }
        all
    }

    fn millis(&self, share: f64) -> f64 {
        millis(&self.micros, share)
    }

    pub(super) fn shown(&self) -> String {
        format!("{:.1}, {:.1}, {:.0}", self.millis(0.5), self.millis(0.99), self.millis(1.0))
    }

    pub(super) fn refused(&self) -> usize {
        self.refused.len()
    }

    /// Returns the failures in these measurements, which were made during the attacks. `alone` has
    /// the measurements without attacks.
    pub(super) fn failures(&self, alone: &Self, slowdown_max: Option<f64>) -> Vec<String> {
        let mut failures: Vec<String> = self.refused.iter().take(SHOWN_MAX).cloned().collect();
        if self.refused.len() > SHOWN_MAX {
            failures.push(format!("and {} more were refused", self.refused.len() - SHOWN_MAX));
        }
        let (beside, alone) = (self.millis(0.99), alone.millis(0.99));
        if slowdown_max.is_some_and(|most| beside > most * alone) {
            failures.push(format!("the p99 grew from {alone:.1} to {beside:.1} ms"));
        }
        failures
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} requests, p50 {:.2}, p99 {:.2}, p99.9 {:.1}, most {:.0} ms, of writes p50 {:.2}, p99 {:.2}; {} refused",
            self.micros.len(),
            self.millis(0.5),
            self.millis(0.99),
            self.millis(0.999),
            self.millis(1.0),
            millis(&self.writes, 0.5),
            millis(&self.writes, 0.99),
            self.refused.len()
        )
    }
}

/// A quantile of times in microseconds, returned in milliseconds; 0 without times.
fn millis(micros: &[u32], share: f64) -> f64 {
    let mut micros = micros.to_vec();
    if micros.is_empty() {
        return 0.0;
    }
    let at = ((micros.len() as f64 * share) as usize).min(micros.len() - 1);
    f64::from(*micros.select_nth_unstable(at).1) / 1000.0
}

/// The client's threads, and its measurements since the last call of `take`.
pub(super) struct Guest {
    measured: Arc<Mutex<Latencies>>,
    threads: Vec<JoinHandle<io::Result<()>>>,
}

impl Guest {
    /// Starts the client's connections. They stop when `field.going` is false.
    pub(super) fn start(field: &Arc<Field>) -> Self {
        let measured = Arc::new(Mutex::new(Latencies::default()));
        let start = |seed| {
            let (field, measured) = (Arc::clone(field), Arc::clone(&measured));
            thread::spawn(move || visit(&field, &measured, Random::new(seed)))
        };
        Self { threads: (1..=CONNECTIONS).map(start).collect(), measured }
    }

    /// Returns the measurements since the previous call.
    pub(super) fn take(&self) -> Latencies {
        mem::take(&mut locked(&self.measured))
    }

    /// Waits until all connections have ended. Returns the errors that ended them.
    pub(super) fn end(self) -> Vec<String> {
        let ends = self.threads.into_iter().map(JoinHandle::join);
        let broken = ends.filter_map(|end| match end {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                Some(format!("a connection of the client that behaves well broke: {error}"))
            }
            Err(_) => Some("a thread of the client that behaves well panicked".into()),
        });
        broken.collect()
    }
}

fn locked(measured: &Mutex<Latencies>) -> MutexGuard<'_, Latencies> {
    measured.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends a request whenever one is due. If the previous response is late, the next request waits
/// for it. Its time still begins when it was due.
fn visit(field: &Field, measured: &Mutex<Latencies>, mut random: Random) -> io::Result<()> {
    let mut connection = Connection::open(field.server)?;
    let mut due = Instant::now();
    let mut created = None;
    while field.going.load(Ordering::Relaxed) {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let (request, expected) = next(&mut random, &mut created);
        let (status, response) = connection.ask(request.as_bytes())?;
        let micros = u32::try_from(due.elapsed().as_micros()).unwrap_or(u32::MAX);
        let mut measured = locked(measured);
        measured.micros.push(micros);
        if !request.starts_with("GET") {
            measured.writes.push(micros);
        }
        if status != expected {
            let target = request.lines().next().unwrap_or_default();
            let problem = String::from_utf8_lossy(&response);
            let problem = problem.split_once("\r\n\r\n").map_or("", |(_, problem)| problem);
            measured.refused.push(format!("{status} for `{target}`: {problem}"));
        }
        drop(measured);
        if status == 201 {
            created = location(&response);
        }
        // After a long wait, the client skips the requests that it missed.
        due = (due + INTERVAL).max(Instant::now() - INTERVAL);
    }
    Ok(())
}

/// Returns the next request and its expected status. Of a hundred requests, 55 read members, 20
/// read pages, and 5 search for a frequent text. 15 change a member, and 5 create or delete one.
fn next(random: &mut Random, created: &mut Option<String>) -> (String, u16) {
    let zoo = random.to(ZOOS);
    match random.to(100) {
        1..=55 => (get(&format!("/zoos/{zoo}")), 200),
        56..=75 => (get(&format!("/zoos/{zoo}/animals?sortby=name&limit=20")), 200),
        76..=80 => (get("/animals?name[contains]=Animal&limit=1"), 200),
        81..=95 => {
            let animal = (zoo - 1) * 100 + random.to(100);
            let content = format!(r#"{{"weight_kg":{}.5}}"#, random.to(500));
            (body("PATCH", &format!("/zoos/{zoo}/animals/{animal}"), &content), 200)
        }
        _ if created.is_some() => {
            (without_body("DELETE", &created.take().unwrap_or_default()), 204)
        }
        _ => {
            let content =
                format!(r#"{{"name":"Guest {}","animal_type_id":1}}"#, random.to(1_000_000));
            (body("POST", &format!("/zoos/{zoo}/animals"), &content), 201)
        }
    }
}

/// The value of the header field `Location`: the URL of a new member.
fn location(response: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(response);
    let line = head
        .lines()
        .take_while(|line| !line.is_empty())
        .find_map(|line| line.strip_prefix("location: "));
    line.map(str::to_owned)
}

fn get(path: &str) -> String {
    without_body("GET", path)
}

fn without_body(method: &str, path: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
}

fn body(method: &str, path: &str, content: &str) -> String {
    let length = content.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{content}"
    )
}
