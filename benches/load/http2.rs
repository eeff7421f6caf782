//! Loads two servers over HTTP/2 alternately: a bare server of the library `h2`, and Nouns. Prints
//! the ratio of their requests per second. The client is `h2load` of Debian's `nghttp2-client`.

use std::{ffi::OsStr, fs, io, net::SocketAddr, num::NonZero, process::Command, thread};

use bytes::Bytes;
use clap::Args;
use h2::{RecvStream, server::SendResponse};
use http::{HeaderMap, Request, Response, header};

use crate::{child, child::Child, client, hello, median, say, start::Program, workload};

static BODY: [u8; 64 * 1024] = [b'1'; 64 * 1024];

/// The number of requests on a connection, which is to last for a turn.
const REQUESTS_MAX: &str = "1000000000";

/// The header fields of the usual server of a JSON document. The other bare server has those of
/// Nouns: each has to be compressed.
const FIELDS: [&str; 2] = ["content-type: application/json", "content-length: 0"];

/// The number of zoos. All requests are for one of them.
const ZOOS: u64 = 10;

/// The options of `h2`.
#[derive(Args, Debug)]
pub(crate) struct Http2 {
    /// How many turns each server has.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long a turn is, in seconds.
    #[arg(long, default_value_t = 3)]
    seconds: u32,
    /// The number of connections.
    #[arg(long, default_value_t = 8)]
    connections: u32,
    /// The number of requests in progress on each connection.
    #[arg(long, default_value_t = 16)]
    streams: u32,
    #[command(flatten)]
    program: Program,
}

impl Http2 {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (schema, database) = (folder.path().join("zoo.yaml"), folder.path().join("zoo.db"));
        fs::write(&schema, workload::schema())?;
        say(&format!(
            "{} connections with {} requests in progress each; {} turns of {} s\n\n\
             | work | fields of bare h2 | of bare h2 | bare h2 req/s | nouns req/s | cpu µs/req: bare, nouns |\n\
             |---|---:|---|---|---|---|",
            self.connections, self.streams, self.rounds, self.seconds
        ));
        for (name, cache) in [("GET a zoo by id", "0"), ("the same from the cache", "8")] {
            let flags = ["--cache", cache, "--keep-alive-requests", REQUESTS_MAX];
            let nouns = self.program.serve(&schema, &database, &flags)?;
            if cache == "0" {
                workload::fill(ZOOS, |path, body| workload::create(nouns.address, path, body))?;
            }
            let request = b"GET /zoos/1 HTTP/1.1\r\nhost: localhost\r\n\r\n";
            let (_, answer) = client::ask(nouns.address, request)?;
            let (head, content) = answer.split_once("\r\n\r\n").unwrap_or_default();
            let fields: Vec<_> = head.lines().skip(1).map(OsStr::new).collect();
            for fields in [&FIELDS.map(OsStr::new)[..], &fields] {
                self.measure(name, &nouns, fields, content.len())?;
            }
            nouns.stop()?;
        }
        Ok(())
    }

    fn measure(
        &self,
        name: &str,
        nouns: &Child,
        fields: &[&OsStr],
        length: usize,
    ) -> io::Result<()> {
        let bare = Child::own(&[&[OsStr::new("hello-h2")], fields].concat())?;
        let (mut ratios, mut of_bare, mut of_nouns) = (vec![], vec![], vec![]);
        for _ in 0..self.rounds {
            let one = self.turn(&bare, &format!("/{length}"))?;
            let other = self.turn(nouns, "/zoos/1")?;
            ratios.push(100.0 * other.per_second / one.per_second);
            of_bare.push(one);
            of_nouns.push(other);
        }
        let per_second = |turns: &[Http2Turn]| median(turns.iter().map(|turn| turn.per_second));
        let cpu = |turns: &[Http2Turn]| median(turns.iter().map(|turn| turn.cpu_micros));
        say(&format!(
            "| {name}, {length} bytes | {} | **{:.0} %** | {:.0} | {:.0} | {:.1}, {:.1} |",
            fields.len(),
            median(ratios),
            per_second(&of_bare),
            per_second(&of_nouns),
            cpu(&of_bare),
            cpu(&of_nouns),
        ));
        Ok(())
    }

    fn turn(&self, server: &Child, path: &str) -> io::Result<Http2Turn> {
        self.load(server.address, path, 1)?;
        let before = server.cpu_seconds()?;
        let requests = self.load(server.address, path, self.seconds)?;
        let cpu = server.cpu_seconds()? - before;
        let per_second = requests / f64::from(self.seconds);
        Ok(Http2Turn { per_second, cpu_micros: 1e6 * cpu / requests.max(1.0) })
    }

    /// Sends load for this time. Returns the number of successful requests.
    fn load(&self, to: SocketAddr, path: &str, seconds: u32) -> io::Result<f64> {
        let output = Command::new("h2load")
            .args(["-t", "1", "-c", &self.connections.to_string()])
            .args(["-m", &self.streams.to_string(), "-D", &seconds.to_string()])
            .arg(format!("http://{to}{path}"))
            .output()
            .map_err(|error| io::Error::other(format!("h2load cannot be run: {error}")))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find_map(|line| line.strip_prefix("requests: "));
        let count = |word: &str| {
            let counts = line.unwrap_or_default().split(", ");
            counts.filter_map(|count| count.strip_suffix(word)).find_map(|n| n.trim().parse().ok())
        };
        match (count(" succeeded"), count(" failed")) {
            (Some(succeeded), Some(0.0)) => Ok(succeeded),
            _ => Err(io::Error::other(format!("h2load failed: {text}"))),
        }
    }
}

