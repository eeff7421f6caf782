//! [`AnswerSizes`]: the bytes that the stored responses to the idempotent requests of each caller
//! take. A caller beyond its limit has no further content stored.
//!
//! The database has the truth. This process counts what it stores itself, and asks the database
//! when it does not know a caller, and again from time to time when a caller has reached its limit.
//! So nodes that share a database exceed the limit by what each has stored in between.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::base::limits;

/// The time after which the database is asked again about a caller that has reached its limit.
const RECOUNT_TIME: Duration = Duration::from_secs(60);

/// The maximum number of callers whose sizes are known. They take about 200 KB. The database is
/// asked about others.
const CALLERS_MAX: usize = 4096;

/// The sizes of the stored responses of callers, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct AnswerSizes {
    hasher: RandomState,
    callers: Mutex<HashMap<u64, AnswersOfCaller>>,
}

/// The stored responses of a caller.
#[derive(Clone, Copy, Debug)]
struct AnswersOfCaller {
    bytes: u64,
    /// The time when the database was asked.
    counted: Instant,
}

impl AnswersOfCaller {
    /// Adds a response, if it fits.
    fn add(&mut self, bytes: u64) -> bool {
        let sum = self.bytes.saturating_add(bytes);
        let fits = sum <= limits::ANSWERS_BYTES_MAX as u64;
        if fits {
            self.bytes = sum;
        }
        fits
    }
}

impl AnswerSizes {
    /// Counts a response of this many bytes, and returns whether it is stored whole. `count` asks
    /// the database for the size of all stored responses of the caller.
    ///
    /// # Errors
    /// Those of `count`.
    pub(super) fn admit<E>(
        &self,
        caller: &str,
        bytes: usize,
        count: impl FnOnce() -> Result<u64, E>,
    ) -> Result<bool, E> {
        let (key, bytes, now) = (self.hasher.hash_one(caller), bytes as u64, Instant::now());
        if let Some(known) = self.callers().get_mut(&key) {
            let is_fresh = now.saturating_duration_since(known.counted) < RECOUNT_TIME;
            let fits = known.add(bytes);
            if fits || is_fresh {
                return Ok(fits);
            }
        }
        let mut found = AnswersOfCaller { bytes: count()?, counted: now };
        let fits = found.add(bytes);
        let mut callers = self.callers();
        if callers.len() >= CALLERS_MAX
            && !callers.contains_key(&key)
            && let Some(oldest) = callers.iter().min_by_key(|(_, of)| of.counted)
        {
            let oldest = *oldest.0;
            callers.remove(&oldest);
        }
        callers.insert(key, found);
        Ok(fits)
    }

    fn callers(&self) -> MutexGuard<'_, HashMap<u64, AnswersOfCaller>> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    const MOST: u64 = limits::ANSWERS_BYTES_MAX as u64;

    fn admit(sizes: &AnswerSizes, caller: &str, bytes: u64, counted: Option<u64>) -> bool {
        let count = || Ok::<_, Infallible>(counted.expect("the database is not asked"));
        sizes.admit(caller, bytes.try_into().unwrap(), count).unwrap()
    }

    #[test]
    fn each_caller_has_a_limit_of_its_own() {
        let sizes = AnswerSizes::default();
        assert!(admit(&sizes, "ann", MOST / 2, Some(MOST / 2)));
        assert!(!admit(&sizes, "ann", 1, None), "the limit is reached");
        assert!(admit(&sizes, "ann", 0, None));
        assert!(!admit(&sizes, "eve", 1, Some(MOST)));
        assert!(admit(&sizes, "bob", MOST, Some(0)));
        assert!(!admit(&sizes, "bob", 1, None));
        assert!(!admit(&sizes, "tom", 1, Some(u64::MAX)));
    }

    #[test]
    fn the_number_of_known_callers_is_bounded() {
        let sizes = AnswerSizes::default();
        for caller in 0..2 * CALLERS_MAX {
            assert!(admit(&sizes, &caller.to_string(), 1, Some(0)));
        }
        assert_eq!(sizes.callers().len(), CALLERS_MAX);
    }
}
