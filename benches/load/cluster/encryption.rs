//! Encrypted connections, passwords and certificates, with a server that asks for them.

use std::{fs, io, path::Path};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use super::{
    database::Database,
    nodes::{Node, NodeKind},
};
use crate::start::Program;

/// Who may connect, and how. The trials themselves connect as `nouns`.
const RULES: &str = "hostssl all pass 127.0.0.1/32 scram-sha-256\n\
    hostssl all cert 127.0.0.1/32 cert\n\
    host all nouns 127.0.0.1/32 trust\n";

/// The URL of a case without its scheme, and a part of the error. `PORT` and `FOLDER` stand for
/// those of the server.
const CASES: [(&str, Option<&str>); 19] = [
    ("nouns@localhost:PORT/postgres?sslmode=verify-full&sslrootcert=FOLDER/ca.crt", None),
    (
        "nouns@127.0.0.1:PORT/postgres?sslmode=verify-full&sslrootcert=FOLDER/ca.crt",
        Some("not valid for name"),
    ),
    ("nouns@127.0.0.1:PORT/postgres?sslmode=verify-ca&sslrootcert=FOLDER/ca.crt", None),
    (
        "nouns@localhost:PORT/postgres?sslmode=verify-full&sslrootcert=FOLDER/other.crt",
        Some("UnknownIssuer"),
    ),
    (
        "nouns@localhost:PORT/postgres?sslmode=verify-ca&sslrootcert=FOLDER/other.crt",
        Some("UnknownIssuer"),
    ),
    ("nouns@localhost:PORT/postgres?sslmode=verify-full", Some("UnknownIssuer")),
    ("nouns@localhost:PORT/postgres?sslmode=require", None),
    (
        "nouns@localhost:PORT/postgres?sslmode=require&sslrootcert=FOLDER/other.crt",
        Some("UnknownIssuer"),
    ),
    ("nouns@localhost:PORT/postgres", None),
    ("pass:s3cret@localhost:PORT/postgres?sslmode=verify-full&sslrootcert=FOLDER/ca.crt", None),
    ("pass:s3cret@localhost:PORT/postgres?sslmode=require&channel_binding=require", None),
    ("pass@localhost:PORT/postgres?sslmode=require&passfile=FOLDER/passwords", None),
    (
        "pass:wrong-s3cret@localhost:PORT/postgres?sslmode=require",
        Some("28P01: password authentication failed"),
    ),
    ("pass@localhost:PORT/postgres?sslmode=require", Some("password missing")),
    ("pass:s3cret@localhost:PORT/postgres?sslmode=disable", Some("no pg_hba.conf entry")),
    (
        "cert@localhost:PORT/postgres?sslmode=require&sslcert=FOLDER/cert.crt&sslkey=FOLDER/cert.key",
        None,
    ),
    ("cert@localhost:PORT/postgres?sslmode=require", Some("valid client certificate")),
    (
        "cert@localhost:PORT/postgres?sslmode=require&sslcert=FOLDER/pass.crt&sslkey=FOLDER/pass.key",
        Some("certificate authentication failed"),
    ),
    (
        "cert@localhost:PORT/postgres?sslmode=require&sslcert=FOLDER/alien.crt&sslkey=FOLDER/alien.key",
        Some("UnknownCA"),
    ),
];

/// Starts a node with each URL.
pub(super) fn urls(program: &Program, _: u64) -> io::Result<String> {
    let (folder, database) = (tempfile::tempdir()?, Database::create()?);
    certificates(folder.path())?;
    database.encrypt(folder.path(), RULES)?;
    let host = format!("localhost:{}:*:pass:s3cret\n", database.port);
    let passwords = folder.path().join("passwords");
    fs::write(&passwords, host)?;
    fs::set_permissions(&passwords, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    for (case, error) in CASES {
        let url = format!("postgres://{case}").replace("PORT", &database.port.to_string());
        let url = url.replace("FOLDER", &folder.path().display().to_string());
        let log = tempfile::tempdir()?;
        let result = Node::start(NodeKind::Served, program, &url, log.path());
        let wrong = |found: &str| Err(io::Error::other(format!("{case}: {found}")));
        match (result.map_err(|error| error.to_string()), error) {
            (Ok(_), None) => {
                let plain = database.query(
                    "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                     WHERE application_name = 'nouns' AND NOT ssl",
                )?;
                if plain != "0" {
                    return wrong("a connection is not encrypted");
                }
            }
            (Err(found), Some(part)) if found.contains(part) && !found.contains("s3cret") => {}
            (Ok(_), Some(_)) => return wrong("the node has started"),
            (Err(found), _) => return wrong(&found),
        }
    }
    Ok(format!("{} URLs, each encrypted, or refused with its reason", CASES.len()))
}

/// Writes the certificates of two authorities, of the server, and of clients.
fn certificates(folder: &Path) -> io::Result<()> {
    let authority = |name: &str| -> Result<_, rcgen::Error> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(vec![])?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key)?;
        Ok((certificate.pem(), Issuer::new(params, key)))
    };
    let (ours, ours_issuer) = authority("ours").map_err(io::Error::other)?;
    let (others, others_issuer) = authority("others").map_err(io::Error::other)?;
    fs::write(folder.join("ca.crt"), ours)?;
    fs::write(folder.join("other.crt"), others)?;
    for (name, subject, issuer) in [
        ("server", "localhost", &ours_issuer),
        ("cert", "cert", &ours_issuer),
        ("pass", "pass", &ours_issuer),
        ("alien", "cert", &others_issuer),
    ] {
        let signed = || -> Result<_, rcgen::Error> {
            let key = KeyPair::generate()?;
            let mut params = CertificateParams::new(vec![subject.to_owned()])?;
            params.distinguished_name.push(DnType::CommonName, subject);
            Ok((params.signed_by(&key, issuer)?.pem(), key.serialize_pem()))
        };
        let (certificate, key) = signed().map_err(io::Error::other)?;
        fs::write(folder.join(format!("{name}.crt")), certificate)?;
        fs::write(folder.join(format!("{name}.key")), key)?;
    }
    Ok(())
}
