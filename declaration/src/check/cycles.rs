//! A depth-first search for cycles in a directed graph, without recursion.

/// The state of a node during the search.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Unseen,
    /// The node is on the current path, at this index of the path.
    Open(usize),
    Done,
}

/// Finds cycles that have no node in common. Any cycle that is not returned has a node in common
/// with a returned one. Each returned cycle begins with its smallest node.
pub(super) fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut marks = vec![Mark::Unseen; edges.len()];
    let mut used = vec![false; edges.len()];
    let mut cycles = Vec::new();
    for start in 0..edges.len() {
        if marks[start] != Mark::Unseen {
            continue;
        }
        // Each step of the path has a node and the number of its edges that were followed.
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
                    let cycle: Vec<usize> = path[depth..].iter().map(|(node, _)| *node).collect();
                    keep_cycle(cycle, &mut used, &mut cycles);
                }
                Mark::Done => {}
            }
        }
    }
    cycles
}

/// Adds a cycle, unless one of its nodes is already in an added cycle.
fn keep_cycle(mut cycle: Vec<usize>, used: &mut [bool], cycles: &mut Vec<Vec<usize>>) {
    if cycle.iter().any(|node| used[*node]) {
        return;
    }
    cycle.iter().for_each(|node| used[*node] = true);
    let smallest = (0..cycle.len()).min_by_key(|index| cycle[*index]).unwrap_or_default();
    cycle.rotate_left(smallest);
    cycles.push(cycle);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found_once() {
        assert_eq!(cycles(&[vec![1], vec![2], vec![0]]), [[0, 1, 2]]);
        assert_eq!(cycles(&[vec![0], vec![0], vec![3], vec![2]]), [vec![0], vec![2, 3]]);
        assert_eq!(cycles(&[vec![1, 2], vec![2], vec![]]), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let chain: Vec<Vec<usize>> = (1..200_000).map(|next| vec![next]).chain([vec![0]]).collect();
        assert_eq!(cycles(&chain).len(), 1);
    }
}
