//! Which sink makes the representation of an action, and how it is closed.

use super::Reply;
use crate::{
    action::ActionKind,
    sink::{JsonSink, Sink},
};

/// What precedes the members of a page, or of an array that was posted.
const OPENING: &str = "{\"items\":[";
/// What ends an array that was posted; a page goes on with its links.
pub(super) const CLOSING: &[u8] = b"]}";

impl Reply {
    /// The sink for the rows of an action.
    #[must_use]
    pub fn sink(action: &ActionKind) -> Sink {
        match action {
            ActionKind::List { chain, .. } | ActionKind::Create { chain, many: true, .. } => {
                Sink::Json(JsonSink::new(chain.resource, OPENING))
            }
            ActionKind::Get { chain, .. }
            | ActionKind::Create { chain, .. }
            | ActionKind::Write { chain, .. } => Sink::Json(JsonSink::new(chain.resource, "")),
            _ => Sink::Nothing,
        }
    }
}

/// What a sink has made.
pub(super) fn content(sink: Sink) -> Vec<u8> {
    match sink {
        Sink::Nothing | Sink::Values(_) => vec![],
        Sink::Json(sink) => sink.into_bytes(),
    }
}
