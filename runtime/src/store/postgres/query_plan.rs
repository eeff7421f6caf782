//! The query plans of a server for statements (EXPLAIN), which are not run.

use super::{
    address::PostgresAddress, handle::PostgresHandle, opening::connect, prepared::types,
    wire::WireError,
};
use crate::{
    base::apart::apart,
    store::{
        Location, OpenError,
        explain::QueryPlanLine,
        failure::{Failure, FailureKind},
        row::MemberRow as _,
    },
};

/// The plan of a prepared statement for any values, as the server makes it for statements that run
/// often. Nothing is changed.
const SETTINGS: &str =
    "SET plan_cache_mode = force_generic_plan; SET default_transaction_read_only = on";

/// The columns by which a line of a plan is indented more than the one that it is part of.
const INDENT: usize = 6;

/// Returns the query plan of each statement.
pub(in crate::store) fn query_plans<'t>(
    location: &Location,
    url: &str,
    texts: impl Iterator<Item = &'t str> + Send,
) -> Result<Vec<Vec<QueryPlanLine>>, OpenError> {
    let address =
        PostgresAddress::read(url).map_err(|error| OpenError::unusable_at(location, error))?;
    apart(|| {
        let mut handle = connect(&address, location)?;
        let failed = |failure| super::build::unusable(location, reason(&failure), failure);
        handle.script(SETTINGS).map_err(failed)?;
        texts.map(|text| query_plan(&mut handle, text).map_err(failed)).collect()
    })
}

const fn reason(failure: &Failure) -> &'static str {
    match failure.kind {
        FailureKind::Absent => {
            "does not have the tables of this schema; serve the schema with it first, or leave the database out"
        }
        _ => "cannot be used",
    }
}

fn query_plan(handle: &mut PostgresHandle, text: &str) -> Result<Vec<QueryPlanLine>, Failure> {
    let known = types(text);
    let prepared = handle.wire().wait(async |client| client.prepare_typed(text, &known).await);
    let statement = prepared.map_err(|error| match error {
        WireError::Server(error) => error.into(),
        WireError::Interrupted | WireError::Abandoned => {
            Failure::internal("a statement was interrupted")
        }
    })?;
    let kinds: Vec<_> = statement.params().iter().map(ToString::to_string).collect();
    let (kinds, values) = match kinds.is_empty() {
        true => (String::new(), String::new()),
        false => (
            format!(" ({})", kinds.join(", ")),
            format!(" ({})", vec!["NULL"; kinds.len()].join(", ")),
        ),
    };
    handle.script(&format!("PREPARE nouns_explained{kinds} AS {text}"))?;
    let mut lines = vec![];
    handle.query_text(&format!("EXPLAIN EXECUTE nouns_explained{values}"), None, |row| {
        if let crate::model::value::Value::Text(text) = row.value(0) {
            lines.push(line(&text));
        }
        true
    })?;
    handle.script("DEALLOCATE nouns_explained")?;
    Ok(lines)
}

/// Reads a line of a plan. A node below another one begins with an arrow.
fn line(text: &str) -> QueryPlanLine {
    let detail = text.trim_start();
    let indent = text.len() - detail.len();
    let depth = indent.checked_sub(2).map_or(0, |indent| indent / INDENT + 1);
    let detail = detail.strip_prefix("->").unwrap_or(detail).trim_start();
    QueryPlanLine { depth, detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_depth_of_its_indent() {
        let plan = "Limit  (cost=0.15..8.17)
  ->  Nested Loop
        Join Filter: (a = b)
        ->  Index Scan using zoos_pkey on zoos
              Index Cond: (id = $1)";
        let lines: Vec<_> = plan.lines().map(line).collect();
        let depths: Vec<_> = lines.iter().map(|line| line.depth).collect();
        assert_eq!(depths, [0, 1, 2, 2, 3]);
        assert_eq!(lines[3].detail, "Index Scan using zoos_pkey on zoos");
    }
}
