//! Tests of the output of `nouns serve` when the server is ready.

use super::{Serving, ZOO, schema};

/// Returns the first command that the banner proposes, without `Try:`.
fn first_line(serving: &Serving) -> &str {
    serving.banner.lines().find_map(|line| line.trim().strip_prefix("Try:  ")).unwrap()
}

/// Serves a schema with these fields, and sends the body of the first proposed command. It must
/// create a member, which is returned.
fn tried(fields: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[&schema(folder.path(), fields)]);
    let first = first_line(&serving).to_owned();
    let body = first.split('\'').nth(1).unwrap_or_else(|| panic!("{fields}: {first}"));
    let answer = serving.client().post("/zoos", &serde_json::from_str(body).unwrap());
    assert_eq!(answer.status(), 201, "{first}: {answer:?}");
    serving.stop("-TERM");
    answer.json()
}

#[test]
fn serve_shows_where_it_is_and_a_first_line_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    assert!(serving.banner.contains("City zoos 1.0.0"), "{}", serving.banner);
    assert!(
        serving.banner.contains("has full access, because the schema has no `auth`."),
        "{}",
        serving.banner
    );
    let first = serving.banner.lines().find_map(|line| line.trim().strip_prefix("Try:  ")).unwrap();
    let body = first.split('\'').nth(1).unwrap();
    assert!(first.ends_with(&format!("{}zoos", serving.url())), "{first}");
    let answer = serving.client().post("/zoos", &serde_json::from_str(body).unwrap());
    assert_eq!(answer.status(), 201);
    assert!(
        folder.path().join("zoo.db").exists(),
        "the database must have the name of the schema file"
    );
    serving.stop("-TERM");
}

#[test]
fn the_first_line_has_values_that_pass() {
    let all = "      mail: { type: string, format: email, required: true }
      code: { type: string, pattern: '^[A-Z]{7}$', required: true }
      kind: { enum: [big, small], required: true }
      password_hint: { type: string, min_length: 40, max_length: 41, required: true }
      plate: { type: string, pattern: '^ZO-[0-9]+$', example: ZO-17, required: true }
      short: { type: string, max_length: 2, required: true }
      size: { type: integer, minimum: 1000, maximum: 2000, required: true }
      depth: { type: number, maximum: -5, required: true }
      price: { type: decimal, scale: 2, minimum: 9.50, required: true }
      opened: { type: date, required: true }
      seen: { type: datetime, required: true }
      key: { type: uuid, required: true }
      data: { type: json, required: true }
      free: { type: boolean, required: true }
";
    let zoo = tried(all);
    assert_eq!(
        (&zoo["kind"], &zoo["plate"], &zoo["size"]),
        (&"big".into(), &"ZO-17".into(), &1000.into())
    );
    assert_eq!((&zoo["mail"], &zoo["price"]), (&"kim@example.org".into(), &"9.50".into()));
    for field in all.lines() {
        tried(&format!("{field}\n"));
    }
}

/// Serves a schema file, and sends the body of the first proposed command to its URL. The response
/// must be 201. Returns the URL and the member.
fn pasted(file: &str) -> (String, serde_json::Value) {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[file]);
    let first = first_line(&serving).to_owned();
    let (_, rest) = first.split_once("curl --json '").unwrap_or_else(|| panic!("{file}: {first}"));
    let (body, url) = rest.split_once("' ").unwrap();
    let (_, path) = url.trim_start_matches("http://").split_once('/').unwrap();
    let target = format!("/{path}");
    assert!(url.starts_with(serving.url()), "{first}");
    let answer = serving.client().post(&target, &serde_json::from_str(body).unwrap());
    assert_eq!(answer.status(), 201, "{first}: {answer:?}");
    serving.stop("-TERM");
    (target, answer.json())
}

