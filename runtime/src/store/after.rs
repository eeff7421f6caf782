//! The thread that runs the hooks after a write. It has its own Tokio runtime, and its queue is
//! limited.

use std::{io, path::Path, pin::Pin, sync::Arc, thread};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::OpenError;
use crate::{
    base::error::{Error, text},
    model::Model,
};

/// The largest number of writes whose after-write hooks may wait or run at the same time. Further
/// writes with such hooks are refused with 503.
const TASKS_MAX: u32 = 1024;

/// The largest number of writes in one transaction of the program whose after-write hooks wait for
/// its commit. With more, one transaction could take the places of all other writes.
pub(super) const TRANSACTION_TASKS_MAX: usize = TASKS_MAX as usize / 8;

/// The value of `Retry-After`, in seconds, in the 503 response to a write that is refused because
/// of `TASKS_MAX`.
const RETRY_SECONDS: u16 = 1;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The sender of tasks to the thread that runs hooks after writes. The thread ends when the last
/// sender is dropped.
#[derive(Clone, Debug)]
pub(super) struct AfterHookQueue {
    tasks: mpsc::UnboundedSender<(Task, OwnedSemaphorePermit)>,
    room: Arc<Semaphore>,
}

/// The right to run one task after a write. It is acquired before the write.
#[derive(Debug)]
pub(crate) struct Permit {
    tasks: mpsc::UnboundedSender<(Task, OwnedSemaphorePermit)>,
    room: OwnedSemaphorePermit,
}

impl AfterHookQueue {
    /// Starts the queue of a model. `None` if the model has no hooks after a write.
    pub(super) fn of(model: &Model, path: &Path) -> Result<Option<Self>, OpenError> {
        model.has_after_hooks().then(Self::start).transpose().map_err(|cause| {
            let reason = "cannot be opened: no thread could be started for the hooks after a write";
            OpenError::unusable(path, reason).with_source(cause)
        })
    }

    pub(super) fn start() -> io::Result<Self> {
        let (tasks, mut inbox) = mpsc::unbounded_channel::<(Task, OwnedSemaphorePermit)>();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let work = async move {
            while let Some((task, room)) = inbox.recv().await {
                tokio::spawn(async move {
                    task.await;
                    drop(room);
                });
            }
        };
        thread::Builder::new().name("nouns-after".into()).spawn(move || runtime.block_on(work))?;
        Ok(Self { tasks, room: Arc::new(Semaphore::new(TASKS_MAX as usize)) })
    }

    pub(super) fn permit(&self) -> Result<Permit, Error> {
        // `try_acquire_owned` fails if all permits are taken, or if the queue is closed.
        let refused = |_| {
            let detail =
                text!("Too many after-hooks are waiting, or the database is being closed.");
            Error::unavailable(detail, RETRY_SECONDS)
        };
        let room = Arc::clone(&self.room).try_acquire_owned().map_err(refused)?;
        Ok(Permit { tasks: self.tasks.clone(), room })
    }

    /// Waits until every task has ended, and refuses new tasks.
    pub(super) async fn close(&self) {
        // `acquire_many` fails if the queue is already closed.
        if self.room.acquire_many(TASKS_MAX).await.is_ok() {
            self.room.close();
        }
    }
}

impl Permit {
    /// Runs a task on the thread of the queue.
    pub(crate) fn run(self, task: Task) {
        if self.tasks.send((task, self.room)).is_err() {
            tracing::error!(target: "nouns", "a hook after a write did not run: its thread has ended");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_refuses_the_write() {
        let after = AfterHookQueue::start().unwrap();
        let mut permits: Vec<_> = (0..TASKS_MAX).map(|_| after.permit().unwrap()).collect();
        let error = after.permit().unwrap_err();
        assert_eq!((error.status().as_u16(), error.headers().len()), (503, 1));
        permits.pop();
        assert!(after.permit().is_ok(), "dropping an unused permit frees a place in the queue");
    }
}
