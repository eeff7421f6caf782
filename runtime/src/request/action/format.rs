//! The query parameter `format=csv`, which chooses the format of a response. It takes precedence
//! over `Accept`, so that a link can name a format.

use super::{
    parameter::{Parameter, pairs, repeated},
    query::{no_meaning, refused},
};
use crate::{
    base::{
        error::{Error, Fault, excerpt, text},
        nearest,
    },
    http::negotiate::Format,
    model::def::Limits,
};

/// Reads the parameter `format`, which must name a format of members and collections.
pub(super) fn read(chosen: &mut Option<Format>, parameter: &Parameter<'_>) -> Result<(), Fault> {
    read_among(&Format::OF_MEMBERS, chosen, parameter)
}

fn read_among(
    offered: &[Format],
    chosen: &mut Option<Format>,
    parameter: &Parameter<'_>,
) -> Result<(), Fault> {
    let words = || offered.iter().map(|format| format.word());
    let Some(format) = offered.iter().find(|format| format.word() == parameter.value) else {
        let detail = text!(
            "`format` must be one of {known}, not `{found}`.",
            known = words().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
            found = excerpt(&parameter.value)
        );
        let hint = nearest::hint(&parameter.value, words());
        return Err(parameter.fault("enum", detail).hint(hint));
    };
    match chosen.replace(*format) {
        None => Ok(()),
        Some(_) => Err(repeated(parameter)),
    }
}

/// Parses the query string of a request for the home document. Its only parameter is `format`.
pub(super) fn of_home(query: Option<&str>) -> Result<Option<Format>, Error> {
    let mut chosen = None;
    let mut faults = vec![];
    for parameter in pairs(query, &Limits::DEFAULT)? {
        let read = match &*parameter.whole {
            "format" => read_among(&Format::OF_HOME, &mut chosen, &parameter),
            _ => Err(no_meaning(&parameter, text!("its only parameter is `format`"))),
        };
        faults.extend(read.err());
    }
    if faults.is_empty() { Ok(chosen) } else { Err(refused(faults)) }
}
