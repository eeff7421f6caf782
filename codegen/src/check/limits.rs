//! Reads the limits and timeouts of `server`.

use super::context::Context;
use super::extensions::Extensions;
use super::map::{Map, wrong_shape};
use super::ruled::report;
use crate::diagnostic::problem::Owner;
use crate::draft::Value;
use crate::language::{self, Level};
use crate::schema::{duration, size};
use nouns_declaration::def::{Limit, LimitUnit, Limits, Timeout};

/// The mappings of `server` that have limits and timeouts.
const GROUPS: [(&str, &Level); 3] = [
    ("keep_alive", &language::KEEP_ALIVE),
    ("timeouts", &language::TIMEOUTS),
    ("limits", &language::LIMITS),
];

/// Reads `keep_alive`, `timeouts` and `limits`, and returns their `x-…` keys separately.
pub(super) fn limits(server: &Map<'_>, context: &mut Context) -> (Limits, Extensions) {
    let (mut limits, mut extensions) = (Limits::DEFAULT, Extensions::default());
    for (group, level) in GROUPS {
        let Some(map) = server.inner(group, level, context) else { continue };
        for limit in Limit::ALL.iter().filter(|limit| limit.group() == group) {
            if let Some(value) = number(&map, *limit, context) {
                limits = limits.with(*limit, value);
            }
        }
        for timeout in Timeout::ALL.iter().filter(|timeout| timeout.group() == group) {
            if let Some(millis) = milliseconds(&map, *timeout, context) {
                limits = limits.with_timeout(*timeout, millis);
            }
        }
        extensions.extend(map.extensions);
    }
    (limits, extensions)
}

/// Reads a whole number, or a size such as `64KiB` where the limit is one of bytes.
fn number(map: &Map<'_>, limit: Limit, context: &mut Context) -> Option<u64> {
    let node = &map.entry(limit.key())?.value;
    let (text, value) = match (&node.value, limit.unit()) {
        (Value::Number(text), _) => (text, text.parse().ok()),
        (Value::Text(text), LimitUnit::Bytes) => (text, size::bytes(text).ok()),
        _ => return wrong_shape(&Owner::Key(limit.key().to_owned()), limit.rule(), node, context),
    };
    let (least, most) = limit.range();
    let value = value.filter(|value| (least..=most).contains(value));
    if value.is_none() {
        report(limit.key(), text, limit.rule(), node.at, context);
    }
    value
}

fn milliseconds(map: &Map<'_>, timeout: Timeout, context: &mut Context) -> Option<u64> {
    let node = &map.entry(timeout.key())?.value;
    let Value::Text(text) = &node.value else {
        let owner = Owner::Key(timeout.key().to_owned());
        return wrong_shape(&owner, timeout.rule(), node, context);
    };
    let (least, most) = timeout.range();
    let millis = duration::milliseconds(text).ok();
    let millis = millis.filter(|millis| (least..=most).contains(millis));
    if millis.is_none() {
        report(timeout.key(), text, timeout.rule(), node.at, context);
    }
    millis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_a_key_of_its_level() {
        for (group, level) in GROUPS {
            let limits = Limit::ALL.iter().filter(|one| one.group() == group).map(|one| one.key());
            let timeouts =
                Timeout::ALL.iter().filter(|one| one.group() == group).map(|one| one.key());
            let mut of_table: Vec<_> = limits.chain(timeouts).collect();
            let mut of_level: Vec<_> = level.names().collect();
            of_table.sort_unstable();
            of_level.sort_unstable();
            assert_eq!(of_table, of_level, "{group}");
        }
    }
}
