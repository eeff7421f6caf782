//! The diagram of resources and their relations on the home page. A resource stands to the right of
//! those that it refers to, and a line goes from each reference to its target. A line that passes a
//! column has a place of its own between the boxes there.

mod line;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use self::line::lines;
use crate::model::{Model, ResourceIx};

/// The sizes of the drawing, in units of SVG.
const WIDTH: i32 = 150;
const HEIGHT: i32 = 40;
const GAP_X: i32 = 84;
const GAP_Y: i32 = 20;
const MARGIN: i32 = 12;
/// The maximum number of places for lines between boxes. Further lines pass behind boxes.
const WAYPOINTS_MAX: usize = 2000;
/// The number of times that each column is sorted, so that few lines cross.
const SWEEPS: usize = 4;

/// The diagram, with all positions.
#[derive(Serialize)]
pub(super) struct Diagram {
    width: i32,
    height: i32,
    nodes: Vec<Node>,
    lines: Vec<Line>,
}

/// The box of a resource.
#[derive(Serialize)]
struct Node {
    name: &'static str,
    x: i32,
    y: i32,
    text_x: i32,
    text_y: i32,
}

/// The line of a reference, or of several between the same resources.
#[derive(Serialize)]
struct Line {
    /// The path of the line, in the syntax of SVG.
    path: String,
    /// Whether the line leads to the parent.
    is_parent: bool,
    /// The names of the fields.
    label: String,
}

/// A relation: the resource with the fields, the resource that they refer to.
type Edge = (usize, usize);

/// The fields of each relation, and whether one of them is the parent.
type Edges<'m> = BTreeMap<Edge, (Vec<&'m str>, bool)>;

/// The places that the line of each relation passes, from the resource with the fields to the other
/// one, both included.
type Ways = BTreeMap<Edge, Vec<usize>>;

impl Diagram {
    /// Draws the diagram of a model.
    pub(super) fn of(model: &Model) -> Self {
        let relations = relations(model);
        let names: Vec<_> = model.resources().iter().map(|resource| resource.def.name).collect();
        Self::drawn(&names, &relations)
    }

    fn drawn(names: &[&'static str], relations: &Edges<'_>) -> Self {
        let parents = |relation: &Edge| relations[relation].1;
        let mut columns = columns(names.len(), &acyclic(relations, parents));
        let ways = ways(&mut columns, names.len(), relations);
        let columns = arranged(columns, &ways);
        let is_box = |one: &usize| *one < names.len();
        let height = columns.iter().map(|column| tall(column, is_box)).max().unwrap_or_default();
        let mut places = BTreeMap::new();
        for (at, column) in (0..).zip(&columns) {
            let mut y = MARGIN + (height - tall(column, is_box)) / 2;
            for one in column {
                places.insert(*one, (MARGIN + at * (WIDTH + GAP_X), y));
                y += GAP_Y + if is_box(one) { HEIGHT } else { 0 };
            }
        }
        let nodes = (0..).zip(names).map(|(one, name)| {
            let (x, y) = places[&one];
            Node { name, x, y, text_x: x + WIDTH / 2, text_y: y + HEIGHT / 2 }
        });
        let count = i32::try_from(columns.len()).unwrap_or(i32::MAX).max(1);
        Self {
            // A line within a column needs room on its right.
            width: 2 * MARGIN + count * (WIDTH + GAP_X) - GAP_X / 2,
            height: height + 2 * MARGIN,
            nodes: nodes.collect(),
            lines: lines(relations, &ways, &places),
        }
    }
}

/// The height of a column of boxes and of places for lines.
fn tall(column: &[usize], is_box: impl Fn(&usize) -> bool) -> i32 {
    let boxes = i32::try_from(column.iter().filter(|one| is_box(one)).count()).unwrap_or(i32::MAX);
    boxes * HEIGHT + (i32::try_from(column.len()).unwrap_or(i32::MAX) - 1) * GAP_Y
}

/// Returns the fields of each relation, and whether one of them is the parent.
fn relations(model: &Model) -> Edges<'_> {
    let mut relations = Edges::new();
    for resource in model.resources() {
        for (ix, field) in resource.visible() {
            let Some(target) = field.target else { continue };
            let relation = relations.entry((at(resource.ix), at(target))).or_default();
            relation.0.push(&field.name);
            relation.1 |= resource.parent.is_some_and(|(_, parent)| parent == ix);
        }
    }
    relations
}

