//! Which reads are fast or slow. A list has to prove itself on a thread before it may keep others
//! waiting on a lane.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use foldhash::HashMap;

use crate::plan::Shape;

/// The time up to which a list is fast.
const FAST_TIME_MAX: Duration = Duration::from_millis(20);
/// The time for which a list that was slow does not run on lanes.
const SLOW_FOR: Duration = Duration::from_secs(60);
/// The maximum number of shapes that are known. More of them are learnt again.
const KNOWN_MAX: usize = 4096;

/// The shapes that are known to be fast or slow.
#[derive(Default)]
pub(super) struct ProvenShapes(Mutex<HashMap<Shape, Pace>>);

#[derive(Clone, Copy)]
enum Pace {
    /// It may run on a lane.
    Fast,
    /// It was slow a while ago, so it does not run on a lane until then.
    Held(Instant),
    /// It runs on the seats of slow reads, until one of its reads is fast.
    Slow,
}

impl ProvenShapes {
    /// Whether the pace of a shape is remembered. One that reads or writes a single member by its
    /// id is always fast.
    pub(super) const fn has(shape: &Shape) -> bool {
        matches!(shape, Shape::List { .. } | Shape::Count { .. } | Shape::Ids { .. })
    }

    /// Whether a statement may run on a lane.
    pub(super) fn admits(&self, shape: &Shape) -> bool {
        !Self::has(shape) || matches!(self.lock().get(shape), Some(Pace::Fast))
    }

    /// Whether a statement has to run on the seats of slow reads.
    pub(super) fn is_slow(&self, shape: &Shape) -> bool {
        matches!(self.lock().get(shape), Some(Pace::Slow))
    }

    /// Records how long a read has taken on a thread.
    pub(super) fn note(&self, shape: &Shape, took: Duration) {
        let is_held = match self.lock().get(shape) {
            Some(Pace::Held(until)) => Instant::now() < *until,
            Some(Pace::Slow) => true,
            Some(Pace::Fast) | None => false,
        };
        if took <= FAST_TIME_MAX && !is_held {
            self.set(shape, Pace::Fast);
        }
    }

    /// Records that a read took too long.
    pub(super) fn note_slow(&self, shape: &Shape) {
        self.set(shape, Pace::Slow);
    }

    /// Records that the rows of a read are too large for a lane.
    pub(super) fn note_large(&self, shape: &Shape) {
        self.set(shape, Pace::Held(Instant::now() + SLOW_FOR));
    }

    /// Records that a read of a slow shape was fast.
    pub(super) fn forgive(&self, shape: &Shape) {
        if self.is_slow(shape) {
            self.set(shape, Pace::Held(Instant::now() + SLOW_FOR));
        }
    }

    fn set(&self, shape: &Shape, pace: Pace) {
        let mut known = self.lock();
        if !Self::has(shape) {
            return;
        }
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(shape.clone(), pace);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Shape, Pace>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Place, ResourceIx},
        plan::Filter,
    };

    #[test]
    fn a_shape_proves_itself_and_a_slow_one_is_forgiven_but_stays_off_the_lanes() {
        let proven = ProvenShapes::default();
        let shape = Shape::Count { place: Place::new(ResourceIx(0), 0), filter: Filter::EVERY };
        let paces = || (proven.admits(&shape), proven.is_slow(&shape));
        assert_eq!(paces(), (false, false));
        proven.note(&shape, FAST_TIME_MAX * 2);
        assert_eq!(paces(), (false, false));
        proven.note(&shape, FAST_TIME_MAX);
        assert_eq!(paces(), (true, false));
        proven.note_slow(&shape);
        assert_eq!(paces(), (false, true));
        proven.note(&shape, Duration::ZERO);
        assert_eq!(paces(), (false, true), "one fast read among slow ones proves nothing");
        proven.forgive(&shape);
        assert_eq!(paces(), (false, false));
        proven.note(&shape, Duration::ZERO);
        assert_eq!(paces(), (false, false), "it was slow a moment ago");
    }
}
