//! A PostgreSQL server of its own, with its data in a temporary folder. It writes each commit to
//! the disk (`fsync`), as a server in use does.

use std::{
    fs, io,
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{self, Command, Output, Stdio},
    sync::atomic::{AtomicU16, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Where Debian has the programs of each version.
const PROGRAMS: &str = "/usr/lib/postgresql";
/// The settings of a server. All connections of all nodes fit.
const SETTINGS: &str = "-c listen_addresses=127.0.0.1 -c max_connections=300 -c shared_buffers=64MB -c wal_keep_size=64MB";
/// The time that a server may need for a command.
const PATIENCE: Duration = Duration::from_secs(30);

/// A PostgreSQL server. It is stopped, and its data deleted, when this is dropped.
pub(super) struct Database {
    folder: tempfile::TempDir,
    programs: PathBuf,
    pub(super) port: u16,
}

impl Database {
    /// Makes a server without data and starts it.
    pub(super) fn create() -> io::Result<Self> {
        let database = Self::empty(free_port()?)?;
        database.run(
            "initdb",
            &["--auth=trust", "--username=nouns", "--encoding=UTF8", "--locale=C.UTF-8"],
        )?;
        database.start()?;
        Ok(database)
    }

    /// Copies a running server, and starts the copy as its standby.
    pub(super) fn standby_of(primary: &Self, port: u16) -> io::Result<Self> {
        let standby = Self::empty(port)?;
        let source = format!(
            "--dbname=host=127.0.0.1 port={} user=nouns application_name=standby",
            primary.port
        );
        standby.run("pg_basebackup", &[&source, "--write-recovery-conf", "--checkpoint=fast"])?;
        standby.start()?;
        Ok(standby)
    }

    fn empty(port: u16) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let newest = |folder: &Path| -> io::Result<PathBuf> {
            let versions = fs::read_dir(folder)?.filter_map(|version| {
                let version = version.ok()?;
                let number: u32 = version.file_name().to_str()?.parse().ok()?;
                Some((number, version.path().join("bin")))
            });
            let (_, programs) = versions.max().ok_or(io::ErrorKind::NotFound)?;
            Ok(programs)
        };
        let programs = newest(Path::new(PROGRAMS)).map_err(|error| {
            io::Error::other(format!("this needs the Debian package postgresql: {error}"))
        })?;
        if is_root() {
            checked(Command::new("chown").arg("postgres").arg(folder.path()))?;
        }
        Ok(Self { folder, programs, port })
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Runs a program of the server, as a user without privileges: it refuses to run as root.
    fn run(&self, program: &str, arguments: &[&str]) -> io::Result<String> {
        let mut command = unprivileged(&self.programs.join(program));
        command.arg(format!("--pgdata={}", self.data().display())).args(arguments);
        checked(command.current_dir(self.folder.path()))
    }

    /// Starts the server and waits until it answers. A process of a killed server may still have
    /// its memory for a moment.
    pub(super) fn start(&self) -> io::Result<()> {
        let folder = self.folder.path().display();
        let log = format!("--log={folder}/log");
        let options = format!("--options=-p {} -k {folder} {SETTINGS}", self.port);
        let started =
            || Ok(self.run("pg_ctl", &["start", "--wait", "--silent", &log, &options]).is_ok());
        wait_until("the start of the server", started).map_err(|error| {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            let last = log.lines().rev().take(5).collect::<Vec<_>>().join("\n");
            io::Error::other(format!("{error}:\n{last}"))
        })
    }

    /// Stops the server at once, so that it must recover when it starts.
    pub(super) fn stop_at_once(&self) -> io::Result<()> {
        self.run("pg_ctl", &["stop", "--mode=immediate", "--silent"]).map(drop)
    }

    /// Kills all processes of the server, as the failure of its machine does.
    pub(super) fn kill(&self) -> io::Result<()> {
        let all = self.signal("KILL")?;
        let is_there = |id: &String| Path::new("/proc").join(id).join("exe").exists();
        wait_until("the end of the killed server", || Ok(!all.iter().any(is_there)))
    }

    /// Sends a signal to all processes of the server. Returns their ids.
    pub(super) fn signal(&self, name: &str) -> io::Result<Vec<String>> {
        let id = fs::read_to_string(self.data().join("postmaster.pid"))?;
        let id = id.lines().next().unwrap_or_default();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"))?;
        let all: Vec<_> =
            [id].into_iter().chain(children.split_whitespace()).map(str::to_owned).collect();
        // A child may have ended by itself in the meantime.
        let mut kill = Command::new("kill");
        kill.arg(format!("-{name}")).args(&all).stderr(Stdio::null()).status()?;
        Ok(all)
    }

    /// Stops all processes of the server, so that it accepts connections but never answers.
    pub(super) fn hang(&self) -> io::Result<()> {
        // Once the first process is stopped, there are no new ones.
        self.signal("STOP")?;
        self.signal("STOP").map(drop)
    }

    /// Makes a standby the primary.
    pub(super) fn promote(&self) -> io::Result<()> {
        self.run("pg_ctl", &["promote", "--wait", "--silent"]).map(drop)
    }

    /// Lets connections be encrypted with the certificates in a folder, and sets the rules by which
    /// clients are admitted.
    pub(super) fn encrypt(&self, folder: &Path, rules: &str) -> io::Result<()> {
        self.query("CREATE ROLE pass SUPERUSER LOGIN PASSWORD 's3cret'")?;
        self.query("CREATE ROLE cert SUPERUSER LOGIN")?;
        for name in ["server.crt", "server.key", "ca.crt"] {
            let copy = self.data().join(name);
            fs::copy(folder.join(name), &copy)?;
            fs::set_permissions(&copy, PermissionsExt::from_mode(0o600))?;
            if is_root() {
                checked(Command::new("chown").arg("postgres").arg(copy))?;
            }
        }
        self.query("ALTER SYSTEM SET ssl = on")?;
        self.query("ALTER SYSTEM SET ssl_ca_file = 'ca.crt'")?;
        fs::write(self.data().join("pg_hba.conf"), rules)?;
        self.stop_at_once()?;
        self.start()
    }

    /// Lets each commit of this primary wait for its standby, and waits until the standby has
    /// caught up.
    pub(super) fn be_synchronous(&self) -> io::Result<()> {
        self.query("ALTER SYSTEM SET synchronous_standby_names = '*'")?;
        self.query("SELECT pg_reload_conf()")?;
        wait_until("a synchronous standby", || {
            let state = self.query("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'")?;
            Ok(state == "1")
        })
    }

    /// Waits until no node is in the middle of a transaction.
    pub(super) fn be_quiet(&self) -> io::Result<()> {
        wait_until("the end of all transactions", || {
            let busy = self.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'nouns' AND state <> 'idle'")?;
            Ok(busy == "0")
        })
    }

    /// Runs SQL as another program, and returns the cells of its result.
    pub(super) fn query(&self, sql: &str) -> io::Result<String> {
        Ok(checked(self.psql().args(["--command", sql]))?.trim().to_owned())
    }

    /// The program psql, connected to the server.
    pub(super) fn psql(&self) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args([
            "--no-psqlrc",
            "--quiet",
            "--tuples-only",
            "--no-align",
            "--set=ON_ERROR_STOP=1",
        ]);
        psql.arg(format!("--dbname=host=127.0.0.1 port={} user=nouns dbname=postgres", self.port));
        psql
    }

    /// The URL of the database on the servers with these ports.
    pub(super) fn url(ports: &[u16]) -> String {
        let hosts: Vec<_> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        format!("postgres://nouns@{}/postgres?target_session_attrs=read-write", hosts.join(","))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A killed server is not running, which is an error of `pg_ctl`.
        self.stop_at_once().ok();
    }
}

/// The pooler PgBouncer. It is stopped when this is dropped.
pub(super) struct Pooler {
    folder: tempfile::TempDir,
    pub(super) port: u16,
}

/// The number of lines of the pooler's log that a failed trial prints.
const LOG_LINES_TOLD: usize = 20;

impl Pooler {
    /// Starts a pooler of a server, in this mode.
    pub(super) fn start(database: &Database, mode: &str) -> io::Result<Self> {
        let pooler = Self { folder: tempfile::tempdir()?, port: free_port()? };
        let folder = pooler.folder.path();
        let Self { port, .. } = pooler;
        fs::write(
            folder.join("settings"),
            format!(
                "[databases]\npostgres = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
                 listen_port = {port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {}/users\n\
                 pool_mode = {mode}\ndefault_pool_size = 200\nmax_client_conn = 400\n\
                 pidfile = {}/pid\nlogfile = {}/log\n",
                database.port,
                folder.display(),
                folder.display(),
                folder.display(),
            ),
        )?;
        fs::write(folder.join("users"), "\"nouns\" \"\"\n")?;
        if is_root() {
            checked(Command::new("chown").args(["--recursive", "postgres"]).arg(folder))?;
        }
        pooler.start_again()?;
        Ok(pooler)
    }

    /// Starts a pooler that was killed, and waits until it listens.
    pub(super) fn start_again(&self) -> io::Result<()> {
        let settings = self.folder.path().join("settings");
        let mut command = unprivileged(Path::new("/usr/sbin/pgbouncer"));
        checked(command.args(["--quiet", "--daemon"]).arg(settings))?;
        let is_there = || Ok(TcpStream::connect(("127.0.0.1", self.port)).is_ok());
        wait_until("the pooler", is_there).map_err(|error| self.told(&error))
    }

    /// Adds the last lines of the pooler's log to an error.
    pub(super) fn told(&self, error: &io::Error) -> io::Error {
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let lines: Vec<_> = log.lines().rev().take(LOG_LINES_TOLD).collect();
        io::Error::other(format!(
            "{error}; the log of the pooler, backwards:\n{}",
            lines.join("\n")
        ))
    }

    /// Kills the pooler.
    pub(super) fn kill(&self) -> io::Result<()> {
        let file = self.folder.path().join("pid");
        let id = fs::read_to_string(&file)?;
        checked(Command::new("kill").args(["-KILL", id.trim()]))?;
        let process = Path::new("/proc").join(id.trim()).join("exe");
        // The sockets of a killed process are closed after it has left its program.
        let is_free = || TcpListener::bind(("127.0.0.1", self.port)).is_ok();
        wait_until("the end of the pooler", || Ok(!process.exists() && is_free()))?;
        fs::remove_file(file)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        self.kill().ok();
    }
}

/// A program that refuses to run as root, run by somebody else then.
fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["--user", "postgres", "--"]).arg(program);
    command
}

/// Waits until something is true.
fn wait_until(what: &str, is_true: impl Fn() -> io::Result<bool>) -> io::Result<()> {
    let until = Instant::now() + PATIENCE;
    while !is_true()? {
        if Instant::now() > until {
            return Err(io::Error::other(format!("waited too long for {what}")));
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// A port of the loopback interface that nobody listens on. The system does not give it to an
/// outgoing connection, so a server finds it free when it starts again.
pub(super) fn free_port() -> io::Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (process::id() % 100) as u16 * 100;
    for _ in 0..1000 {
        let port = first + NEXT.fetch_add(1, Ordering::Relaxed) % 1000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(io::Error::other("there is no free port"))
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a program to its end. Returns what it prints.
fn checked(command: &mut Command) -> io::Result<String> {
    let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output()?;
    if !status.success() {
        let text = String::from_utf8_lossy(&stderr);
        return Err(io::Error::other(format!("{:?}: {}", command.get_program(), text.trim())));
    }
    Ok(String::from_utf8_lossy(&stdout).into_owned())
}
