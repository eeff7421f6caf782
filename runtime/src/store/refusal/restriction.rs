//! The members that restrict a deletion.

use std::sync::Arc;

use crate::{
    model::{Model, Referrer, def::OnDelete},
    plan::{Refusal, Restriction, Step},
    store::{
        failure::Failure,
        session::{CallerStatements, Statements},
        sql,
    },
};

/// The maximum number of references in a path from a deleted row to a row that prevents the
/// deletion (`ON DELETE RESTRICT`).
const PATH_MAX: usize = 8;
/// The maximum number of paths of one length that are searched for rows that prevent a deletion.
/// The paths consist of `ON DELETE CASCADE` references.
const PATHS_MAX: usize = 64;

/// Returns the refusal that names the resources whose members restrict a deletion. Members that
/// refer directly to the deleted members come first. If there are none, members that refer to rows
/// deleted by cascade are searched.
pub(super) fn restricted(
    statements: &mut CallerStatements<'_, impl Statements>,
    model: &Arc<Model>,
    step: &Step,
) -> Result<Option<Refusal>, Failure> {
    let cascades = cascades(model, step);
    for paths in cascades.chunk_by(|one, other| one.len() == other.len()) {
        let nearest = &cascades[..cascades.len().min(PATHS_MAX)];
        let found = restricting(statements, model, step, paths, nearest)?;
        if !found.is_empty() {
            return Ok(Some(Refusal::Restricted(found)));
        }
    }
    // A row restricts the deletion, but none of the searched paths leads to it.
    Ok(Some(Refusal::Restricted(vec![])))
}

/// Returns the paths over which a deletion deletes further members, and the empty path to its own
/// members. Short paths come first.
fn cascades(model: &Model, step: &Step) -> Vec<Vec<Referrer>> {
    let mut all: Vec<Vec<Referrer>> = vec![];
    let mut paths = vec![vec![]];
    for _ in 0..PATH_MAX {
        let next = longer(model, step, &paths, OnDelete::Cascade).take(PATHS_MAX).collect();
        all.append(&mut std::mem::replace(&mut paths, next));
    }
    all
}

/// Extends each path of references by one more reference with this `on_delete` action. Returns one
/// path for each such reference.
fn longer<'p>(
    model: &'p Model,
    step: &'p Step,
    paths: &'p [Vec<Referrer>],
    on_delete: OnDelete,
) -> impl Iterator<Item = Vec<Referrer>> + 'p {
    paths.iter().flat_map(move |path| {
        let end = &model[sql::ends_at(&step.shape, path)];
        let referrers =
            end.referrers.iter().filter(move |referrer| referrer.on_delete == on_delete);
        referrers.map(|referrer| [path.as_slice(), &[*referrer]].concat())
    })
}

fn restricting<S: Statements>(
    statements: &mut CallerStatements<'_, S>,
    model: &Arc<Model>,
    step: &Step,
    paths: &[Vec<Referrer>],
    cascades: &[Vec<Referrer>],
) -> Result<Vec<Restriction>, Failure> {
    let mut found = vec![];
    let rules = step.shape.place().rules;
    // A resource is not named if the caller may not see which of its fields refers to the member.
    let is_named = |path: &Vec<Referrer>| {
        path.iter().all(|one| !model.withholds(rules, one.resource, one.field))
    };
    for path in longer(model, step, paths, OnDelete::Restrict).filter(is_named) {
        let statement = sql::restricting(&step.shape, &path, cascades, model, S::DIALECT);
        let mut any = false;
        statements.query_statement(&statement, step, |_| {
            any = true;
            false
        })?;
        let (Some((last, above)), true) = (path.split_last(), any) else { continue };
        let through = above.last().map(|above| above.resource);
        let restriction = Restriction { by: last.resource, through };
        if !found.contains(&restriction) {
            found.push(restriction);
        }
    }
    Ok(found)
}
