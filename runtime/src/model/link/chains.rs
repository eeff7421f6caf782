//! What points from one resource to another: it must exist, and must not go round in a circle.

use super::{DEPTH_MAX, Linker};
use crate::{
    base::nearest::nearest,
    model::{LinkProblem, ResourceIx, def::ResourceDef},
};

/// How many steps of a circle stand in a message.
const STEPS_MAX: usize = 8;

/// A way from one resource to another: a parent, or what every member must have.
#[derive(Clone, Copy)]
struct Link {
    to: usize,
    is_parent: bool,
    /// Whether every member must have it.
    is_needed: bool,
}

impl Linker {
    /// Whether a resource is declared; if not, that is said.
    pub(super) fn known(&mut self, name: &str, of: &'static str) -> Option<ResourceIx> {
        let found = self.names.get(name).copied();
        if found.is_none() {
            let near = nearest(name, self.names.keys().copied());
            let near = near.map_or_else(
                || format!("; declare it with `.resource::<{}>()`", rust(name)),
                |near| format!("; did you mean `{near}`?"),
            );
            self.report("N060", of, format!("unknown resource `{name}`{near}"));
        }
        found
    }

    pub(super) fn check_chains(&mut self) {
        let resources = self.api.resources;
        for def in resources {
            if let Some(parent) = def.parent {
                self.known(parent.resource, def.name);
            }
        }
        let links: Vec<Vec<Link>> = resources.iter().map(|def| self.links(def)).collect();
        let parents = cycles(&edges(&links, true));
        for cycle in &parents {
            let detail =
                format!("the parents go round in a circle: {}; take one `parent` away", self.path(cycle));
            self.report("N061", resources[cycle[0]].name, detail);
        }
        if parents.is_empty() {
            self.check_depth(&links);
        }
        for cycle in cycles(&edges(&links, false)).iter().filter(|cycle| !is_of_parents(cycle, &links)) {
            let detail = format!(
                "no first member could ever exist, each needs another: {}; make one of the references optional",
                self.path(cycle)
            );
            self.report("N062", resources[cycle[0]].name, detail);
        }
    }

    /// Of a chain that is too deep, only its first link too many is told.
    fn check_depth(&mut self, links: &[Vec<Link>]) {
        let parent = |of: usize| links[of].iter().find(|link| link.is_parent);
        let depth = usize::from(DEPTH_MAX);
        for (at, def) in self.api.resources.iter().enumerate() {
            let above = std::iter::successors(parent(at), |link| parent(link.to));
            if above.take(depth + 2).count() == depth + 1 {
                let name = def.name;
                let detail = format!(
                    "`{name}` is nested below more than {depth} parents; take one of the `parent`s away"
                );
                self.problems.push(LinkProblem::of("N067", name, detail));
            }
        }
    }

    fn links(&self, def: &'static ResourceDef) -> Vec<Link> {
        let to = |name: &str| self.names.get(name).map(|ix| usize::from(ix.0));
        let parent = def.parent.and_then(|parent| {
            Some(Link { to: to(parent.resource)?, is_parent: true, is_needed: parent.required })
        });
        let references = def.fields.iter().filter(|field| field.required).filter_map(|field| {
            Some(Link { to: to(field.reference?.resource)?, is_parent: false, is_needed: true })
        });
        parent.into_iter().chain(references).collect()
    }

    /// A circle of names, the first said again at the end.
    fn path(&self, cycle: &[usize]) -> String {
        let name = |at: &usize| format!("`{}` → ", self.api.resources[*at].name);
        let mut path: String = cycle.iter().take(STEPS_MAX).map(name).collect();
        if cycle.len() > STEPS_MAX {
            path.push_str("… → ");
        }
        path + &format!("`{}`", self.api.resources[cycle[0]].name)
    }
}

/// The struct that a resource of this name has, where nobody says another.
fn rust(name: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    };
    name.split('_').map(word).collect()
}

fn edges(links: &[Vec<Link>], only_parents: bool) -> Vec<Vec<usize>> {
    let of = |links: &Vec<Link>| {
        links
            .iter()
            .filter(|link| if only_parents { link.is_parent } else { link.is_needed })
            .map(|link| link.to)
            .collect()
    };
    links.iter().map(of).collect()
}

fn is_of_parents(cycle: &[usize], links: &[Vec<Link>]) -> bool {
    let next = cycle.iter().cycle().skip(1);
    cycle.iter().zip(next).all(|(from, to)| links[*from].iter().any(|link| link.to == *to && link.is_parent))
}

/// Where a node is in the search.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Unseen,
    /// At this depth of the path that is being searched.
    Open(usize),
    Done,
}

/// Circles of a graph, such that no node is in two; each begins with its smallest node.
fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut marks = vec![Mark::Unseen; edges.len()];
    let mut told = vec![false; edges.len()];
    let mut cycles = vec![];
    for start in 0..edges.len() {
        if marks[start] != Mark::Unseen {
            continue;
        }
        let mut path = vec![(start, 0)];
        marks[start] = Mark::Open(0);
        while let Some((node, followed)) = path.last_mut() {
            let node = *node;
            let Some(next) = edges[node].get(*followed).copied() else {
                marks[node] = Mark::Done;
                path.pop();
                continue;
            };
            *followed += 1;
            match marks[next] {
                Mark::Unseen => {
                    marks[next] = Mark::Open(path.len());
                    path.push((next, 0));
                }
                Mark::Open(depth) => {
                    let cycle = path[depth..].iter().map(|(node, _)| *node).collect();
                    tell(cycle, &mut told, &mut cycles);
                }
                Mark::Done => {}
            }
        }
    }
    cycles
}

fn tell(mut cycle: Vec<usize>, told: &mut [bool], cycles: &mut Vec<Vec<usize>>) {
    if cycle.iter().any(|node| told[*node]) {
        return;
    }
    cycle.iter().for_each(|node| told[*node] = true);
    let smallest = (0..cycle.len()).min_by_key(|at| cycle[*at]).unwrap_or_default();
    cycle.rotate_left(smallest);
    cycles.push(cycle);
}
