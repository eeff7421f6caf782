//! Tests of the `nouns` program as users start it: its output, its end, and its exit code.

mod access;
mod account;
mod additions;
mod admin;
mod backup;
mod banner;
mod bounds;
mod copy;
mod crowd;
mod damage;
mod explain;
mod generate;
mod help;
mod log;
mod log_json;
mod memory;
mod mock;
mod new;
mod postgres;
mod private_files;
mod proxies;
mod reload;
mod renames;
mod restart;
mod sessions;
mod stop;
mod templates;
mod times;
mod tls;
mod two_programs;
mod upgrading;
mod variables;
mod watch;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::{Duration, Instant},
};

use crate::{client::Client, tools};

const ZOO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/zoo.yaml");

fn nouns(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nouns"));
    command.current_dir(folder).env_remove("NOUNS_LOG").env("NO_COLOR", "1");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    nouns(folder).args(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A log is waited for this long at most. A busy machine takes a few seconds for a reload.
const LOG_TIME: Duration = Duration::from_secs(30);

/// The log of a program so far. A thread reads it, so the program never waits for its reader.
#[derive(Default)]
struct Log {
    text: Mutex<String>,
    has_more: Condvar,
}

impl Log {
    fn read(&self, stderr: ChildStderr) {
        let (mut stderr, mut line) = (BufReader::new(stderr), vec![]);
        while stderr.read_until(b'\n', &mut line).unwrap() > 0 {
            self.text.lock().unwrap().push_str(&String::from_utf8_lossy(&line));
            self.has_more.notify_all();
            line.clear();
        }
    }

    fn count(&self, part: &str) -> usize {
        self.text.lock().unwrap().matches(part).count()
    }

    /// Waits until the log has a text this number of times.
    fn until(&self, part: &str, count: usize) {
        let end = Instant::now() + LOG_TIME;
        let mut text = self.text.lock().unwrap();
        while text.matches(part).count() < count {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "the log must have `{part}`, {count} times: {text}");
            (text, _) = self.has_more.wait_timeout(text, left).unwrap();
        }
    }
}

/// A running `nouns serve`, its output until it is ready, and its log.
struct Serving {
    child: Child,
    banner: String,
    rest: BufReader<ChildStdout>,
    log: Arc<Log>,
    reading: Option<thread::JoinHandle<()>>,
}

impl Serving {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_with(nouns(folder), arguments)
    }

    fn start_with(command: Command, arguments: &[&str]) -> Self {
        Self::start_at(command, arguments, "127.0.0.1:0")
    }

    fn start_at(command: Command, arguments: &[&str], listen: &str) -> Self {
        Self::spawn(command, &[arguments, &["--listen", listen]].concat())
    }

    fn spawn(mut command: Command, arguments: &[&str]) -> Self {
        command.arg("serve").args(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (log, stderr) = (Arc::<Log>::default(), child.stderr.take().unwrap());
        let reading = Arc::clone(&log);
        let reading = Some(thread::spawn(move || reading.read(stderr)));
        let mut rest = BufReader::new(child.stdout.take().unwrap());
        let mut banner = String::new();
        while !banner.contains("Ctrl-C") {
            assert_ne!(
                rest.read_line(&mut banner).unwrap(),
                0,
                "the program ended before it was ready: {banner}"
            );
        }
        Self { child, banner, rest, log, reading }
    }

    fn url(&self) -> &str {
        self.banner.lines().map(str::trim).find(|line| line.starts_with("http://")).unwrap()
    }

    fn address(&self) -> SocketAddr {
        let authority = self.url().strip_prefix("http://").unwrap().split('/').next().unwrap();
        authority.parse().unwrap()
    }

    fn client(&self) -> Client {
        Client::connect(self.address())
    }

    /// The address of the admin listener; `None` if there is none.
    fn admin(&self) -> Option<SocketAddr> {
        let line = self.banner.lines().find_map(|line| line.trim().strip_prefix("Metrics:  "))?;
        let (authority, path) = line.strip_prefix("http://").unwrap().split_once('/').unwrap();
        assert!(path.ends_with("-/metrics"), "{line}");
        Some(authority.parse().unwrap())
    }

    /// Sends a signal to the program, such as `-TERM`.
    fn signal(&self, signal: &str) {
        assert!(tools::signal(&self.child, signal));
    }

    /// Sends SIGHUP to the program and waits until it has logged `said` again. Signals that come
    /// together are handled as one.
    fn hang_up(&self, said: &str) {
        let before = self.log.count(said);
        self.signal("-HUP");
        self.log.until(said, before + 1);
    }

    /// Sends a signal to the program and waits for its end. Returns the exit code and the log.
    fn stop(self, signal: &str) -> (Option<i32>, String) {
        self.signal(signal);
        self.end()
    }

    /// Waits for the end of the program. Returns the exit code and the log.
    fn end(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        self.rest.read_to_string(&mut self.banner).unwrap();
        self.reading.take().unwrap().join().unwrap();
        let log = self.log.text.lock().unwrap().clone();
        (code, log)
    }
}

/// A test that fails leaves no server behind.
impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn schema(folder: &Path, fields: &str) -> String {
    let path = folder.join("zoo.yaml");
    fs::write(&path, format!("nouns: 1\nresources:\n  zoo:\n    fields:\n{fields}")).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn both_signals_end_it_gracefully_and_what_was_written_stays() {
    let folder = tempfile::tempdir().unwrap();
    for (signal, name) in [("-TERM", "one"), ("-INT", "two")] {
        let serving = Serving::start(folder.path(), &[ZOO]);
        let answer = serving.client().post("/zoos", &serde_json::json!({ "name": name }));
        assert_eq!(answer.status(), 201);
        let (code, log) = serving.stop(signal);
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("method=POST path=\"/zoos\" status=201"), "{log}");
    }
    let serving = Serving::start(folder.path(), &[ZOO]);
    assert_eq!(serving.client().get("/zoos?count=true").json()["total"], 2);
    serving.stop("-TERM");
}

#[test]
fn a_port_in_use_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    let authority = serving.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let other = tempfile::tempdir().unwrap();
    let output = run(other.path(), &["serve", ZOO, "--listen", &authority]);
    assert_eq!(output.status.code(), Some(1));
    let expected = format!(
        "error: another program listens on {authority}; stop that program, or choose another address with --listen\n"
    );
    assert_eq!(stderr(&output), expected);
    serving.stop("-TERM");
}

