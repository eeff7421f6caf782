//! A load of requests on kept connections, bounded in time, from one thread.

use std::{
    io,
    net::SocketAddr,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

use crate::workload::Random;

/// What a load came to.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    /// For each request, from its first octet out to its last octet in.
    pub(crate) micros: Vec<u32>,
}

impl Sample {
    pub(crate) fn per_second(&self) -> f64 {
        self.micros.len() as f64 / self.seconds
    }

    /// The time below which this share of the requests stayed, in microseconds.
    pub(crate) fn quantile(&mut self, share: f64) -> f64 {
        let at = ((self.micros.len() as f64 * share) as usize).min(self.micros.len().saturating_sub(1));
        if self.micros.is_empty() { 0.0 } else { (*self.micros.select_nth_unstable(at).1).into() }
    }
}

/// Writes the next request, whole.
pub(crate) type NextRequest = fn(&mut Random, &mut Vec<u8>, &str);

/// What is sent, and what must come back.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    pub(crate) next: NextRequest,
    /// What the requests share, such as an entity tag.
    pub(crate) detail: String,
    pub(crate) statuses: &'static [u16],
}

/// Keeps these many connections busy for a time.
pub(crate) fn load(
    to: SocketAddr,
    traffic: &Traffic,
    connections: u64,
    time: Duration,
) -> io::Result<Sample> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let begun = Instant::now();
        let mut busy = JoinSet::new();
        for seed in 1..=connections {
            busy.spawn(keep_busy(to, traffic.clone(), seed, begun + time));
        }
        let mut sample = Sample::default();
        while let Some(done) = busy.join_next().await {
            sample.micros.extend(done.map_err(io::Error::other)??);
        }
        sample.seconds = begun.elapsed().as_secs_f64();
        Ok(sample)
    })
}

async fn keep_busy(to: SocketAddr, traffic: Traffic, seed: u64, until: Instant) -> io::Result<Vec<u32>> {
    let mut connection = Connection::open(to).await?;
    let mut random = Random::new(seed);
    let mut micros = vec![];
    let mut request = vec![];
    loop {
        request.clear();
        (traffic.next)(&mut random, &mut request, &traffic.detail);
        let begun = Instant::now();
        if begun >= until {
            return Ok(micros);
        }
        let (status, length) = connection.exchange(&request).await?;
        if !traffic.statuses.contains(&status) {
            let answer = String::from_utf8_lossy(&connection.answer[..length]);
            return Err(io::Error::other(format!("{}: {answer}", String::from_utf8_lossy(&request))));
        }
        micros.push(u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
}

/// One request on a connection of its own; the answer with its head.
pub(crate) fn ask(to: SocketAddr, request: &[u8]) -> io::Result<(u16, String)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut connection = Connection::open(to).await?;
        let (status, length) = connection.exchange(request).await?;
        Ok((status, String::from_utf8_lossy(&connection.answer[..length]).into_owned()))
    })
}

/// A kept connection with room for an answer.
#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl Connection {
    async fn open(to: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(to).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, answer: vec![0; 256 * 1024] })
    }

    /// The status of the answer, and its length with its head.
    async fn exchange(&mut self, request: &[u8]) -> io::Result<(u16, usize)> {
        self.stream.write_all(request).await?;
        let (mut filled, mut expected) = (0, None);
        while expected.is_none_or(|expected| filled < expected) {
            let read = self.stream.read(&mut self.answer[filled..]).await?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            filled += read;
            expected = expected.or_else(|| whole_length(&self.answer[..filled]));
        }
        let digits = str::from_utf8(&self.answer[9..12]).ok().and_then(|digits| digits.parse().ok());
        Ok((digits.unwrap_or_default(), filled))
    }
}

/// The length of an answer with its head, once the head is there.
fn whole_length(answer: &[u8]) -> Option<usize> {
    let head = answer.windows(4).position(|octets| octets == b"\r\n\r\n")? + 4;
    let text = str::from_utf8(&answer[..head]).unwrap_or_default();
    let length = text.split("\r\n").find_map(|line| line.strip_prefix("content-length: "));
    Some(head + length.and_then(|length| length.parse::<usize>().ok()).unwrap_or_default())
}