fn at(ix: ResourceIx) -> usize {
    usize::from(ix.0)
}

/// Returns the relations without those that close a cycle. Relations to parents take precedence.
fn acyclic<T>(relations: &BTreeMap<Edge, T>, is_parent: impl Fn(&Edge) -> bool) -> Vec<Edge> {
    let mut kept: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for wanted in [true, false] {
        for relation in relations.keys().filter(|one| is_parent(one) == wanted) {
            if !reaches(&kept, relation.1, relation.0) {
                kept.entry(relation.0).or_default().push(relation.1);
            }
        }
    }
    let pairs = |(from, ends): (&usize, &Vec<usize>)| {
        ends.iter().map(|end| (*from, *end)).collect::<Vec<_>>()
    };
    kept.iter().flat_map(pairs).collect()
}

/// Whether relations lead from one resource to another, or both are the same. Each resource is
/// looked at once.
fn reaches(relations: &BTreeMap<usize, Vec<usize>>, from: usize, to: usize) -> bool {
    let (mut known, mut waiting) = (BTreeSet::new(), vec![from]);
    while let Some(at) = waiting.pop() {
        if at == to {
            return true;
        }
        if known.insert(at) {
            waiting.extend(relations.get(&at).into_iter().flatten());
        }
    }
    false
}

/// Returns the resources of each column. The first column has those that refer to no other. The
/// relations have no cycle.
fn columns(count: usize, relations: &[Edge]) -> Vec<Vec<usize>> {
    let mut depths = vec![0; count];
    // The longest way has at most as many relations as there are resources.
    for _ in 0..count {
        for (from, to) in relations {
            depths[*from] = depths[*from].max(depths[*to] + 1);
        }
    }
    let last = depths.iter().max().copied().unwrap_or_default();
    (0..=last)
        .map(|depth| (0..count).filter(|resource| depths[*resource] == depth).collect())
        .collect()
}

/// Adds a place to each column that a line passes. Returns the ways of the lines. Places have the
/// numbers from `count` on.
fn ways(columns: &mut [Vec<usize>], count: usize, relations: &Edges<'_>) -> Ways {
    let mut depths = vec![0; count];
    for (depth, column) in (0..).zip(columns.iter()) {
        column.iter().for_each(|resource| depths[*resource] = depth);
    }
    let mut last = count;
    let mut way = |(from, to): Edge| {
        let (start, end) = (depths[from], depths[to]);
        let mut passed: Vec<usize> = (start.min(end) + 1..start.max(end)).collect();
        if start > end {
            passed.reverse();
        }
        let mut way = vec![from];
        for column in passed {
            if last < count + WAYPOINTS_MAX {
                columns[column].push(last);
                way.push(last);
                last += 1;
            }
        }
        way.push(to);
        way
    };
    relations.keys().map(|relation| (*relation, way(*relation))).collect()
}

