//! The flags of `nouns serve` about the addresses to listen on, and about TLS.

use std::{io, net::SocketAddr, num::NonZero, os::fd::OwnedFd, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use nouns_codegen::schema;
use nouns_runtime::server::{ListenAddress, Server, Tls};

use super::{activation::PassedSockets, self_signed::SelfSigned};
use crate::cli::Failure;

/// The default address to listen on. Other machines cannot reach it.
const LISTEN: &str = "127.0.0.1:8080";

#[derive(Args, Clone, Debug)]
pub(super) struct Listen {
    /// The address to listen on: a host and a port, or `unix:FILE` [default: the value in the
    /// schema, or 127.0.0.1:8080].
    #[arg(long, value_name = "HOST:PORT", env = "NOUNS_LISTEN")]
    listen: Option<String>,
    /// Not supported; use `--listen`.
    #[arg(long, hide = true, value_parser = no_port)]
    port: Option<String>,
    /// The PEM file with the certificate for TLS, and those that have signed it [default: the value
    /// in the schema].
    #[arg(long, value_name = "FILE", env = "NOUNS_TLS_CERT")]
    tls_cert: Option<PathBuf>,
    /// The PEM file with the key of the certificate [default: the value in the schema].
    #[arg(long, value_name = "FILE", env = "NOUNS_TLS_KEY")]
    tls_key: Option<PathBuf>,
    /// Use TLS with a certificate that the server makes for itself, for development: clients cannot
    /// verify it.
    #[arg(long, env = "NOUNS_TLS_SELF_SIGNED", value_parser = BoolishValueParser::new())]
    #[arg(conflicts_with_all = ["tls_cert", "tls_key"])]
    tls_self_signed: bool,
    /// A second address to listen on, without TLS: a host and a port, or `unix:FILE` [default: the
    /// value in the schema].
    #[arg(long, value_name = "HOST:PORT", env = "NOUNS_LISTEN_PLAIN")]
    listen_plain: Option<String>,
}

impl Listen {
    /// Binds the addresses, or takes the sockets that were passed to the program, and reads the
    /// certificate. Flags take precedence over the schema.
    /// Returns the fingerprint of a certificate for development, too.
    pub(super) fn bind(
        &self,
        declared: &schema::Server,
        passed: PassedSockets,
    ) -> Result<(Server, Option<String>), Failure> {
        let server = self.main(declared, passed.listen)?;
        let address = server.address();
        let (tls, fingerprint) = match (self.tls_self_signed, address.tcp()) {
            (true, Some(address)) => self_signed(address)?,
            _ => (self.tls(declared)?, None),
        };
        if (tls.is_some() || self.tls_self_signed) && address.tcp().is_none() {
            return Err(Failure(format!(
                "error: `{address}` is a Unix socket, where TLS is not possible; choose a host and a \
                 port with --listen"
            )));
        }
        let plain = self.listen_plain.as_deref().or(declared.listen_plain.as_deref());
        if tls.is_none() && (plain.is_some() || passed.listen_plain.is_some()) {
            return Err(Failure(
                "error: a plain listener is for a server with TLS; name a certificate with \
                 --tls-cert and --tls-key"
                    .to_owned(),
            ));
        }
        let server = match tls {
            Some(tls) => server.tls(tls),
            None => server,
        };
        if let Some(plain) = passed.listen_plain {
            return Ok((server.plain_of_listener(plain)?, fingerprint));
        }
        let Some(plain) = plain.map(self::address).transpose()? else {
            return Ok((server, fingerprint));
        };
        let failed = |error| bind_failure(&plain, "--listen-plain", &error);
        Ok((server.listen_plain(plain.clone()).map_err(failed)?, fingerprint))
    }

    /// Binds the first address, or takes the socket that was passed in its place.
    fn main(&self, declared: &schema::Server, passed: Option<OwnedFd>) -> Result<Server, Failure> {
        if let Some(passed) = passed {
            return Ok(Server::of_listener(passed, workers())?);
        }
        let listen = self.listen.as_deref().or(declared.listen.as_deref());
        let address = address(listen.unwrap_or(LISTEN))?;
        let failed = |error| bind_failure(&address, "--listen", &error);
        Server::bind(address.clone(), workers()).map_err(failed)
    }

    fn tls(&self, declared: &schema::Server) -> Result<Option<Tls>, Failure> {
        let declared = declared.tls.as_ref();
        let certificate = self.tls_cert.clone().or(declared.map(|one| (&one.certificate).into()));
        let key = self.tls_key.clone().or(declared.map(|one| (&one.key).into()));
        match (certificate, key) {
            (Some(certificate), Some(key)) => {
                let failed = |error| Failure(format!("error: {error}"));
                Tls::files(certificate, key).map(Some).map_err(failed)
            }
            (Some(_), None) => Err(Failure("error: --tls-cert needs --tls-key".to_owned())),
            (None, Some(_)) => Err(Failure("error: --tls-key needs --tls-cert".to_owned())),
            (None, None) => Ok(None),
        }
    }
}

/// Makes a certificate for development. Returns its fingerprint, too.
fn self_signed(address: SocketAddr) -> Result<(Option<Tls>, Option<String>), Failure> {
    let failed = |error| Failure(format!("error: no certificate can be made: {error}"));
    let made = SelfSigned::make(address.ip()).map_err(failed)?;
    if !address.ip().is_loopback() {
        tracing::warn!(target: "nouns", "the certificate is self-signed, so clients cannot verify the server");
    }
    Ok((Some(made.tls), Some(made.fingerprint)))
}

pub(super) fn address(listen: &str) -> Result<ListenAddress, Failure> {
    listen.parse().map_err(|error: io::Error| {
        Failure(format!(
            "error: `{listen}` is not an address to listen on, such as {LISTEN}: {error}"
        ))
    })
}

/// Rejects `--port` with a hint to `--listen`. The host must be explicit, because it decides who
/// can reach the server.
fn no_port(port: &str) -> Result<String, String> {
    Err(format!("write `--listen HOST:PORT`, such as `--listen 127.0.0.1:{port}`"))
}

/// The number of worker threads: one per CPU core.
fn workers() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

pub(super) fn bind_failure(address: &ListenAddress, flag: &str, error: &io::Error) -> Failure {
    Failure(match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!(
                "error: another program listens on {address}; stop that program, or choose another \
                 address with {flag}"
            )
        }
        io::ErrorKind::PermissionDenied if address.tcp().is_some() => {
            format!(
                "error: listening on {address} is not permitted; choose a port from 1024 with \
                 {flag}"
            )
        }
        io::ErrorKind::PermissionDenied => {
            format!(
                "error: listening on {address} is not permitted; choose a directory where the \
                 server may create files"
            )
        }
        _ => format!("error: listening on {address} failed: {error}"),
    })
}
