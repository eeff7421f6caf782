//! [`StoredDocument`]: a document that is the same for all requests, made and compressed once.

use std::{fmt, sync::OnceLock};

use bytes::Bytes;

use super::{coding::encode, negotiate::Coding};
use crate::base::{hash::StableHasher, work_time};

/// A document that is the same for all requests. It is made for the first of them, and compressed
/// for the first that accepts a content coding. Other requests for it wait meanwhile.
#[derive(Default)]
pub(crate) struct StoredDocument {
    plain: OnceLock<(Bytes, u64)>,
    /// The document in each coding of [`Coding::ALL`].
    coded: [OnceLock<Bytes>; Coding::ALL.len()],
}

impl StoredDocument {
    /// The document and a hash of it. The first call makes it.
    pub(crate) fn plain(&self, make: impl FnOnce() -> String) -> &(Bytes, u64) {
        self.plain.get_or_init(|| {
            let bytes = Bytes::from(make());
            let hash = StableHasher::new().bytes(&bytes).finish();
            (bytes, hash)
        })
    }

    /// The document in a content coding, made of its plain form.
    pub(crate) fn coded(&self, coding: Coding, plain: &Bytes) -> Bytes {
        let at = Coding::ALL.iter().position(|known| *known == coding);
        let Some(at) = at.filter(|_| coding != Coding::Identity) else { return plain.clone() };
        // All requests share the result, so the time of this one does not count.
        let make = || work_time::without_end(|| encode(coding, plain));
        let coded = self.coded[at]
            .get_or_init(|| Bytes::from(make().expect("work without an end has time")));
        coded.clone()
    }
}

impl fmt::Debug for StoredDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.plain.get().map(|(bytes, _)| bytes.len());
        f.debug_struct("StoredDocument").field("bytes", &bytes).finish_non_exhaustive()
    }
}
