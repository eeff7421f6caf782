//! The routes as labels: the templates that `nouns routes` lists, such as `/zoos/{zoo_id}`.

use crate::{
    model::{Model, ResourceModel},
    request::route::{Target, collections, member_path},
};

/// The number of a route in [`RouteLabels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RouteIx(u32);

impl RouteIx {
    /// The route of requests that are refused before they are routed, or whose path does not exist.
    pub(crate) const UNMATCHED: Self = Self(0);

    pub(super) const fn at(self) -> usize {
        self.0 as usize
    }
}

/// The labels of the routes that are no resources, in the order of their numbers. Those that begin
/// with a slash are below the base path.
const FIXED: [&str; 15] = [
    "unmatched",
    "redirect",
    "*",
    "/",
    "/-/health",
    "/-/ready",
    "/-/metrics",
    "/-/problems",
    "/-/problems/{slug}",
    "/openapi.json",
    "/-/pages/{hash}/{name}",
    "/-/docs",
    "/-/forms/{path}",
    "/-/sign-in",
    "/-/watch",
];

/// The labels of all routes of a model.
#[derive(Debug)]
pub(super) struct RouteLabels {
    labels: Vec<String>,
    /// The first route of each resource. For each number of ancestors in the URL, the route of the
    /// collection follows, and that of the member.
    resources: Vec<u32>,
    /// The first custom route.
    custom: u32,
}

impl RouteLabels {
    pub(super) fn of(model: &Model) -> Self {
        let fixed = |label: &&str| match label.strip_prefix('/') {
            Some(_) => model.urls.local(label),
            None => (*label).to_owned(),
        };
        let mut labels: Vec<_> = FIXED.iter().map(fixed).collect();
        let mut resources = vec![];
        for resource in model.resources() {
            resources.push(number(labels.len()));
            labels.extend(labels_of(model, resource));
        }
        let custom = number(labels.len());
        labels.extend(model.custom.paths().map(|path| model.urls.local(path)));
        Self { labels, resources, custom }
    }

    pub(super) const fn count(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn label(&self, at: usize) -> &str {
        &self.labels[at]
    }

    /// The route of a target.
    #[inline]
    pub(super) fn route(&self, target: &Target) -> RouteIx {
        let (chain, member) = match target {
            Target::Collection(chain) => (chain, 0),
            Target::Member(chain, _) => (chain, 1),
            _ => return self.of_other(target),
        };
        let first = self.resources[usize::from(chain.resource.0)];
        RouteIx(first + 2 * number(chain.ids.len()) + member)
    }

    /// The route of a target that is no resource. The numbers are those of [`FIXED`].
    fn of_other(&self, target: &Target) -> RouteIx {
        RouteIx(match target {
            Target::Redirect(_) => 1,
            Target::Server => 2,
            Target::Home => 3,
            Target::Health => 4,
            Target::Ready => 5,
            Target::Metrics => 6,
            Target::Problems => 7,
            Target::Problem(_) => 8,
            Target::OpenApi => 9,
            Target::PageFile(_) => 10,
            Target::Docs => 11,
            Target::Form(..) => 12,
            Target::SignIn => 13,
            Target::Watch => 14,
            Target::Custom(shape, _) => self.custom + number(*shape),
            Target::Collection(_) | Target::Member(..) => return RouteIx::UNMATCHED,
        })
    }
}

/// The labels of a resource: for each number of ancestors in the URL, the collection and the
/// member. A number for which the resource has no URL has labels that no request gets.
fn labels_of(model: &Model, resource: &ResourceModel) -> Vec<String> {
    let mut labels = vec![];
    for collection in collections(model, resource) {
        let at = 2 * collection.matches('{').count();
        if labels.len() < at + 2 {
            labels.resize(at + 2, String::new());
        }
        labels[at + 1] = model.urls.local(&member_path(&collection, resource));
        labels[at] = model.urls.local(&collection);
    }
    labels
}

/// Linking limits the number of resources and of their ancestors, and memory that of routes.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        model::def::{ApiDef, OnDelete, ParentDef, ResourceDef, Routes},
        request::route::table,
    };

    const fn under(resource: &'static str, field: &'static str) -> Option<ParentDef> {
        let (on_delete, movable, required) = (OnDelete::Restrict, false, true);
        Some(ParentDef { resource, field, on_delete, movable, required })
    }

    static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
    static ANIMAL: ResourceDef = ResourceDef {
        parent: under("zoo", "zoo_id"),
        routes: Routes::Both,
        ..ResourceDef::new("animal", "animals", "Animal")
    };
    static VISIT: ResourceDef = ResourceDef {
        parent: under("animal", "animal_id"),
        ..ResourceDef::new("visit", "visits", "Visit")
    };
    static API: ApiDef =
        ApiDef { base_path: "/api", resources: &[&ZOO, &ANIMAL, &VISIT], ..ApiDef::new("Zoos") };

    #[test]
    fn labels_are_the_urls_of_the_table() {
        let model = Model::link(&API).unwrap();
        let labels = RouteLabels::of(&model);
        let known: BTreeSet<_> = table(&model).into_iter().map(|route| route.path).collect();
        let named = labels.labels[FIXED.len()..].iter().filter(|label| !label.is_empty());
        assert_eq!(named.cloned().collect::<BTreeSet<_>>(), known);
        for (path, label) in [
            ("/api", "/api/"),
            ("/api/-/problems/not-found", "/api/-/problems/{slug}"),
            ("/api/zoos", "/api/zoos"),
            ("/api/zoos/7", "/api/zoos/{zoo_id}"),
            ("/api/zoos/7/animals", "/api/zoos/{zoo_id}/animals"),
            ("/api/animals", "/api/animals"),
            ("/api/animals/3", "/api/animals/{animal_id}"),
            ("/api/animals/3/visits/9", "/api/animals/{animal_id}/visits/{visit_id}"),
            (
                "/api/zoos/7/animals/3/visits/9",
                "/api/zoos/{zoo_id}/animals/{animal_id}/visits/{visit_id}",
            ),
            ("/api/zoos/", "redirect"),
            ("*", "*"),
        ] {
            let target = Target::find(&model, &path.parse().unwrap()).unwrap();
            assert_eq!(labels.label(labels.route(&target).at()), label, "{path}");
        }
    }
}
