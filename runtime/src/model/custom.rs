//! The parts of user code that the model knows: which operations have hooks, and the custom routes.

use http::Method;

use super::{ResourceIx, def::Operations};

/// The operations that have hooks, for each phase of a write, and the operations that handlers
/// replace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phases {
    pub(crate) before: Operations,
    pub(crate) within: Operations,
    pub(crate) after: Operations,
    pub(crate) replaced: Operations,
}

/// All custom routes, grouped by the shape of their paths: the literals, and the positions of
/// placeholders. A shape with a literal precedes a shape with a placeholder in the same position.
#[derive(Default)]
pub(crate) struct CustomRoutes(Vec<PathShape>);

/// The routes whose paths have the same literals and have placeholders in the same positions.
struct PathShape {
    /// The segments of the path; `None` is a placeholder.
    segments: Vec<Option<String>>,
    routes: Vec<CustomRoute>,
}

/// A custom route for one method.
pub(crate) struct CustomRoute {
    pub(crate) method: &'static str,
    /// The path as user code declares it.
    pub(crate) path: String,
    pub(crate) placeholders: Vec<Placeholder>,
    /// The index of the route's handler.
    pub(crate) handler: usize,
}

/// A placeholder in a path. If it stands for the id of a member, `resource` is the member's
/// resource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placeholder {
    pub(crate) name: String,
    pub(crate) resource: Option<ResourceIx>,
}

impl CustomRoutes {
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All routes. The order does not depend on the order of declaration.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &CustomRoute> {
        self.0.iter().flat_map(|shape| &shape.routes)
    }

    /// The index of the first path shape that matches a path, and the values of the placeholders.
    pub(crate) fn shape<T: AsRef<str>>(&self, segments: &[T]) -> Option<(usize, Vec<String>)> {
        let at = self.0.iter().position(|shape| shape.matches(segments))?;
        let given = self.0[at].segments.iter().zip(segments);
        let values = given
            .filter(|(segment, _)| segment.is_none())
            .map(|(_, given)| given.as_ref().to_owned());
        Some((at, values.collect()))
    }

    /// The route that has this path shape and method. HEAD uses the route of GET (RFC 9110 §9.3.2).
    pub(crate) fn find(&self, shape: usize, method: &Method) -> Option<&CustomRoute> {
        let method = if method == Method::HEAD { "GET" } else { method.as_str() };
        self.0.get(shape)?.routes.iter().find(|route| route.method == method)
    }

    /// Adds a route. If a route with the same method and path shape exists already, the error
    /// contains the new route.
    pub(crate) fn add(
        &mut self,
        segments: Vec<Option<String>>,
        route: CustomRoute,
    ) -> Result<(), CustomRoute> {
        let at = match self.0.iter().position(|shape| shape.segments == segments) {
            Some(at) => at,
            None => {
                self.0.push(PathShape { segments, routes: vec![] });
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

    /// Sorts the path shapes. From left to right, a literal precedes a placeholder.
    pub(crate) fn sort(&mut self) {
        let key = |segment: &Option<String>| (segment.is_none(), segment.clone());
        self.0.sort_by_cached_key(|shape| shape.segments.iter().map(key).collect::<Vec<_>>());
    }
}

impl PathShape {
    fn matches<T: AsRef<str>>(&self, path: &[T]) -> bool {
        let same = |(segment, given): (&Option<String>, &T)| {
            segment.as_ref().is_none_or(|literal| literal == given.as_ref())
        };
        self.segments.len() == path.len() && self.segments.iter().zip(path).all(same)
    }
}
