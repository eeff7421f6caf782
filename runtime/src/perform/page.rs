//! Reads a web page: the rows of its action, and then its look-ups. What takes too long is left
//! out.

use crate::{
    base::{error::Error, hash::StableHasher, visible::is_visible},
    model::{FieldIx, Model, ResourceIx, value::Value},
    plan::{
        BoundedCount, FieldTally, FoundChoices, FoundLookups, LookupRows, Outcome,
        PAGE_CHOICES_MAX, PAGE_COUNT_MAX, PAGE_LABELS_MAX, Plan, Shape, Sources, Step,
        validator::NO_TAG,
    },
    request::{
        action::Action,
        lookups::{IdsOfResources, PageLookups, TallyLookup},
    },
    store::{
        PlanResult, Store,
        sink::{CellSink, Sink},
    },
};

/// The longest label, in characters.
const LABEL_CHARACTERS: usize = 120;

/// Reads a page. Its validator depends on all tables that the page is made from.
pub(super) async fn read(
    store: &Store,
    action: &mut Action,
    mut plan: Plan,
    sink: Sink,
) -> Result<PlanResult, Error> {
    let lookups = PageLookups::of(store.model(), action);
    if plan.steps.is_empty() {
        let mut result = PlanResult::new(Outcome::Static, sink);
        add(store, &lookups, &plan, &mut result).await?;
        return Ok(result);
    }
    // The tables are looked at before they are read. So a validator is never newer than its page.
    let state = state(store, &lookups).await?;
    if let Some(reads) = &mut plan.reads {
        reads.seed = StableHasher::new().number(reads.seed).number(state).finish();
    }
    let mut result = store.read(&plan, sink).await?;
    if !matches!(result.outcome, Outcome::Page { .. } | Outcome::Members { .. }) {
        return Ok(result);
    }
    let is_momentary = lookups.places().any(|place| store.model().is_momentary(place));
    let is_partial = add(store, &lookups, &plan, &mut result).await? || is_momentary;
    match &mut result.outcome {
        Outcome::Page { tag, .. } if is_partial => *tag = NO_TAG,
        Outcome::Members { .. } => action.looked_up = look(&result.sink),
        _ => {}
    }
    Ok(result)
}

/// A hash of the labels on the page of a member.
fn look(sink: &Sink) -> Option<u32> {
    let Sink::Cells(CellSink { found, .. }) = sink else { return None };
    let hash = found.labels.iter().fold(StableHasher::new(), |hash, (resource, id, label)| {
        hash.number(resource.0.into()).text(id).text(label)
    });
    (!found.labels.is_empty()).then(|| (hash.finish() >> 32) as u32)
}

/// A hash of the state of the tables that a page is made from besides its own.
async fn state(store: &Store, lookups: &PageLookups) -> Result<u64, Error> {
    let mut hash = StableHasher::new();
    for place in lookups.places() {
        let state = store.state(Sources { seed: 0, place }).await?;
        hash = hash.number(state.map_or(0, |state| state.number));
    }
    Ok(hash.finish())
}

/// Adds what the look-ups find to the cells of a page. Returns whether something was left out.
async fn add(
    store: &Store,
    lookups: &PageLookups,
    plan: &Plan,
    result: &mut PlanResult,
) -> Result<bool, Error> {
    let Sink::Cells(cells) = &mut result.sink else { return Ok(false) };
    let mut run = LookupRun { store, lookups, plan, found: FoundLookups::default(), statements: 0 };
    run.labels(ids(store.model(), lookups, cells)).await?;
    run.tallies().await?;
    run.choices_and_counts().await?;
    run.labels_of_tallies().await?;
    let LookupRun { mut found, statements, .. } = run;
    found.labels.sort();
    let is_partial = found.is_partial;
    cells.found = found;
    result.statements += statements;
    Ok(is_partial)
}

