//! Plans that only read: a page of a collection, a member, or the ids of members.

use std::sync::Arc;

use crate::{
    base::{error::Error, limits, priority},
    model::{Model, value::Value},
    plan::{
        CollectionState, Columns, Ends, Guard, Outcome, Part, Plan, Refusal, Shape, Sources,
        SourcesState, Step,
        validator::{self, CurrentState, Verdict},
    },
    store::{
        failure::{Failure, FailureKind},
        refusal,
        row::MemberRow as _,
        session::{CallerStatements, ReadSession, Session, Statements},
        sink::{Cell, End, Row, RowSink, Sink, Sizes},
        sql::parameters::RunInputs,
    },
};

/// The result of an attempt to read on a read lane (a thread with a connection and a time budget).
/// The sink renders the rows. If the read was not completed, the sink has no rows.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The read was completed, and the sink has rendered its rows.
    Done {
        /// The outcome of the plan.
        outcome: Outcome,
        /// The number of SQL statements that ran.
        statements: u32,
        /// The state of the tables that the plan read, in the same snapshot. `None` if the plan
        /// does not need their state.
        state: Option<SourcesState>,
    },
    /// The read was interrupted, because it exceeded the time budget of this read thread.
    TooSlow,
    /// The page has more bytes than this read thread may read.
    TooLarge,
}

/// Runs a plan in a session. The plan contains no writes.
pub(super) fn run(
    session: &mut impl ReadSession,
    model: &Arc<Model>,
    plan: &Plan,
    sink: &mut Sink,
) -> Result<Attempt, Error> {
    let mut state = None;
    let mut record_state = |sources: &Sources, CollectionState { number, .. }: CollectionState| {
        state = Some(SourcesState { sources: sources.clone(), number });
    };
    let outcome = match plan.steps.as_slice() {
        [step] if matches!(step.shape, Shape::Get { .. }) => match &plan.reads {
            Some(sources) => session.snapshot(|session| {
                let state = session.tables_state(model, sources)?;
                record_state(sources, state);
                member(session, model, plan, (step, Some(state)), sink)
            }),
            None => session.statement(|session| member(session, model, plan, (step, None), sink)),
        },
        [step] if matches!(step.shape, Shape::Ids { .. }) => {
            session.statement(|session| ids(&mut session.acting_for(&plan.caller), model, step))
        }
        [list, count @ ..] if matches!(list.shape, Shape::List { .. }) => {
            let sources =
                plan.reads.as_ref().ok_or_else(|| Error::internal("a page plan has no sources"))?;
            session.snapshot(|session| {
                let state = session.tables_state(model, sources)?;
                record_state(sources, state);
                let current = state.current(session.parts().1);
                collection(
                    session,
                    model,
                    plan,
                    PageSteps { list, count: count.first() },
                    sink,
                    current,
                )
            })
        }
        _ => return Err(Error::internal("a read plan must select a page, a member or ids")),
    };
    let statements = session.statements().take_count();
    match outcome {
        Ok(outcome) => Ok(Attempt::Done { outcome, statements, state }),
        Err(failure) if failure.kind == FailureKind::Interrupted => {
            sink.reset();
            Ok(Attempt::TooSlow)
        }
        Err(failure) if failure.kind == FailureKind::TooLarge => {
            sink.reset();
            Ok(Attempt::TooLarge)
        }
        Err(failure) => Err(failure.into()),
    }
}

