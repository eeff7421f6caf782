//! [`SessionFileKey`]: the content of the file of a session, which nobody else can make.
//!
//! The first line is a MAC of the name of the file and of the rest, with the secret of the
//! database. So whoever can write into the folder, but cannot read the database, cannot begin a
//! session.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::{
    base::grant_secret::SecretDigest,
    model::GrantKind,
    plan::grant::{Grant, GrantScopes, PasswordMark},
};

/// The first bytes of what the MAC of a file of a session is made from. The secret has other uses.
const CONTEXT: &[u8] = b"session file\n";

/// The largest size of a file, in bytes. Longer ones are none of ours.
const FILE_BYTES_MAX: u64 = 16 * 1024;

/// The key for the MAC of each file: the secret of the database.
#[derive(Clone)]
pub(super) struct SessionFileKey(Vec<u8>);

/// The content of a file, after its MAC.
#[derive(Serialize, Deserialize)]
struct StoredSession {
    id: String,
    account: String,
    password: String,
    persistent: bool,
    created_at: i64,
    expires_at: Option<i64>,
}

impl SessionFileKey {
    pub(super) const fn new(secret: Vec<u8>) -> Self {
        Self(secret)
    }

    fn mac(&self, name: &str, content: &[u8]) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.chain_update(CONTEXT).chain_update(name).chain_update(b"\n").chain_update(content)
    }

    /// Returns the content of the file of a session. The name of the file is that of the digest.
    pub(super) fn content(
        &self,
        digest: SecretDigest,
        grant: &Grant,
    ) -> serde_json::Result<Vec<u8>> {
        let stored = serde_json::to_vec(&StoredSession {
            id: grant.id.clone(),
            account: grant.account.clone(),
            password: hex(&grant.password.0),
            persistent: grant.is_persistent,
            created_at: grant.created_at,
            expires_at: grant.expires_at,
        })?;
        let mac = self.mac(&name_of(digest), &stored).finalize().into_bytes().into();
        Ok([hex(&mac).as_bytes(), b"\n", &stored].concat())
    }

    /// Reads the session of a file. `None` if the file is not regular, or not made with this key.
    pub(super) fn read(&self, path: &Path) -> Option<(SecretDigest, Grant)> {
        let name = path.file_name()?.to_str()?;
        let digest = SecretDigest(bytes(name)?);
        // A link, a pipe or a device is no session, and reading it might never end.
        let metadata = fs::symlink_metadata(path).ok()?;
        if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
            return None;
        }
        let content = fs::read(path).ok()?;
        let (mac, stored) = content.split_at_checked(64)?;
        let stored = stored.strip_prefix(b"\n")?;
        let mac = bytes(std::str::from_utf8(mac).ok()?)?;
        self.mac(name, stored).verify_slice(&mac).ok()?;
        let stored: StoredSession = serde_json::from_slice(stored).ok()?;
        let used_at = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_secs();
        let grant = Grant {
            kind: GrantKind::Session,
            id: stored.id,
            account: stored.account,
            password: PasswordMark(bytes(&stored.password)?),
            name: None,
            scopes: GrantScopes::ALL,
            is_persistent: stored.persistent,
            created_at: stored.created_at,
            expires_at: stored.expires_at,
            used_at: used_at.cast_signed(),
        };
        Some((digest, grant))
    }
}

/// The name of the file of a session.
pub(super) fn name_of(digest: SecretDigest) -> String {
    hex(&digest.0)
}

/// The time at which a session was used last, as that of the last change of its file.
pub(super) fn time(seconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds.cast_unsigned())
}

fn hex(bytes: &[u8; 32]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses 32 bytes as [`hex`] spells them.
fn bytes(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    (hex(&bytes) == text).then_some(bytes)
}
