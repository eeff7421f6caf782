//! TLS (RFC 8446, RFC 5246) by rustls: the certificate, its key, and handshakes.

mod files;
mod stream;

use std::{
    error::Error,
    fmt, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, RwLock, Weak},
    thread,
};

use rustls::{
    ServerConfig,
    crypto::ring::{Ticketer, default_provider},
    server::NoServerSessionStorage,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

pub(super) use self::stream::TlsStream;
use self::{
    files::{CertificateFiles, FileStates, Pem},
    stream::CountedTcp,
};
use crate::base::{limits, watched_file::LastReport};

/// The protocols that a client can choose from (RFC 7301), by preference of the server.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// A certificate with its key, for connections with TLS. Clones share it.
///
/// TLS 1.2 and 1.3 are supported. Sessions are resumed by tickets. There is no 0-RTT data, which an
/// attacker could send again.
#[derive(Clone, Debug)]
pub struct Tls(Arc<TlsState>);

#[derive(Debug)]
struct TlsState {
    /// The files, if the certificate is in files.
    files: Option<CertificateFiles>,
    /// The state of the files that were read last.
    states: Mutex<Option<FileStates>>,
    /// What new connections use. A new certificate has new keys for tickets, too.
    config: RwLock<Arc<ServerConfig>>,
}

/// The error of a certificate or a key that cannot be used.
#[derive(Debug)]
pub struct TlsError(String);

impl fmt::Display for TlsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Error for TlsError {}

impl Tls {
    /// Reads a certificate and its key from PEM files. The certificate comes first in its file,
    /// then those that have signed it. A server looks at the files every two seconds
    /// ([`limits::FILE_LOOK_TIME`](crate::limits::FILE_LOOK_TIME)), and reads them again if they
    /// have changed.
    ///
    /// # Errors
    /// If a file cannot be read, or has not what it should have.
    pub fn files(
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Result<Self, TlsError> {
        let files = CertificateFiles::new(certificate.into(), key.into());
        let (pem, states) = files.read()?;
        Ok(Self::of(Some(files), Some(states), config(&pem)?))
    }

    /// Takes a certificate and its key as PEM texts.
    ///
    /// # Errors
    /// If a text has not what it should have.
    pub fn pem(certificate: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let named = |name: &str, text: &[u8]| Pem { name: name.to_owned(), text: text.to_vec() };
        let pem = [named("the certificate", certificate), named("the key", key)];
        Ok(Self::of(None, None, config(&pem)?))
    }

    fn of(
        files: Option<CertificateFiles>,
        states: Option<FileStates>,
        config: ServerConfig,
    ) -> Self {
        let config = RwLock::new(Arc::new(config));
        Self(Arc::new(TlsState { files, states: Mutex::new(states), config }))
    }

    /// Reads the files again, also if they have not changed. New connections use the new
    /// certificate, and open ones go on. After an error the last certificate stays in use.
    /// Without files nothing happens.
    ///
    /// # Errors
    /// If a file cannot be read, or has not what it should have.
    pub fn reload(&self) -> Result<(), TlsError> {
        self.0.reload()
    }

    /// Begins to look at the files, until the last clone is dropped.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(super) fn watch(&self) -> io::Result<()> {
        if self.0.files.is_some() {
            let watched = Arc::downgrade(&self.0);
            thread::Builder::new().name("nouns-tls".to_owned()).spawn(move || watch(&watched))?;
        }
        Ok(())
    }

    /// Performs the handshake of a new connection. It has no deadline.
    ///
    /// # Errors
    /// The fault of the client, and the connection, if an alert was sent there.
    pub(super) async fn accept(
        &self,
        stream: TcpStream,
    ) -> Result<TlsStream, (io::Error, TcpStream)> {
        let config = Arc::clone(&self.0.config.read().unwrap_or_else(PoisonError::into_inner));
        let accepted = TlsAcceptor::from(config).accept(CountedTcp::new(stream)).into_fallible();
        let failed = |(error, stream): (_, CountedTcp)| (error, stream.into_tcp());
        accepted.await.map(TlsStream::new).map_err(failed)
    }
}

impl TlsState {
    fn reload(&self) -> Result<(), TlsError> {
        let Some(files) = &self.files else { return Ok(()) };
        let (pem, states) = files.read()?;
        let config = config(&pem)?;
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
        *self.states.lock().unwrap_or_else(PoisonError::into_inner) = Some(states);
        tracing::info!(target: "nouns", "the certificate was read again");
        Ok(())
    }

    /// Reads the files again if they have changed. A file that has become unusable is reported
    /// once: a program may be writing it.
    fn refresh(&self, reported: &mut LastReport) {
        let known = self.states.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if known == self.files.as_ref().and_then(CertificateFiles::states) {
            return reported.clear();
        }
        match self.reload() {
            Ok(()) => reported.clear(),
            Err(error) => {
                if reported.is_new(error.to_string()) {
                    tracing::error!(target: "nouns", %error, "the certificate cannot be read again; the last one stays in use");
                }
            }
        }
    }
}

/// Looks at the files until the server has ended.
fn watch(watched: &Weak<TlsState>) {
    let mut reported = LastReport::default();
    loop {
        thread::sleep(limits::FILE_LOOK_TIME);
        let Some(tls) = watched.upgrade() else { return };
        tls.refresh(&mut reported);
    }
}

/// The configuration of connections with a certificate and its key.
fn config([certificate, key]: &[Pem; 2]) -> Result<ServerConfig, TlsError> {
    let chain = certificate.certificates()?;
    let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| other(&error))?;
    let config = builder.with_no_client_auth().with_single_cert(chain, key.key()?);
    let mut config = config.map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => TlsError(format!(
            "{} does not belong to the first certificate of {}; name the files of one certificate",
            key.name, certificate.name
        )),
        error => TlsError(format!("{} and {}: {error}", certificate.name, key.name)),
    })?;
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
    config.ticketer = Ticketer::new().map_err(|error| other(&error))?;
    // Tickets are for clients of both versions. A store of sessions would be one for all workers.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    Ok(config)
}

fn other(error: &rustls::Error) -> TlsError {
    TlsError(format!("TLS is not possible: {error}"))
}