/// Sorts each column by the mean row of what its own places are linked to.
fn arranged(mut columns: Vec<Vec<usize>>, ways: &Ways) -> Vec<Vec<usize>> {
    let mut linked: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for pair in ways.values().flat_map(|way| way.windows(2)).filter(|pair| pair[0] != pair[1]) {
        linked.entry(pair[0]).or_default().push(pair[1]);
        linked.entry(pair[1]).or_default().push(pair[0]);
    }
    let mut rows = BTreeMap::new();
    let place = |rows: &mut BTreeMap<usize, f64>, column: &[usize]| {
        let middle = column.len() as f64 / 2.0;
        rows.extend((0..).zip(column).map(|(row, one)| (*one, f64::from(row) - middle)));
    };
    columns.iter().for_each(|column| place(&mut rows, column));
    for _ in 0..SWEEPS {
        for column in &mut columns {
            let mean = |one: &usize| {
                let others = linked.get(one).map_or(&[][..], |others| others);
                let sum: f64 = others.iter().map(|other| rows[other]).sum();
                if others.is_empty() { 0.0 } else { sum / others.len() as f64 }
            };
            let means: BTreeMap<_, _> = column.iter().map(|one| (*one, mean(one))).collect();
            column.sort_by(|one, other| means[one].total_cmp(&means[other]));
            place(&mut rows, column);
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns_of(count: usize, relations: &[Edge]) -> Vec<Vec<usize>> {
        let relations = relations.iter().map(|one| (*one, ())).collect();
        columns(count, &acyclic(&relations, |(from, to)| from > to))
    }

    #[test]
    fn a_resource_stands_right_of_those_it_refers_to() {
        assert_eq!(columns_of(4, &[(2, 0), (2, 1)]), [vec![0, 1, 3], vec![2]]);
        assert_eq!(columns_of(3, &[(1, 0), (2, 1), (2, 0)]), [[0], [1], [2]]);
        assert_eq!(columns_of(1, &[(0, 0)]), [[0]]);
    }

    /// Each resource refers to the two before it, so the number of ways grows as Fibonacci's.
    #[test]
    fn many_ways_are_not_followed_one_by_one() {
        let relations: Vec<_> = (2..90).flat_map(|at| [(at, at - 1), (at, at - 2)]).collect();
        assert_eq!(columns_of(90, &relations).len(), 89);
    }

    #[test]
    fn a_cycle_has_an_end() {
        // The relation from 2 to 0 is one to a parent, and takes precedence.
        assert_eq!(columns_of(3, &[(0, 1), (1, 2), (2, 0)]), [[1], [0], [2]]);
    }

    /// The points of a path: each curve in many small steps.
    fn points(path: &str) -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = vec![];
        let ends = path.match_indices(['M', 'C', 'H']).map(|(at, _)| at).chain([path.len()]);
        let ends: Vec<_> = ends.collect();
        for part in ends.windows(2).map(|pair| &path[pair[0]..pair[1]]) {
            let numbers: Vec<f64> = part[1..].split(' ').map(|one| one.parse().unwrap()).collect();
            match (&part[..1], &*numbers) {
                ("M", [x, y]) => points.push((*x, *y)),
                ("H", [x]) => {
                    let (from, y) = *points.last().unwrap();
                    let at = |step| from + (x - from) * f64::from(step) / 50.0;
                    points.extend((1..=50).map(|step| (at(step), y)));
                }
                ("C", [ax, ay, bx, by, x, y]) => {
                    let (from_x, from_y) = *points.last().unwrap();
                    for step in 1..=50 {
                        let t = f64::from(step) / 50.0;
                        let u = 1.0 - t;
                        let at = |from: f64, a: f64, b: f64, to: f64| {
                            u * u * u * from + 3.0 * t * u * (u * a + t * b) + t * t * t * to
                        };
                        points.push((at(from_x, *ax, *bx, *x), at(from_y, *ay, *by, *y)));
                    }
                }
                _ => panic!("{part}"),
            }
        }
        points
    }

    /// Draws relations between this number of resources. The first of each resource leads to its
    /// parent.
    fn drawn(count: usize, relations: &[Edge]) -> Diagram {
        let relations = relations.iter().map(|one| (*one, (vec!["field"], one.0 > one.1)));
        Diagram::drawn(&vec!["name"; count], &relations.collect())
    }

    #[test]
    fn no_line_passes_behind_a_box() {
        let mut seed = 7_usize;
        let mut below = |most: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            (seed >> 33) % most
        };
        for count in 2..14 {
            let relations: Vec<_> = (0..2 * count).map(|_| (below(count), below(count))).collect();
            let diagram = drawn(count, &relations);
            for line in &diagram.lines {
                let points = points(&line.path);
                for (x, y) in &points {
                    let is_inside = |node: &Node| {
                        let (left, top) = (f64::from(node.x), f64::from(node.y));
                        let (right, bottom) = (left + f64::from(WIDTH), top + f64::from(HEIGHT));
                        left < *x && *x < right && top < *y && *y < bottom
                    };
                    assert!(!diagram.nodes.iter().any(is_inside), "{relations:?}: {}", line.path);
                    assert!(*x < f64::from(diagram.width) && *y < f64::from(diagram.height));
                }
            }
        }
    }

    /// A large model has many places for lines, but not without limit.
    #[test]
    fn a_large_diagram_is_bounded() {
        let relations: Vec<_> =
            (1..300).flat_map(|at| [(at, at - 1), (at, 0)]).filter(|one| one.0 != 0).collect();
        let diagram = drawn(300, &relations);
        let waypoints: usize =
            diagram.lines.iter().map(|line| line.path.matches('H').count()).sum();
        assert!(waypoints <= WAYPOINTS_MAX && waypoints > WAYPOINTS_MAX / 2, "{waypoints}");
    }
}