#[test]
fn a_schema_file_that_cannot_be_read_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["serve", "missing.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: the schema file `missing.yaml` cannot be read: "));
    assert_eq!(stderr(&output).lines().count(), 1);
    fs::write(folder.path().join("latin.yaml"), b"nouns: 1 # \xe4").unwrap();
    let output = run(folder.path(), &["serve", "latin.yaml"]);
    assert_eq!(stderr(&output), "error: the schema file `latin.yaml` is not UTF-8 (at byte 11)\n");
}

#[test]
fn a_database_that_cannot_be_used_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("text.db"),
        "this is no database, however long it may be. ".repeat(50),
    )
    .unwrap();
    for database in ["text.db", "no/such/folder/zoo.db", "."] {
        let output =
            run(folder.path(), &["serve", ZOO, "--listen", "127.0.0.1:0", "--database", database]);
        assert_eq!(output.status.code(), Some(1), "{database}");
        let message = stderr(&output);
        assert!(
            message.starts_with("error: ") && message.contains(database),
            "{database}: {message}"
        );
        assert_eq!(message.lines().count(), 1, "{database}: {message}");
    }
}

#[test]
fn a_read_only_database_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    Serving::start(folder.path(), &[ZOO]).stop("-TERM");
    let database = folder.path().join("zoo.db");
    let mut permissions = fs::metadata(&database).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&database, permissions).unwrap();
    let output = run(folder.path(), &["serve", ZOO, "--listen", "127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(1));
    let expected = "error: the database `zoo.db` is read-only; make the file and its folder writable, \
                    or use another file.\n";
    assert_eq!(stderr(&output), expected);
}

#[test]
fn additions_are_listed_and_applied_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), "      name: { type: string, required: true }\n");
    let serving = Serving::start(folder.path(), &[&file]);
    serving.client().post("/zoos", &serde_json::json!({ "name": "City Zoo" }));
    serving.stop("-TERM");

    let file = schema(
        folder.path(),
        "      name: { type: string, required: true }\n      city: { type: string, index: true }\n",
    );
    let output = run(folder.path(), &["serve", &file, "--listen", "127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("city") && stderr(&output).contains("--apply"),
        "{}",
        stderr(&output)
    );

    let serving = Serving::start(folder.path(), &[&file, "--apply"]);
    let answer = serving.client().patch("/zoos/1", &serde_json::json!({ "city": "Leipzig" }));
    assert_eq!((answer.status(), &answer.json()["city"]), (200, &"Leipzig".into()));
    let (_, log) = serving.stop("-TERM");
    assert!(log.contains("applied to `zoo.db`: "), "{log}");

    let file = schema(folder.path(), "      name: { type: integer, required: true }\n");
    let output = run(folder.path(), &["serve", &file, "--listen", "127.0.0.1:0", "--apply"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("name"), "{}", stderr(&output));
}

#[test]
fn check_says_everything_about_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let good = run(folder.path(), &["check", ZOO]);
    assert_eq!(
        (good.status.code(), stdout(&good)),
        (Some(0), format!("{ZOO}: 4 resources, no mistakes\n"))
    );
    let file =
        schema(folder.path(), "      name: strng\n      city: { type: string, uniqe: true }\n");
    let output = run(folder.path(), &["check", ZOO, &file, "missing.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    for expected in ["did you mean `string`?", "uniqe", "zoo.yaml:5:13", "missing.yaml", "^"] {
        assert!(message.contains(expected), "{expected}: {message}");
    }
    assert!(message.contains(&format!("error: 2 mistakes in {file}\n")), "{message}");
    let file = schema(folder.path(), "      name: strng\n");
    let message = stderr(&run(folder.path(), &["check", &file]));
    assert!(message.ends_with(&format!("^\n\nerror: 1 mistake in {file}\n")), "{message}");
}

#[test]
fn check_gives_programs_the_same_as_data() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), "      name: strng\n");
    let output = run(folder.path(), &["check", "--format", "json", ZOO, &file]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(1), ""));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let [mistake] = json.as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!((&mistake["line"], &mistake["column"]), (&5.into(), &13.into()));
    assert!(mistake["code"].as_str().unwrap().starts_with('N'));
    assert_eq!(mistake["severity"], "error");
    let good = run(folder.path(), &["check", "--format", "json", ZOO]);
    assert_eq!((good.status.code(), stdout(&good).as_str()), (Some(0), "[]\n"));
}

