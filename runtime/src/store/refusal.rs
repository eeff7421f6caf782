//! The reasons for refusals. They are looked up only after a statement found no row or was rejected
//! by the database.

mod body_fields;
mod refused_members;
mod restriction;

use std::sync::Arc;

pub(super) use self::refused_members::RefusedMembers;
use self::{body_fields::BodyFields, restriction::restricted};
use crate::{
    base::error::Error,
    model::{FieldIx, Model, Place, RuleSet, value::Value},
    plan::{CallerValues, ConflictKind, LookColumns, Refusal, Shape, Step, WriteConflict},
    store::{
        failure::{Failure, FailureKind},
        raised,
        row::MemberRow as _,
        session::{CallerStatements, Statements, WriteSession},
        sql::parameters::RunInputs,
    },
};

/// The reason why a job (a queued write) was not done.
pub(super) enum JobError {
    /// The request is refused for a reason that the client can resolve.
    Refused(Refusal),
    /// A hook of user code has refused the write with this error.
    Declined(Error),
    /// Another error, after which the transaction cannot be used.
    Failed(Error),
}

impl From<Failure> for JobError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.into())
    }
}

/// Returns the refusal for a step (a statement with its values) that found no row. The refusal
/// names the first ancestor in the URL that does not exist, or the member if all ancestors exist.
pub(super) fn missing(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    step: &Step,
) -> Result<Refusal, Failure> {
    let place = step.shape.place();
    if let Some(refusal) = broken(statements, model, step)? {
        return Ok(refusal);
    }
    // The caller may see the member, but may not change or delete it.
    let key = &step.values[..=usize::from(place.depth)];
    let is_forbidden = step.shape.changes(model).is_some()
        && statements.finds(model, &Shape::Look { place: place.to_read(), fields: vec![] }, key)?;
    Ok(match is_forbidden {
        true => Refusal::Forbidden,
        false => Refusal::Missing { link: place.depth },
    })
}

/// Returns the number of members that a deletion by a filter should delete, because the caller may
/// see them. If an access rule keeps any of them, the whole deletion is refused. Returns 0 if there
/// is no such rule.
pub(super) fn to_delete(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    step: &Step,
) -> Result<u64, Failure> {
    match step.shape.changes(model) {
        Some(_) => matching(statements, model, step, step.shape.place()),
        None => Ok(0),
    }
}

/// Returns the number of rows of a place that match the filter of a deletion.
fn matching(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    step: &Step,
    place: Place,
) -> Result<u64, Failure> {
    let Shape::DeleteMany { filter, listed, .. } = &step.shape else { return Ok(0) };
    let shape = Shape::Ids { place, filter: filter.clone(), listed: *listed };
    let mut count = 0;
    let all = Value::Integer(i64::MAX);
    statements.query(model, &shape, RunInputs::from(step).limited(&all), |_| {
        count += 1;
        true
    })?;
    Ok(count)
}

/// Whether an access rule forbids a step that changes or deletes members, whatever its new values
/// are. So the caller learns that before the preconditions of the request are looked at (RFC 9110
/// §13.2.1).
pub(super) fn is_forbidden(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    step: &Step,
) -> Result<bool, Failure> {
    let (Some(change), Some(_)) = (step.shape.change(), step.shape.changes(model)) else {
        return Ok(false);
    };
    let place = step.shape.place();
    if let Shape::DeleteMany { .. } = step.shape {
        let due = matching(statements, model, step, place)?;
        return Ok(matching(statements, model, step, place.to_change(change))? < due);
    }
    let key = &step.values[..=usize::from(place.depth)];
    let shape = Shape::Look { place: place.to_change(change), fields: vec![] };
    Ok(!statements.finds(model, &shape, key)?)
}