/// Reads a member with one SQL statement, so all its data comes from one snapshot. `tables` is the
/// state of the tables of the response, if it is known.
pub(super) fn member(
    session: &mut impl Session,
    model: &Arc<Model>,
    plan: &Plan,
    (step, tables): (&Step, Option<CollectionState>),
    sink: &mut Sink,
) -> Result<Outcome, Failure> {
    let (mut statements, identity) = session.parts_for(&plan.caller);
    let changed = Columns::of(model, &step.shape).ok_or_else(no_member)?.changed();
    // Only these small values are moved out of the closure: moving an `Outcome` copies many bytes.
    let mut found = None;
    statements.query(model, &step.shape, step, |row| {
        let revision = row.revision().unwrap_or_default();
        let current = validator::member(revision, identity, row.changed(changed));
        let current = tables.map_or(current, |tables| current.passing(tables, identity));
        let verdict = plan.guard.conditions.test(Some(current));
        if verdict == Verdict::Met {
            sink.row(model, row);
        }
        found = Some((verdict, current, row.value(Columns::ID)));
        false
    })?;
    let Some((verdict, current, id)) = found else {
        return refusal::missing(&mut statements, model, step).map(Outcome::Refused);
    };
    if let Some(outcome) = precondition_outcome(verdict, current) {
        return Ok(outcome);
    }
    let CurrentState { tag, passed, modified, .. } = current;
    let written = vec![(id, tag)];
    Ok(Outcome::Members { written, passed, created: false, modified, place: None })
}

fn no_member() -> Failure {
    Failure::internal("the statement of a read does not return a member")
}

/// Returns the ids of the members that a step (a statement with its values) finds.
fn ids(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    step: &Step,
) -> Result<Outcome, Failure> {
    let mut ids = vec![];
    statements.query(model, &step.shape, step, |row| {
        ids.push(row.value(0));
        true
    })?;
    Ok(Outcome::Ids(ids))
}

/// Returns the outcome of a read whose preconditions do not hold: a 304 or a 412. Returns `None` if
/// the preconditions hold.
pub(super) fn early_outcome(guard: &Guard, current: CurrentState) -> Option<Outcome> {
    precondition_outcome(guard.conditions.test(Some(current)), current)
}

fn precondition_outcome(verdict: Verdict, current: CurrentState) -> Option<Outcome> {
    match verdict {
        Verdict::Met => None,
        Verdict::Changed => Some(Outcome::Refused(Refusal::Precondition)),
        Verdict::Unchanged(coding) => {
            Some(Outcome::Unchanged { tag: current.tag, passed: current.passed, coding })
        }
    }
}

fn collection(
    session: &mut impl ReadSession,
    model: &Arc<Model>,
    plan: &Plan,
    steps: PageSteps<'_>,
    sink: &mut Sink,
    current: CurrentState,
) -> Result<Outcome, Failure> {
    let bytes_max = session.bytes_max(plan, sink);
    let statements = &mut session.acting_for(&plan.caller);
    if let Some(outcome) = early_outcome(&plan.guard, current) {
        let broken = refusal::broken(statements, model, steps.list)?;
        return Ok(broken.map_or(outcome, Outcome::Refused));
    }
    read_page(statements, model, steps, sink, bytes_max, current)
}

/// Reads a page of a collection, or finds the first ancestor in the URL that does not exist. A page
/// of more than `bytes_max` bytes is an error.
pub(super) fn read_page(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    PageSteps { list, count }: PageSteps<'_>,
    sink: &mut Sink,
    bytes_max: usize,
    CurrentState { tag, modified, .. }: CurrentState,
) -> Result<Outcome, Failure> {
    let page = match sink {
        Sink::Json(json) => {
            let size_max = limits::PAGE_BYTES_MAX;
            page(statements, model, list, json, PageBounds { size_max, bytes_max })?
        }
        sink => {
            let size_max = sink.size_max();
            page(statements, model, list, sink, PageBounds { size_max, bytes_max })?
        }
    };
    if !page.whole
        && let Some(refusal) = refusal::broken(statements, model, list)?
    {
        return Ok(Outcome::Refused(refusal));
    }
    let total = count.map(|count| total(statements, model, count)).transpose()?;
    Ok(Outcome::Page { ends: page.ends, has_more: page.has_more, total, tag, modified })
}

/// The statements of a page. `list` reads the members; `count` reads their total number, if the
/// request asks for it.
#[derive(Clone, Copy)]
pub(super) struct PageSteps<'p> {
    pub(super) list: &'p Step,
    pub(super) count: Option<&'p Step>,
}

/// The limits on the size of a page, in bytes.
struct PageBounds {
    /// The size at which a page ends early. The rest of its members are on the next page.
    size_max: usize,
    /// The size above which this thread stops reading and returns an error.
    bytes_max: usize,
}

