//! Conflicts of custom routes with each other and with generated routes. A method and a path must
//! have only one handler.

use super::{
    DeclaredRoute,
    pattern::{self, Segment},
};
use crate::{
    model::{
        CustomRoute, CustomRoutes, LinkProblem, Model, Placeholder, Problem, ResourceIx, RouteCode,
        Subject,
    },
    request::route,
};

/// The methods that a custom route can have. A route for GET also serves HEAD, and the server
/// responds to OPTIONS itself.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// Checks custom routes against a linked model. Returns the valid routes in sorted order, and the
/// problems of the other routes.
pub(crate) fn check(model: &Model, declared: &[DeclaredRoute]) -> (CustomRoutes, Vec<LinkProblem>) {
    let mut routes = model.custom.clone();
    let mut problems = vec![];
    let generated = generated(model);
    for (handler, one) in declared.iter().enumerate() {
        if let Err(problem) = add(model, &generated, &mut routes, handler, one) {
            problems.push(LinkProblem::new(Subject::Interface, problem));
        }
    }
    routes.sort();
    (routes, problems)
}

fn add(
    model: &Model,
    generated: &[GeneratedRoute],
    routes: &mut CustomRoutes,
    handler: usize,
    declared: &DeclaredRoute,
) -> Result<(), Problem> {
    let path = &declared.path;
    let method = METHODS.into_iter().find(|known| *known == declared.method.as_str());
    let method = method.ok_or_else(|| {
        let known = format!("`{}`", METHODS.join("`, `"));
        Problem::RouteMethod { path: path.clone(), method: declared.method.to_string(), known }
    })?;
    let segments = pattern::parse(path)
        .map_err(|rule| Problem::RoutePath { path: path.clone(), rule: rule.into_owned() })?;
    if is_reserved(&segments) {
        return Err(Problem::RouteReserved { path: path.clone() });
    }
    let placeholders = placeholders(model, path, &segments)?;
    if let Some(other) = generated.iter().find(|other| other.meets(model, &segments)) {
        let def = model[other.resource].def;
        let instead = other.handler(method).map_or_else(String::new, |handler| {
            format!(
                ", or a handler in place of the operation: `.hooks::<{}>(|hooks| hooks.{handler}(…))`",
                def.rust
            )
        });
        let (route, generated) = (format!("{method} {path}"), other.path.clone());
        return Err(Problem::RouteMeets { route, generated, resource: def.name, instead });
    }
    let shape: Vec<_> = segments.iter().map(Segment::literal).collect();
    if let Some((former, resource)) = model.redirects.shaped(&shape) {
        return Err(Problem::RouteMeetsMoved {
            route: format!("{method} {path}"),
            former,
            resource,
        });
    }
    let handler = RouteCode::Custom(handler);
    let route = CustomRoute { method, path: path.clone(), placeholders, handler };
    routes
        .add(shape, route)
        .map_err(|route| Problem::RouteTwice { route: format!("{} {}", route.method, route.path) })
}

/// Whether the path of a route is reserved. A reserved path can match a URL that the server serves
/// itself, now or in a later release.
fn is_reserved(segments: &[Segment]) -> bool {
    match segments {
        [Segment::Literal(first), ..] => first == "-" || first == "openapi.json",
        [Segment::Named(_)] => true,
        _ => false,
    }
}

/// The path of a generated collection or member.
struct GeneratedRoute {
    resource: ResourceIx,
    path: String,
    segments: Vec<GeneratedSegment>,
}

/// A segment of a generated path.
enum GeneratedSegment {
    Collection(&'static str),
    Id(ResourceIx),
}

impl GeneratedRoute {
    /// The method of [`Hooks`](crate::Hooks) with which user code replaces the operation of an HTTP
    /// method at this path; `None` if the path does not support the HTTP method.
    fn handler(&self, method: &str) -> Option<&'static str> {
        let of_member = matches!(self.segments.last(), Some(GeneratedSegment::Id(_)));
        Some(match (of_member, method) {
            (false, "GET") => "instead_of_list",
            (false, "POST") => "instead_of_create",
            (true, "GET") => "instead_of_get",
            (true, "PUT") => "instead_of_replace",
            (true, "PATCH") => "instead_of_update",
            (true, "DELETE") => "instead_of_delete",
            _ => return None,
        })
    }

    /// Whether some request path matches both the generated path and the custom path.
    fn meets(&self, model: &Model, segments: &[Segment]) -> bool {
        let one = |(part, segment): (&GeneratedSegment, &Segment)| match (part, segment) {
            (_, Segment::Named(_)) => true,
            (GeneratedSegment::Collection(collection), Segment::Literal(text)) => {
                collection == text
            }
            (GeneratedSegment::Id(resource), Segment::Literal(text)) => {
                route::id(model, *resource, text).is_ok()
            }
        };
        self.segments.len() == segments.len() && self.segments.iter().zip(segments).all(one)
    }
}

