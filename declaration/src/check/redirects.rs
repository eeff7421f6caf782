//! Checks paths that have moved: no path is both served and redirected, and no redirect leads to
//! another redirect.

mod paths;

use std::collections::HashMap;

use self::paths::{Paths, Segment};
use super::{DEPTH_MAX, Faults};
use crate::{
    def::Routes,
    grammar::placeholder,
    outline::{Noun, PlacedText},
    problem::{Problem, excerpt},
};

/// The resources by name, to find the URLs of their collections.
struct Urls<'n, 'd, P>(HashMap<&'d str, &'n Noun<'d, P>>);

/// Checks former paths: the placeholders are valid, no other resource uses the same path, and no
/// redirect leads to another redirect.
pub(super) fn check<P: Copy>(nouns: &[Noun<'_, P>], found: &mut Faults<P>) {
    if !nouns.iter().any(|noun| !noun.moved_from.is_empty() || noun.moved_to.is_some()) {
        return;
    }
    let urls = Urls(nouns.iter().map(|noun| (noun.name.text, noun)).collect());
    let served = served(&urls, nouns);
    let mut moving = Paths::new();
    for noun in nouns.iter().filter(|noun| !noun.moved_from.is_empty()) {
        let Some(allowed) = Placeholders::of(noun, &urls) else { continue };
        for path in &noun.moved_from {
            if allowed.fit(*path, found) {
                claim(*path, noun.name.text, &served, &mut moving, found);
            }
        }
    }
    for noun in nouns.iter().filter(|noun| noun.moved_to.is_some()) {
        for path in urls.of(noun, DEPTH_MAX).unwrap_or_default() {
            moving.add(&path, noun.name.text);
        }
    }
    nouns.iter().for_each(|noun| check_end(noun, &moving, found));
}

impl<'d, P> Urls<'_, 'd, P> {
    /// The URLs of a collection, the canonical one first. `None` if a parent is not declared or the
    /// chain of parents is too long.
    fn of(&self, noun: &Noun<'d, P>, depth: usize) -> Option<Vec<Vec<Segment<'d>>>> {
        let own = Segment::Word(noun.collection.text);
        let mut urls = Vec::new();
        if let Some(parent) = noun.parent.as_ref().filter(|_| noun.routes != Routes::Flat) {
            let parent = *self.0.get(parent.resource.text)?;
            for mut url in self.of(parent, depth.checked_sub(1)?)? {
                url.extend([Segment::Id(parent.name.text), own]);
                urls.push(url);
            }
        }
        if noun.is_at_top() {
            urls.push(vec![own]);
        }
        Some(urls)
    }
}

/// The URLs of all collections and of their members.
fn served<'d, P>(urls: &Urls<'_, 'd, P>, nouns: &[Noun<'d, P>]) -> Paths<'d> {
    let mut served = Paths::new();
    for noun in nouns {
        for mut url in urls.of(noun, DEPTH_MAX).unwrap_or_default() {
            served.add(&url, noun.name.text);
            url.push(Segment::Id(noun.name.text));
            served.add(&url, noun.name.text);
        }
    }
    served
}

fn segments(path: &str) -> Vec<Segment<'_>> {
    let segment = |segment| placeholder(segment).map_or(Segment::Word(segment), Segment::Id);
    path.trim_start_matches('/').split('/').map(segment).collect()
}

/// The allowed lists of placeholders of a former path: the ids in each URL of the collection. With
/// `routes: both`, on whichever level, a collection has several.
struct Placeholders(Vec<Vec<String>>);

impl Placeholders {
    /// The allowed placeholders of a resource. `None` if its URLs are unknown, for example because
    /// a parent is not declared.
    fn of<'d, P>(noun: &Noun<'d, P>, urls: &Urls<'_, 'd, P>) -> Option<Self> {
        Some(Self(urls.of(noun, DEPTH_MAX)?.iter().map(|url| ids(url)).collect()))
    }

    /// Whether a former path has one of the allowed lists of placeholders. If not, the path is
    /// reported.
    fn fit<P: Copy>(&self, path: PlacedText<'_, P>, found: &mut Faults<P>) -> bool {
        let given = segments(path.text).into_iter().filter_map(|segment| match segment {
            Segment::Id(name) => Some(name),
            Segment::Word(_) => None,
        });
        let given: Vec<_> = given.collect();
        let fits = self.0.iter().any(|allowed| *allowed == given);
        if !fits {
            let expected = self.0.iter().map(|ids| listed(ids)).collect::<Vec<_>>().join(" or ");
            found.say(path.at, Problem::WrongPlaceholders { path: excerpt(path.text), expected });
        }
        fits
    }
}

/// The names of the ids in a URL, such as `zoo_id`.
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

/// Adds a former path. If another resource uses the path, the conflict is reported instead.
fn claim<'d, P: Copy>(
    path: PlacedText<'d, P>,
    resource: &'d str,
    served: &Paths<'_>,
    moving: &mut Paths<'d>,
    found: &mut Faults<P>,
) {
    let former = segments(path.text);
    let by = |other: &str| format!("resource `{}`", excerpt(other));
    let taken = served.meeting(&former).map(by).or_else(|| {
        let other = moving.shaped_like(&former)?;
        Some(format!("`moved_from` of {}", by(other)))
    });
    match taken {
        Some(by) => {
            let name = excerpt(path.text);
            found.say(path.at, Problem::Taken { what: "path", name, by, repair: "choose another" });
        }
        None => moving.add(&former, resource),
    }
}

/// Checks that the target path of `moved_to` is not redirected again.
fn check_end<P: Copy>(noun: &Noun<'_, P>, moving: &Paths<'_>, found: &mut Faults<P>) {
    let Some(path) = noun.moved_to.filter(|to| to.text.starts_with('/')) else { return };
    if let Some(other) = moving.leading(&segments(path.text)) {
        let (resource, at) = (excerpt(other), path.at);
        found.say(at, Problem::RedirectsAgain { path: excerpt(path.text), resource });
    }
}
