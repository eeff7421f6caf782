//! The shapes of reads that are known to be fast or slow. A list has to prove itself alone before
//! it may keep others waiting on a lane.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use foldhash::HashMap;

use crate::plan::Shape;

/// The time up to which a list is fast.
const FAST_TIME_MAX: Duration = Duration::from_millis(20);
/// The time for which a list that was slow does not run on lanes, once it is fast again. It doubles
/// each time: on a busy machine, any statement is slow now and then.
const SLOW_FOR_MIN: Duration = Duration::from_millis(250);
const SLOW_FOR_MAX: Duration = Duration::from_secs(60);
/// The maximum number of shapes that are known. More of them are learnt again.
const KNOWN_MAX: usize = 4096;

/// The shapes that are known to be fast or slow.
#[derive(Default)]
pub(super) struct ProvenShapes(Mutex<HashMap<Shape, KnownPace>>);

#[derive(Clone, Copy)]
struct KnownPace {
    pace: Pace,
    /// When the shape was last slow, and for how long that keeps it off the lanes.
    slow: Option<(Instant, Duration)>,
}

#[derive(Clone, Copy)]
enum Pace {
    /// It may run on a lane.
    Fast,
    /// It was slow a while ago, so it does not run on a lane until then.
    Held(Instant),
    /// It runs among the slow reads, until one of its reads is fast.
    Slow,
}

impl ProvenShapes {
    /// Whether the pace of a shape is remembered. One that reads or writes a single member by its
    /// id is always fast, unless lists come with the member.
    pub(super) fn has(shape: &Shape) -> bool {
        match shape {
            Shape::List { .. } | Shape::Count { .. } | Shape::Ids { .. } => true,
            Shape::Get { selection, .. } => selection.related().has_lists(),
            _ => false,
        }
    }

    /// Whether a statement may run on a lane.
    pub(super) fn admits(&self, shape: &Shape) -> bool {
        !Self::has(shape) || matches!(self.pace(shape), Some(Pace::Fast))
    }

    /// Whether a statement has to run among the slow reads.
    pub(super) fn is_slow(&self, shape: &Shape) -> bool {
        matches!(self.pace(shape), Some(Pace::Slow))
    }

    /// Records how long a read has taken as a trial.
    pub(super) fn note(&self, shape: &Shape, took: Duration) {
        let is_held = match self.pace(shape) {
            Some(Pace::Held(until)) => Instant::now() < until,
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
        self.set(shape, Pace::Held(Instant::now() + SLOW_FOR_MAX));
    }

    /// Records that a read of a slow shape was fast.
    pub(super) fn forgive(&self, shape: &Shape) {
        let slow = self.lock().get(shape).and_then(|known| known.slow);
        if let (true, Some((_, time))) = (self.is_slow(shape), slow) {
            self.set(shape, Pace::Held(Instant::now() + time));
        }
    }

    fn pace(&self, shape: &Shape) -> Option<Pace> {
        self.lock().get(shape).map(|known| known.pace)
    }

    fn set(&self, shape: &Shape, pace: Pace) {
        let mut known = self.lock();
        if !Self::has(shape) {
            return;
        }
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        let (now, before) = (Instant::now(), known.get(shape).and_then(|known| known.slow));
        let slow = match (pace, before) {
            (Pace::Slow, Some((last, time))) if now < last + 2 * SLOW_FOR_MAX => {
                Some((now, (time * 2).min(SLOW_FOR_MAX)))
            }
            (Pace::Slow, _) => Some((now, SLOW_FOR_MIN)),
            _ => before,
        };
        known.insert(shape.clone(), KnownPace { pace, slow });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Shape, KnownPace>> {
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
        let time = || proven.lock()[&shape].slow.unwrap().1;
        let mut times = vec![time()];
        for _ in 0..9 {
            proven.note_slow(&shape);
            times.push(time());
        }
        assert!(times.windows(2).all(|pair| pair[1] == (pair[0] * 2).min(SLOW_FOR_MAX)));
        assert_eq!((times[0], times[9]), (SLOW_FOR_MIN, SLOW_FOR_MAX));
    }
}
