//! Checks the links between resources: they form no cycle, and parents do not nest too deeply.

use std::collections::HashMap;

use super::{Faults, cycles::cycles};
use crate::{
    outline::Noun,
    problem::{Path, Problem, excerpt},
};

/// The maximum number of ancestors of a resource. A statement joins the tables of all ancestors.
pub const DEPTH_MAX: usize = 16;

/// A link from a resource to its parent or to the target of a required reference.
struct Link<P> {
    to: usize,
    at: P,
    is_parent: bool,
    /// Whether every member must have a value for this link.
    is_needed: bool,
}

/// Checks that parents form no cycle, that required references form no cycle, and that parents do
/// not nest too deeply.
pub(super) fn check<P: Copy>(nouns: &[Noun<'_, P>], found: &mut Faults<P>) {
    let index: HashMap<&str, usize> =
        nouns.iter().enumerate().map(|(index, noun)| (noun.name.text, index)).collect();
    let links: Vec<Vec<Link<P>>> = nouns.iter().map(|noun| links(noun, &index)).collect();
    let parents: Vec<Vec<usize>> = links.iter().map(|links| targets(links, true)).collect();
    let cycles_of_parents = cycles(&parents);
    for cycle in &cycles_of_parents {
        found.say(
            place(cycle, nouns, &links, true),
            Problem::ParentCycle { cycle: path(cycle, nouns) },
        );
    }
    if cycles_of_parents.is_empty() {
        check_depth(nouns, &links, found);
    }
    let required: Vec<Vec<usize>> = links
        .iter()
        .enumerate()
        .map(|(index, links)| {
            let mut targets = targets(links, false);
            // A member whose id is known before it exists can refer to itself.
            targets.retain(|target| *target != index || !nouns[index].has_chosen_ids);
            targets
        })
        .collect();
    nouns.iter().for_each(|noun| warn_of_itself(noun, found));
    for cycle in cycles(&required).iter().filter(|cycle| !is_of_parents(cycle, &links)) {
        found.say(
            place(cycle, nouns, &links, false),
            Problem::RequiredCycle { cycle: path(cycle, nouns) },
        );
    }
}

/// Warns about required references to the own resource that only members which refer to themselves
/// can begin. Where clients do not choose ids, there is no such member, which is a mistake.
fn warn_of_itself<P: Copy>(noun: &Noun<'_, P>, found: &mut Faults<P>) {
    let required = noun.attributes.iter().filter(|attribute| attribute.is_required);
    for attribute in required.filter(|_| noun.has_chosen_ids) {
        let target = attribute.reference.map(|reference| reference.resource);
        if let Some(target) = target.filter(|target| target.text == noun.name.text) {
            let (field, resource) = (excerpt(attribute.name.text), excerpt(noun.name.text));
            found.say(target.at, Problem::RefersToItself { field, resource });
        }
    }
}

/// Checks how deeply collections are nested. Only the first excess link of a chain is reported.
fn check_depth<P: Copy>(nouns: &[Noun<'_, P>], links: &[Vec<Link<P>>], found: &mut Faults<P>) {
    let parent = |of: usize| links[of].iter().find(|link| link.is_parent);
    for (index, noun) in nouns.iter().enumerate() {
        let above = std::iter::successors(parent(index), |link| parent(link.to));
        if above.take(DEPTH_MAX + 2).count() == DEPTH_MAX + 1
            && let Some(link) = parent(index)
        {
            let resource = excerpt(noun.name.text);
            found.say(link.at, Problem::TooNested { resource, maximum: DEPTH_MAX });
        }
    }
}

fn links<P: Copy>(noun: &Noun<'_, P>, index: &HashMap<&str, usize>) -> Vec<Link<P>> {
    let parent = noun.parent.iter().filter_map(|parent| {
        let to = *index.get(parent.resource.text)?;
        Some(Link { to, at: parent.resource.at, is_parent: true, is_needed: parent.is_required })
    });
    let references = noun.attributes.iter().filter(|attribute| attribute.is_required);
    let references = references.filter_map(|attribute| {
        let resource = attribute.reference?.resource;
        let to = *index.get(resource.text)?;
        Some(Link { to, at: resource.at, is_parent: false, is_needed: true })
    });
    parent.chain(references).collect()
}

fn targets<P>(links: &[Link<P>], only_parents: bool) -> Vec<usize> {
    links
        .iter()
        .filter(|link| if only_parents { link.is_parent } else { link.is_needed })
        .map(|link| link.to)
        .collect()
}

/// The steps of a cycle: pairs of a node and the node after it.
fn steps(cycle: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    cycle.iter().copied().zip(cycle.iter().copied().cycle().skip(1))
}

fn is_of_parents<P>(cycle: &[usize], links: &[Vec<Link<P>>]) -> bool {
    steps(cycle).all(|(from, to)| links[from].iter().any(|link| link.to == to && link.is_parent))
}

/// The position at which a cycle is reported: the first link that the user can remove to break it.
fn place<P: Copy>(
    cycle: &[usize],
    nouns: &[Noun<'_, P>],
    links: &[Vec<Link<P>>],
    only_parents: bool,
) -> P {
    let is_step = |link: &&Link<P>| if only_parents { link.is_parent } else { link.is_needed };
    let mut found: Vec<&Link<P>> = steps(cycle)
        .filter_map(|(from, to)| links[from].iter().filter(is_step).find(|link| link.to == to))
        .collect();
    found.sort_by_key(|link| link.is_parent != only_parents);
    found.first().map_or(nouns[cycle[0]].name.at, |link| link.at)
}

fn path<P>(cycle: &[usize], nouns: &[Noun<'_, P>]) -> Path {
    Path(cycle.iter().map(|index| excerpt(nouns[*index].name.text)).collect())
}
