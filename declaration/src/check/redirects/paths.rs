//! Paths of resources in a tree of their segments, so that each is compared with those alone that
//! begin like it.

use std::collections::HashMap;

/// A segment of the URL of a collection or member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Segment<'d> {
    Word(&'d str),
    /// The id of a member of this resource, or of any where it is a former path.
    Id(&'d str),
}

impl<'d> Segment<'d> {
    const fn word(self) -> Option<&'d str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Id(_) => None,
        }
    }
}

/// The path that ends at a node.
#[derive(Clone, Copy)]
struct End<'d> {
    /// How many paths came before it.
    rank: usize,
    resource: &'d str,
}

/// Paths, each with its resource, in the order in which they came.
pub(super) struct Paths<'d> {
    /// From a node and a segment to the next node: a word, or nothing where an id stands.
    steps: HashMap<(usize, Option<&'d str>), usize>,
    /// The nodes, the root first.
    nodes: Vec<Option<End<'d>>>,
    count: usize,
}

impl<'d> Paths<'d> {
    pub(super) fn new() -> Self {
        Self { steps: HashMap::new(), nodes: vec![None], count: 0 }
    }

    /// Adds a path; of several that differ in the names of their ids at most, the first stays.
    pub(super) fn add(&mut self, path: &[Segment<'d>], resource: &'d str) {
        let mut node = 0;
        for segment in path {
            node = *self.steps.entry((node, segment.word())).or_insert_with(|| {
                self.nodes.push(None);
                self.nodes.len() - 1
            });
        }
        self.nodes[node].get_or_insert(End { rank: self.count, resource });
        self.count += 1;
    }

    /// The resource of the first path that is this one: where an id stands in it, anything may.
    pub(super) fn meeting(&self, path: &[Segment<'_>]) -> Option<&'d str> {
        let last = path.iter().fold(vec![0], |nodes, segment| self.after(&nodes, *segment));
        self.first(&last)
    }

    /// The resource of the first path that is this one, or above it: where an id stands in it,
    /// anything may.
    pub(super) fn leading(&self, path: &[Segment<'_>]) -> Option<&'d str> {
        let (mut nodes, mut passed) = (vec![0], vec![]);
        for segment in path {
            nodes = self.after(&nodes, *segment);
            passed.extend_from_slice(&nodes);
        }
        self.first(&passed)
    }

    /// The resource of the path that differs from this one in the names of its ids at most.
    pub(super) fn shaped_like(&self, path: &[Segment<'_>]) -> Option<&'d str> {
        let step = |node, segment: &Segment<'_>| self.steps.get(&(node, segment.word())).copied();
        let node = path.iter().try_fold(0, step)?;
        self.nodes[node].map(|end| end.resource)
    }

    /// The nodes after some of equal depth, by a segment.
    fn after(&self, nodes: &[usize], segment: Segment<'_>) -> Vec<usize> {
        let step = |node: usize, word| self.steps.get(&(node, word)).copied();
        let both = |node: &usize| {
            [step(*node, None), segment.word().and_then(|word| step(*node, Some(word)))]
        };
        nodes.iter().flat_map(both).flatten().collect()
    }

    fn first(&self, nodes: &[usize]) -> Option<&'d str> {
        let ends = nodes.iter().filter_map(|node| self.nodes[*node]);
        ends.min_by_key(|end| end.rank).map(|end| end.resource)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All paths of one to three segments, each of two words or an id.
    fn all() -> Vec<Vec<Segment<'static>>> {
        let segments = [Segment::Word("a"), Segment::Word("b"), Segment::Id("c")];
        let longer = |paths: &[Vec<Segment<'static>>]| {
            let each = paths
                .iter()
                .flat_map(|path| segments.map(|segment| [&path[..], &[segment]].concat()));
            each.collect::<Vec<_>>()
        };
        let one = longer(&[vec![]]);
        let two = longer(&one);
        let three = longer(&two);
        [one, two, three].concat()
    }

    /// The name of a path of `all`.
    fn name(at: usize) -> &'static str {
        &"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[at..=at]
    }

    #[test]
    fn a_path_is_found_as_if_it_were_compared_with_each() {
        let all = all();
        // The order decides among several, and half of them are there.
        let orders: [Vec<usize>; 2] =
            [(0..all.len()).step_by(2).collect(), (0..all.len()).rev().step_by(3).collect()];
        for order in orders {
            let mut paths = Paths::new();
            order.iter().for_each(|at| paths.add(&all[*at], name(*at)));
            let leads = |own: &[Segment<'_>], path: &[Segment<'_>]| {
                let one = |(own, given): (&Segment<'_>, &Segment<'_>)| {
                    matches!(own, Segment::Id(_)) || own == given
                };
                own.len() <= path.len() && own.iter().zip(path).all(one)
            };
            for path in &all {
                let first = |is: &dyn Fn(&[Segment<'_>]) -> bool| {
                    order.iter().find(|at| is(&all[**at])).map(|at| name(*at))
                };
                let meets = |own: &[Segment<'_>]| own.len() == path.len() && leads(own, path);
                assert_eq!(paths.meeting(path), first(&meets), "{path:?}");
                assert_eq!(paths.leading(path), first(&|own| leads(own, path)), "{path:?}");
                assert_eq!(paths.shaped_like(path), first(&|own| own == path), "{path:?}");
            }
        }
    }
}
