//! The URLs of a model as tables for people: one for each resource, with a line for each URL.
//!
//! The columns are the methods, and a cell says what the method does. The URL is the last column,
//! since it has the largest differences in length.

use std::fmt::Write as _;

use nouns_runtime::route::{Meaning, Route};

/// The methods that have a column, in this order. A method without a URL has none.
const METHODS: [&str; 7] = ["GET", "QUERY", "POST", "PUT", "PATCH", "DELETE", "TRACE"];

/// The heading of the URLs that belong to no resource.
const OF_NO_RESOURCE: &str = "the server";

/// The tables, with an empty line between two of them.
pub(super) fn text(routes: &[Route]) -> String {
    let (of_resources, of_server) = (columns(routes, true), columns(routes, false));
    let mut text = String::new();
    for group in routes.chunk_by(|one, other| one.resource == other.resource) {
        if !text.is_empty() {
            text.push('\n');
        }
        let (columns, heading) = match group[0].resource {
            Some(resource) => (&of_resources, resource),
            None => (&of_server, OF_NO_RESOURCE),
        };
        let has_cells = group.iter().any(|route| !is_redirect(route));
        line(&mut text, columns, |column| has_cells.then_some(column.method), heading);
        for url in group.chunk_by(|one, other| one.path == other.path) {
            let cell = |column: &Column| {
                let route = url.iter().find(|route| route.method == column.method);
                route.map(|route| words(&route.meaning))
            };
            let moved = url.iter().find_map(|route| match &route.meaning {
                Meaning::Redirect(to) => Some(format!(" moved to {to}")),
                _ => None,
            });
            let path = format!("{}{}", url[0].path, moved.unwrap_or_default());
            line(&mut text, columns, cell, &path);
        }
    }
    text
}

/// A column: a method, and the width of the longest text in it.
struct Column {
    method: &'static str,
    width: usize,
}

/// The columns of the tables of resources, or of the table of the server.
fn columns(routes: &[Route], of_resources: bool) -> Vec<Column> {
    let column = |method: &'static str| {
        let is_here =
            |route: &&Route| route.method == method && route.resource.is_some() == of_resources;
        let of_method = routes.iter().filter(is_here);
        let longest = of_method.map(|route| words(&route.meaning).len()).max()?;
        Some(Column { method, width: longest.max(method.len()) })
    };
    METHODS.into_iter().filter_map(column).collect()
}

fn line<'t>(
    text: &mut String,
    columns: &[Column],
    cell: impl Fn(&Column) -> Option<&'t str>,
    last: &str,
) {
    for column in columns {
        let (cell, width) = (cell(column).unwrap_or_default(), column.width);
        write!(text, "{cell:<width$}  ").expect("writing to a String never fails");
    }
    text.push_str(last);
    text.push('\n');
}

fn is_redirect(route: &Route) -> bool {
    matches!(route.meaning, Meaning::Redirect(_))
}

/// The action of a method, in a cell.
fn words(meaning: &Meaning) -> &'static str {
    match meaning {
        Meaning::Operation(operation, _) => operation.word(),
        Meaning::Grant(what) => what,
        Meaning::Own => "custom",
        Meaning::Trace => "echo",
        Meaning::Redirect(_) => "",
    }
}