#[test]
fn a_warning_lets_a_check_pass_unless_it_is_denied() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), "      city: { type: string, filterable: true }\n");
    let output = run(folder.path(), &["check", &file]);
    assert_eq!(
        (output.status.code(), stdout(&output)),
        (Some(0), format!("{file}: 1 resource, 1 warning\n"))
    );
    let warning = stderr(&output);
    assert!(warning.starts_with("warning[N080]: no index serves filters by `city`"), "{warning}");
    assert!(
        warning.contains("add `index: true` to `city`") && warning.contains("zoo.yaml:5:29"),
        "{warning}"
    );
    let denied = run(folder.path(), &["check", "--deny-warnings", &file]);
    assert_eq!((denied.status.code(), stdout(&denied).as_str()), (Some(1), ""));
    assert_eq!(stderr(&denied), format!("{}\n\nerror: 1 warning in {file}\n", warning.trim_end()));
    for (flags, code) in
        [(&["--format", "json"][..], 0), (&["--format", "json", "--deny-warnings"], 1)]
    {
        let output = run(folder.path(), &[&["check", &file], flags].concat());
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (output.status.code(), &json[0]["severity"]),
            (Some(code), &"warning".into()),
            "{json}"
        );
        assert_eq!((&json[0]["code"], json.as_array().unwrap().len()), (&"N080".into(), 1));
    }
    let served = run(folder.path(), &["serve", &file, "--listen", "nowhere"]);
    assert!(stderr(&served).starts_with("warning[N080]"), "{}", stderr(&served));
}

