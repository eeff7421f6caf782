//! Measures a client that behaves well, first alone and then beside one attack after another. The
//! attackers have other addresses than that client.

mod kinds;

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::sleep,
};

use self::kinds::Kind;
use crate::{child::Child, client, median, memory::Memory, say, start::Program, workload};

/// The number of addresses of attackers, from 127.0.0.2 on. Each may have 4096 connections.
const ADDRESSES: u8 = 4;

/// The time between two requests of the client that behaves well.
const INTERVAL: Duration = Duration::from_millis(5);

/// The time until an attacker whose connection has ended opens another.
const PAUSE: Duration = Duration::from_millis(50);

/// The number of zoos.
const ZOOS: u64 = 10;

/// The options of `attacks`.
#[derive(Args, Debug)]
pub(crate) struct Attacks {
    /// How long each attack lasts, in seconds. The client runs alone for the same time before it.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Runs only attacks whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
    #[command(flatten)]
    program: Program,
}

/// The times of requests in microseconds.
struct RequestTimes(Vec<f64>);

impl RequestTimes {
    fn quantile(&self, share: f64) -> f64 {
        let mut micros = self.0.clone();
        micros.sort_by(f64::total_cmp);
        let at = ((micros.len() as f64 * share) as usize).min(micros.len().saturating_sub(1));
        micros.get(at).copied().unwrap_or_default()
    }
}

impl Attacks {
    pub(crate) fn run(self) -> io::Result<()> {
        allow_open_files();
        let folder = tempfile::tempdir()?;
        let (schema, database) = (folder.path().join("zoo.yaml"), folder.path().join("zoo.db"));
        fs::write(&schema, workload::schema())?;
        say(
            "| attack | clients | p50 alone, beside in µs | p99 alone, beside in µs | of p50 | RSS before, most in MiB | connections that ended |",
        );
        say("|---|---:|---|---|---:|---|---:|");
        let mut ratios = vec![];
        for kind in kinds::all().into_iter().filter(|kind| kind.name.contains(&self.only)) {
            let flags = ["--log", "warn"];
            let (server, secure) = self.program.serve_tls(&schema, &database, &flags)?;
            if ratios.is_empty() {
                workload::fill(ZOOS, |path, body| workload::create(server.address, path, body))?;
            }
            let target = if kind.is_tls { secure } else { server.address };
            ratios.push(self.measure(&server, target, kind)?);
            server.stop()?;
        }
        say(&format!("\nMedian of the ratios: {:.2}.", median(ratios)));
        Ok(())
    }

    /// Prints the row of one attack. Returns how many times longer the median request takes.
    fn measure(&self, server: &Child, target: SocketAddr, kind: Kind) -> io::Result<f64> {
        let time = Duration::from_secs(self.seconds);
        visit(server.address, time / 10)?;
        let alone = visit(server.address, time)?;
        let before = Memory::of(server.id())?.resident;
        let (name, clients) = (kind.name, kind.clients);
        let running = Arc::new(RunningAttack {
            server: target,
            kind,
            going: AtomicBool::new(true),
            open: AtomicU64::new(0),
            ended: AtomicU64::new(0),
        });
        let attacking = Arc::clone(&running);
        let attackers = thread::spawn(move || attack(&attacking));
        let until = Instant::now() + 3 * time;
        while running.open.load(Ordering::Relaxed) < clients as u64 && Instant::now() < until {
            thread::sleep(Duration::from_millis(20));
        }
        let beside = visit(server.address, time)?;
        let most = Memory::of(server.id())?.resident;
        running.going.store(false, Ordering::Relaxed);
        attackers.join().map_err(|_| io::Error::other("an attacker panicked"))??;
        visit(server.address, time / 10)?;
        let ratio = beside.quantile(0.5) / alone.quantile(0.5);
        say(&format!(
            "| {name} | {clients} | {:.0}, {:.0} | {:.0}, {:.0} | {ratio:.2} | {before:.0}, {most:.0} | {} |",
            alone.quantile(0.5),
            beside.quantile(0.5),
            alone.quantile(0.99),
            beside.quantile(0.99),
            running.ended.load(Ordering::Relaxed),
        ));
        Ok(ratio)
    }
}

/// Sends requests at a fixed rate on a connection, and on a new one now and then.
fn visit(server: SocketAddr, time: Duration) -> io::Result<RequestTimes> {
    let request = b"GET /zoos/1 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let (begun, mut due, mut micros) = (Instant::now(), Instant::now(), vec![]);
    let mut connection = client::Visitor::open(server)?;
    while begun.elapsed() < time {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let sent = Instant::now();
        if micros.len() % 100 == 99 {
            connection = client::Visitor::open(server)?;
        }
        let status = connection.ask(request)?;
        if status != 200 {
            return Err(io::Error::other(format!("the client got {status}")));
        }
        micros.push(sent.elapsed().as_secs_f64() * 1e6);
        due = (due + INTERVAL).max(sent);
    }
    Ok(RequestTimes(micros))
}

/// One attack on a server.
struct RunningAttack {
    server: SocketAddr,
    kind: Kind,
    going: AtomicBool,
    /// The number of connections that have been opened at first.
    open: AtomicU64,
    /// The number of connections that the server has ended.
    ended: AtomicU64,
}

/// Runs the clients of an attack on one thread of low priority: real attackers have machines of
/// their own.
fn attack(running: &Arc<RunningAttack>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::setpriority_process(None, 19).ok();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        for at in 0..running.kind.clients {
            tokio::spawn(repeat(Arc::clone(running), at));
            if at % 100 == 0 {
                sleep(Duration::from_millis(10)).await;
            }
        }
        while running.going.load(Ordering::Relaxed) {
            sleep(Duration::from_millis(20)).await;
        }
    });
    Ok(())
}

/// A client that opens another connection when its connection has ended.
async fn repeat(running: Arc<RunningAttack>, at: usize) {
    let address = Ipv4Addr::new(127, 0, 0, 2 + (at % usize::from(ADDRESSES)) as u8);
    let mut is_first = true;
    while running.going.load(Ordering::Relaxed) {
        if let Ok(stream) = connect(running.server, address).await {
            if is_first {
                running.open.fetch_add(1, Ordering::Relaxed);
                is_first = false;
            }
            run(stream, &running.kind).await.ok();
            running.ended.fetch_add(1, Ordering::Relaxed);
        }
        sleep(PAUSE).await;
    }
}

async fn connect(server: SocketAddr, from: Ipv4Addr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::new(IpAddr::V4(from), 0))?;
    socket.connect(server).await
}

/// Sends what the attack sends, until the server ends the connection.
async fn run(stream: TcpStream, kind: &Kind) -> io::Result<()> {
    let (mut reader, mut writer) = stream.into_split();
    let reading = async {
        let mut bytes = vec![0; 16 * 1024];
        if !kind.reads {
            std::future::pending::<()>().await;
        }
        while reader.read(&mut bytes).await? > 0 && !kind.is_tls {}
        Ok::<_, io::Error>(())
    };
    let writing = async {
        writer.write_all(&kind.first).await?;
        for at in 0.. {
            if let Some(pace) = kind.pace {
                sleep(pace).await;
            }
            writer.write_all(&(kind.piece)(at)).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    };
    tokio::select! {
        ended = reading => ended,
        ended = writing => ended,
    }
}

fn allow_open_files() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut files = getrlimit(Resource::Nofile);
        files.current = files.maximum;
        setrlimit(Resource::Nofile, files).ok();
    }
}