/// Returns the refusal that names the first ancestor in the URL that does not exist. Returns `None`
/// if all ancestors exist.
pub(super) fn broken(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    step: &Step,
) -> Result<Option<Refusal>, Failure> {
    let place = step.shape.place();
    if place.depth == 0 {
        return Ok(None);
    }
    let mut missing = None;
    let chain = &step.values[..usize::from(place.depth)];
    statements.query(model, &Shape::Links { place }, chain, |row| {
        missing = (0..place.depth).find(|link| row.value((*link).into()) == Value::Integer(0));
        false
    })?;
    Ok(missing.map(|link| Refusal::Missing { link }))
}

/// Finds out why the database rejected a statement. The lookups see the changes that earlier steps
/// of the transaction have made.
pub(super) fn explain(
    session: &mut impl WriteSession,
    model: &Arc<Model>,
    caller: &CallerValues,
    at: usize,
    step: &Step,
    failure: Failure,
) -> JobError {
    if !session.is_open() {
        return failure.into();
    }
    let failure = match raised(session, model, step, failure) {
        Ok(declined) => return declined,
        Err(failure) => failure,
    };
    let statements = &mut session.acting_for(caller);
    let found = match (&step.shape, failure.kind) {
        (Shape::Insert { .. } | Shape::Update { .. }, FailureKind::Unique) => {
            unique_conflict(statements, model, at, step)
        }
        (Shape::Insert { .. } | Shape::Update { .. }, FailureKind::Reference) => {
            dangling(statements, model, step).map(|fields| refused(at, fields))
        }
        (
            Shape::Delete { .. } | Shape::DeleteMany { .. },
            FailureKind::Reference | FailureKind::Restriction | FailureKind::Raised,
        ) => restricted(statements, model, step),
        _ => Ok(None),
    };
    match found {
        Ok(Some(refusal)) => JobError::Refused(refusal),
        Ok(None) => failure.into(),
        Err(other) => other.into(),
    }
}

/// Returns the refusal of a trigger that somebody else has written, or the failure of any other
/// kind. SQLite has one code for all triggers, so the table must have one of others.
fn raised(
    session: &impl WriteSession,
    model: &Model,
    step: &Step,
    failure: Failure,
) -> Result<JobError, Failure> {
    #[cfg(feature = "postgres")]
    if failure.kind == FailureKind::Declined {
        return Ok(JobError::Declined(failure.into()));
    }
    let place = step.shape.place();
    let tables: &[_] = match step.shape {
        Shape::Delete { .. } | Shape::DeleteMany { .. } => &model[place.resource].deletes,
        _ => &[place.resource],
    };
    match failure.raised_text() {
        Some(text) if session.has_others_triggers(model, tables) => {
            Ok(JobError::Declined(raised::refusal(text)))
        }
        _ => Err(failure),
    }
}

/// Finds the first unique set of fields whose values another member already has. Returns the
/// refusal that names these fields.
fn unique_conflict(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    at: usize,
    step: &Step,
) -> Result<Option<Refusal>, Failure> {
    let body = BodyFields::of(model, step);
    let place = step.shape.place().flat(body.resource.ix);
    for fields in body.unique_sets() {
        let mut values = vec![];
        for field in &fields {
            values.push(body.value(statements, model, *field)?);
        }
        if values.iter().any(Value::is_null) {
            continue;
        }
        values.push(body.id.cloned().unwrap_or(Value::Null));
        if statements.finds(model, &Shape::Taken { place, fields: fields.clone() }, &values)? {
            return Ok(Some(WriteConflict { step: at, kind: ConflictKind::Taken, fields }.into()));
        }
    }
    Ok(None)
}

