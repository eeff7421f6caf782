//! The reply to a request that the server has no time for (RFC 9110 §15.6.4).

use std::{pin::pin, time::Instant};

use bytes::Buf;
use http::{HeaderValue, Method, Request, Version, header};

use super::{ResponseFuture, Service, log};
use crate::{
    base::{
        error::{Error, text},
        limits,
    },
    http::arriving::Arriving,
    reply::{Reply, add_headers},
    request::{action::discard_body, enclosed},
};

/// The value of `Retry-After` in seconds after an overload, which seldom lasts.
const RETRY_SECONDS: u16 = 1;

impl Service {
    /// Refuses a request at little cost: none of the stages looks at it. A small content is read
    /// and ignored, so that the connection stays open.
    pub(crate) fn refuse<B>(&self, request: Request<B>) -> ResponseFuture
    where
        B: http_body::Body<Data: Buf + Send> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let service = self.clone();
        Box::pin(async move {
            let (state, begun) = (&*service.0, Instant::now());
            let mut record = state.metrics.begin();
            let (mut head, body) = request.into_parts();
            if state.may_enclose {
                enclosed::take_from_head(&state.model, &mut head);
            }
            let detail = text!("The server has more requests than it can answer.");
            let error = Error::unavailable(detail, RETRY_SECONDS);
            let error = state.rates.count_failed(&state.model, &head, error, &mut record.quota);
            let mut reply = Reply::problem(&state.model, &error, &head);
            if let Some(quota) = record.quota {
                quota.add_to(&mut reply.headers);
            }
            add_headers(&state.model, &head, &mut reply);
            if head.version < Version::HTTP_2 && !body.is_end_stream() {
                let length = body.size_hint().exact();
                let is_small = length.is_some_and(|bytes| bytes <= MOST);
                let limits = state.model.limits();
                if !is_small || !discard_body(&head, &mut Arriving::new(pin!(body)), limits).await {
                    reply.headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
            }
            let time = begun.elapsed();
            log::request(&head, &reply, time);
            record.answered(&head.method, &reply, time);
            let reply = if head.method == Method::HEAD { reply.without_content() } else { reply };
            Ok(reply.into())
        })
    }
}

/// The length in bytes of the largest content that is read and ignored.
const MOST: u64 = limits::WORKER_BODY_BYTES_MAX as u64;
