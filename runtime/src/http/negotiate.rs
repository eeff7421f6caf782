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
