//! The address of a PostgreSQL database: what its URL says about servers, the user, and TLS.
//!
//! A URL is read as libpq reads it: several hosts, a Unix socket (`?host=/run/postgresql`), and
//! options in the query. No error has a value of the URL, because a value may be a password.

mod certificates;
mod hosts;
mod password_file;
mod servers;
mod verifier;

use std::{borrow::Cow, fmt, path::PathBuf, str::FromStr as _, sync::Arc, time::Duration};

use percent_encoding::percent_decode_str;
use tokio_postgres::{
    Client, Config, Connection, Socket,
    config::{Host, SslMode, TargetSessionAttrs},
    tls::MakeTlsConnect,
};
use tokio_postgres_rustls::MakeRustlsConnect;

pub(super) use self::servers::ConnectError;
use self::{
    certificates::OwnCertificate, password_file::PasswordFile, servers::Servers,
    verifier::ServerTrust,
};

/// The time in which a server must accept a connection, unless the URL has `connect_timeout`. A
/// host that is down must not keep the next host waiting.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// The idle time after which the system checks whether the other side of a connection still exists,
/// unless the URL has `keepalives_idle`.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
/// The folder of the Unix socket of a server of the same machine, where a URL names no host.
#[cfg(unix)]
const SOCKET_FOLDER: &str = "/var/run/postgresql";

/// The addresses and the TLS connector of the servers of a database.
#[derive(Clone)]
pub(super) struct PostgresAddress {
    servers: Arc<Servers>,
    tls: MakeRustlsConnect,
}

/// A connection, and what drives it.
pub(super) type OpenedConnection =
    (Client, Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>);

/// The error in a URL: the end of a sentence about the database, without any value.
#[derive(Debug)]
pub(super) struct AddressError(String);

/// The options of a URL that this crate reads itself.
#[derive(Default)]
struct OwnOptions {
    mode: Option<String>,
    root: Option<String>,
    certificate: Option<String>,
    key: Option<String>,
    password_file: Option<PathBuf>,
}

impl PostgresAddress {
    /// Reads a URL, the password file and the certificates that it names.
    pub(super) fn read(url: &str) -> Result<Self, AddressError> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (own, rest) = OwnOptions::read(query)?;
        let known = if rest.is_empty() { base.to_owned() } else { format!("{base}?{rest}") };
        let mut config = Config::from_str(&known).map_err(|error| AddressError::parsing(&error))?;
        let (mode, trust) = own.security()?;
        config.ssl_mode(mode);
        let names = |key: &str| rest.split('&').any(|pair| pair.split('=').next() == Some(key));
        if !names("connect_timeout") {
            config.connect_timeout(CONNECT_TIME_MAX);
        }
        if !names("keepalives_idle") {
            config.keepalives_idle(KEEPALIVE_IDLE);
        }
        if config.get_application_name().is_none() {
            config.application_name("nouns");
        }
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            #[cfg(unix)]
            config.host_path(SOCKET_FOLDER);
            #[cfg(not(unix))]
            config.host("localhost");
        }
        if config.get_password().is_none()
            && let Some(password) = own.password(&config)
        {
            config.password(password);
        }
        // Of several servers, all but one only repeat what that one writes.
        if config.get_hosts().len().max(config.get_hostaddrs().len()) > 1
            && !names("target_session_attrs")
        {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let (root, certificate) = (own.root.as_deref(), own.certificate()?);
        let tls = verifier::connector(trust, root, certificate).map_err(AddressError)?;
        Ok(Self { servers: Arc::new(Servers::of(&config)), tls })
    }

    /// Connects to the first server that fits. Returns the last error if there is none.
    pub(super) async fn connect(&self) -> Result<OpenedConnection, ConnectError> {
        self.servers.connect(&self.tls).await
    }

    /// Returns the connector that encrypts a connection.
    pub(super) fn tls(&self) -> MakeRustlsConnect {
        self.tls.clone()
    }
}

