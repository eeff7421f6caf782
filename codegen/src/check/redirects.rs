//! Paths that have moved, beside those that are served: every path leads to one place, in one step.

use super::context::Context;
use super::links::DEPTH_MAX;
use super::moved::placeholder;
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::draft::{Node, Origin, Value, excerpt};
use crate::schema::{Resource, Routes};
use std::collections::HashMap;

/// A segment of the URL of a collection or member.
#[derive(Clone, PartialEq)]
enum Segment<'d> {
    Word(&'d str),
    /// The id of a member of this resource, or of any where it is a former path.
    Id(&'d str),
}

/// Where the collections are.
struct Urls<'d>(HashMap<&'d str, &'d Resource>);

/// A path that redirects.
struct Moving<'d> {
    path: Vec<Segment<'d>>,
    resource: &'d str,
}

/// Checks the placeholders of former paths, that nothing else stands there, and that no redirect leads to another.
pub(super) fn check(drafts: &[ResourceDraft<'_>], context: &mut Context) {
    let moves = |draft: &ResourceDraft<'_>| {
        !draft.resource.moved_from.is_empty() || draft.resource.moved_to.is_some()
    };
    if !drafts.iter().any(moves) {
        return;
    }
    let urls = Urls(drafts.iter().map(|draft| (draft.name(), &draft.resource)).collect());
    let served: Vec<_> = drafts.iter().flat_map(|draft| served(&urls, &draft.resource)).collect();
    let mut moving: Vec<Moving<'_>> = Vec::new();
    for draft in drafts {
        for (path, at) in former(draft) {
            if placeholders_fit(path, &urls, &draft.resource, at, context) {
                claim(path, draft.name(), &served, &mut moving, at, context);
            }
        }
    }
    let away = drafts.iter().map(|draft| &draft.resource).filter(|resource| resource.moved_to.is_some());
    moving.extend(away.flat_map(|resource| {
        let paths = urls.of(resource, DEPTH_MAX).unwrap_or_default().into_iter();
        paths.map(|path| Moving { path, resource: &resource.name })
    }));
    drafts.iter().for_each(|draft| check_end(draft, &moving, context));
}

impl<'d> Urls<'d> {
    /// The URLs of a collection, the canonical one first; `None` where they depend on what is not known.
    fn of(&self, resource: &'d Resource, depth: usize) -> Option<Vec<Vec<Segment<'d>>>> {
        let own = Segment::Word(&resource.collection);
        let mut urls = Vec::new();
        if let Some(parent) = resource.parent.as_ref().filter(|_| resource.routes != Routes::Flat) {
            let parent = *self.0.get(parent.resource.as_str())?;
            for mut url in self.of(parent, depth.checked_sub(1)?)? {
                url.extend([Segment::Id(&parent.name), own.clone()]);
                urls.push(url);
            }
        }
        if resource.parent.is_none() || resource.routes != Routes::Nested {
            urls.push(vec![own]);
        }
        Some(urls)
    }
}

/// The URLs of the collection and of a member, with whose they are.
fn served<'d>(urls: &Urls<'d>, resource: &'d Resource) -> Vec<Moving<'d>> {
    let collections = urls.of(resource, DEPTH_MAX).unwrap_or_default().into_iter();
    let both = collections.flat_map(|url| {
        let member = [url.clone(), vec![Segment::Id(&resource.name)]].concat();
        [url, member]
    });
    both.map(|path| Moving { path, resource: &resource.name }).collect()
}

/// The former paths that are spelled well, with their places.
fn former<'d>(draft: &'d ResourceDraft<'_>) -> Vec<(&'d str, Origin)> {
    let nodes = match draft.map.entry("moved_from").map(|entry| &entry.value) {
        Some(Node { value: Value::List(items), .. }) => items.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let place = |path: &str| {
        let node = nodes.iter().find(|node| matches!(&node.value, Value::Text(text) if text == path));
        node.map_or(draft.at(), |node| node.at)
    };
    draft.resource.moved_from.iter().map(|path| (path.as_str(), place(path))).collect()
}

fn segments(path: &str) -> Vec<Segment<'_>> {
    let segment = |segment| placeholder(segment).map_or(Segment::Word(segment), Segment::Id);
    path[1..].split('/').map(segment).collect()
}

