//! Measures a server that gets several times the load that it can carry.
//!
//! First as many requests are sent as the server answers. Then requests come at a rate: at a
//! quarter of that, and at four times that. Each connection sends a request when one is due,
//! whatever the others do. The connections come from eight addresses. The first second of a load is
//! not measured: the server notices the overload in it.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    fs, io,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr},
    time::{Duration, Instant},
};

use clap::Args;
use mio::{Events, Interest, Poll, Token, net::TcpStream};
use socket2::{Domain, Socket, Type};

use crate::{
    client::{ask, status, whole_length},
    say,
    start::Program,
    workload::{self, Random},
};

/// The number of zoos. Each zoo has a hundred animals.
const ZOOS: u64 = 200;
/// The number of addresses that the connections come from.
const ADDRESSES: usize = 8;
/// Of this many requests, one creates a member. The others read pages that no cache has, with a
/// content coding, as browsers do. So an answer takes several times as long as what the client does
/// for it, and the client can send more than the server can answer.
const WRITE_SHARE: u64 = 10;

/// The time of each load that is not measured.
const SETTLING: Duration = Duration::from_secs(1);
/// The number of bytes that one read takes from the system.
const READ_BYTES: usize = 32 * 1024;

/// The options of `overload`.
#[derive(Args, Debug)]
pub(crate) struct Overload {
    /// How long each load lasts, in seconds.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// The number of connections that send at a rate.
    #[arg(long, default_value_t = 2000)]
    connections: usize,
    #[command(flatten)]
    program: Program,
}

/// The results of one load.
#[derive(Default)]
struct LoadOutcome {
    seconds: f64,
    /// The times of requests that were answered, in microseconds.
    accepted: Vec<u32>,
    /// The times of requests that were refused.
    refused: Vec<u32>,
    /// Requests that were due while the connection still waited for a response.
    missed: u64,
    /// The members that were acknowledged.
    created: u64,
    /// Refusals without `Retry-After`, and statuses that are neither success nor 503.
    faults: u64,
}

impl Overload {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let schema = folder.path().join("overload.yaml");
        fs::write(&schema, workload::schema())?;
        let database = folder.path().join("overload.db");
        let server = self.program.serve(&schema, &database, &["--log", "warn"])?;
        workload::fill(ZOOS, |path, body| workload::create(server.address, path, body))?;
        let time = Duration::from_secs(self.seconds);
        let before = count(server.address)?;
        let full = PacedLoad::open(server.address, 32)?.run(None, time)?;
        let capacity = full.accepted.len() as f64 / full.seconds;
        say(&format!("The server answers {capacity:.0} requests a second.\n"));
        say(
            "| load | sent/s | answered/s | p50, p99 in ms | refused/s | p50, p99 in ms | faults |",
        );
        say("|---|---:|---:|---|---:|---|---:|");
        let (mut created, mut quantiles) = (full.created, vec![]);
        for share in [0.25, 4.0] {
            let rate = capacity * share;
            let mut outcome =
                PacedLoad::open(server.address, self.connections)?.run(Some(rate), time)?;
            quantiles.push(quantile(&mut outcome.accepted, 0.99));
            created += outcome.created;
            say(&outcome.row(share));
        }
        let after = count(server.address)?;
        say(&format!(
            "\nUnder four times the load, the p99 of answered requests is {:.1} times that under a \
             quarter. {} members were acknowledged, {} are stored.",
            quantiles[1] / quantiles[0],
            created,
            after - before
        ));
        server.stop()?;
        if after - before < created {
            return Err(io::Error::other("a member that was acknowledged is not stored"));
        }
        Ok(())
    }
}

/// The number of animals.
fn count(server: SocketAddr) -> io::Result<u64> {
    let request = b"GET /animals?count=true&limit=1 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let (_, response) = ask(server, request)?;
    let total =
        response.rsplit_once("\"total\":").map(|(_, total)| total.trim_end_matches(['}', '\n']));
    total
        .and_then(|total| total.trim().parse().ok())
        .ok_or_else(|| io::Error::other(response.clone()))
}

