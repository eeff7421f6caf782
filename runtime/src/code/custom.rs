//! Routes of the author's own, beside the generated ones: the same limits, identity, problems and log.

mod answer;
mod call;
mod conflict;
mod pattern;

use std::sync::Arc;

use http::Method;

pub(crate) use self::call::Call;
pub(crate) use self::conflict::check;
use self::pattern::Segment;
pub use self::{answer::Answer, call::RouteRequest};
use crate::{base::error::Error, code::hook::Running, model::ResourceIx};

/// A handler of the author's.
pub(crate) type Handler = Arc<dyn Fn(RouteRequest) -> Running<'static, Answer> + Send + Sync>;

/// A route as it was declared.
#[derive(Clone)]
pub(crate) struct Declared {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) handler: Handler,
}

impl Declared {
    /// A handler without its future's type.
    pub(crate) fn new<F, Fut, A>(method: Method, path: &str, handler: F) -> Self
    where
        F: Fn(RouteRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, Error>> + Send + 'static,
        A: Into<Answer>,
    {
        let handler = move |request| -> Running<'static, Answer> {
            let answered = handler(request);
            Box::pin(async move { answered.await.map(Into::into) })
        };
        Self { method, path: path.to_owned(), handler: Arc::new(handler) }
    }
}

/// All routes of the author's own, by shape, those with the earliest literals first.
#[derive(Default)]
pub(crate) struct Routes(Vec<Shape>);

/// The routes whose paths are equal but for the names of their placeholders.
struct Shape {
    /// A literal, or nothing where there is a placeholder.
    segments: Vec<Option<String>>,
    routes: Vec<Route>,
}

/// One method at one path.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    /// The path as it was declared.
    pub(crate) path: String,
    placeholders: Vec<Placeholder>,
    handler: Handler,
}

/// What stands in braces, and which resource's member it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placeholder {
    name: String,
    resource: Option<ResourceIx>,
}

impl Routes {
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in an order that does not depend on that of their declaration.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Route> {
        self.0.iter().flat_map(|shape| &shape.routes)
    }

    /// The first shape of a path, and what stands in its placeholders.
    pub(crate) fn shape<T: AsRef<str>>(&self, segments: &[T]) -> Option<(usize, Vec<String>)> {
        let at = self.0.iter().position(|shape| shape.matches(segments))?;
        let given = self.0[at].segments.iter().zip(segments);
        let values =
            given.filter(|(segment, _)| segment.is_none()).map(|(_, given)| given.as_ref().to_owned());
        Some((at, values.collect()))
    }

    /// The route of a shape for a method; HEAD is GET without the content (RFC 9110 §9.3.2).
    pub(crate) fn find(&self, shape: usize, method: &Method) -> Option<&Route> {
        let method = if method == Method::HEAD { "GET" } else { method.as_str() };
        self.0.get(shape)?.routes.iter().find(|route| route.method == method)
    }

    /// Adds a route, or says that there is one already.
    fn add(&mut self, segments: &[Segment], route: Route) -> Result<(), Route> {
        let key: Vec<_> = segments.iter().map(Segment::literal).collect();
        let at = match self.0.iter().position(|shape| shape.segments == key) {
            Some(at) => at,
            None => {
                self.0.push(Shape { segments: key, routes: vec![] });
                self.0.len() - 1
            }
        };
        let routes = &mut self.0[at].routes;
        if routes.iter().any(|known| known.method == route.method) {
            return Err(route);
        }
        routes.push(route);
        Ok(())
    }

    /// Literals go before placeholders, from the left.
    fn sort(&mut self) {
        let key = |segment: &Option<String>| (segment.is_none(), segment.clone());
        self.0.sort_by_cached_key(|shape| shape.segments.iter().map(key).collect::<Vec<_>>());
    }
}

impl Shape {
    fn matches<T: AsRef<str>>(&self, path: &[T]) -> bool {
        let same = |(segment, given): (&Option<String>, &T)| {
            segment.as_ref().is_none_or(|literal| literal == given.as_ref())
        };
        self.segments.len() == path.len() && self.segments.iter().zip(path).all(same)
    }
}