#[test]
fn the_first_line_of_every_shipped_schema_makes_a_member() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_open = |path: &std::path::PathBuf| {
        let is_schema = path.extension().is_some_and(|extension| extension == "yaml");
        // With accounts, the first line signs in.
        is_schema && !std::fs::read_to_string(path).unwrap().contains("\nauth:")
    };
    for file in files.filter(is_open) {
        let (target, member) = pasted(file.to_str().unwrap());
        match file.file_stem().unwrap().to_str().unwrap() {
            "zoo" => {
                let wanted = ("/zoos", &"Tierpark".into(), &"Berlin".into());
                assert_eq!((&*target, &member["name"], &member["city"]), wanted);
            }
            "league" => {
                assert_eq!((&*target, &member["id"]), ("/api/v2/countries", &"germany".into()));
                assert_eq!(member["name"], "Germany");
            }
            _ => {}
        }
    }
}

#[test]
fn the_first_line_makes_a_member_that_somebody_could_want() {
    let zoo = tried(
        "      name: { type: string, required: true }
      first_name: { type: string, required: true }
      contact_email: { type: string, required: true }
      motto: { type: string, example: \"Kim's\" }
      founder: string
      visitors: { type: integer, required: true, minimum: 0, maximum: 9 }
      secret: { type: string, hidden: true, default: x, example: y }
      score: { type: integer, read_only: true, example: 7 }
      rank: { type: integer, default: 3, example: 4 }
",
    );
    for (field, value) in [
        ("name", "First zoo".into()),
        ("first_name", "Kim".into()),
        ("contact_email", "kim@example.org".into()),
        ("motto", "Kim's".into()),
        ("founder", serde_json::Value::Null),
        ("visitors", 1.into()),
        ("score", serde_json::Value::Null),
        ("rank", 4.into()),
    ] {
        assert_eq!(zoo[field], value, "{field}");
    }
}

#[test]
fn the_first_line_is_of_a_resource_that_needs_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.yaml");
    let yaml = "nouns: 1
resources:
  order_line: { fields: { product_id: { references: product, required: true } } }
  offer: { fields: { product_id: { references: product, default: 1 } } }
  review: { parent: product, fields: { text: string } }
  product:
    fields: { name: { type: string, required: true }, successor_id: { references: product, example: 2 } }
";
    std::fs::write(&file, yaml).unwrap();
    let (target, product) = pasted(file.to_str().unwrap());
    assert_eq!((&*target, &product["name"]), ("/products", &"First product".into()));
}

#[test]
fn the_first_line_only_reads_where_no_value_is_known_to_pass() {
    let folder = tempfile::tempdir().unwrap();
    for field in [
        "{ type: string, pattern: '^q{3}x$', required: true }",
        "{ type: string, min_length: 500, required: true }",
    ] {
        let file = schema(folder.path(), &format!("      code: {field}\n"));
        let serving = Serving::start(folder.path(), &[&file]);
        assert_eq!(first_line(&serving), format!("curl {}zoos", serving.url()), "{field}");
        serving.stop("-TERM");
    }
}

#[test]
fn the_first_line_is_of_a_resource_that_is_served_here() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zoo.yaml");
    let yaml = "nouns: 1
resources:
  ticket: { moved_to: \"https://tickets.example.org/api\", fields: { name: string } }
  zoo: { fields: { name: { type: string, required: true } } }
";
    std::fs::write(&file, yaml).unwrap();
    let serving = Serving::start(folder.path(), &[file.to_str().unwrap()]);
    assert!(
        first_line(&serving).ends_with(&format!("{}zoos", serving.url())),
        "{}",
        serving.banner
    );
    serving.stop("-TERM");
}

#[test]
fn with_accounts_the_banner_says_how_the_first_one_is_added() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("blog.yaml");
    std::fs::write(&file, crate::access::BLOG).unwrap();
    let serving = Serving::start(folder.path(), &[file.to_str().unwrap()]);
    let banner = &serving.banner;
    assert!(banner.contains("`nouns account add "), "{banner}");
    assert!(banner.contains(&format!("Try:  curl {}blogs", serving.url())), "{banner}");
    serving.stop("-TERM");
    let text = crate::access::BLOG.split("  blog:").next().unwrap();
    std::fs::write(&file, text).unwrap();
    let other = tempfile::tempdir().unwrap();
    let serving = Serving::start(other.path(), &[file.to_str().unwrap()]);
    let expected = format!("curl -u LOGIN {}users", serving.url());
    assert_eq!(first_line(&serving), expected);
}