impl OwnOptions {
    /// Takes the own options out of a query. Returns the rest of the query.
    fn read(query: &str) -> Result<(Self, String), AddressError> {
        let mut own = Self::default();
        let mut rest = vec![];
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let text = || decoded(value).map(Cow::into_owned);
            match key {
                "sslmode" => own.mode = Some(text()?),
                "sslrootcert" => own.root = Some(text()?),
                "sslcert" => own.certificate = Some(text()?),
                "sslkey" => own.key = Some(text()?),
                "passfile" => own.password_file = Some(text()?.into()),
                _ => rest.push(pair),
            }
        }
        Ok((own, rest.join("&")))
    }

    /// Returns whether connections are encrypted, and which servers are trusted.
    fn security(&self) -> Result<(SslMode, ServerTrust), AddressError> {
        let root = self.root.is_some();
        Ok(match self.mode.as_deref() {
            Some("disable") => (SslMode::Disable, ServerTrust::Anyone),
            None | Some("allow" | "prefer") => (SslMode::Prefer, ServerTrust::Anyone),
            // As in libpq: whoever names an authority wants it to be checked.
            Some("require") if !root => (SslMode::Require, ServerTrust::Anyone),
            Some("require" | "verify-ca") => (SslMode::Require, ServerTrust::Authority),
            Some("verify-full") => (SslMode::Require, ServerTrust::Name),
            Some(_) => {
                let modes = "disable, prefer, require, verify-ca and verify-full";
                return Err(AddressError(format!("has an unknown `sslmode`; it can be {modes}")));
            }
        })
    }

    /// The certificate with which the program proves who it is.
    fn certificate(&self) -> Result<Option<OwnCertificate>, AddressError> {
        match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => {
                certificates::own(certificate, key).map(Some).map_err(AddressError)
            }
            (None, None) => Ok(None),
            _ => Err(AddressError("needs `sslcert` and `sslkey` together".into())),
        }
    }

    /// The password of the environment, or else of the password file.
    fn password(&self, config: &Config) -> Option<String> {
        if let Some(password) = std::env::var("PGPASSWORD").ok().filter(|word| !word.is_empty()) {
            return Some(password);
        }
        let file = PasswordFile::read(self.password_file.as_deref())?;
        let user = config.get_user()?;
        let database = config.get_dbname().unwrap_or(user);
        let ports = config.get_ports();
        let hosts = config.get_hosts().iter().enumerate().map(|(at, host)| {
            (name(host), ports.get(at).or_else(|| ports.first()).copied().unwrap_or(5432))
        });
        let addresses = config.get_hostaddrs().iter().map(|address| (address.to_string(), 5432));
        hosts.chain(addresses).find_map(|(host, port)| file.find(&host, port, database, user))
    }
}

/// The name of a host in a password file. The default socket counts as `localhost`.
fn name(host: &Host) -> String {
    match host {
        Host::Tcp(host) => host.clone(),
        #[cfg(unix)]
        Host::Unix(folder) if folder.as_os_str() == SOCKET_FOLDER => "localhost".into(),
        #[cfg(unix)]
        Host::Unix(folder) => folder.to_string_lossy().into_owned(),
    }
}

fn decoded(text: &str) -> Result<Cow<'_, str>, AddressError> {
    percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| AddressError("has an option that is not UTF-8".into()))
}