/// Finds references of a step (a statement with its values) to members that the access rules hide
/// from the caller. The database itself does not know the rules, and would accept these references.
///
/// Missing members and ancestors take precedence: if the member or an ancestor in the URL does not
/// exist, hidden references are not reported. A reference that the step does not change may point
/// to a hidden member.
pub(super) fn hidden(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    at: usize,
    step: &Step,
) -> Result<Option<Refusal>, Failure> {
    let place = step.shape.place();
    let body = BodyFields::of(model, step);
    if place.rules == RuleSet::NONE || !has_unseen(statements, model, &body)? {
        return Ok(None);
    }
    let mut fields = dangling(statements, model, step)?;
    if fields.is_empty() {
        return Ok(None);
    }
    // The server sets these references, so the client learns nothing from them.
    let caller = statements.caller();
    fields.retain(|ix| {
        !body.set(*ix).is_some_and(|value| caller.is_default(&body.resource[*ix], value))
    });
    let Some(id) = body.id else {
        let missing = broken(statements, model, step)?;
        return Ok(missing.or_else(|| refused(at, fields)));
    };
    let key = [&step.values[..usize::from(place.depth)], std::slice::from_ref(id)].concat();
    let columns = LookColumns(fields.len());
    let mut changed = vec![];
    statements.query(
        model,
        &Shape::Look { place, fields: fields.clone() },
        key.as_slice(),
        |row| {
            let is_new =
                |at: usize, ix: FieldIx| body.set(ix) != Some(&row.value(columns.field(at)));
            changed = fields
                .iter()
                .enumerate()
                .filter(|(at, ix)| is_new(*at, **ix))
                .map(|(_, ix)| *ix)
                .collect();
            false
        },
    )?;
    fields.retain(|ix| changed.contains(ix));
    Ok(refused(at, fields))
}

/// Returns the refusal for references that point to nothing, or `None` if there are none.
fn refused(at: usize, fields: Vec<FieldIx>) -> Option<Refusal> {
    let conflict = WriteConflict { step: at, kind: ConflictKind::Dangling, fields };
    (!conflict.fields.is_empty()).then(|| conflict.into())
}

/// Whether a step may set a reference to a member that the access rules hide from the caller.
#[cfg(feature = "postgres")]
pub(super) fn may_hide(model: &Model, caller: &CallerValues, step: &Step) -> bool {
    let body = BodyFields::of(model, step);
    let rules = step.shape.place().rules;
    body.columns.iter().any(|ix| {
        let (Some(target), Some(value)) = (body.resource[*ix].target, body.set(*ix)) else {
            return false;
        };
        !value.is_null()
            && !caller.is_default(&body.resource[*ix], value)
            && model.readable_rows(rules, target).is_some()
    })
}

/// Whether any reference in a body points to a member that the caller cannot see. The member may be
/// hidden by an access rule, or it may not exist.
fn has_unseen(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    body: &BodyFields<'_>,
) -> Result<bool, Failure> {
    let place = body.step.shape.place();
    for ix in body.columns.iter().copied() {
        let (Some(target), Some(value)) = (body.resource[ix].target, body.set(ix)) else {
            continue;
        };
        let is_own = statements.caller().is_default(&body.resource[ix], value);
        if value.is_null() || is_own || model.readable_rows(place.rules, target).is_none() {
            continue;
        }
        // A new member may refer to its own id, which does not exist yet.
        if body.id.is_none() && target == body.resource.ix && body.set(FieldIx::ID) == Some(value) {
            continue;
        }
        let shape = Shape::Exists { place: place.flat(target) };
        if !statements.finds(model, &shape, std::slice::from_ref(value))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns all references of a step to members that do not exist or that the caller cannot see.
fn dangling(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    step: &Step,
) -> Result<Vec<FieldIx>, Failure> {
    let body = BodyFields::of(model, step);
    let mut fields = vec![];
    // A nested URL sets the reference to the parent. The statement itself has tested the parent, so
    // only the columns in the body are tested.
    for ix in body.columns.iter().copied() {
        let (Some(target), Some(value)) = (body.resource[ix].target, body.set(ix)) else {
            continue;
        };
        let place = step.shape.place().flat(target);
        if !value.is_null()
            && !statements.finds(model, &Shape::Exists { place }, std::slice::from_ref(value))?
        {
            fields.push(ix);
        }
    }
    Ok(fields)
}
