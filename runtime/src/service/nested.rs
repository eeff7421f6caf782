//! [`Nested`]: a service for requests whose paths lack the base path.

use std::{convert::Infallible, task::Poll};

use bytes::Buf;
use http::{
    Request, Response, Uri,
    uri::{Parts, PathAndQuery},
};

use super::{Service, calls::ResponseFuture};
use crate::http::body::Body;

/// A service for requests whose paths lack the base path, because a router has removed it.
/// [`Service::nested`] returns it.
#[derive(Clone, Debug)]
pub struct Nested(Service);

impl Service {
    /// Returns the service for a router that removes the base path before it calls the service. The
    /// links in responses keep the base path.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Api, Store};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = Api::new("City zoos").base_path("/api").build()?;
    /// let service = nouns::Service::new(Store::temporary(&model)?).nested();
    /// // An axum router serves it with `Router::new().nest_service("/api", service)`.
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn nested(self) -> Nested {
        Nested(self)
    }
}

impl Nested {
    /// Adds the base path to the path of a request.
    fn restored<B>(&self, mut request: Request<B>) -> Request<B> {
        if let Some(uri) = self.uri(request.uri()) {
            *request.uri_mut() = uri;
        }
        request
    }

    /// Returns a URI with the base path. Returns `None` for a URI without a path, such as `*`.
    fn uri(&self, uri: &Uri) -> Option<Uri> {
        let below = match uri.path() {
            path if !path.starts_with('/') => return None,
            "/" => "",
            path => path,
        };
        let mut path = self.0.store().model().urls.local(below);
        if path.is_empty() {
            path.push('/');
        }
        if let Some(query) = uri.query() {
            path.push('?');
            path.push_str(query);
        }
        let mut parts = Parts::from(uri.clone());
        parts.path_and_query = Some(PathAndQuery::from_maybe_shared(path.into_bytes()).ok()?);
        Uri::from_parts(parts).ok()
    }
}

impl<B> hyper::service::Service<Request<B>> for Nested
where
    B: http_body::Body<Data: Buf + Send> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn call(&self, request: Request<B>) -> Self::Future {
        self.0.call_for(None, self.restored(request))
    }
}

impl<B> tower_service::Service<Request<B>> for Nested
where
    B: http_body::Body<Data: Buf + Send> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        hyper::service::Service::call(self, request)
    }
}
