//! The files with certificates: those of the authorities that may vouch for a server, and the one
//! with which the program proves who it is.

use rustls::{
    RootCertStore,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{Error, PemObject as _},
    },
};

/// A certificate with those that vouch for it, and its key.
pub(super) type OwnCertificate = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// The value of `sslrootcert` that stands for the authorities of the system.
const SYSTEM: &str = "system";

/// Returns the authorities in a PEM file, or those of the system. The error is the end of a
/// sentence about the database.
pub(super) fn authorities(file: Option<&str>) -> Result<RootCertStore, String> {
    let certificates = match file.filter(|file| *file != SYSTEM) {
        Some(file) => of_file("sslrootcert", file)?,
        None => {
            let found = rustls_native_certs::load_native_certs();
            for error in &found.errors {
                tracing::debug!(%error, "some authorities of the system cannot be read");
            }
            found.certs
        }
    };
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates);
    if roots.is_empty() {
        return Err("has an `sslrootcert` without a certificate that can be used".into());
    }
    Ok(roots)
}

/// Returns the certificate in a PEM file and the key in another one. The error is the end of a
/// sentence about the database.
pub(super) fn own(certificate: &str, key: &str) -> Result<OwnCertificate, String> {
    let certificates = of_file("sslcert", certificate)?;
    let key =
        PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable("sslkey", key, &error))?;
    match certificates.is_empty() {
        true => Err("has an `sslcert` without a certificate".into()),
        false => Ok((certificates, key)),
    }
}

fn of_file(option: &str, file: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let failed = |error: Error| unreadable(option, file, &error);
    CertificateDer::pem_file_iter(file).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
}

fn unreadable(option: &str, file: &str, error: &Error) -> String {
    format!("has an `{option}` that cannot be read: `{file}`: {error}")
}
