//! The test of the certificate of a server.

use std::sync::Arc;

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::certificates::{self, OwnCertificate};

/// The servers that are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerTrust {
    /// Every server. Nobody can listen to an encrypted connection, but anybody can answer.
    Anyone,
    /// A server for which an authority vouches, whatever its name is.
    Authority,
    /// A server for which an authority vouches, and which has the name of the host in the URL.
    Name,
}

/// Returns what encrypts connections to trusted servers, and proves there who the program is. The
/// error is the end of a sentence about
/// the database.
pub(super) fn connector(
    trust: ServerTrust,
    root: Option<&str>,
    own: Option<OwnCertificate>,
) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(ring::default_provider());
    let unusable = |error: &dyn std::fmt::Display| format!("cannot use TLS: {error}");
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?;
    let verifier = |check: Option<Arc<WebPkiServerVerifier>>| {
        Arc::new(LenientVerifier { check, provider: Arc::clone(&provider) })
    };
    let config = match trust {
        ServerTrust::Name => builder.with_root_certificates(certificates::authorities(root)?),
        ServerTrust::Anyone => builder.dangerous().with_custom_certificate_verifier(verifier(None)),
        ServerTrust::Authority => {
            let roots = Arc::new(certificates::authorities(root)?);
            let check =
                WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
            let check = check.map_err(|error| unusable(&error))?;
            builder.dangerous().with_custom_certificate_verifier(verifier(Some(check)))
        }
    };
    let config = match own {
        Some((certificates, key)) => {
            let shown = config.with_client_auth_cert(certificates, key);
            shown.map_err(|error| {
                format!("has an `sslcert` and an `sslkey` that cannot be used: {error}")
            })?
        }
        None => config.with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

/// A verifier that does not look at the name of a server.
#[derive(Debug)]
struct LenientVerifier {
    /// The test whether an authority vouches for the server. `None` if nobody needs to.
    check: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for LenientVerifier {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(check) = &self.check else { return Ok(ServerCertVerified::assertion()) };
        match check.verify_server_cert(server, others, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
