//! Circles in a graph, found without recursion.

/// Where a node is in the search.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Unseen,
    /// At this depth of the path that is being searched.
    Open(usize),
    Done,
}

/// Circles of a graph, such that cutting each leaves none that share no node with these; each
/// begins with its smallest node, and no node is in two.
pub(super) fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut marks = vec![Mark::Unseen; edges.len()];
    let mut told = vec![false; edges.len()];
    let mut cycles = Vec::new();
    for start in 0..edges.len() {
        if marks[start] != Mark::Unseen {
            continue;
        }
        // Each step of the path: a node and how many of its edges were followed.
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
                    tell(cycle, &mut told, &mut cycles);
                }
                Mark::Done => {}
            }
        }
    }
    cycles
}

/// Keeps a circle, unless one of its nodes is in another.
fn tell(mut cycle: Vec<usize>, told: &mut [bool], cycles: &mut Vec<Vec<usize>>) {
    if cycle.iter().any(|node| told[*node]) {
        return;
    }
    cycle.iter().for_each(|node| told[*node] = true);
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