/// The ids of the members that a page refers to, if these have labels.
fn ids(model: &Model, lookups: &PageLookups, cells: &CellSink) -> IdsOfResources {
    let mut ids = IdsOfResources::new();
    for (resource, id) in lookups.ancestors.iter().filter(|(above, _)| lookups.has_label(*above)) {
        ids.entry(*resource).or_default().insert(id.clone());
    }
    let columns = cells.columns(model);
    for (_, row) in cells.rows(columns.len()) {
        for (field, id) in columns.iter().zip(row) {
            let target = field.target.filter(|target| lookups.has_label(*target));
            if let Some((target, id)) = target.zip(id) {
                let known = ids.entry(target).or_default();
                if known.len() < PAGE_LABELS_MAX && !known.contains(id) {
                    known.insert(id.to_owned());
                }
            }
        }
    }
    ids
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

    async fn labels(&mut self, ids: IdsOfResources) -> Result<(), Error> {
        let model = self.store.model();
        let steps = self.lookups.label_steps(model, &ids);
        let found = self.rows(&steps).await?;
        for (step, found) in steps.iter().zip(found) {
            let Shape::Labels { place, label } = &step.shape else { continue };
            for row in found.rows {
                if let Some((id, Some(label))) = texts(model, (place.resource, *label), &row) {
                    self.found.labels.push((place.resource, id, label));
                }
            }
        }
        Ok(())
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
    fn tallied(
        &self,
        tally: &TallyLookup,
        found: &LookupRows,
    ) -> Option<Vec<(String, BoundedCount)>> {
        let read = found.rows.first().map_or(0, |row| integer(row.get(2)));
        if !found.is_complete || read > i64::from(PAGE_COUNT_MAX) {
            return None;
        }
        let value = |row: &Vec<Value>| {
            let value = row.first().filter(|value| !value.is_null())?;
            let count = BoundedCount::of(integer(row.get(1)), PAGE_COUNT_MAX);
            Some((self.spell(tally, value), count))
        };
        Some(found.rows.iter().filter_map(value).collect())
    }

    /// Returns the count of each declared value; `None` if one could not be counted.
    fn counted(
        &self,
        tally: &TallyLookup,
        found: &[LookupRows],
    ) -> Option<Vec<(String, BoundedCount)>> {
        let count = |(value, found): (&Value, &LookupRows)| {
            let members = found.rows.first().filter(|_| found.is_complete)?.first();
            let count = BoundedCount::of(integer(members), PAGE_COUNT_MAX);
            Some((self.spell(tally, value), count))
        };
        let mut counts: Vec<_> =
            tally.values.iter().zip(found).map(count).collect::<Option<_>>()?;
        counts.retain(|(_, count)| count.members > 0);
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(count.members));
        Some(counts)
    }

    fn spell(&self, tally: &TallyLookup, value: &Value) -> String {
        value.spell(self.store.model()[tally.resource()][tally.field].kind)
    }

    async fn choices_and_counts(&mut self) -> Result<(), Error> {
        let lookups = self.lookups;
        let steps: Vec<_> = lookups.choice_steps().chain(lookups.count_steps()).collect();
        let mut found = self.rows(&steps).await?.into_iter();
        for ((target, label), rows) in lookups.choices.iter().zip(&mut found) {
            let choices = choices(self.store.model(), (*target, *label), &rows);
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

    /// Looks up the labels of counted references that the rows of the page do not have.
    async fn labels_of_tallies(&mut self) -> Result<(), Error> {
        let mut ids = IdsOfResources::new();
        for (tally, lookup) in self.found.tallies.iter().flat_map(|tally| {
            self.lookups
                .tallies
                .iter()
                .filter(|one| one.field == tally.field)
                .map(move |one| (tally, one))
        }) {
            let field = &self.store.model()[lookup.resource()][tally.field];
            let Some(target) = field.target.filter(|target| self.lookups.has_label(*target)) else {
                continue;
            };
            let is_known = |id: &str| {
                self.found.labels.iter().any(|(of, known, _)| *of == target && known == id)
            };
            let unknown = tally.values.iter().map(|(id, _)| id).filter(|id| !is_known(id));
            ids.entry(target).or_default().extend(unknown.cloned());
        }
        ids.retain(|_, ids| !ids.is_empty());
        self.labels(ids).await
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
    let resource = &model[resource];
    let id = id.spell(resource[FieldIx::ID].kind);
    let has_label = label != FieldIx::ID && !text.is_null();
    let label = has_label.then(|| beginning(&text.spell(resource[label].kind)));
    Some((id, label.filter(|label| is_visible(label))))
}

/// Returns the beginning of a label, with `…` if it has more characters.
fn beginning(label: &str) -> String {
    match label.char_indices().nth(LABEL_CHARACTERS) {
        Some((end, _)) => [&label[..end], "…"].concat(),
        None => label.to_owned(),
    }
}

fn integer(value: Option<&Value>) -> i64 {
    if let Some(Value::Integer(value)) = value { *value } else { 0 }
}
