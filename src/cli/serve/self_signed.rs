//! A certificate for development, which the server makes for itself.

use std::{fmt::Write as _, net::IpAddr};

use jiff::{ToSpan as _, Zoned, civil::Date};
use nouns_runtime::server::Tls;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, date_time_ymd};
use sha2::{Digest as _, Sha256};

/// The days for which the certificate is valid. A server that runs for longer is not for
/// development.
const DAYS: i32 = 90;

/// A certificate that no authority has signed. It is in memory alone.
pub(super) struct SelfSigned {
    pub(super) tls: Tls,
    /// The SHA-256 of the certificate, as browsers show it.
    pub(super) fingerprint: String,
}

impl SelfSigned {
    /// Makes a certificate for this machine, and for the address that the server listens on.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(super) fn make(listen: IpAddr) -> Result<Self, Box<dyn std::error::Error>> {
        let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
        if !listen.is_unspecified() && !names.contains(&listen.to_string()) {
            names.push(listen.to_string());
        }
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name.push(DnType::CommonName, "nouns development");
        params.extended_key_usages.push(ExtendedKeyUsagePurpose::ServerAuth);
        let now = Zoned::now();
        // A client whose clock is slow accepts it, too.
        let (begin, end) = (now.checked_sub(1.day())?.date(), now.checked_add(DAYS.days())?.date());
        let day = |date: Date| {
            let part = |number: i8| u8::try_from(number).unwrap_or(1);
            date_time_ymd(date.year().into(), part(date.month()), part(date.day()))
        };
        (params.not_before, params.not_after) = (day(begin), day(end));
        let key = KeyPair::generate()?;
        let certificate = params.self_signed(&key)?;
        let tls = Tls::pem(certificate.pem().as_bytes(), key.serialize_pem().as_bytes())?;
        Ok(Self { tls, fingerprint: fingerprint(certificate.der()) })
    }
}

fn fingerprint(certificate: &[u8]) -> String {
    let mut text = String::new();
    for (at, byte) in Sha256::digest(certificate).iter().enumerate() {
        let colon = if at == 0 { "" } else { ":" };
        write!(text, "{colon}{byte:02X}").ok();
    }
    text
}
