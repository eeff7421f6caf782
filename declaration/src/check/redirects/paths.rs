//! Paths of resources as a tree of segments. A search visits only the paths that begin like the
//! path that it looks for.

use std::collections::HashMap;

/// A segment of the URL of a collection or member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Segment<'d> {
    Word(&'d str),
    /// The id of a member. The text is the name of the resource, or of the placeholder in a former
    /// path.
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

/// A path that ends at a node of the tree.
#[derive(Clone, Copy)]
struct End<'d> {
    /// The number of paths that were added before this one.
    rank: usize,
    resource: &'d str,
}

/// A set of paths with their resources, in the order in which the paths were added.
pub(super) struct Paths<'d> {
    /// Maps a node and a segment to the next node. The segment is a word, or `None` for an id.
    steps: HashMap<(usize, Option<&'d str>), usize>,
    /// The nodes of the tree; the root has index 0.
    nodes: Vec<Option<End<'d>>>,
    count: usize,
}

impl<'d> Paths<'d> {
    pub(super) fn new() -> Self {
        Self { steps: HashMap::new(), nodes: vec![None], count: 0 }
    }

    /// Adds a path, unless the set has a path that differs at most in the names of ids.
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

    /// The resource of the first path in the set that matches this path. An id in the set matches
    /// any segment.
    pub(super) fn meeting(&self, path: &[Segment<'_>]) -> Option<&'d str> {
        let last = path.iter().fold(vec![0], |nodes, segment| self.after(&nodes, *segment));
        self.first(&last)
    }

    /// The resource of the first path in the set that matches this path or a prefix of it. An id in
    /// the set matches any segment.
    pub(super) fn leading(&self, path: &[Segment<'_>]) -> Option<&'d str> {
        let (mut nodes, mut passed) = (vec![0], vec![]);
        for segment in path {
            nodes = self.after(&nodes, *segment);
            passed.extend_from_slice(&nodes);
        }
        self.first(&passed)
    }

    /// The resource of the path in the set that equals this path, apart from the names of ids.
    pub(super) fn shaped_like(&self, path: &[Segment<'_>]) -> Option<&'d str> {
        let step = |node, segment: &Segment<'_>| self.steps.get(&(node, segment.word())).copied();
        let node = path.iter().try_fold(0, step)?;
        self.nodes[node].map(|end| end.resource)
    }

    /// The nodes that a segment leads to from any of these nodes.
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

    /// All paths of one to three segments. Each segment is one of two words or an id.
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

    /// A letter as the name of the path at this index of `all`.
    fn name(at: usize) -> &'static str {
        &"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[at..=at]
    }

    #[test]
    fn a_path_is_found_as_if_it_were_compared_with_each() {
        let all = all();
        // The order of adding decides which path is the first. Not all paths are added.
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
