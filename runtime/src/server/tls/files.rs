//! The files of a certificate and its key, in PEM (RFC 7468).

use std::{
    io,
    path::{Path, PathBuf},
};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};

use super::TlsError;
use crate::base::{
    limits,
    watched_file::{self, FileState},
};

/// The files of a certificate and its key.
#[derive(Debug)]
pub(super) struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
}

/// The states of the file with the certificate, and of that with the key.
pub(super) type FileStates = [FileState; 2];

/// The content of a file, or a text of a program.
pub(super) struct Pem {
    /// Its name in messages.
    pub(super) name: String,
    pub(super) text: Vec<u8>,
}

impl CertificateFiles {
    pub(super) const fn new(certificate: PathBuf, key: PathBuf) -> Self {
        Self { certificate, key }
    }

    /// Reads both files, and returns their states before that.
    pub(super) fn read(&self) -> Result<([Pem; 2], FileStates), TlsError> {
        let (certificate, first) = read(&self.certificate, "certificate")?;
        let (key, second) = read(&self.key, "key")?;
        Ok(([certificate, key], [first, second]))
    }

    /// Looks at both files. `None` if one does not exist.
    pub(super) fn states(&self) -> Option<FileStates> {
        Some([FileState::of(&self.certificate).ok()?, FileState::of(&self.key).ok()?])
    }
}

fn read(file: &Path, what: &str) -> Result<(Pem, FileState), TlsError> {
    let name = format!("the {what} `{}`", file.display());
    match watched_file::read(file, limits::TLS_FILE_BYTES_MAX) {
        Ok((text, state)) => Ok((Pem { name, text }, state)),
        Err(error) => {
            let repair = match error.kind() {
                io::ErrorKind::NotFound => "; name a PEM file that exists",
                io::ErrorKind::PermissionDenied => "; let the user of the server read it",
                _ => "",
            };
            Err(TlsError(format!("the {what} cannot be read: {error}{repair}")))
        }
    }
}

impl Pem {
    /// The certificates, that of the server first.
    pub(super) fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, TlsError> {
        let found = CertificateDer::pem_slice_iter(&self.text).collect::<Result<Vec<_>, _>>();
        let found =
            found.map_err(|error| TlsError(format!("{} is damaged: {error}", self.name)))?;
        if !found.is_empty() {
            return Ok(found);
        }
        let hint = match self.has("PRIVATE KEY-----") {
            true => "it has a private key; are the two files swapped?",
            false => "it must begin with `-----BEGIN CERTIFICATE-----`",
        };
        Err(TlsError(format!("{} has no certificate: {hint}", self.name)))
    }

    /// The private key.
    pub(super) fn key(&self) -> Result<PrivateKeyDer<'static>, TlsError> {
        if self.has("ENCRYPTED") {
            return Err(TlsError(format!(
                "{} is encrypted; decrypt it with `openssl pkey -in KEY -out NEW`",
                self.name
            )));
        }
        PrivateKeyDer::from_pem_slice(&self.text).map_err(|_| {
            let hint = match self.has("BEGIN CERTIFICATE") {
                true => "it has a certificate; are the two files swapped?",
                false => "it must begin with `-----BEGIN PRIVATE KEY-----`",
            };
            TlsError(format!("{} has no private key: {hint}", self.name))
        })
    }

    fn has(&self, text: &str) -> bool {
        self.text.windows(text.len()).any(|window| window == text.as_bytes())
    }
}