/// The words of a proposed command, as a shell reads them.
pub(super) fn words(command: &str) -> Vec<String> {
    let script = format!("for word in {command}; do printf '%s\\n' \"$word\"; done");
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_first_line_makes_no_empty_member() {
    let zoo = tried("      name: string\n      city: string\n      visitors: integer\n");
    assert_eq!((&zoo["name"], &zoo["city"]), (&"First zoo".into(), &"Berlin".into()));
    assert_eq!(zoo["visitors"], serde_json::Value::Null, "two fields are enough");
    let folder = tempfile::tempdir().unwrap();
    for field in ["{ type: string, read_only: true }", "{ type: string, min_length: 500 }"] {
        let file = schema(folder.path(), &format!("      code: {field}\n"));
        let serving = Serving::start(folder.path(), &[&file, "--apply"]);
        assert_eq!(first_line(&serving), format!("curl {}zoos", serving.url()), "{field}");
        serving.stop("-TERM");
    }
}

#[test]
fn the_first_line_names_a_host_that_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zoo.yaml");
    for (hosts, expected) in [
        ("[zoo.example.org]", Some("Host: zoo.example.org")),
        ("['*.example.org', zoo.example.org]", Some("Host: www.example.org")),
        ("['127.0.0.1', zoo.example.org]", None),
        ("['*']", None),
    ] {
        let yaml = format!(
            "nouns: 1\nserver: {{ hosts: {hosts} }}\nresources: {{ zoo: {{ fields: {{ name: string }} }} }}\n"
        );
        std::fs::write(&file, yaml).unwrap();
        let serving = Serving::start(folder.path(), &[file.to_str().unwrap()]);
        let words = words(first_line(&serving));
        let host = words.iter().position(|word| word == "-H").map(|at| words[at + 1].as_str());
        assert_eq!(host, expected, "{hosts}");
        let authority = serving.address().to_string();
        let host = host.map_or(authority.as_str(), |field| field.strip_prefix("Host: ").unwrap());
        let head = format!("GET /zoos HTTP/1.1\r\nhost: {host}\r\n\r\n");
        assert_eq!(serving.client().raw(head.as_bytes(), false).status(), 200, "{hosts}");
        serving.stop("-TERM");
    }
}

#[test]
fn the_first_line_is_one_that_a_shell_reads() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("a zoo's.sock");
    let listen = format!("unix:{}", socket.display());
    let serving = Serving::start_at(super::nouns(folder.path()), &[ZOO], &listen);
    let words = words(first_line(&serving));
    assert_eq!(words[..3], ["curl", "--unix-socket", socket.to_str().unwrap()]);
    assert_eq!(words.last().unwrap(), "http://localhost/zoos");
    serving.stop("-TERM");
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    let serving = Serving::start_at(super::nouns(folder.path()), &[ZOO], "[::1]:0");
    // A shell may take brackets for a pattern of files.
    assert!(first_line(&serving).contains("'http://[::1]:"), "{}", first_line(&serving));
}

#[test]
fn with_accounts_the_first_line_reads_what_everybody_may_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("blog.yaml");
    let yaml = "nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader], required: true, default: reader }
  secret: { fields: { name: string }, access: { read: { role: reader } } }
  article: { fields: { name: string }, access: { read: public } }
";
    std::fs::write(&file, yaml).unwrap();
    let serving = Serving::start(folder.path(), &[file.to_str().unwrap()]);
    assert_eq!(first_line(&serving), format!("curl {}articles", serving.url()));
    assert_eq!(serving.client().get("/articles").status(), 200);
}