/// The measurements of one turn of one server.
struct Http2Turn {
    per_second: f64,
    cpu_micros: f64,
}

/// The options of `hello-h2`.
#[derive(Args, Debug)]
pub(crate) struct HelloHttp2 {
    /// The header fields of each response, such as `content-type: application/json`.
    fields: Vec<String>,
}

impl HelloHttp2 {
    /// Serves HTTP/2 until the process is killed. Each core has a runtime and a listener, as in
    /// Nouns. The path of a request is the length of the response body in bytes.
    pub(crate) fn serve(self) -> io::Result<()> {
        let fields = self.fields.iter().filter_map(|field| field.split_once(": "));
        let parsed = |(name, value): (&str, &str)| Some((name.parse().ok()?, value.parse().ok()?));
        let fields: HeaderMap = fields.filter_map(parsed).collect();
        let workers = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN).get();
        let (address, listeners) = hello::listeners(workers)?;
        child::announce(address);
        let work = |listener| {
            let fields = fields.clone();
            thread::spawn(move || work(listener, &fields))
        };
        let threads: Vec<_> = listeners.into_iter().map(work).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().map_err(|_| io::Error::other("a worker panicked"))?
        })
    }
}

fn work(listener: std::net::TcpListener, fields: &HeaderMap) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let fields = fields.clone();
            tokio::spawn(async move {
                let mut connection = h2::server::handshake(stream).await?;
                while let Some(accepted) = connection.accept().await {
                    let (request, respond) = accepted?;
                    let fields = fields.clone();
                    tokio::spawn(async move { answer(&request, fields, respond) });
                }
                Ok::<_, h2::Error>(())
            });
        }
    })
}

fn answer(
    request: &Request<RecvStream>,
    fields: HeaderMap,
    mut respond: SendResponse<Bytes>,
) -> Result<(), h2::Error> {
    let length: usize = request.uri().path()[1..].parse().unwrap_or_default();
    let body = Bytes::from_static(&BODY[..length.min(BODY.len())]);
    let mut response = Response::new(());
    *response.headers_mut() = fields;
    response.headers_mut().insert(header::CONTENT_LENGTH, body.len().into());
    respond.send_response(response, false)?.send_data(body, true)
}
