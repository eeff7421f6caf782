//! The ways to call a service: as a hyper service, as a tower service, and from the server of this
//! crate.

use std::{
    convert::Infallible,
    future::Future,
    pin::{Pin, pin},
    task::Poll,
};

use bytes::Buf;
use http::{Request, Response, request::Parts};

use super::Service;
use crate::{
    base::error::Error,
    http::{arriving::Arriving, body::Body},
    plan::ClientKey,
    reply::Reply,
};

#[cfg(test)]
mod tests;

/// The future that the service returns for a request.
pub(crate) type ResponseFuture =
    Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

/// Makes a future in its box. [`Box::pin`] would move it there, and the future of a request has a
/// few kilobytes.
#[inline]
pub(crate) fn boxed<F: Future>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::into_pin(Box::write(Box::new_uninit(), make()))
}

impl Service {
    /// Handles a request. The future always returns a reply: errors and panics become problem
    /// responses (RFC 9457).
    pub fn reply<B>(&self, request: Request<B>) -> impl Future<Output = Reply> + Send
    where
        B: http_body::Body<Data: Buf> + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        // A request is taken apart where it is, since an `async fn` would move it twice more.
        let (mut head, body) = request.into_parts();
        async move {
            let body = pin!(body);
            let mut body = Arriving::new(body);
            let reply = self.reply_within(None, &mut head, &mut body, false).await;
            reply.unwrap_or_else(|| self.without_bulk_thread(&head))
        }
    }

    /// The response to a request that would need a bulk thread on a bulk thread.
    #[cold]
    fn without_bulk_thread(&self, head: &Parts) -> Reply {
        let error = Error::internal("the response was too large for a bulk thread");
        Reply::problem(&self.0.model, &error, head)
    }

    /// Handles a request. If the server has not identified the client (`None`), the client is
    /// determined from the head of the request.
    pub(crate) fn call_for<B>(
        &self,
        client: Option<ClientKey>,
        request: Request<B>,
    ) -> ResponseFuture
    where
        B: http_body::Body<Data: Buf + Send> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let service = self.clone();
        let (mut head, body) = request.into_parts();
        boxed(|| async move {
            let body = pin!(body);
            let mut body = Arriving::new(body);
            let reply = service.reply_within(client, &mut head, &mut body, false).await;
            Ok(reply.unwrap_or_else(|| service.without_bulk_thread(&head)).into())
        })
    }

    /// Handles a request on a worker thread. If the response is too large for a worker, `elsewhere`
    /// handles the request again.
    pub(crate) fn call_here<B>(
        &self,
        client: Option<ClientKey>,
        request: Request<B>,
        elsewhere: impl FnOnce(Request<Body>) -> ResponseFuture + Send + 'static,
    ) -> impl Future<Output = Result<Response<Body>, Infallible>> + Send + 'static
    where
        B: http_body::Body<Data: Buf + Send> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let service = self.clone();
        let (mut head, body) = request.into_parts();
        async move {
            let body = pin!(body);
            let mut body = Arriving::new(body);
            match service.reply_within(client, &mut head, &mut body, true).await {
                Some(reply) => Ok(reply.into()),
                None => elsewhere(Request::from_parts(head, Body::Empty)).await,
            }
        }
    }
}

impl<B> hyper::service::Service<Request<B>> for Service
where
    B: http_body::Body<Data: Buf + Send> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn call(&self, request: Request<B>) -> Self::Future {
        self.call_for(None, request)
    }
}

impl<B> tower_service::Service<Request<B>> for Service
where
    B: http_body::Body<Data: Buf + Send> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    /// Always returns ready. A request that cannot be handled now is answered with 503.
    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        hyper::service::Service::call(self, request)
    }
}
