//! Tests of environment variables that set an option of the program if its flag is not given.

use std::process::Command;

use super::{Serving, ZOO, nouns, run, schema, stderr};

#[test]
fn variables_stand_behind_flags_and_before_the_schema() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        nouns(folder.path()).args(["serve", ZOO]).env("NOUNS_LISTEN", "nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("`nowhere` is not an address to listen on"),
        "{}",
        stderr(&output)
    );
    let output = run(folder.path(), &["serve", ZOO, "--listen", "here"]);
    assert!(stderr(&output).contains("`here` is not an address"), "{}", stderr(&output));
}

#[test]
fn durability_is_a_flag_and_a_variable() {
    let folder = tempfile::tempdir().unwrap();
    let output = nouns(folder.path())
        .args(["serve", ZOO])
        .env("NOUNS_SYNCHRONOUS", "sometimes")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("[possible values: full, normal]"), "{}", stderr(&output));
    let mut command = nouns(folder.path());
    command.env("NOUNS_SYNCHRONOUS", "sometimes");
    let serving = Serving::start_with(command, &[ZOO, "--synchronous", "normal"]);
    assert_eq!(
        serving.client().get("/zoos").status(),
        200,
        "the flag must take precedence over the variable"
    );
    serving.stop("-TERM");
}

#[test]
fn the_memory_for_responses_is_a_flag_and_a_variable() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run(folder.path(), &["serve", ZOO, "--response-memory", "15"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("15 is not in 16.."), "{}", stderr(&refused));
    let mut command = nouns(folder.path());
    command.env("NOUNS_RESPONSE_MEMORY", "none");
    let serving = Serving::start_with(command, &[ZOO, "--response-memory", "16"]);
    assert_eq!(
        serving.client().get("/zoos").status(),
        200,
        "the flag must take precedence over the variable"
    );
    serving.stop("-TERM");
}

#[test]
fn the_variable_for_apply_takes_every_word_for_true_and_false() {
    let folder = tempfile::tempdir().unwrap();
    let mut fields = "      name: string\n".to_owned();
    Serving::start(folder.path(), &[&schema(folder.path(), &fields)]).stop("-TERM");
    for (at, word) in ["1", "yes", "true", "on"].into_iter().enumerate() {
        fields += &format!("      more_{at}: string\n");
        let file = schema(folder.path(), &fields);
        let mut command = nouns(folder.path());
        command.env("NOUNS_APPLY", word);
        let (code, log) = Serving::start_with(command, &[&file]).stop("-TERM");
        assert_eq!(code, Some(0));
        assert!(log.contains(&format!("The column `zoos.more_{at}` is new.")), "{word}: {log}");
    }
    let file = schema(folder.path(), &format!("{fields}      last: string\n"));
    for word in ["0", "no", "false", "off"] {
        let mut command = nouns(folder.path());
        command.args(["serve", &file, "--listen", "127.0.0.1:0"]).env("NOUNS_APPLY", word);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{word}");
        assert!(
            stderr(&output).contains("Start again with --apply"),
            "{word}: {}",
            stderr(&output)
        );
    }
}

/// Conformance 203: CORS origins in a flag or a variable are checked like those in a schema.
#[test]
fn other_origins_are_a_flag_and_a_variable() {
    let folder = tempfile::tempdir().unwrap();
    // The address `nowhere` is invalid, so the program ends even if it fails to refuse the origins.
    let refused = |command: &mut Command| {
        let output = command.args(["--listen", "nowhere"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        stderr(&output)
    };
    let message = refused(nouns(folder.path()).args([
        "serve",
        ZOO,
        "--cors-origin",
        "*",
        "--cors-credentials",
    ]));
    assert!(message.starts_with("N024: `*` allows any origin; with `credentials`"), "{message}");
    let message = refused(
        nouns(folder.path())
            .args(["serve", ZOO])
            .env("NOUNS_CORS_ORIGIN", "https://a.example,null"),
    );
    assert!(
        message.starts_with("error: `--cors-origin` is `null`; it must be an origin"),
        "{message}"
    );
    let message =
        refused(nouns(folder.path()).args(["serve", ZOO, "--cors-origin", "localhost:3000"]));
    assert!(
        message.starts_with("error: `--cors-origin` is `localhost:3000`; it must be an origin"),
        "{message}"
    );
    let message = refused(nouns(folder.path()).args([
        "serve",
        ZOO,
        "--cors-origin",
        "*",
        "--cors-header",
        "a b",
    ]));
    assert!(
        message.starts_with("error: `--cors-header` is `a b`; it must be the name of a field"),
        "{message}"
    );
    let message =
        refused(nouns(folder.path()).args(["serve", ZOO]).env("NOUNS_CORS_CREDENTIALS", "yes"));
    assert!(message.starts_with("N012: `cors` needs the key `origins`"), "{message}");
    let mut command = nouns(folder.path());
    command.env("NOUNS_TRACE", "on").env("NOUNS_IDEMPOTENCY_KEEP", "7d");
    let serving =
        Serving::start_with(command, &["--query", ZOO, "--cors-origin", "https://a.example"]);
    assert_eq!(serving.client().get("/zoos").status(), 200);
    serving.stop("-TERM");
}
