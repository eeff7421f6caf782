//! Bulk threads: requests whose work grows with many bytes, so that the others of the worker need
//! not wait.
//!
//! A body of a megabyte takes milliseconds to be parsed, a page of four megabytes as long to be
//! made, and longer to be compressed. On a thread of lower priority that costs the requests of
//! other clients nothing but a share of the processor.

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

/// How much lower the priority of the thread is: beside workers that are busy it has a tenth of a
/// core.
const NICE: i32 = 10;

/// The way to a bulk thread, which ends when the last of these is dropped.
#[derive(Clone, Debug)]
pub(super) struct Bulk(mpsc::UnboundedSender<BulkRequest>);

/// A request on its way, and who waits for the response.
struct BulkRequest {
    response: ResponseFuture,
    answer: oneshot::Sender<Response<Body>>,
}

impl Bulk {
    /// Starts the thread.
    pub(super) fn start() -> io::Result<Self> {
        // It holds no more than a job for each connection of its workers.
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

    /// Whether a request is one for this thread from the start: its body is large or may be, as one
    /// in a coding is, or it is a JSON Patch, whose work grows with the member. The body of a safe
    /// request would be gone if its response turned out to be large.
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
        // Where the thread has ended, the worker answers.
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
    /// Makes the response, unless nobody waits for it any more.
    async fn run(self) {
        let Self { response, mut answer } = self;
        tokio::select! {
            Ok(response) = response => drop(answer.send(response)),
            () = answer.closed() => {}
        }
    }
}
