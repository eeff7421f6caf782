//! Reads the keys `moved_from` and `moved_to`, and checks the syntax of their paths and URLs.

use super::context::Context;
use super::map::{Map, texts};
use super::resource::reserved_segment;
use super::ruled::{report, ruled};
use crate::diagnostic::Problem;
use crate::draft::{Spanned, Value, excerpt};
use crate::name;
use nouns_declaration::grammar::{is_path, is_plain_segment, is_web_url, placeholder};

/// The syntax rule for `moved_from`, for messages.
const FORMER: &str = "a path like `/old_zoos`: `/`, then segments of letters, digits, `-`, `.`, `_` and `~`, \
                      or placeholders like `{zoo_id}`";

/// The syntax rule for `moved_to`, for messages.
const PLACE: &str = "an absolute `http` or `https` URL without user, query and fragment, like \
                     `https://zoo.example.org/zoos`, or a path below the base, like `/new_zoos`";

/// Reads `moved_from: [/old_zoos]`, or `moved_from: /old_zoos`. Invalid paths are reported.
pub(super) fn from(map: &Map<'_>, context: &mut Context) -> Vec<String> {
    let paths = paths(map, context);
    let mut good = Vec::with_capacity(paths.len());
    for path in paths {
        match path.value.strip_prefix('/').map(|rest| (rest, reserved_segment(first(rest)))) {
            Some((_, Some(reason))) => {
                let name = excerpt(path.value);
                context.report(path.at, Problem::Reserved { what: "path", name, reason });
            }
            Some((rest, None)) if rest.split('/').all(is_segment) => {
                good.push(path.value.to_owned());
            }
            _ => report("moved_from", path.value, FORMER, path.at, context),
        }
    }
    good
}

/// The texts of `moved_from` with their positions.
fn paths<'d>(map: &Map<'d>, context: &mut Context) -> Vec<Spanned<&'d str>> {
    let Some(entry) = map.entry("moved_from") else { return Vec::new() };
    let nodes = match &entry.value.value {
        Value::Text(_) => std::slice::from_ref(&entry.value),
        _ => map.list("moved_from", "a path or a list of paths", context).unwrap_or_default(),
    };
    texts("moved_from", nodes, context)
}

fn first(rest: &str) -> &str {
    rest.split('/').next().unwrap_or_default()
}

fn is_segment(segment: &str) -> bool {
    placeholder(segment).map_or_else(|| is_plain_segment(segment), name::is_name)
}

/// Reads `moved_to`, and removes slashes at its end.
pub(super) fn to(map: &Map<'_>, context: &mut Context) -> Option<String> {
    let keeps = |text: &str| is_web_url(text) || (is_path(text) && text != "/");
    let place = ruled(map, "moved_to", PLACE, keeps, context)?;
    Some(place.trim_end_matches('/').to_owned())
}
