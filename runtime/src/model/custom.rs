//! The routes beside those of resources: custom routes of user code, and those of sessions and
//! tokens. Also which operations have hooks.

use http::Method;

use super::{
    ResourceIx,
    def::{AuthDef, Operations, Scheme},
};

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
#[derive(Clone, Default)]
pub(crate) struct CustomRoutes(Vec<PathShape>);

/// The routes whose paths have the same literals and have placeholders in the same positions.
#[derive(Clone)]
struct PathShape {
    /// The segments of the path; `None` is a placeholder.
    segments: Vec<Option<String>>,
    routes: Vec<CustomRoute>,
}

/// A custom route for one method.
#[derive(Clone)]
pub(crate) struct CustomRoute {
    pub(crate) method: &'static str,
    /// The path as user code declares it.
    pub(crate) path: String,
    pub(crate) placeholders: Vec<Placeholder>,
    pub(crate) handler: RouteCode,
}

/// The code that handles a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteCode {
    /// The handler of user code with this index.
    Custom(usize),
    /// An operation on the sessions or the tokens of the caller.
    Grant(GrantOperation),
}

/// An operation on the sessions or the tokens of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GrantOperation {
    SignIn,
    MakeToken,
    List(GrantKind),
    Show(GrantKind),
    End(GrantKind),
}

impl GrantOperation {
    /// The operation in a few words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::SignIn => "sign in",
            Self::MakeToken => "make a token",
            Self::List(GrantKind::Session) => "list own sessions",
            Self::List(GrantKind::Token) => "list own tokens",
            Self::Show(GrantKind::Session) => "get own session",
            Self::Show(GrantKind::Token) => "get own token",
            Self::End(GrantKind::Session) => "sign out",
            Self::End(GrantKind::Token) => "revoke a token",
        }
    }
}

/// The two kinds of grant: a secret with which a caller may act as an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum GrantKind {
    /// A session, which signing in begins. Its secret is in a cookie.
    Session,
    /// A token, which an account has made for a program.
    Token,
}

/// The routes of sessions.
const SESSIONS: [(&str, &str, GrantOperation); 4] = [
    ("GET", "/sessions", GrantOperation::List(GrantKind::Session)),
    ("POST", "/sessions", GrantOperation::SignIn),
    ("GET", "/sessions/{id}", GrantOperation::Show(GrantKind::Session)),
    ("DELETE", "/sessions/{id}", GrantOperation::End(GrantKind::Session)),
];

/// The routes of tokens.
const TOKENS: [(&str, &str, GrantOperation); 4] = [
    ("GET", "/tokens", GrantOperation::List(GrantKind::Token)),
    ("POST", "/tokens", GrantOperation::MakeToken),
    ("GET", "/tokens/{id}", GrantOperation::Show(GrantKind::Token)),
    ("DELETE", "/tokens/{id}", GrantOperation::End(GrantKind::Token)),
];

/// A placeholder in a path. If it stands for the id of a member, `resource` is the member's
/// resource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placeholder {
    pub(crate) name: String,
    pub(crate) resource: Option<ResourceIx>,
}

impl CustomRoutes {
    /// The routes of sessions and tokens, as far as callers may sign in with them.
    pub(crate) fn of_grants(auth: &AuthDef) -> Self {
        let mut routes = Self::default();
        for (scheme, listed) in [(Scheme::Session, SESSIONS), (Scheme::Bearer, TOKENS)] {
            for (method, path, operation) in listed.into_iter().filter(|_| auth.has(scheme)) {
                let id = || Placeholder { name: "id".to_owned(), resource: None };
                let has_id = path.ends_with("{id}");
                let segments = path[1..].split('/').map(|segment| match segment {
                    "{id}" => None,
                    literal => Some(literal.to_owned()),
                });
                let route = CustomRoute {
                    method,
                    path: path.to_owned(),
                    placeholders: has_id.then(id).into_iter().collect(),
                    handler: RouteCode::Grant(operation),
                };
                let added = routes.add(segments.collect(), route);
                debug_assert!(added.is_ok(), "no two of these routes are equal");
            }
        }
        routes
    }

    /// Whether a route has a handler of user code.
    pub(crate) fn has_code(&self) -> bool {
        self.iter().any(|route| matches!(route.handler, RouteCode::Custom(_)))
    }

    /// Whether a path may match a route, by its first segment. The path begins with a slash and has
    /// not been percent-decoded.
    pub(crate) fn may_match(&self, path: &str) -> bool {
        let first = path[1..].split('/').next().unwrap_or_default();
        let is_like = |shape: &PathShape| match shape.segments.first() {
            Some(Some(literal)) => literal == first || first.contains('%'),
            _ => true,
        };
        self.0.iter().any(is_like)
    }

    /// All routes. The order does not depend on the order of declaration.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &CustomRoute> {
        self.0.iter().flat_map(|shape| &shape.routes)
    }

    /// All routes, each with the path of its shape. A document has one path for each shape
    /// (OpenAPI 3.1, Paths Object).
    pub(crate) fn by_path(&self) -> impl Iterator<Item = (&str, &CustomRoute)> {
        let shapes = self.paths().zip(&self.0);
        shapes.flat_map(|(path, shape)| shape.routes.iter().map(move |route| (path, route)))
    }

    /// The path of each shape, in the order of their indices. If routes of a shape name their
    /// placeholders differently, it is that of the first.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|shape| shape.routes.first().map_or("", |route| &*route.path))
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

impl GrantKind {
    /// The name of the kind in the database.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Token => "token",
        }
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