/// Whether the placeholders of a former path are the ids in the canonical URL, or none where there is a URL at the top.
fn placeholders_fit(
    path: &str,
    urls: &Urls<'_>,
    resource: &Resource,
    at: Origin,
    context: &mut Context,
) -> bool {
    let Some(of) = urls.of(resource, DEPTH_MAX) else { return false };
    let mut good: Vec<_> = of.first().map(|url| ids(url)).into_iter().collect();
    if resource.routes == Routes::Both {
        good.push(Vec::new());
    }
    let given = segments(path).into_iter().filter_map(|segment| match segment {
        Segment::Id(name) => Some(name.to_owned()),
        Segment::Word(_) => None,
    });
    let given: Vec<_> = given.collect();
    let fits = good.contains(&given);
    if !fits {
        let expected = good.iter().map(|ids| listed(ids)).collect::<Vec<_>>().join(" or ");
        context.say(at, Problem::WrongPlaceholders { path: excerpt(path), expected });
    }
    fits
}

/// The names of the ids in a URL.
fn ids(url: &[Segment<'_>]) -> Vec<String> {
    url.iter()
        .filter_map(|segment| match segment {
            Segment::Id(resource) => Some(format!("{resource}_id")),
            Segment::Word(_) => None,
        })
        .collect()
}

fn listed(ids: &[String]) -> String {
    let names = ids.iter().map(|id| format!("`{{{id}}}`")).collect::<Vec<_>>().join(", ");
    match ids {
        [] => "no placeholder".to_owned(),
        [_] => format!("the placeholder {names}"),
        _ => format!("the placeholders {names}"),
    }
}

/// Takes a former path, or says what stands there.
fn claim<'d>(
    path: &'d str,
    resource: &'d str,
    served: &[Moving<'_>],
    moving: &mut Vec<Moving<'d>>,
    at: Origin,
    context: &mut Context,
) {
    let former = segments(path);
    let by = |other: &Moving<'_>| format!("resource `{}`", excerpt(other.resource));
    let taken = served.iter().find(|url| url.meets(&former)).map(by).or_else(|| {
        let other = moving.iter().find(|other| other.is_shaped_like(&former))?;
        Some(format!("`moved_from` of {}", by(other)))
    });
    match taken {
        Some(by) => context
            .say(at, Problem::Taken { what: "path", name: excerpt(path), by, repair: "choose another" }),
        None => moving.push(Moving { path: former, resource }),
    }
}

impl Moving<'_> {
    /// Whether a path is this one: where an id stands, anything may.
    fn meets(&self, path: &[Segment<'_>]) -> bool {
        self.path.len() == path.len() && self.leads(path)
    }

    /// Whether a path is this one, or below it.
    fn leads(&self, path: &[Segment<'_>]) -> bool {
        let one = |(own, given): (&Segment<'_>, &Segment<'_>)| matches!(own, Segment::Id(_)) || own == given;
        self.path.len() <= path.len() && self.path.iter().zip(path).all(one)
    }

    /// Whether two paths differ in the names of their placeholders at most.
    fn is_shaped_like(&self, path: &[Segment<'_>]) -> bool {
        let id = |segment: &Segment<'_>| matches!(segment, Segment::Id(_));
        self.path.len() == path.len()
            && self.path.iter().zip(path).all(|(own, other)| own == other || (id(own) && id(other)))
    }
}

/// Checks that what a resource has moved to is no path that redirects.
fn check_end(draft: &ResourceDraft<'_>, moving: &[Moving<'_>], context: &mut Context) {
    let Some(path) = draft.resource.moved_to.as_deref().filter(|to| to.starts_with('/')) else { return };
    if let Some(other) = moving.iter().find(|other| other.leads(&segments(path))) {
        let (path, resource) = (excerpt(path), excerpt(other.resource));
        context.say(draft.map.place("moved_to"), Problem::RedirectsAgain { path, resource });
    }
}
