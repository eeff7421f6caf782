//! TLS (RFC 8446, RFC 5246) by rustls: the certificate, its key, and handshakes.

mod files;
mod stream;

use std::{
    error::Error,
    fmt,
    future::poll_fn,
    io, mem,
    path::PathBuf,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, RwLock, Weak},
    task::Poll,
    thread,
};

use rustls::{
    ServerConfig,
    crypto::ring::{Ticketer, default_provider},
    server::{Acceptor, NoServerSessionStorage},
};
use tokio::{
    net::TcpStream,
    sync::{Semaphore, SemaphorePermit},
    task::yield_now,
};
use tokio_rustls::LazyConfigAcceptor;

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
pub struct Tls {
    state: Arc<TlsState>,
    /// The turn to do a step of a handshake on a worker. A signature takes longer than most
    /// requests, so a flood of handshakes would otherwise delay everything else that the worker has
    /// to do.
    turn: Arc<Semaphore>,
}

#[derive(Debug)]
struct TlsState {
    /// The files, if the certificate is in files.
    files: Option<CertificateFiles>,
    /// The state of the files that were read last.
    states: Mutex<Option<FileStates>>,
    /// The settings of new connections. A new certificate has new keys for tickets, too.
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
        let state = Arc::new(TlsState { files, states: Mutex::new(states), config });
        Self { state, turn: Arc::new(Semaphore::new(1)) }
    }

    /// The same certificate for another worker, whose handshakes have turns of their own.
    pub(super) fn apart(&self) -> Self {
        Self { state: Arc::clone(&self.state), turn: Arc::new(Semaphore::new(1)) }
    }

    /// Reads the files again, also if they have not changed. New connections use the new
    /// certificate, and open ones go on. After an error the last certificate stays in use.
    /// Without files nothing happens.
    ///
    /// # Errors
    /// If a file cannot be read, or has not what it should have.
    pub fn reload(&self) -> Result<(), TlsError> {
        self.state.reload()
    }

    /// Begins to look at the files, until the last clone is dropped.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(super) fn watch(&self) -> io::Result<()> {
        if self.state.files.is_some() {
            let watched = Arc::downgrade(&self.state);
            thread::Builder::new().name("nouns-tls".to_owned()).spawn(move || watch(&watched))?;
        }
        Ok(())
    }

    /// Performs the handshake of a new connection. It has no deadline. A worker does at most one
    /// step of a handshake in each turn of its event loop, and everything else between them.
    ///
    /// # Errors
    /// The fault of the client, and the connection, on which an alert may have been sent.
    pub(super) async fn accept(
        &self,
        stream: TcpStream,
    ) -> Result<TlsStream, (io::Error, Option<TcpStream>)> {
        // What a client offers costs little to read, so it needs no turn.
        let mut hello = LazyConfigAcceptor::new(Acceptor::default(), CountedTcp::new(stream));
        let hello = match (&mut hello).await {
            Ok(hello) => hello,
            Err(error) => return Err((error, hello.take_io().map(CountedTcp::into_tcp))),
        };
        let config = Arc::clone(&self.state.config.read().unwrap_or_else(PoisonError::into_inner));
        let turn = self.take_turn().await;
        let mut accepted = hello.into_stream(config).into_fallible();
        drop(turn);
        // The first step may have been to ask for another offer, so each further one has its turn.
        loop {
            let turn = self.take_turn().await;
            let step = poll_fn(|context| Poll::Ready(Pin::new(&mut accepted).poll(context))).await;
            drop(turn);
            if let Poll::Ready(done) = step {
                let failed = |(error, stream): (_, CountedTcp)| (error, Some(stream.into_tcp()));
                return done.map(TlsStream::new).map_err(failed);
            }
            // The step wakes this task when it can go on.
            let mut has_waited = false;
            poll_fn(|_| match mem::replace(&mut has_waited, true) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            })
            .await;
        }
    }

    /// Waits for the turn to do a step of a handshake: at most one in each turn of the event loop.
    async fn take_turn(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        let turn = self.turn.acquire().await.ok();
        yield_now().await;
        turn
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
