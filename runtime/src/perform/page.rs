//! Reads a web page: the rows of its action, and then its look-ups. What takes too long is left
//! out.

use super::{Plan, PlanResult};
use crate::{
    base::{error::Error, visible::is_visible},
    model::{FieldIx, Model, ResourceIx, value::Value},
    plan::{
        BoundedCount, FieldTally, FoundChoices, FoundLookups, LookupRows, Outcome,
        PAGE_CHOICES_MAX, PAGE_COUNT_MAX, Step, TalliedValue, label_of, validator::NO_TAG,
    },
    request::{
        action::Action,
        lookups::{PageLookups, TallyLookup},
    },
    store::{Store, sink::Sink},
};

/// Reads a page. Its validator depends on all tables that the page is made from.
pub(super) async fn read(
    store: &Store,
    action: &Action,
    plan: Plan,
    sink: Sink,
) -> Result<PlanResult, Error> {
    let mut result = match plan.steps.is_empty() {
        true => PlanResult::new(Outcome::Static, sink),
        // The state of the tables is read with the rows, and the look-ups come later. So a
        // validator is never newer than its page.
        false => store.read(&plan, sink).await?,
    };
    if !matches!(result.outcome, Outcome::Static | Outcome::Page { .. } | Outcome::Members { .. }) {
        return Ok(result);
    }
    let is_partial = add(store, action, &plan, &mut result).await?;
    if is_partial && let Outcome::Page { tag, .. } = &mut result.outcome {
        *tag = NO_TAG;
    }
    Ok(result)
}

/// Adds what the look-ups find to the cells of a page. Returns whether something was left out.
async fn add(
    store: &Store,
    action: &Action,
    plan: &Plan,
    result: &mut PlanResult,
) -> Result<bool, Error> {
    let (Sink::Cells(cells), Some(page)) = (&mut result.sink, &action.page) else {
        return Ok(false);
    };
    let lookups = &page.lookups;
    let mut run = LookupRun { store, lookups, plan, found: FoundLookups::default(), statements: 0 };
    run.tallies().await?;
    run.others().await?;
    let LookupRun { found, statements, .. } = run;
    let is_partial = found.is_partial;
    cells.found = found;
    result.statements += statements;
    Ok(is_partial)
}

/// The look-ups of a page while they run.
struct LookupRun<'r> {
    store: &'r Store,
    lookups: &'r PageLookups,
    plan: &'r Plan,
    found: FoundLookups,
    statements: u32,
}