fn quantile(micros: &mut [u32], share: f64) -> f64 {
    if micros.is_empty() {
        return 0.0;
    }
    let at = ((micros.len() as f64 * share) as usize).min(micros.len() - 1);
    f64::from(*micros.select_nth_unstable(at).1) / 1000.0
}

impl LoadOutcome {
    fn row(&mut self, share: f64) -> String {
        let rate = |count: usize| count as f64 / self.seconds;
        let sent = rate(self.accepted.len() + self.refused.len());
        let (answered, refused) = (rate(self.accepted.len()), rate(self.refused.len()));
        let mut times = [&mut self.accepted, &mut self.refused]
            .map(|times| format!("{:.1}, {:.1}", quantile(times, 0.5), quantile(times, 0.99)));
        let [of_answered, of_refused] = &mut times;
        format!(
            "| {share} × | {sent:.0} | {answered:.0} | {of_answered} | {refused:.0} | {of_refused} | {} |",
            self.faults
        )
    }
}

/// Connections that send requests.
struct PacedLoad {
    server: SocketAddr,
    poll: Poll,
    connections: Vec<PacedConnection>,
    random: Random,
    /// The bytes of one read.
    bytes: Box<[u8]>,
}

struct PacedConnection {
    stream: TcpStream,
    /// The time at which the request was sent; `None` without a request in progress.
    sent: Option<Instant>,
    is_write: bool,
    response: Vec<u8>,
}

impl PacedLoad {
    fn open(server: SocketAddr, count: usize) -> io::Result<Self> {
        let (poll, random, bytes) = (Poll::new()?, Random::new(7), vec![0; READ_BYTES].into());
        let mut load = Self { server, poll, connections: vec![], random, bytes };
        for at in 0..count {
            let connection = load.connect(at)?;
            load.connections.push(connection);
        }
        Ok(load)
    }

    fn connect(&self, at: usize) -> io::Result<PacedConnection> {
        let last = 2 + u8::try_from(at % ADDRESSES).unwrap_or_default();
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.bind(&SocketAddr::from((Ipv4Addr::new(127, 0, 0, last), 0)).into())?;
        socket.connect(&self.server.into())?;
        socket.set_tcp_nodelay(true)?;
        socket.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(socket.into());
        self.poll.registry().register(&mut stream, Token(at), Interest::READABLE)?;
        Ok(PacedConnection { stream, sent: None, is_write: false, response: vec![] })
    }

