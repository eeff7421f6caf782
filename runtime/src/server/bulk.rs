//! Bulk threads: they run requests whose work grows with many bytes, so the other requests of a
//! worker need not wait.
//!
//! Parsing a body of a megabyte takes milliseconds. Making a page of four megabytes takes as long,
//! and compressing it takes longer. On a thread of lower priority this work costs other requests
//! only a share of the processor.

use std::{io, thread};

use http::{Request, Response, StatusCode, header};
use tokio::{
    runtime::Builder,
    sync::{mpsc, oneshot},
};

use crate::{
    base::{limits, priority},
    http::body::Body,
    request::action,
    service::ResponseFuture,
};

/// How much the priority of the thread is lowered: beside busy workers it gets a tenth of a core.
const NICE: i32 = 10;

/// The sender to a bulk thread, which ends when the last sender is dropped.
#[derive(Clone, Debug)]
pub(super) struct Bulk(mpsc::UnboundedSender<BulkRequest>);

/// A queued request, and the receiver of its response.
struct BulkRequest {
    response: ResponseFuture,
    answer: oneshot::Sender<Response<Body>>,
}

impl Bulk {
    /// Starts the thread.
    pub(super) fn start() -> io::Result<Self> {
        // The queue holds at most one job for each connection of its workers.
        let (sender, mut jobs) = mpsc::unbounded_channel::<BulkRequest>();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let work = async move {
            while let Some(job) = jobs.recv().await {
                tokio::spawn(job.run());
            }
        };
        thread::Builder::new().name("nouns-bulk".into()).spawn(move || {
            priority::lower(NICE);
            runtime.block_on(work);
        })?;
        Ok(Self(sender))
    }

    /// Whether a request goes to this thread from the start. Its body is large or may be, as a
    /// compressed one is, or it is a JSON Patch, whose work grows with the member. A safe request
    /// with a body goes there too: its body would be gone if the response turned out to be large.
    pub(super) fn takes<B: http_body::Body>(request: &Request<B>) -> bool {
        if request.body().is_end_stream() {
            return false;
        }
        let bytes = request.body().size_hint().exact();
        bytes.is_none_or(|bytes| bytes > limits::WORKER_BODY_BYTES_MAX as u64)
            || request.method().is_safe()
            || request.headers().contains_key(header::CONTENT_ENCODING)
            || action::is_json_patch(request.headers())
    }

    /// Answers on this thread.
    pub(super) fn answer(&self, response: ResponseFuture) -> ResponseFuture {
        let (answer, answered) = oneshot::channel();
        // If the thread has ended, the worker answers.
        if let Err(mpsc::error::SendError(job)) = self.0.send(BulkRequest { response, answer }) {
            return job.response;
        }
        Box::pin(async move {
            Ok(answered.await.unwrap_or_else(|_| {
                let mut failed = Response::new(Body::Empty);
                *failed.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                failed
            }))
        })
    }
}

impl BulkRequest {
    /// Makes the response, unless its receiver is gone.
    async fn run(self) {
        let Self { response, mut answer } = self;
        tokio::select! {
            Ok(response) = response => drop(answer.send(response)),
            () = answer.closed() => {}
        }
    }
}
