//! The result of running a plan, and how the content of an export is asked for.

use super::sink::Sink;
use crate::{
    http::{
        negotiate::{Coding, Format},
        range::Portion,
    },
    plan::{Outcome, SourcesState},
};

/// The result of running a plan.
#[derive(Debug)]
pub struct PlanResult {
    /// The outcome of the plan.
    pub outcome: Outcome,
    /// The sink, which has collected the rows of the result.
    pub sink: Sink,
    /// The number of SQL statements that ran for the plan. Statements that look up the reason for a
    /// failure are counted. Statements for transactions and revisions are not.
    pub statements: u32,
    /// The state of the tables that the plan read, in the same snapshot as the rows. `None` if no
    /// validator and no cache needs the state.
    pub state: Option<SourcesState>,
}

impl PlanResult {
    /// Creates the result of a plan that ran no statement, and whose state is not needed.
    pub(crate) const fn new(outcome: Outcome, sink: Sink) -> Self {
        Self { outcome, sink, statements: 0, state: None }
    }
}

/// The way in which the content of an export (a whole collection) is rendered.
#[derive(Debug)]
pub(crate) struct ExportRendering {
    /// The format of the content.
    pub(crate) format: Format,
    /// The content coding (compression).
    pub(crate) coding: Coding,
    /// Whether to leave out the content, as for a HEAD request.
    pub(crate) bare: bool,
    /// The requested range, or `None` for the whole export.
    pub(crate) portion: Option<Portion>,
}