    /// Sends requests for some time: at a rate, or a new one after each response.
    fn run(mut self, rate: Option<f64>, time: Duration) -> io::Result<LoadOutcome> {
        let begun = Instant::now();
        let interval =
            rate.map(|rate| Duration::from_secs_f64(self.connections.len() as f64 / rate));
        let step =
            interval.unwrap_or_default() / u32::try_from(self.connections.len()).unwrap_or(1);
        let mut due: BinaryHeap<_> = (0..self.connections.len())
            .map(|at| Reverse((begun + step * u32::try_from(at).unwrap_or_default(), at)))
            .collect();
        let mut outcome = LoadOutcome::default();
        let mut events = Events::with_capacity(1024);
        let mut is_settled = false;
        while begun.elapsed() < SETTLING + time {
            let now = Instant::now();
            if !is_settled && now > begun + SETTLING {
                is_settled = true;
                let LoadOutcome { created, faults, .. } = outcome;
                outcome = LoadOutcome { created, faults, ..Default::default() };
            }
            while let Some(Reverse((at_time, at))) =
                due.peek().copied().filter(|Reverse((at, _))| *at <= now)
            {
                due.pop();
                match self.connections[at].sent {
                    None => self.send(at)?,
                    Some(_) => outcome.missed += 1,
                }
                if let Some(interval) = interval {
                    due.push(Reverse((at_time + interval, at)));
                }
            }
            let wait = due.peek().map_or(Duration::from_millis(10), |Reverse((at, _))| {
                at.saturating_duration_since(Instant::now())
            });
            match self.poll.poll(&mut events, Some(wait.min(Duration::from_millis(10)))) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                polled => polled?,
            }
            let ready: Vec<_> = events.iter().map(|event| event.token().0).collect();
            for at in ready {
                if self.receive(at, &mut outcome)? && interval.is_none() {
                    self.send(at)?;
                }
            }
        }
        outcome.seconds = (begun.elapsed() - SETTLING).as_secs_f64();
        self.finish(&mut outcome)?;
        Ok(outcome)
    }

    /// Waits for the responses that are still to come, so that every acknowledgement is counted.
    fn finish(&mut self, outcome: &mut LoadOutcome) -> io::Result<()> {
        let (begun, mut events) = (Instant::now(), Events::with_capacity(1024));
        let (accepted, refused) = (outcome.accepted.len(), outcome.refused.len());
        while self.connections.iter().any(|one| one.sent.is_some())
            && begun.elapsed() < Duration::from_secs(10)
        {
            self.poll.poll(&mut events, Some(Duration::from_millis(100)))?;
            let ready: Vec<_> = events.iter().map(|event| event.token().0).collect();
            for at in ready {
                self.receive(at, outcome)?;
            }
        }
        outcome.accepted.truncate(accepted);
        outcome.refused.truncate(refused);
        Ok(())
    }

    fn send(&mut self, at: usize) -> io::Result<()> {
        let zoo = self.random.to(ZOOS);
        let is_write = self.random.to(WRITE_SHARE) == 1;
        let request = if is_write {
            let body =
                format!(r#"{{"name":"Load {}","animal_type_id":1}}"#, self.random.to(1 << 30));
            format!(
                "POST /zoos/{zoo}/animals HTTP/1.1\r\nhost: localhost\r\ncontent-type: \
                 application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )
        } else {
            let skip = self.random.to(1 << 30) % 10;
            format!(
                "GET /zoos/{zoo}/animals?sortby=-weight_kg,name&limit=100&offset={skip} HTTP/1.1\r\nhost: \
                 localhost\r\naccept-encoding: gzip, br\r\n\r\n"
            )
        };
        let connection = &mut self.connections[at];
        (connection.sent, connection.is_write) = (Some(Instant::now()), is_write);
        connection.response.clear();
        connection.stream.write_all(request.as_bytes())
    }

    /// Reads what has arrived. Returns whether a response is complete.
    fn receive(&mut self, at: usize, outcome: &mut LoadOutcome) -> io::Result<bool> {
        let connection = &mut self.connections[at];
        let mut is_whole = false;
        // The next response makes another event.
        let ended = loop {
            match connection.stream.read(&mut self.bytes) {
                Ok(0) => break true,
                Ok(count) => connection.response.extend_from_slice(&self.bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break false,
                Err(_) => break true,
            }
            let response = &connection.response;
            is_whole = whole_length(response).is_some_and(|length| response.len() >= length);
            if is_whole {
                break memchr::memmem::find(response, b"\r\nconnection: close").is_some();
            }
        };
        let response = &connection.response;
        if is_whole && let Some(sent) = connection.sent.take() {
            let micros = u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX);
            match status(response) {
                200 | 201 => outcome.accepted.push(micros),
                503 if memchr::memmem::find(response, b"\r\nretry-after: ").is_some() => {
                    outcome.refused.push(micros);
                }
                _ => outcome.faults += 1,
            }
            outcome.created += u64::from(connection.is_write && status(response) == 201);
        }
        if ended {
            self.connections[at] = self.connect(at)?;
        }
        Ok(is_whole)
    }
}