impl AddressError {
    /// The error of the parser of a URL, which names the option at fault and no value.
    fn parsing(error: &tokio_postgres::Error) -> Self {
        let cause = std::error::Error::source(error);
        let cause = cause.map_or_else(|| error.to_string(), ToString::to_string);
        Self(format!("is not a URL of PostgreSQL: {cause}"))
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::TargetSessionAttrs;

    use super::*;

    /// The options of the first server.
    fn read(url: &str) -> Config {
        PostgresAddress::read(url).unwrap().servers.each[0].clone()
    }

    fn refusal(url: &str) -> String {
        PostgresAddress::read(url).err().expect("a refusal").to_string()
    }

    #[test]
    fn a_url_names_hosts_ports_a_database_and_options() {
        let url = "postgres://ada:p%40ss@a:1,b:2/zoo?connect_timeout=3";
        let config = read(url);
        let servers = PostgresAddress::read(url).unwrap().servers.each.clone();
        let server = |config: &Config| (name(&config.get_hosts()[0]), config.get_ports().to_vec());
        let servers: Vec<_> = servers.iter().map(server).collect();
        assert_eq!(servers, [("a".into(), vec![1]), ("b".into(), vec![2])]);
        assert_eq!((config.get_user(), config.get_dbname()), (Some("ada"), Some("zoo")));
        assert_eq!(config.get_password(), Some(&b"p@ss"[..]));
        assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(3)));
        assert_eq!(config.get_application_name(), Some("nouns"));
        let config = read("postgresql:///zoo?host=/run/pg&application_name=x&sslmode=disable");
        assert_eq!(config.get_hosts().iter().map(name).collect::<Vec<_>>(), ["/run/pg"]);
        assert_eq!(config.get_application_name(), Some("x"));
        assert_eq!(config.get_connect_timeout(), Some(&CONNECT_TIME_MAX));
        assert_eq!(config.get_ssl_mode(), SslMode::Disable);
        assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::Any);
        let config = read("postgres://a,b/zoo?target_session_attrs=any");
        assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::Any);
        #[cfg(unix)]
        assert_eq!(
            read("postgres:///zoo").get_hosts().iter().map(name).next().unwrap(),
            "localhost"
        );
    }

    #[test]
    fn a_mode_says_whether_a_connection_is_encrypted_and_who_is_trusted() {
        let security = |query: &str| OwnOptions::read(query).unwrap().0.security().unwrap();
        let cases = [
            ("", SslMode::Prefer, ServerTrust::Anyone),
            ("sslmode=disable", SslMode::Disable, ServerTrust::Anyone),
            ("sslmode=require", SslMode::Require, ServerTrust::Anyone),
            ("sslmode=require&sslrootcert=x", SslMode::Require, ServerTrust::Authority),
            ("sslmode=verify-ca", SslMode::Require, ServerTrust::Authority),
            ("sslmode=verify-full", SslMode::Require, ServerTrust::Name),
        ];
        for (query, mode, trust) in cases {
            assert_eq!(security(query), (mode, trust), "{query}");
        }
    }

    #[test]
    fn a_refusal_names_the_option_and_has_no_value() {
        for (url, part) in [
            ("postgres://h/zoo?sslmode=secret", "unknown `sslmode`"),
            ("postgres://h/zoo?secret=1", "unknown option `secret`"),
            ("postgres://h/zoo?connect_timeout=hush", "invalid value for option `connect_timeout`"),
            ("postgres://h:hush/zoo", "invalid value for option `port`"),
            ("postgres://h/zoo?passfile=%ff", "not UTF-8"),
            ("postgres://h/zoo?sslkey=hush", "`sslcert` and `sslkey` together"),
        ] {
            let refusal = refusal(url);
            assert!(refusal.contains(part) && !refusal.contains("hush"), "{url}: {refusal}");
        }
    }

    #[test]
    fn the_password_comes_from_the_named_file() {
        let folder = std::env::temp_dir().join(format!("nouns-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("passwords");
        std::fs::write(&file, "a:1:zoo:ada:first\nb:*:*:ada:se\\:cret\n").unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .unwrap();
        let password = |base: &str| {
            let url = format!("{base}?passfile={}", file.display());
            read(&url).get_password().map(|word| String::from_utf8_lossy(word).into_owned())
        };
        assert_eq!(password("postgres://ada@a:1/zoo").as_deref(), Some("first"));
        assert_eq!(password("postgres://ada@c,b:9/zoo").as_deref(), Some("se:cret"));
        assert_eq!(password("postgres://ada:own@a:1/zoo").as_deref(), Some("own"));
        assert_eq!(password("postgres://bob@a:1/zoo"), None);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
