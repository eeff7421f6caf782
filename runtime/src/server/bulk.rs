//! Bulk threads. They handle requests that process many bytes, so that the other requests of a
//! worker do not wait.
//!
//! Parsing a body of one megabyte takes milliseconds. Rendering a page of four megabytes takes as
//! long, and compressing it takes longer. A bulk thread has a lower priority, so this work takes
//! only a small share of the processor from other requests.

use std::{future::poll_fn, io, sync::Arc, thread, time::Instant};

use http::{Request, Response, StatusCode, header};
use tokio::{
    runtime::Builder,
    sync::{Semaphore, mpsc, oneshot},
};

use super::load::{ConnectionLoad, RequestPlace};
use crate::{
    base::{limits, priority, work_time},
    http::body::Body,
    request::action,
    service::{
        ResponseFuture,
        metrics::{Metrics, WaitingForBulk},
    },
};

/// The increment of the nice value for bulk threads. While the workers are busy, such a thread gets
/// about a tenth of a core.
const NICE: i32 = 10;

/// The sender of requests to a bulk thread. The thread ends when the last sender is dropped.
#[derive(Clone, Debug)]
pub(super) struct Bulk(mpsc::UnboundedSender<BulkRequest>);

/// A queued request, and the channel for its response.
struct BulkRequest {
    response: ResponseFuture,
    answer: oneshot::Sender<Response<Body>>,
    waiting: WaitingForBulk,
    /// The time at which the request must be answered. Its work looks at it.
    until: Instant,
    /// The place of the request among those that wait. It stays taken until the thread has looked
    /// at the request, also if nobody waits for the response any more. So the queue has a bound.
    place: RequestPlace,
    /// The turns of the network of the client, so that it leaves some to others.
    turns: Option<Arc<Semaphore>>,
}

impl Bulk {
    /// Starts a bulk thread.
    pub(super) fn start() -> io::Result<Self> {
        // The requests that wait have a limit, so the queue needs none.
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

    /// Whether a bulk thread handles a request from the start. This is the case if the body is
    /// large, compressed or of unknown length. It is also the case for each JSON Patch, whose work
    /// grows with the size of the member. Safe requests with a body are included, because their
    /// body could not be read again if the response turned out to be large.
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

    /// Handles a request on the bulk thread, or on the worker if the bulk thread has ended.
    pub(super) fn answer(
        &self,
        metrics: &Arc<Metrics>,
        load: &Arc<ConnectionLoad>,
        until: Instant,
        response: ResponseFuture,
    ) -> ResponseFuture {
        let (answer, answered) = oneshot::channel();
        let (waiting, place, turns) = (metrics.wait_for_bulk(), load.enter(), load.turns());
        let request = BulkRequest { response, answer, waiting, until, place, turns };
        // If the bulk thread has ended, the worker handles the request itself.
        if let Err(mpsc::error::SendError(job)) = self.0.send(request) {
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
    /// Handles the request and sends the response. Stops if the receiver of the response was
    /// dropped.
    async fn run(self) {
        let Self { mut response, mut answer, waiting, until, place, turns } = self;
        let work = async {
            let turn = match turns {
                // The semaphore is never closed.
                Some(turns) => turns.acquire_owned().await.ok(),
                None => None,
            };
            drop(waiting);
            let response =
                poll_fn(|context| work_time::until(until, || response.as_mut().poll(context)))
                    .await;
            drop(turn);
            response
        };
        tokio::select! {
            biased;
            () = answer.closed() => {}
            Ok(response) = work => drop(answer.send(response)),
        }
        drop(place);
    }
}
