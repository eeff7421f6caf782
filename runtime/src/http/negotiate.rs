//! Content negotiation (RFC 9110 §12): formats, compression (content codings), languages, and
//! weighted lists.

mod coding;
mod format;
mod language;
mod weighted;

pub use self::{
    coding::{Coding, Codings},
    format::Format,
};
pub(crate) use self::{
    format::choose_format as format, language::choose_language as language, weighted::split,
};
pub use crate::base::language::Language;

use http::{HeaderMap, header};

/// Whether a request names a media type in `Accept`, and does not prefer another one to it. Ranges
/// such as `text/*` do not count.
pub(crate) fn prefers(headers: &HeaderMap, media_type: &str, to: &str) -> bool {
    let quality = |name: &str| {
        let ranges = weighted::members(headers, header::ACCEPT);
        let named = ranges.filter(|range| range.name.eq_ignore_ascii_case(name));
        named.map(|range| range.quality).max().unwrap_or(0)
    };
    let wanted = quality(media_type);
    wanted > 0 && wanted >= quality(to)
}
