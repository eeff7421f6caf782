//! Sends requests on many keep-alive connections for a limited time, from one thread.

use std::{
    io::{self, Read, Write as _},
    mem,
    net::SocketAddr,
    time::{Duration, Instant},
};

use memchr::memmem;
use mio::{Events, Interest, Poll, Registry, Token, net::TcpStream};

use crate::workload::Random;

/// The time that the client waits for a response before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// The measurements of a load.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    /// The time of each request in microseconds, from the first byte sent to the last byte
    /// received.
    pub(crate) micros: Vec<u32>,
}

impl Sample {
    pub(crate) fn per_second(&self) -> f64 {
        self.micros.len() as f64 / self.seconds
    }

    /// Returns a quantile of the request times in microseconds: for the share 0.99, the p99.
    /// Returns 0 without requests.
    pub(crate) fn quantile(&mut self, share: f64) -> f64 {
        let at =
            ((self.micros.len() as f64 * share) as usize).min(self.micros.len().saturating_sub(1));
        if self.micros.is_empty() { 0.0 } else { (*self.micros.select_nth_unstable(at).1).into() }
    }
}

/// A function that appends a complete request to a buffer. The text is `Traffic::detail`.
pub(crate) type NextRequest = fn(&mut Random, &mut Vec<u8>, &str);

/// A function that writes requests, and the statuses that their responses may have.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    pub(crate) next: NextRequest,
    /// A text that all requests use, such as an entity tag.
    pub(crate) detail: String,
    pub(crate) statuses: &'static [u16],
}

/// Keeps this many connections busy for this time.
///
/// The client uses little processor time and memory, since it shares the cores with the server that
/// it measures.
pub(crate) fn load(
    to: SocketAddr,
    traffic: &Traffic,
    connections: u64,
    time: Duration,
) -> io::Result<Sample> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(256);
    let mut buffer = vec![0; 64 * 1024];
    let mut busy = Busy::open_all(poll.registry(), to, connections)?;
    let begun = Instant::now();
    let mut sample = Sample::default();
    busy.iter_mut().try_for_each(|one| one.send(traffic, Instant::now()))?;
    let mut left = busy.len();
    while left > 0 {
        match poll.poll(&mut events, Some(PATIENCE)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            polled => polled?,
        }
        if events.is_empty() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "no response arrived within 60 s"));
        }
        for event in &events {
            let one = &mut busy[event.token().0];
            let Some(micros) = one.receive(traffic, &mut buffer)? else { continue };
            sample.micros.push(micros);
            if begun.elapsed() < time {
                one.send(traffic, Instant::now())?;
            } else {
                left -= 1;
            }
        }
    }
    sample.seconds = begun.elapsed().as_secs_f64();
    Ok(sample)
}

/// A keep-alive connection that sends one request after another.
pub(crate) struct Visitor(std::net::TcpStream);

impl Visitor {
    pub(crate) fn open(to: SocketAddr) -> io::Result<Self> {
        let stream = std::net::TcpStream::connect(to)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self(stream))
    }

    /// Sends a request, reads the whole response, and returns its status.
    pub(crate) fn ask(&mut self, request: &[u8]) -> io::Result<u16> {
        self.0.write_all(request)?;
        let mut answer = vec![];
        loop {
            let mut more = [0; 4096];
            let read = read_some(&mut self.0, &mut more)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            answer.extend_from_slice(&more[..read]);
            if whole_length(&answer).is_some_and(|length| answer.len() >= length) {
                return Ok(status(&answer));
            }
        }
    }
}

/// Reads once, as `read` does, but again when it was interrupted: a read with a timeout ends with
/// EINTR when the process was stopped and went on (signal(7)).
pub(crate) fn read_some(mut from: impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Sends one request on a new connection. Returns the status and the whole response with its head.
pub(crate) fn ask(to: SocketAddr, request: &[u8]) -> io::Result<(u16, String)> {
    let mut stream = std::net::TcpStream::connect(to)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request)?;
    let mut answer = vec![];
    loop {
        let mut more = [0; 16 * 1024];
        let read = read_some(&mut stream, &mut more)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        answer.extend_from_slice(&more[..read]);
        if whole_length(&answer).is_some_and(|length| answer.len() >= length) {
            return Ok((status(&answer), String::from_utf8_lossy(&answer).into_owned()));
        }
    }
}

/// A keep-alive connection with at most one request in progress.
#[derive(Debug)]
pub(crate) struct Busy {
    stream: TcpStream,
    random: Random,
    request: Vec<u8>,
    begun: Instant,
    /// The part of the response head that has arrived so far; empty once the head is complete.
    head: Vec<u8>,
    /// The number of bytes of the response that have not arrived. `None` until the head is
    /// complete.
    missing: Option<usize>,
}

impl Busy {
    /// Opens this many connections. The token of each connection in the registry is its index in
    /// the result.
    pub(crate) fn open_all(
        registry: &Registry,
        to: SocketAddr,
        count: u64,
    ) -> io::Result<Vec<Self>> {
        let mut all =
            (1..=count).map(|seed| Self::open(to, seed)).collect::<io::Result<Vec<_>>>()?;
        for (at, one) in all.iter_mut().enumerate() {
            registry.register(&mut one.stream, Token(at), Interest::READABLE)?;
        }
        Ok(all)
    }