/// The result of reading a page of members.
#[derive(Default)]
struct PageRead {
    /// The number of members that were rendered.
    count: i64,
    ends: Ends,
    has_more: bool,
    /// Whether the statement returned a row. In a nested collection, a row proves that all
    /// ancestors in the URL exist, because an empty page is returned as one row of NULLs.
    whole: bool,
}

/// Reads a page that has at most `size_max` bytes, but at least one member. If the page would be
/// larger, it is read twice. The first pass counts how many members fit, and the second pass
/// renders them.
fn page(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    list: &Step,
    sink: &mut impl RowSink,
    PageBounds { size_max, bytes_max }: PageBounds,
) -> Result<PageRead, Failure> {
    let is_reversed = matches!(list.shape, Shape::List { part: Part::Earlier, .. });
    let end = if is_reversed { End::Last } else { End::First };
    let mut sizes = Sizes::new(sink, size_max.min(bytes_max), end);
    let page = limited(statements, model, list, i64::MAX, sink, &mut sizes)?;
    let Some(early) = sizes.early() else { return Ok(page) };
    if bytes_max < size_max {
        return Err(Failure::too_large());
    }
    sink.reset();
    let mut sizes = Sizes::new(sink, usize::MAX, end);
    let mut page = limited(statements, model, list, early.members.into(), sink, &mut sizes)?;
    page.ends.early = Some(early);
    Ok(page)
}

/// Reads at most `members_max` members of a page. The statement requests one more row, which shows
/// whether more members follow.
fn limited<S: Statements>(
    statements: &mut CallerStatements<'_, S>,
    model: &Arc<Model>,
    list: &Step,
    members_max: i64,
    sink: &mut impl RowSink,
    sizes: &mut Sizes,
) -> Result<PageRead, Failure> {
    let (Shape::List { sort, part, .. }, Some(columns)) =
        (&list.shape, Columns::of(model, &list.shape))
    else {
        return Err(Failure::internal("a page plan must start with a list"));
    };
    let no_limit = || Failure::internal("the values of a list have no limit");
    let limit = list.limit().ok_or_else(no_limit)?.min(members_max);
    let values_of = |row: &S::Row<'_>| {
        Some(sort.iter().map(|key| row.value(columns.field(key.field))).collect())
    };
    let notes_first = matches!(part, Part::Later | Part::Earlier);
    let mut last = if *part == Part::Counted { 0 } else { limit };
    let one_more = Value::Integer(limit.saturating_add(1));
    let mut page = PageRead::default();
    statements.query(model, &list.shape, RunInputs::from(list).limited(&one_more), |row| {
        let is_first = !std::mem::replace(&mut page.whole, true);
        if row.revision().is_none() {
            return false;
        }
        if *part == Part::Earlier {
            if is_first {
                let rows = rows(row, columns.rows());
                page.has_more = rows > limit;
                last = rows.min(limit);
                if page.has_more {
                    return true;
                }
            }
        } else if page.count >= limit {
            page.has_more = true;
            return false;
        }
        let before = sink.size();
        sink.row(model, row);
        priority::yield_slice(sink.size() - before);
        if !sizes.add(sink) {
            return false;
        }
        page.count += 1;
        if notes_first && page.count == 1 {
            page.ends.first = values_of(row);
        }
        if page.count == last {
            page.ends.last = values_of(row);
        }
        true
    })?;
    Ok(page)
}

/// Returns the total number of rows. A window function puts this number into the cell with index
/// `at` of every row. Returns 0 if the cell has no integer.
fn rows(row: &impl Row, at: usize) -> i64 {
    match row.cell(at) {
        Cell::Integer(rows) => rows,
        _ => 0,
    }
}

pub(super) fn total(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    count: &Step,
) -> Result<u64, Failure> {
    let mut total = 0;
    statements.query(model, &count.shape, count, |row| {
        total = row.revision().unwrap_or_default();
        false
    })?;
    Ok(total)
}
