//! What the log says of slow reads: of each question once, with what would make it fast.

use std::sync::{Mutex, PoisonError};

use ahash::AHashSet;

use crate::{
    limits,
    model::{Model, SortKey},
    plan::{Filter, Place, Plan, Shape},
    sql::Advice,
};

/// The questions of which the log has a line.
#[derive(Default)]
pub(super) struct Told(Mutex<AHashSet<(Place, Filter, Vec<SortKey>)>>);

impl Told {
    /// Says of a plan that it is slow, unless that was said.
    pub(super) fn tell(&self, model: &Model, plan: &Plan) {
        let Some(Shape::List { place, filter, sort, .. }) = plan.steps.first().map(|step| &step.shape) else {
            return;
        };
        if self.is_new(*place, filter, sort) {
            let Advice { filter, order, advice } = Advice::on(model, *place, filter, sort);
            let resource = model[place.resource].def.name;
            tracing::warn!(target: "nouns", resource, filter, order, "a read takes long: {advice}");
        }
    }

    /// Whether there was room to note a question that was not there.
    fn is_new(&self, place: Place, filter: &Filter, sort: &[SortKey]) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.len() < limits::SLOW_TOLD_MAX && told.insert((place, filter.clone(), sort.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{FieldIx, ResourceIx},
        plan::Op,
    };

    #[test]
    fn a_question_is_told_once_and_no_more_than_so_many_are() {
        let told = Told::default();
        let place = Place { resource: ResourceIx(0), depth: 0 };
        let asked = |count| Filter::Test { field: FieldIx(1), op: Op::In(count) };
        assert!(told.is_new(place, &asked(2), &[]));
        assert!(!told.is_new(place, &asked(2), &[]));
        assert!(told.is_new(Place { depth: 1, ..place }, &asked(2), &[]), "elsewhere it is another");
        let told_of = (0..1000).filter(|count| told.is_new(place, &asked(*count + 3), &[])).count();
        assert_eq!(told_of, limits::SLOW_TOLD_MAX - 2);
    }
}