#[test]
fn routes_lists_every_url() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["routes", ZOO]);
    insta::assert_snapshot!(stdout(&output));
    let json = run(folder.path(), &["routes", "--format", "json", ZOO]);
    let json: Vec<serde_json::Value> = serde_json::from_slice(&json.stdout).unwrap();
    let operations = |json: &Vec<serde_json::Value>| {
        json.iter().map(|route| route["operation"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let text = stdout(&output);
    let words: Vec<_> = text.split_whitespace().collect();
    for operation in operations(&json) {
        assert!(words.contains(&&*operation), "{operation}: {text}");
    }
    let urls = words.iter().filter(|word| word.starts_with('/')).count();
    let mut paths: Vec<_> = json.iter().map(|route| route["path"].to_string()).collect();
    paths.dedup();
    assert_eq!((json.len(), urls), (23, paths.len()), "each URL must have one line: {text}");
}

/// Conformance 28, 217: `nouns routes` lists every method of every URL, including former URLs.
#[test]
fn routes_lists_what_is_switched_on_and_what_has_moved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zoo.yaml");
    let yaml = "nouns: 1
server: { query: true, trace: true }
resources:
  zoo: { methods: [list], moved_from: /parks, fields: { name: string } }
  animal: { parent: zoo, methods: [list], moved_from: '/parks/{zoo_id}/beasts', fields: { name: string } }
  ticket: { moved_to: 'https://tickets.example.org', fields: { name: string } }
";
    fs::write(&file, yaml).unwrap();
    let expected = "\
GET   QUERY  zoo
list  list   /zoos
             /parks moved to /zoos

GET   QUERY  animal
list  list   /zoos/{zoo_id}/animals
             /parks/{zoo_id}/beasts moved to /zoos/{zoo_id}/animals

             ticket
             /tickets moved to https://tickets.example.org

TRACE  the server
echo   *
";
    assert_eq!(stdout(&run(folder.path(), &["routes", file.to_str().unwrap()])), expected);
    let json = run(folder.path(), &["routes", "--format", "json", file.to_str().unwrap()]);
    let json: Vec<serde_json::Value> = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((json.len(), &json[2]["moved_to"]), (8, &"/zoos".into()));
}

#[test]
fn the_command_line_itself_is_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, sentence) in [
        (&["migrate", ZOO][..], "`nouns migrate` is not supported yet"),
        (&["generate", "rustt", ZOO], "`rustt` cannot be generated"),
        (&["generate", "rust", ZOO, "--check"], "--output <OUT>"),
        (&["generate", "json-schema", ZOO], "unexpected argument"),
        (&["srve", ZOO], "there is no command `srve`; did you mean `serve`?"),
        (&["serv", ZOO], "there is no command `serv`; did you mean `serve`?"),
        (&["lions"], "there is no command `lions`; `nouns help` lists them"),
        (&[ZOO], "to serve that file write `nouns serve "),
        (
            &["serve", ZOO, "--port", "80"],
            "write `--listen HOST:PORT`, such as `--listen 127.0.0.1:80`",
        ),
        (&["serve"], "required arguments"),
        (&["serve", ZOO, "--wtch"], "--watch"),
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(sentence), "{arguments:?}: {}", stderr(&output));
    }
}