impl LookupRun<'_> {
    async fn rows(&mut self, steps: &[Step]) -> Result<Vec<LookupRows>, Error> {
        if steps.is_empty() {
            return Ok(vec![]);
        }
        let (found, statements) = self.store.look_up(steps, &self.plan.caller).await?;
        self.statements += statements;
        self.found.is_partial |= found.iter().any(|rows| !rows.is_complete);
        Ok(found)
    }

    /// Counts the values of fields. Where a statement for all values takes too long or reads too
    /// many members, each declared value is counted alone.
    async fn tallies(&mut self) -> Result<(), Error> {
        let lookups = self.lookups;
        for tally in &lookups.tallies {
            let was_partial = self.found.is_partial;
            let rows = self.rows(&[tally.step()]).await?;
            let mut values = rows.first().and_then(|found| self.tallied(tally, found));
            if values.is_none() && !tally.values.is_empty() {
                self.found.is_partial = was_partial;
                let steps: Vec<_> = tally.value_steps().collect();
                let counts = self.rows(&steps).await?;
                values = self.counted(tally, &counts);
            }
            let field = tally.field;
            self.found.tallies.extend(values.map(|values| FieldTally { field, values }));
        }
        Ok(())
    }

    /// Returns the frequent values and their counts; `None` if not all members were counted.
    fn tallied(&self, tally: &TallyLookup, found: &LookupRows) -> Option<Vec<TalliedValue>> {
        let read = found.rows.first().map_or(0, |row| integer(row.get(2)));
        if !found.is_complete || read > i64::from(PAGE_COUNT_MAX) {
            return None;
        }
        let value = |row: &Vec<Value>| {
            let value = row.first().filter(|value| !value.is_null())?;
            let count = BoundedCount::of(integer(row.get(1)), PAGE_COUNT_MAX);
            let model = self.store.model();
            let label = tally.label(model).zip(row.last());
            let label = label.and_then(|(label, text)| spelled(model, label, text));
            Some(TalliedValue { value: self.spell(tally, value), label, count })
        };
        Some(found.rows.iter().filter_map(value).collect())
    }

    /// Returns the count of each declared value; `None` if one could not be counted.
    fn counted(&self, tally: &TallyLookup, found: &[LookupRows]) -> Option<Vec<TalliedValue>> {
        let count = |(value, found): (&Value, &LookupRows)| {
            let members = found.rows.first().filter(|_| found.is_complete)?.first();
            let count = BoundedCount::of(integer(members), PAGE_COUNT_MAX);
            Some(TalliedValue { value: self.spell(tally, value), label: None, count })
        };
        let mut counts: Vec<_> =
            tally.values.iter().zip(found).map(count).collect::<Option<_>>()?;
        counts.retain(|one| one.count.members > 0);
        counts.sort_by_key(|one| std::cmp::Reverse(one.count.members));
        Some(counts)
    }

    fn spell(&self, tally: &TallyLookup, value: &Value) -> String {
        value.spell(self.store.model()[tally.resource()][tally.field].kind)
    }

    /// Looks up the labels of ancestors, choices and counts, which do not depend on each other.
    async fn others(&mut self) -> Result<(), Error> {
        let (lookups, model) = (self.lookups, self.store.model());
        let steps: Vec<_> = lookups
            .ancestor_steps()
            .chain(lookups.choice_steps())
            .chain(lookups.count_steps())
            .collect();
        let mut found = self.rows(&steps).await?.into_iter();
        for above in &lookups.ancestors {
            let found = above.label.and_then(|label| {
                let rows = found.next()?.rows;
                spelled(model, (above.resource, label), rows.first()?.last()?)
            });
            self.found.ancestors.push(found);
        }
        for ((target, label), rows) in lookups.choices.iter().zip(&mut found) {
            let choices = choices(model, (*target, *label), &rows);
            self.found.choices.push((*target, choices));
        }
        for (resource, rows) in lookups.counts.iter().zip(found) {
            if let Some(row) = rows.rows.first().filter(|_| rows.is_complete) {
                let count = BoundedCount::of(integer(row.first()), PAGE_COUNT_MAX);
                self.found.counts.push((*resource, count));
            }
        }
        Ok(())
    }
}

/// Returns the choices in the rows of a look-up. If it was not completed, none are known.
fn choices(
    model: &Model,
    (target, label): (ResourceIx, FieldIx),
    found: &LookupRows,
) -> FoundChoices {
    let most = PAGE_CHOICES_MAX as usize;
    let members = found.rows.iter().take(most);
    let members = members.filter_map(|row| texts(model, (target, label), row)).collect();
    FoundChoices { members, has_more: !found.is_complete || found.rows.len() > most }
}

/// Returns the id and the label in a row as texts. A label is absent if it is the id, or if
/// nobody would see it.
fn texts(
    model: &Model,
    (resource, label): (ResourceIx, FieldIx),
    row: &[Value],
) -> Option<(String, Option<String>)> {
    let [id, text] = row else { return None };
    let id = id.spell(model[resource][FieldIx::ID].kind);
    let label = if label == FieldIx::ID { None } else { spelled(model, (resource, label), text) };
    Some((id, label))
}

/// Returns a label as text; `None` if there is none, or if nobody would see it.
fn spelled(
    model: &Model,
    (resource, label): (ResourceIx, FieldIx),
    text: &Value,
) -> Option<String> {
    let text = (!text.is_null()).then(|| text.spell(model[resource][label].kind))?;
    Some(label_of(&text).into_owned()).filter(|label| is_visible(label))
}

fn integer(value: Option<&Value>) -> i64 {
    if let Some(Value::Integer(value)) = value { *value } else { 0 }
}