fn generated(model: &Model) -> Vec<GeneratedRoute> {
    let mut all = vec![];
    for resource in model.resources() {
        for segments in lines(model, resource.ix) {
            let mut member = segments.clone();
            member.push(PathLine::Id(resource.ix));
            for line in [segments, member] {
                let segments: Vec<GeneratedSegment> =
                    line.iter().map(|line| line.part(model)).collect();
                let text = |part: &GeneratedSegment| match part {
                    GeneratedSegment::Collection(name) => format!("/{name}"),
                    GeneratedSegment::Id(ix) => format!("/{{{}_id}}", model[*ix].def.name),
                };
                let path = segments.iter().map(text).collect();
                all.push(GeneratedRoute { resource: resource.ix, path, segments });
            }
        }
    }
    all
}

/// A segment of the path to a collection: the name of a collection, or an id. Each variant has the
/// index of the resource.
#[derive(Clone, Copy)]
enum PathLine {
    Collection(ResourceIx),
    Id(ResourceIx),
}

impl PathLine {
    fn part(self, model: &Model) -> GeneratedSegment {
        match self {
            Self::Collection(ix) => GeneratedSegment::Collection(model[ix].def.collection),
            Self::Id(ix) => GeneratedSegment::Id(ix),
        }
    }
}

/// The paths to the collection of a resource. The canonical path is the first.
fn lines(model: &Model, of: ResourceIx) -> Vec<Vec<PathLine>> {
    let resource = &model[of];
    let mut ways = vec![];
    if let Some((above, _)) =
        resource.parent.filter(|_| resource.def.routes != crate::model::def::Routes::Flat)
    {
        for mut way in lines(model, above) {
            way.extend([PathLine::Id(above), PathLine::Collection(of)]);
            ways.push(way);
        }
    }
    if resource.at_top() {
        ways.push(vec![PathLine::Collection(of)]);
    }
    ways
}

/// Returns the placeholders of a path. The error names a placeholder that occurs twice or has the
/// wrong name. A placeholder after the canonical path of a collection must be named after its
/// resource. Any other placeholder must not have the name of a resource.
fn placeholders(
    model: &Model,
    path: &str,
    segments: &[Segment],
) -> Result<Vec<Placeholder>, Problem> {
    let mut found: Vec<Placeholder> = vec![];
    for (at, segment) in segments.iter().enumerate() {
        let Segment::Named(name) = segment else { continue };
        let (path, given) = (path.to_owned(), name.clone());
        if found.iter().any(|known| member_name(&known.name) == member_name(name)) {
            return Err(Problem::PlaceholderTwice { path, name: given });
        }
        let resource = member_at(model, &segments[..at], &found);
        let named = model.resources().iter().find(|one| one.def.name == member_name(name));
        match (resource, named) {
            (Some(resource), _) if model[resource].def.name != member_name(name) => {
                let resource = model[resource].def.name.to_owned();
                return Err(Problem::PlaceholderName { path, name: given, resource });
            }
            (None, Some(named)) => {
                let right = &lines(model, named.ix)[0];
                let part = |line: &PathLine| match line {
                    PathLine::Collection(ix) => format!("/{}", model[*ix].def.collection),
                    PathLine::Id(ix) => format!("/{{{}}}", model[*ix].def.name),
                };
                let collection = right.iter().map(part).collect();
                let name = named.def.name.to_owned();
                return Err(Problem::PlaceholderPlace { path, name, collection });
            }
            _ => found.push(Placeholder { name: name.clone(), resource }),
        }
    }
    Ok(found)
}

/// The name of the resource that a placeholder may stand for: `room` for `{room}` and `{room_id}`.
fn member_name(placeholder: &str) -> &str {
    placeholder.strip_suffix("_id").unwrap_or(placeholder)
}

/// The resource whose collection has the canonical path `before`, which is the part of a custom
/// path before a placeholder. `None` if there is no such resource. `found` has the placeholders in
/// `before`.
fn member_at(model: &Model, before: &[Segment], found: &[Placeholder]) -> Option<ResourceIx> {
    let ways = model
        .resources()
        .iter()
        .map(|resource| (resource.ix, lines(model, resource.ix).swap_remove(0)));
    let mut matching = ways.filter(|(_, way)| {
        let mut named = found.iter();
        way.len() == before.len()
            && way.iter().zip(before).all(|(line, segment)| match (line, segment) {
                (PathLine::Collection(ix), Segment::Literal(text)) => {
                    model[*ix].def.collection == text
                }
                (PathLine::Id(ix), Segment::Named(_)) => {
                    named.next().is_some_and(|placeholder| placeholder.resource == Some(*ix))
                }
                _ => false,
            })
    });
    matching.next().map(|(ix, _)| ix)
}