    fn open(to: SocketAddr, seed: u64) -> io::Result<Self> {
        let stream = std::net::TcpStream::connect(to)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream: TcpStream::from_std(stream),
            random: Random::new(seed),
            request: vec![],
            begun: Instant::now(),
            head: vec![],
            missing: None,
        })
    }

    /// Sends the next request, whose time is measured from `begun`. The socket buffer has room for
    /// it, since the previous response was read.
    pub(crate) fn send(&mut self, traffic: &Traffic, begun: Instant) -> io::Result<()> {
        self.request.clear();
        (traffic.next)(&mut self.random, &mut self.request, &traffic.detail);
        self.begun = begun;
        self.stream.write_all(&self.request)
    }

    /// Reads what has arrived. Returns the time of the request in microseconds when its response is
    /// complete, otherwise `None`.
    pub(crate) fn receive(
        &mut self,
        traffic: &Traffic,
        buffer: &mut [u8],
    ) -> io::Result<Option<u32>> {
        loop {
            let read = match self.stream.read(buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error),
            };
            self.missing = match self.missing {
                Some(missing) => Some(missing.saturating_sub(read)),
                None if self.head.is_empty() => self.begin(traffic, &buffer[..read])?,
                None => {
                    let head = [&mem::take(&mut self.head), &buffer[..read]].concat();
                    self.begin(traffic, &head)?
                }
            };
            if self.missing == Some(0) {
                self.missing = None;
                return Ok(Some(
                    u32::try_from(self.begun.elapsed().as_micros()).unwrap_or(u32::MAX),
                ));
            }
            // If the buffer was not filled, no more data has arrived yet.
            if read < buffer.len() {
                return Ok(None);
            }
        }
    }

    /// Returns the number of missing bytes of a response, of which `begun` is the first part. If
    /// the head is incomplete, stores it and returns `None`.
    fn begin(&mut self, traffic: &Traffic, begun: &[u8]) -> io::Result<Option<usize>> {
        let Some(length) = whole_length(begun) else {
            self.head = begun.to_vec();
            return Ok(None);
        };
        if traffic.statuses.contains(&status(begun)) {
            return Ok(Some(length.saturating_sub(begun.len())));
        }
        let (request, answer) =
            (String::from_utf8_lossy(&self.request), String::from_utf8_lossy(begun));
        Err(io::Error::other(format!("{request}: {answer}")))
    }
}

pub(crate) fn status(answer: &[u8]) -> u16 {
    let digits = answer.get(9..12).and_then(|digits| str::from_utf8(digits).ok());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

/// The length in bytes of a response with its head; `None` while the head is incomplete.
pub(crate) fn whole_length(answer: &[u8]) -> Option<usize> {
    const LENGTH: &[u8] = b"\r\ncontent-length: ";
    let end = memmem::find(answer, b"\r\n\r\n")?;
    let lengths = memmem::find_iter(&answer[..end], b"ength: ").map(|at| at + 7);
    let mut lengths = lengths.filter(|at| {
        let from = at.saturating_sub(LENGTH.len());
        answer[from..*at].eq_ignore_ascii_case(LENGTH)
    });
    let length = lengths.next().and_then(|at| {
        let digits = answer[at..].split(|byte| *byte == b'\r').next()?;
        str::from_utf8(digits).ok()?.parse::<usize>().ok()
    });
    Some(end + 4 + length.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, thread};

    use super::*;

    const ANSWERS: [&[&[u8]]; 4] = [
        &[b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n12345"],
        &[b"HTTP/1.1 304 Not Modified\r\netag: \"a\"\r\n\r\n"],
        &[b"HTTP/1.1 200 OK\r\nconte", b"nt-length: 3\r\n", b"\r\n", b"1", b"23"],
        &[b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\netag: \"b\"\r\n\r\n", b"{}"],
    ];

    /// Answers each request with the next of the test's responses, sent in pieces.
    fn serve(listener: &TcpListener) {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        for answer in ANSWERS.iter().cycle() {
            let mut request = [0; 256];
            if !matches!(stream.read(&mut request), Ok(1..)) {
                return;
            }
            for piece in *answer {
                stream.write_all(piece).unwrap();
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    #[test]
    fn answers_are_counted_however_they_come() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let next: NextRequest = |_, to, _| to.extend_from_slice(b"GET / HTTP/1.1\r\n\r\n");
        thread::scope(|scope| {
            scope.spawn(|| serve(&listener));
            let traffic = Traffic { next, detail: String::new(), statuses: &[200, 201, 304] };
            let sample = load(address, &traffic, 1, Duration::from_millis(200)).unwrap();
            assert!(
                sample.micros.len() >= ANSWERS.len(),
                "the client counts each response, however it is split into pieces: {sample:?}"
            );
        });
        thread::scope(|scope| {
            scope.spawn(|| serve(&listener));
            let traffic = Traffic { next, detail: String::new(), statuses: &[200, 304] };
            let refused =
                load(address, &traffic, 1, Duration::from_millis(200)).unwrap_err().to_string();
            assert!(
                refused.contains("201 Created"),
                "the error names the unexpected status: {refused}"
            );
        });
    }
}
