//! The diagram of resources and their relations on the home page. A resource stands to the right of
//! those that it refers to, and a line goes from each reference to its target.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::model::{Model, ResourceIx};

/// The sizes of the drawing, in units of SVG.
const WIDTH: i32 = 150;
const HEIGHT: i32 = 40;
const GAP_X: i32 = 84;
const GAP_Y: i32 = 20;
const MARGIN: i32 = 12;
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
type Relation = (usize, usize);

impl Diagram {
    /// Draws the diagram of a model.
    pub(super) fn of(model: &Model) -> Self {
        let relations = relations(model);
        let parents = |relation: &Relation| relations[relation].1;
        let columns = columns(model.resources().len(), &acyclic(&relations, parents));
        let columns = arranged(columns, &relations);
        let tallest = columns.iter().map(Vec::len).max().unwrap_or_default();
        let height = tall(tallest);
        let mut places = vec![(0, 0); model.resources().len()];
        for (at, column) in (0..).zip(&columns) {
            let top = MARGIN + (height - tall(column.len())) / 2;
            for (row, resource) in (0..).zip(column) {
                places[*resource] = (MARGIN + at * (WIDTH + GAP_X), top + row * (HEIGHT + GAP_Y));
            }
        }
        let nodes = model.resources().iter().zip(&places).map(|(resource, (x, y))| Node {
            name: resource.def.name,
            x: *x,
            y: *y,
            text_x: x + WIDTH / 2,
            text_y: y + HEIGHT / 2,
        });
        let count = i32::try_from(columns.len()).unwrap_or(i32::MAX).max(1);
        Self {
            // A line within a column needs room on its right.
            width: 2 * MARGIN + count * (WIDTH + GAP_X) - GAP_X / 2,
            height: height + 2 * MARGIN,
            nodes: nodes.collect(),
            lines: lines(&relations, &places),
        }
    }
}

/// The height of a column of boxes.
fn tall(boxes: usize) -> i32 {
    i32::try_from(boxes).unwrap_or(i32::MAX) * (HEIGHT + GAP_Y) - GAP_Y
}

/// Returns the fields of each relation, and whether one of them is the parent.
fn relations(model: &Model) -> BTreeMap<Relation, (Vec<&str>, bool)> {
    let mut relations: BTreeMap<Relation, (Vec<&str>, bool)> = BTreeMap::new();
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
fn acyclic<T>(
    relations: &BTreeMap<Relation, T>,
    is_parent: impl Fn(&Relation) -> bool,
) -> Vec<Relation> {
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
fn columns(count: usize, relations: &[Relation]) -> Vec<Vec<usize>> {
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

/// Sorts each column by the mean row of the resources that its own are related to.
fn arranged<T>(mut columns: Vec<Vec<usize>>, relations: &BTreeMap<Relation, T>) -> Vec<Vec<usize>> {
    for _ in 0..SWEEPS {
        for at in 0..columns.len() {
            let rows: BTreeMap<usize, f64> = columns
                .iter()
                .flat_map(|column| {
                    let middle = column.len() as f64 / 2.0;
                    (0..).zip(column).map(move |(row, one)| (*one, f64::from(row) - middle))
                })
                .collect();
            let mean = |resource: &usize| {
                let others = relations.keys().filter_map(|(from, to)| match (from, to) {
                    (from, to) if from == to => None,
                    (from, to) if from == resource => Some(rows[to]),
                    (from, to) if to == resource => Some(rows[from]),
                    _ => None,
                });
                let (sum, count) =
                    others.fold((0.0, 0.0), |(sum, count), row| (sum + row, count + 1.0));
                if count > 0.0 { sum / count } else { 0.0 }
            };
            columns[at].sort_by(|one, other| mean(one).total_cmp(&mean(other)));
        }
    }
    columns
}

/// Returns the line of each relation, from the left side of the box with the fields to the right
/// side of the target. Lines at one side of a box are spread over it.
fn lines(relations: &BTreeMap<Relation, (Vec<&str>, bool)>, places: &[(i32, i32)]) -> Vec<Line> {
    let spread = |mut ends: Vec<(i32, Relation)>, own: Relation, y: i32| {
        ends.sort_unstable();
        let place = ends.iter().position(|(_, relation)| *relation == own).unwrap_or_default();
        let (place, count) = (
            i32::try_from(place).unwrap_or_default(),
            i32::try_from(ends.len()).unwrap_or(i32::MAX),
        );
        y + HEIGHT * (place + 1) / (count + 1)
    };
    let line = |(relation, (fields, is_parent)): (&Relation, &(Vec<&str>, bool))| {
        let (from, to) = *relation;
        let out = relations.keys().filter(|(other, _)| *other == from);
        let into = relations.keys().filter(|(_, other)| *other == to);
        let out = out.map(|one| (places[one.1].1, *one)).collect();
        let into = into.map(|one| (places[one.0].1, *one)).collect();
        let (start, end) =
            (spread(out, *relation, places[from].1), spread(into, *relation, places[to].1));
        let (x, target) = (places[from].0, places[to].0 + WIDTH);
        let path = if places[from].0 > places[to].0 {
            let bend = (x - target) / 2;
            format!("M{x} {start}C{} {start} {} {end} {target} {end}", x - bend, target + bend)
        } else {
            // A line within a column, or to a column further right, begins on the right side.
            let (x, out) = (x + WIDTH, x.max(places[to].0) + WIDTH + GAP_X / 3);
            let start = if from == to { end + HEIGHT / 3 } else { start };
            format!("M{x} {start}C{out} {start} {out} {end} {target} {end}")
        };
        Line { path, is_parent: *is_parent, label: fields.join(", ") }
    };
    relations.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns_of(count: usize, relations: &[Relation]) -> Vec<Vec<usize>> {
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
}
