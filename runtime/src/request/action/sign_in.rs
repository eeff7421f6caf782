//! The query string of the form with which a person signs in.

use http::request::Parts;

use super::{
    parameter::{pairs, repeated},
    query::{no_meaning, refused},
};
use crate::{
    base::error::{Error, text},
    model::def::Limits,
    request::form::is_local,
};

/// Reads the parameter `next`: the path that the browser shows afterwards. The form that creates an
/// account leads here with `created=true`.
///
/// # Errors
/// 400 for another parameter, and for a URL of another server.
pub(super) fn next(head: &Parts) -> Result<Option<String>, Error> {
    let mut next = None;
    let mut faults = vec![];
    for parameter in pairs(head.uri.query(), &Limits::DEFAULT)? {
        if parameter.whole == "created" && parameter.value == "true" {
            continue;
        }
        if parameter.whole != "next" {
            faults.push(no_meaning(&parameter, text!("its only parameter is `next`")));
        } else if !is_local(&parameter.value) {
            faults.push(parameter.fault("type", text!("`next` must be a path of this server.")));
        } else if next.replace(parameter.value.to_string()).is_some() {
            faults.push(repeated(&parameter));
        }
    }
    if faults.is_empty() { Ok(next) } else { Err(refused(faults)) }
}
