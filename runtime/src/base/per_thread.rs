//! [`PerThread`]: a value for each thread, which only its thread changes and every thread may read.

use std::{
    cell::RefCell,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread::LocalKey,
};

/// The type of the values of a [`PerThread`].
pub(crate) trait ThreadValue: Sized + Send + Sync + 'static {
    /// Makes the value of a thread. `size` is that of [`PerThread::new`].
    fn new(size: usize) -> Self;

    /// The values of the current thread: one for each [`PerThread`] that it has used.
    fn own() -> &'static LocalKey<OwnValues<Self>>;
}

/// The values of one thread.
pub(crate) type OwnValues<T> = RefCell<Vec<OwnValue<T>>>;

/// A value for each thread, such as counters. No two threads write to the same memory.
///
/// A thread that ends leaves its value to a thread that begins later. So there are never more
/// values than threads at the same time, and sums never fall.
pub(crate) struct PerThread<T>(Arc<ThreadValues<T>>);

struct ThreadValues<T> {
    size: usize,
    all: Mutex<Vec<Arc<T>>>,
    /// The values of threads that have ended.
    free: Mutex<Vec<Arc<T>>>,
}

/// The value of a thread in one [`PerThread`].
pub(crate) struct OwnValue<T> {
    of: Weak<ThreadValues<T>>,
    value: Arc<T>,
}

impl<T: ThreadValue> PerThread<T> {
    /// Creates values without threads. Each value is made with this size.
    pub(crate) fn new(size: usize) -> Self {
        Self(Arc::new(ThreadValues { size, all: Mutex::default(), free: Mutex::default() }))
    }

    /// Calls a function with the value of this thread. The call has no effect while the thread
    /// ends.
    #[inline]
    pub(crate) fn with(&self, work: impl FnOnce(&T)) {
        let call = |own: &OwnValues<T>| {
            let of = Arc::as_ptr(&self.0);
            let is_own = |own: &&OwnValue<T>| std::ptr::eq(own.of.as_ptr(), of);
            if let Some(own) = own.borrow().iter().find(is_own) {
                return work(&own.value);
            }
            work(&self.enter(own));
        };
        T::own().try_with(call).ok();
    }

    /// Adds a value to those of this thread.
    #[cold]
    fn enter(&self, own: &OwnValues<T>) -> Arc<T> {
        let free = locked(&self.0.free).pop();
        let value = free.unwrap_or_else(|| {
            let value = Arc::new(T::new(self.0.size));
            locked(&self.0.all).push(Arc::clone(&value));
            value
        });
        let mut own = own.borrow_mut();
        own.retain(|own| own.of.strong_count() > 0);
        own.push(OwnValue { of: Arc::downgrade(&self.0), value: Arc::clone(&value) });
        value
    }

    /// The values of all threads.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        locked(&self.0.all).clone()
    }
}

impl<T> Drop for OwnValue<T> {
    fn drop(&mut self) {
        if let Some(of) = self.of.upgrade() {
            locked(&of.free).push(Arc::clone(&self.value));
        }
    }
}

impl<T> fmt::Debug for PerThread<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PerThread")
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::base::counter::Counter;

    struct Count(Counter);

    thread_local! {
        static OWN: OwnValues<Count> = const { RefCell::new(vec![]) };
    }

    impl ThreadValue for Count {
        fn new(_: usize) -> Self {
            Self(Counter::new())
        }

        fn own() -> &'static LocalKey<OwnValues<Self>> {
            &OWN
        }
    }

    fn sum(counts: &PerThread<Count>) -> u64 {
        counts.all().iter().map(|count| count.0.get()).sum()
    }

    #[test]
    fn each_thread_has_a_value_and_leaves_it_to_another() {
        let (counts, others) = (PerThread::<Count>::new(0), PerThread::<Count>::new(0));
        for round in 1..=5 {
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for _ in 0..1000 {
                            counts.with(|count| count.0.add(1));
                            others.with(|count| count.0.add(2));
                        }
                    });
                }
            });
            assert_eq!((sum(&counts), sum(&others)), (round * 4000, round * 8000));
            // `scope` may return before the values of a thread are dropped.
            assert!(counts.all().len() <= 8, "{}", counts.all().len());
        }
    }

    #[test]
    fn a_thread_forgets_values_that_are_gone() {
        for _ in 0..100 {
            PerThread::<Count>::new(0).with(|count| count.0.add(1));
        }
        let kept = PerThread::<Count>::new(0);
        kept.with(|count| count.0.add(1));
        assert_eq!(OWN.with_borrow(Vec::len), 1);
        assert_eq!(sum(&kept), 1);
    }
}
