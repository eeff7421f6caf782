//! The log of slow reads: one line per query shape, with the time of the read and the index that
//! would make it fast.

use std::{
    collections::HashSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use super::super::raw::Effort;
use crate::{
    base::limits,
    model::{Model, Place, SortKey},
    plan::{Filter, Plan, Shape},
    store::sql::Advice,
};

/// The cost of a read. The time in which the thread waits or sleeps does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// The CPU time that the thread spent on the read.
    pub(super) time: Duration,
    /// The work of the read's statements: the rows that they visited, and their steps in SQLite's
    /// virtual machine.
    pub(super) effort: Effort,
}

/// Logs slow reads, each query shape (resource, filter and sort order) once.
#[derive(Debug)]
pub(super) struct SlowLog {
    /// The minimum time of a slow read, in nanoseconds. `u64::MAX` turns the log off.
    nanos_min: AtomicU64,
    /// The query shapes that were already logged: resource, filter and sort order.
    questions: Mutex<HashSet<(Place, Filter, Vec<SortKey>)>>,
}

impl SlowLog {
    pub(super) fn new() -> Self {
        let log = Self { nanos_min: AtomicU64::default(), questions: Mutex::default() };
        log.set_min(Some(limits::SLOW_READ_TIME_MIN));
        log
    }

    /// Sets the minimum time of reads that are logged. `None` turns the log off.
    pub(super) fn set_min(&self, time: Option<Duration>) {
        let nanos = time.and_then(|time| u64::try_from(time.as_nanos()).ok());
        self.nanos_min.store(nanos.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Logs a read if it is a list, was slow, and its query shape was not logged before.
    pub(super) fn note(&self, model: &Model, plan: &Plan, cost: Cost) {
        let Some(Shape::List { place, filter, sort, .. }) =
            plan.steps.first().map(|step| &step.shape)
        else {
            return;
        };
        if self.is_slow(cost) && self.is_new(*place, filter, sort) {
            let Advice { filter, order, advice } = Advice::on(model, *place, filter, sort);
            let resource = model[place.resource].def.name;
            let milliseconds = u64::try_from(cost.time.as_millis()).unwrap_or(u64::MAX);
            let Effort { rows, steps } = cost.effort;
            tracing::warn!(
                target: "nouns",
                resource, filter, order, milliseconds, rows, steps,
                "a read is slow: {advice}"
            );
        }
    }

    fn is_slow(&self, cost: Cost) -> bool {
        let min = self.nanos_min.load(Ordering::Relaxed);
        min < u64::MAX && cost.time >= Duration::from_nanos(min)
    }

    /// Adds a query shape to the set of logged queries. Returns false if the shape was already in
    /// the set, or if the set is full.
    fn is_new(&self, place: Place, filter: &Filter, sort: &[SortKey]) -> bool {
        let mut questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        questions.len() < limits::SLOW_LOG_MAX
            && questions.insert((place, filter.clone(), sort.to_vec()))
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
    fn a_question_is_logged_once_and_no_more_than_so_many_are() {
        let log = SlowLog::new();
        let place = Place::new(ResourceIx(0), 0);
        let filter = |count| Filter::test(FieldIx(1), Op::In(count));
        assert!(log.is_new(place, &filter(2), &[]));
        assert!(!log.is_new(place, &filter(2), &[]));
        assert!(
            log.is_new(Place { depth: 1, ..place }, &filter(2), &[]),
            "the same filter at another place is another query"
        );
        let logged = (0..1000).filter(|count| log.is_new(place, &filter(*count + 3), &[])).count();
        assert_eq!(logged, limits::SLOW_LOG_MAX - 2);
    }

    #[test]
    fn a_read_is_slow_from_a_time_that_can_be_set() {
        let log = SlowLog::new();
        let is_slow =
            |millis| log.is_slow(Cost { time: Duration::from_millis(millis), ..Cost::default() });
        assert!(!is_slow(99) && is_slow(100));
        log.set_min(Some(Duration::from_millis(5)));
        assert!(!is_slow(4) && is_slow(5));
        log.set_min(None);
        assert!(!is_slow(u64::MAX));
    }
}
