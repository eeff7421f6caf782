//! Paths that have moved, beside those that are served: every path leads to one place, in one step.

use std::collections::HashMap;

use super::{DEPTH_MAX, Faults};
use crate::{
    def::Routes,
    grammar::placeholder,
    outline::{Noun, Placed},
    problem::{Problem, excerpt},
};

/// A segment of the URL of a collection or member.
#[derive(Clone, PartialEq)]
enum Segment<'d> {
    Word(&'d str),
    /// The id of a member of this resource, or of any where it is a former path.
    Id(&'d str),
}

/// Where the collections are.
struct Urls<'n, 'd, P>(HashMap<&'d str, &'n Noun<'d, P>>);

/// A path that redirects.
struct Moving<'d> {
    path: Vec<Segment<'d>>,
    resource: &'d str,
}

/// Checks the placeholders of former paths, that nothing else stands there, and that no redirect
/// leads to another.
pub(super) fn check<P: Copy>(nouns: &[Noun<'_, P>], found: &mut Faults<P>) {
    if !nouns.iter().any(|noun| !noun.moved_from.is_empty() || noun.moved_to.is_some()) {
        return;
    }
    let urls = Urls(nouns.iter().map(|noun| (noun.name.text, noun)).collect());
    let served: Vec<_> = nouns.iter().flat_map(|noun| served(&urls, noun)).collect();
    let mut moving: Vec<Moving<'_>> = Vec::new();
    for noun in nouns {
        for path in &noun.moved_from {
            if placeholders_fit(*path, &urls, noun, found) {
                claim(*path, noun.name.text, &served, &mut moving, found);
            }
        }
    }
    for noun in nouns.iter().filter(|noun| noun.moved_to.is_some()) {
        let paths = urls.of(noun, DEPTH_MAX).unwrap_or_default().into_iter();
        moving.extend(paths.map(|path| Moving { path, resource: noun.name.text }));
    }
    nouns.iter().for_each(|noun| check_end(noun, &moving, found));
}

impl<'d, P> Urls<'_, 'd, P> {
    /// The URLs of a collection, the canonical one first; `None` where they depend on what is not
    /// known.
    fn of(&self, noun: &Noun<'d, P>, depth: usize) -> Option<Vec<Vec<Segment<'d>>>> {
        let own = Segment::Word(noun.collection.text);
        let mut urls = Vec::new();
        if let Some(parent) = noun.parent.as_ref().filter(|_| noun.routes != Routes::Flat) {
            let parent = *self.0.get(parent.resource.text)?;
            for mut url in self.of(parent, depth.checked_sub(1)?)? {
                url.extend([Segment::Id(parent.name.text), own.clone()]);
                urls.push(url);
            }
        }
        if noun.is_at_top() {
            urls.push(vec![own]);
        }
        Some(urls)
    }
}

/// The URLs of the collection and of a member, with whose they are.
fn served<'d, P>(urls: &Urls<'_, 'd, P>, noun: &Noun<'d, P>) -> Vec<Moving<'d>> {
    let collections = urls.of(noun, DEPTH_MAX).unwrap_or_default().into_iter();
    let both = collections.flat_map(|url| {
        let member = [url.clone(), vec![Segment::Id(noun.name.text)]].concat();
        [url, member]
    });
    both.map(|path| Moving { path, resource: noun.name.text }).collect()
}

fn segments(path: &str) -> Vec<Segment<'_>> {
    let segment = |segment| placeholder(segment).map_or(Segment::Word(segment), Segment::Id);
    path.trim_start_matches('/').split('/').map(segment).collect()
}

/// Whether the placeholders of a former path are the ids in the canonical URL, or none where there
/// is a URL at the top.
fn placeholders_fit<'d, P: Copy>(
    path: Placed<'d, P>,
    urls: &Urls<'_, 'd, P>,
    noun: &Noun<'d, P>,
    found: &mut Faults<P>,
) -> bool {
    let Some(of) = urls.of(noun, DEPTH_MAX) else { return false };
    let mut good: Vec<_> = of.first().map(|url| ids(url)).into_iter().collect();
    if noun.routes == Routes::Both {
        good.push(Vec::new());
    }
    let given = segments(path.text).into_iter().filter_map(|segment| match segment {
        Segment::Id(name) => Some(name.to_owned()),
        Segment::Word(_) => None,
    });
    let given: Vec<_> = given.collect();
    let fits = good.contains(&given);
    if !fits {
        let expected = good.iter().map(|ids| listed(ids)).collect::<Vec<_>>().join(" or ");
        found.say(path.at, Problem::WrongPlaceholders { path: excerpt(path.text), expected });
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
fn claim<'d, P: Copy>(
    path: Placed<'d, P>,
    resource: &'d str,
    served: &[Moving<'_>],
    moving: &mut Vec<Moving<'d>>,
    found: &mut Faults<P>,
) {
    let former = segments(path.text);
    let by = |other: &Moving<'_>| format!("resource `{}`", excerpt(other.resource));
    let taken = served.iter().find(|url| url.meets(&former)).map(by).or_else(|| {
        let other = moving.iter().find(|other| other.is_shaped_like(&former))?;
        Some(format!("`moved_from` of {}", by(other)))
    });
    match taken {
        Some(by) => {
            let name = excerpt(path.text);
            found.say(path.at, Problem::Taken { what: "path", name, by, repair: "choose another" });
        }
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
        let one = |(own, given): (&Segment<'_>, &Segment<'_>)| {
            matches!(own, Segment::Id(_)) || own == given
        };
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
fn check_end<P: Copy>(noun: &Noun<'_, P>, moving: &[Moving<'_>], found: &mut Faults<P>) {
    let Some(path) = noun.moved_to.filter(|to| to.text.starts_with('/')) else { return };
    let segments = segments(path.text);
    if let Some(other) = moving.iter().find(|other| other.leads(&segments)) {
        let (resource, at) = (excerpt(other.resource), path.at);
        found.say(at, Problem::RedirectsAgain { path: excerpt(path.text), resource });
    }
}
