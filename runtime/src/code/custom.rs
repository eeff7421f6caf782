//! Custom routes: handlers in user code for paths that the schema does not generate. They share the
//! limits, callers, problem responses and log of the generated routes.

mod answer;
mod call;
mod conflict;
mod pattern;

use std::sync::Arc;

use http::Method;

pub use self::call::RouteRequest;
pub(crate) use self::conflict::check;
pub use crate::http::answer::Answer;
use crate::{
    base::error::Error,
    store::behaviour::{Handles, UserFuture},
};

/// A handler of a custom route, without the type of its future.
type RouteHandler = Box<dyn Fn(RouteRequest) -> UserFuture<'static, Answer> + Send + Sync>;

/// A custom route as [`Api::route`](crate::Api::route) receives it.
pub(crate) struct DeclaredRoute {
    pub(crate) method: Method,
    pub(crate) path: String,
    handler: RouteHandler,
}

impl DeclaredRoute {
    /// Creates a route. The handler is boxed, and so is each future that it returns.
    pub(crate) fn new<F, Fut, A>(method: Method, path: &str, handler: F) -> Self
    where
        F: Fn(RouteRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, Error>> + Send + 'static,
        A: Into<Answer>,
    {
        let handler = move |request| -> UserFuture<'static, Answer> {
            let answered = handler(request);
            Box::pin(async move { answered.await.map(Into::into) })
        };
        Self { method, path: path.to_owned(), handler: Box::new(handler) }
    }

    /// Returns the handler without the route's method and path.
    pub(crate) fn handler(self) -> Arc<dyn Handles> {
        Arc::new(self.handler)
    }
}
