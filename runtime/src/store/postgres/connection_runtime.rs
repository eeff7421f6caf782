//! The runtime of the connections that no worker owns. One thread drives all of them, and waits for
//! none of their statements.

use std::{future::poll_fn, io, pin::pin, thread};

use tokio::{
    runtime::{Builder, Handle},
    sync::oneshot,
};

/// A runtime on a thread of its own. The thread ends when this is dropped.
pub(super) struct ConnectionRuntime {
    handle: Handle,
    #[expect(dead_code, reason = "dropping it ends the thread")]
    end: oneshot::Sender<()>,
}

impl ConnectionRuntime {
    /// Starts the thread.
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (handle, (end, ended)) = (runtime.handle().clone(), oneshot::channel());
        let drive = move || {
            runtime.block_on(ended).ok();
            runtime.shutdown_background();
        };
        thread::Builder::new().name("nouns-postgres".into()).spawn(drive)?;
        Ok(Self { handle, end })
    }

    /// Returns a handle of the runtime.
    pub(super) const fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Waits for a future, whose timers and tasks belong to this runtime. The caller may have no
    /// runtime.
    pub(super) async fn within<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        poll_fn(|context| {
            let _context = self.handle.enter();
            future.as_mut().poll(context)
        })
        .await
    }
}
