//! Deletions, and the limit on the rows that one deletion may change. For a deletion by a filter, a
//! read thread finds the ids of the members. The writer deletes only members with these ids.

use super::{Engine, PlanResult, Store, job::too_many_rows, sink::Sink};
use crate::{
    base::error::Error,
    model::value::Value,
    plan::{Outcome, Plan, Shape, Step},
};

impl Store {
    /// Sets the largest number of rows that one deletion may change. Rows that change because they
    /// refer to deleted rows are counted. The default is 100,000. A deletion that exceeds the limit
    /// is refused with 409 and changes nothing.
    #[must_use]
    pub fn with_deletion_rows_max(self, rows: u64) -> Self {
        match &self.engine {
            Engine::Sqlite(engine) => engine.set_deletion_rows_max(rows),
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.set_deletion_rows_max(rows),
        }
        self
    }

    fn deletion_rows_max(&self) -> u64 {
        match &self.engine {
            Engine::Sqlite(engine) => engine.deletion_rows_max(),
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.deletion_rows_max(),
        }
    }

    /// Adds the ids of the members that match now to a deletion by a filter. Returns the number of
    /// statements that found the ids. Any other plan stays as it is, and the number is 0.
    ///
    /// The transaction tests the filter and the ids in the URL again for each member. So a member
    /// that no longer matches is not deleted. A member that starts to match after the search is not
    /// deleted either, as if it had matched only after the deletion.
    pub(super) async fn find_ids(&self, plan: &mut Plan) -> Result<u32, Error> {
        let rows_max = self.deletion_rows_max();
        let Some(find) = finding(plan, rows_max) else { return Ok(0) };
        let PlanResult { outcome, statements, .. } = self.read(&find, Sink::Nothing).await?;
        let Outcome::Ids(mut ids) = outcome else {
            return Err(Error::internal("a plan that finds ids returned another outcome"));
        };
        // Preconditions take precedence over the limit. If the request has preconditions, the
        // writer tests them first, and then refuses a deletion of this many rows.
        if ids.len() as u64 > rows_max && plan.guard.is_open() {
            return Err(too_many_rows(rows_max));
        }
        ids.sort_by(Value::cmp_id);
        for step in &mut plan.steps {
            if let Shape::DeleteMany { place, listed, .. } = &mut step.shape {
                *listed = true;
                step.values.insert(usize::from(place.depth), Value::Text(json(&ids)));
            }
        }
        Ok(statements)
    }
}

/// Returns the plan that finds the members of a deletion by a filter. It finds at most one member
/// more than the limit. Returns `None` if the deletion is not by a filter.
fn finding(plan: &Plan, rows_max: u64) -> Option<Plan> {
    let [Step { shape: Shape::DeleteMany { place, filter, listed: false }, values }] =
        plan.steps.as_slice()
    else {
        return None;
    };
    let shape = Shape::Ids { place: *place, filter: filter.clone(), listed: false };
    let limit = i64::try_from(rows_max).map_or(i64::MAX, |most| most.saturating_add(1));
    let values = values.iter().cloned().chain([Value::Integer(limit)]).collect();
    let steps = vec![Step { shape, values }];
    let (caller, client) = (plan.caller.clone(), plan.client);
    Some(Plan { caller, client, ..Plan::read(None, steps) })
}

/// Formats ids as a JSON array, to be bound as one value of a statement.
fn json(ids: &[Value]) -> String {
    let id = |id: &Value| match id {
        Value::Integer(id) => (*id).into(),
        Value::Text(id) => serde_json::Value::from(id.as_str()),
        Value::Null | Value::Number(_) | Value::Password(_) => serde_json::Value::Null,
    };
    serde_json::Value::Array(ids.iter().map(id).collect()).to_string()
}
