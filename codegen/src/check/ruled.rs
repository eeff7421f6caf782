//! Reads text values that must have a certain syntax, such as paths and durations.

use super::context::Context;
use super::map::{Map, wrong_shape};
use crate::diagnostic::{Problem, problem::Owner};
use crate::draft::{Node, Origin, Value, excerpt};
use crate::schema::duration;

/// Reads the text of a key if the text follows a rule. Otherwise the text is reported.
pub(super) fn ruled(
    map: &Map<'_>,
    key: &'static str,
    rule: &'static str,
    keeps: impl Fn(&str) -> bool,
    context: &mut Context,
) -> Option<String> {
    let text = map.text(key, context)?;
    if keeps(text) {
        return Some(text.to_owned());
    }
    report(key, text, rule, map.place(key), context);
    None
}

/// Reports that a text breaks a rule.
pub(super) fn report(key: &str, text: &str, rule: &'static str, at: Origin, context: &mut Context) {
    context.report(at, Problem::BadText { key: key.to_owned(), text: excerpt(text), rule });
}

/// Reads a duration and converts it to seconds.
pub(super) fn seconds(map: &Map<'_>, key: &'static str, context: &mut Context) -> Option<u32> {
    let node: &Node = &map.entry(key)?.value;
    let Value::Text(text) = &node.value else {
        return wrong_shape(&Owner::Key(key.to_owned()), "a duration like `60s`", node, context);
    };
    match duration::seconds(text) {
        Ok(seconds) => Some(seconds),
        Err(rule) => {
            report(key, text, rule, node.at, context);
            None
        }
    }
}
