//! Errors as clients see them: `application/problem+json` (RFC 9457).

use serde_json::{Value as Json, json};

use super::Reply;
use crate::{
    error::{Error, Fault, FaultAt, Kind},
    model::Model,
};

impl Reply {
    /// The answer to a request that failed.
    #[must_use]
    pub fn problem(model: &Model, error: &Error, path: &str) -> Self {
        let kind = error.kind();
        let mut problem = json!({
            "type": address(model, kind),
            "title": kind.title,
            "status": kind.status.as_u16(),
            "detail": error.to_string(),
            "instance": path,
        });
        if !error.list().is_empty() {
            problem["errors"] = error.list().iter().map(fault).collect();
        }
        let mut reply =
            Self::new(kind.status).with_content("application/problem+json", problem.to_string().into_bytes());
        reply.headers.extend(error.headers().iter().cloned());
        reply
    }
}

fn address(model: &Model, kind: Kind) -> String {
    model.urls.link(&format!("/-/problems/{}", kind.slug))
}

fn fault(fault: &Fault) -> Json {
    let (key, place) = match &fault.at {
        FaultAt::Pointer(pointer) => ("pointer", pointer),
        FaultAt::Parameter(name) => ("parameter", name),
    };
    let mut json = json!({ key: place, "code": fault.code, "detail": fault.detail });
    if let Some(hint) = &fault.hint {
        json["hint"] = hint.as_str().into();
    }
    json
}

/// The page of a kind of problem.
pub(super) fn page(model: &Model, kind: Kind) -> Json {
    json!({
        "type": address(model, kind),
        "title": kind.title,
        "status": kind.status.as_u16(),
        "meaning": kind.meaning,
    })
}

/// Every kind of problem.
pub(super) fn all(model: &Model) -> Json {
    let pages: Vec<_> = Kind::ALL.iter().map(|kind| page(model, *kind)).collect();
    json!({ "items": pages })
}
