//! Custom routes beside the generated ones. They share limits, identity, problems and log.

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

/// A handler of user code.
type RouteHandler = Box<dyn Fn(RouteRequest) -> UserFuture<'static, Answer> + Send + Sync>;

/// A declared custom route.
pub(crate) struct DeclaredRoute {
    pub(crate) method: Method,
    pub(crate) path: String,
    handler: RouteHandler,
}

impl DeclaredRoute {
    /// Erases the type of the handler's future.
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

    /// The route's handler, for the path of a request.
    pub(crate) fn handler(self) -> Arc<dyn Handles> {
        Arc::new(self.handler)
    }
}
