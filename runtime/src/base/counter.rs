//! Counters and histograms that one thread changes and that others read.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// A number that only one thread increases, so that it needs no locked instruction. Other threads
/// may read it.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    #[inline]
    pub(crate) fn add(&self, count: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(count), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A histogram: how many values were at most each bound. Durations are in nanoseconds.
#[derive(Debug)]
pub(crate) struct Histogram<const BOUNDS: usize> {
    bounds: &'static [u64; BOUNDS],
    counts: [Counter; BOUNDS],
    /// The number of values above the last bound.
    beyond: Counter,
    sum: Counter,
}

impl<const BOUNDS: usize> Histogram<BOUNDS> {
    pub(crate) const fn new(bounds: &'static [u64; BOUNDS]) -> Self {
        Self {
            bounds,
            counts: [const { Counter::new() }; BOUNDS],
            beyond: Counter::new(),
            sum: Counter::new(),
        }
    }

    /// Records a value. Only one thread may record values.
    #[inline]
    pub(crate) fn record(&self, value: u64) {
        let at = self.bounds.iter().position(|bound| value <= *bound);
        at.and_then(|at| self.counts.get(at)).unwrap_or(&self.beyond).add(1);
        self.sum.add(value);
    }

    #[inline]
    pub(crate) fn record_time(&self, time: Duration) {
        self.record(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    pub(crate) fn values(&self) -> HistogramValues {
        let counts = self.counts.iter().chain([&self.beyond]).map(Counter::get).collect();
        HistogramValues { bounds: self.bounds, counts, sum: self.sum.get() }
    }
}

/// The values of a histogram at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HistogramValues {
    pub(crate) bounds: &'static [u64],
    /// The number of values up to each bound and above the one before, and at the end the number of
    /// those above all bounds.
    pub(crate) counts: Vec<u64>,
    pub(crate) sum: u64,
}

impl HistogramValues {
    /// Adds the values of another histogram with the same bounds.
    pub(crate) fn add(&mut self, other: &Self) {
        if self.counts.is_empty() {
            return self.clone_from(other);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.sum = self.sum.wrapping_add(other.sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_for_the_first_bound_that_it_does_not_exceed() {
        let histogram = Histogram::new(&[10, 20]);
        for value in [0, 10, 11, 20, 21, 1000] {
            histogram.record(value);
        }
        let mut values = histogram.values();
        assert_eq!((&*values.counts, values.sum), (&[2, 2, 2][..], 1062));
        values.add(&histogram.values());
        assert_eq!((&*values.counts, values.sum), (&[4, 4, 4][..], 2124));
        let mut none = HistogramValues::default();
        none.add(&values);
        assert_eq!(none, values);
    }
}
