//! What points from one resource to another: it must exist, and must not go round in a circle.

use super::context::{Context, Scope};
use super::cycles::cycles;
use super::resource::ResourceDraft;
use crate::diagnostic::problem::{Nearest, Path, Problem};
use crate::draft::{Origin, excerpt};
use crate::name::{self, noun};
use std::collections::HashMap;

/// How many parents a resource has at most, one above the other: each is joined by every statement below it.
pub(super) const DEPTH_MAX: usize = 16;

/// Checks that a resource is declared, as far as this item can say it.
pub(super) fn check_resource(name: &str, at: Origin, context: &mut Context) {
    if context.scope == Scope::Whole && !context.ids.contains_key(name) {
        let nearest = match meant(name, context) {
            Some(meant) => Nearest(Some(meant.to_owned())),
            None => context.suggestions.nearest(name, context.ids.keys().map(String::as_str)),
        };
        context.say(at, Problem::UnknownResource { name: excerpt(name), nearest });
    }
}

/// The resource that is named by its collection, its type or a column: `author` for `Authors`, `author(id)` and `author_id`.
pub(super) fn meant<'c>(name: &str, context: &'c Context) -> Option<&'c str> {
    let word = name::snake(name.split(['(', '.', '[', ' ']).next().unwrap_or_default());
    let singular = noun::singular_of_plural(&word);
    let column = word.strip_suffix("_id").map(str::to_owned);
    [Some(word), singular, column]
        .into_iter()
        .flatten()
        .find_map(|word| context.ids.get_key_value(&word).map(|(known, _)| known.as_str()))
}

/// A way from one resource to another: a parent, or what every member must have.
struct Link {
    to: usize,
    at: Origin,
    is_parent: bool,
    /// Whether every member must have it.
    is_needed: bool,
}

/// Checks that parents, and required references, do not go round in a circle.
pub(super) fn check(drafts: &[ResourceDraft<'_>], context: &mut Context) {
    let index: HashMap<&str, usize> =
        drafts.iter().enumerate().map(|(index, draft)| (draft.name(), index)).collect();
    let links: Vec<Vec<Link>> = drafts.iter().map(|draft| links(draft, &index)).collect();
    let parents: Vec<Vec<usize>> = links.iter().map(|links| targets(links, true)).collect();
    let cycles_of_parents = cycles(&parents);
    for cycle in &cycles_of_parents {
        let cycle_path = path(cycle, drafts);
        context.say(place(cycle, &links, true), Problem::ParentCycle { cycle: cycle_path });
    }
    if cycles_of_parents.is_empty() {
        check_depth(drafts, &links, context);
    }
    let required: Vec<Vec<usize>> = links.iter().map(|links| targets(links, false)).collect();
    for cycle in cycles(&required).iter().filter(|cycle| !is_of_parents(cycle, &links)) {
        context.say(place(cycle, &links, false), Problem::RequiredCycle { cycle: path(cycle, drafts) });
    }
}

/// Checks how deep collections are nested; of a chain that is too deep, only its first link too many is told.
fn check_depth(drafts: &[ResourceDraft<'_>], links: &[Vec<Link>], context: &mut Context) {
    let parent = |of: usize| links[of].iter().find(|link| link.is_parent);
    for (index, draft) in drafts.iter().enumerate() {
        let above = std::iter::successors(parent(index), |link| parent(link.to));
        if above.take(DEPTH_MAX + 2).count() == DEPTH_MAX + 1
            && let Some(link) = parent(index)
        {
            let resource = excerpt(draft.name());
            context.say(link.at, Problem::TooNested { resource, maximum: DEPTH_MAX });
        }
    }
}

fn links(draft: &ResourceDraft<'_>, index: &HashMap<&str, usize>) -> Vec<Link> {
    let parent = draft.resource.parent.iter().zip(&draft.parent).filter_map(|(parent, map)| {
        let to = *index.get(parent.resource.as_str())?;
        Some(Link { to, at: map.place("resource"), is_parent: true, is_needed: parent.required })
    });
    let references = draft.fields.iter().filter_map(|draft| {
        let field = draft.field.as_ref().filter(|field| field.required)?;
        let to = *index.get(field.reference.as_ref()?.resource.as_str())?;
        let at = draft.map.as_ref().map_or(draft.entry.key.at, |map| map.place("references"));
        Some(Link { to, at, is_parent: false, is_needed: true })
    });
    parent.chain(references).collect()
}

fn targets(links: &[Link], only_parents: bool) -> Vec<usize> {
    links
        .iter()
        .filter(|link| if only_parents { link.is_parent } else { link.is_needed })
        .map(|link| link.to)
        .collect()
}

/// Each step of a circle: from where to where.
fn steps(cycle: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    cycle.iter().copied().zip(cycle.iter().copied().cycle().skip(1))
}

fn is_of_parents(cycle: &[usize], links: &[Vec<Link>]) -> bool {
    steps(cycle).all(|(from, to)| links[from].iter().any(|link| link.to == to && link.is_parent))
}

/// Where a circle can be cut: at its first step that is the author's to cut.
fn place(cycle: &[usize], links: &[Vec<Link>], only_parents: bool) -> Origin {
    let mut found: Vec<&Link> = steps(cycle)
        .filter_map(|(from, to)| {
            links[from]
                .iter()
                .find(|link| link.to == to && if only_parents { link.is_parent } else { link.is_needed })
        })
        .collect();
    found.sort_by_key(|link| link.is_parent != only_parents);
    found.first().map_or(Origin::Yaml(crate::draft::Span::default()), |link| link.at)
}

fn path(cycle: &[usize], drafts: &[ResourceDraft<'_>]) -> Path {
    Path(cycle.iter().map(|index| excerpt(drafts[*index].name())).collect())
}
