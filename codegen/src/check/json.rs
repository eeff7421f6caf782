//! Converts values that are stored as JSON: the values of `x-…` keys and of `json` fields.

use super::context::Context;
use crate::diagnostic::Problem;
use crate::draft::{Node, Value, excerpt};
use std::collections::HashSet;

/// Converts a value to JSON text, and reports repeated keys.
pub(super) fn json(key: &str, node: &Node, context: &mut Context) -> Option<String> {
    refuse_duplicates(node, context);
    let json = node.value.to_json();
    if json.is_none() {
        let problem = Problem::WrongValue {
            key: key.to_owned(),
            value: node.value.excerpt(),
            expected: "a JSON value, which has no infinite numbers".to_owned(),
        };
        context.report(node.at, problem);
    }
    json
}

fn refuse_duplicates(node: &Node, context: &mut Context) {
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| refuse_duplicates(item, context)),
        Value::Map(entries) => {
            let mut seen = HashSet::with_capacity(entries.len());
            for entry in entries {
                if !seen.insert(entry.key.value.as_str()) {
                    context.report(
                        entry.key.at,
                        Problem::DuplicateKey { key: excerpt(&entry.key.value) },
                    );
                }
                refuse_duplicates(&entry.value, context);
            }
        }
        _ => {}
    }
}
