//! Which lists are fast. A list has to prove itself on a thread of a pool before it may keep others
//! waiting on a lane.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use foldhash::HashMap;

use crate::plan::Shape;

/// The time up to which a list is fast.
const FAST_TIME_MAX: Duration = Duration::from_millis(20);
/// The time for which a list that was slow runs on threads of the pool.
const SLOW_FOR: Duration = Duration::from_secs(60);
/// The maximum number of lists that are known. More of them are learnt again.
const KNOWN_MAX: usize = 4096;

/// The lists that are known to be fast or slow.
#[derive(Default)]
pub(super) struct ProvenShapes(Mutex<HashMap<Shape, Pace>>);

#[derive(Clone, Copy)]
enum Pace {
    Fast,
    SlowUntil(Instant),
}

impl ProvenShapes {
    /// Whether a statement may run on a lane. One that reads or writes a single member by its id
    /// may always.
    pub(super) fn admits(&self, shape: &Shape) -> bool {
        let is_page = matches!(shape, Shape::List { .. });
        !is_page || matches!(self.lock().get(shape), Some(Pace::Fast))
    }

    /// Records how long a list has taken on a thread of a pool.
    pub(super) fn note(&self, shape: &Shape, took: Duration) {
        if !matches!(shape, Shape::List { .. }) {
            return;
        }
        let mut known = self.lock();
        let is_held =
            |pace: &Pace| matches!(pace, Pace::SlowUntil(until) if Instant::now() < *until);
        if took > FAST_TIME_MAX || known.get(shape).is_some_and(is_held) {
            return;
        }
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(shape.clone(), Pace::Fast);
    }

    /// Records that a list was slow on a lane.
    pub(super) fn note_slow(&self, shape: &Shape) {
        if matches!(shape, Shape::List { .. }) {
            self.lock().insert(shape.clone(), Pace::SlowUntil(Instant::now() + SLOW_FOR));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Shape, Pace>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
