//! The query parameter `format=csv`, which chooses the format of a response. It takes precedence
//! over `Accept`, so that a link can name a format.

use super::parameter::{Parameter, repeated};
use crate::{
    base::{
        error::{Fault, excerpt, text},
        nearest,
    },
    http::negotiate::Format,
};

/// Reads the parameter `format` into `chosen`.
pub(super) fn read(chosen: &mut Option<Format>, parameter: &Parameter<'_>) -> Result<(), Fault> {
    let Some(format) = Format::from_word(&parameter.value) else {
        let words = Format::OF_MEMBERS.map(Format::word);
        let detail = text!(
            "`format` must be one of {known}, not `{found}`.",
            known = words.map(|word| format!("`{word}`")).join(", "),
            found = excerpt(&parameter.value)
        );
        let hint = nearest::hint(&parameter.value, words.into_iter());
        return Err(parameter.fault("enum", detail).hint(hint));
    };
    match chosen.replace(format) {
        None => Ok(()),
        Some(_) => Err(repeated(parameter)),
    }
}
