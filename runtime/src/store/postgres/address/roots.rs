//! The certificates of the authorities that may vouch for a server.

use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem::PemObject as _},
};

/// The value of `sslrootcert` that stands for the authorities of the system.
const SYSTEM: &str = "system";

/// Returns the authorities in a PEM file, or those of the system. The error is the end of a
/// sentence about the database.
pub(super) fn read(file: Option<&str>) -> Result<RootCertStore, String> {
    let certificates = match file.filter(|file| *file != SYSTEM) {
        Some(file) => of_file(file)?,
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

fn of_file(file: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let failed = |error: rustls::pki_types::pem::Error| {
        format!("has an `sslrootcert` that cannot be read: `{file}`: {error}")
    };
    CertificateDer::pem_file_iter(file).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
}
