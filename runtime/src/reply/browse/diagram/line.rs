//! The lines of the diagram, from the box with the fields to the box that they refer to.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{Edge, Edges, GAP_X, HEIGHT, Line, WIDTH, Ways};

/// The place of a box or of a passing line: its left and its upper end.
type Places = BTreeMap<usize, (i32, i32)>;

/// A side of a box: that of the resource, and whether it is the right one.
type Side = (usize, bool);

/// An end of a line: the height of the next place, the relation, and whether the line begins here.
type LineEnd = (i32, Edge, bool);

/// Returns the line of each relation. A line to the left begins on the left side of its box, and
/// ends on the right side of the other one. Lines at one side of a box are spread over it.
pub(super) fn lines(relations: &Edges<'_>, ways: &Ways, places: &Places) -> Vec<Line> {
    let mut sides: BTreeMap<Side, Vec<LineEnd>> = BTreeMap::new();
    for (relation, way) in ways {
        let (start, end) = sides_of(*relation, places);
        let height = |at: usize| places[&way[at]].1;
        sides.entry(start).or_default().push((height(1), *relation, true));
        sides.entry(end).or_default().push((height(way.len() - 2), *relation, false));
    }
    sides.values_mut().for_each(|ends| ends.sort_unstable());
    let end = |side: Side, relation: Edge, is_start: bool| {
        let ends = &sides[&side];
        let is_own = |end: &LineEnd| (end.1, end.2) == (relation, is_start);
        let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
        let place = number(ends.iter().position(is_own).unwrap_or_default());
        let (x, y) = places[&side.0];
        let x = if side.1 { x + WIDTH } else { x };
        (x, y + HEIGHT * (place + 1) / (number(ends.len()) + 1))
    };
    let line = |(relation, (fields, is_parent)): (&Edge, &(Vec<&str>, bool))| {
        let (start, target) = sides_of(*relation, places);
        let (start, target) = (end(start, *relation, true), end(target, *relation, false));
        let way = &ways[relation];
        let passed = way[1..way.len() - 1].iter().map(|place| places[place]);
        Line { path: path(start, target, passed), is_parent: *is_parent, label: fields.join(", ") }
    };
    relations.iter().map(line).collect()
}

/// The sides of the boxes at which a line begins and ends.
fn sides_of((from, to): Edge, places: &Places) -> (Side, Side) {
    let (start, end) = (places[&from].0, places[&to].0);
    // A line within a column has both ends on the right.
    ((from, start <= end), (to, start >= end))
}

/// Returns the path of a line, past columns at these places.
fn path(start: (i32, i32), end: (i32, i32), passed: impl Iterator<Item = (i32, i32)>) -> String {
    let mut path = format!("M{} {}", start.0, start.1);
    if start.0 == end.0 {
        let out = start.0 + GAP_X / 3;
        curve(&mut path, (out, start.1), (out, end.1), end);
        return path;
    }
    let mut at = start;
    for (left, y) in passed {
        let (near, far) = if start.0 > end.0 { (left + WIDTH, left) } else { (left, left + WIDTH) };
        bow(&mut path, at, (near, y));
        write!(path, "H{far}").expect("writing to a String cannot fail");
        at = (far, y);
    }
    bow(&mut path, at, end);
    path
}

/// Adds a curve that begins and ends horizontally, between two columns.
fn bow(path: &mut String, from: (i32, i32), to: (i32, i32)) {
    let bend = (to.0 - from.0) / 2;
    curve(path, (from.0 + bend, from.1), (to.0 - bend, to.1), to);
}

/// Adds a Bézier curve to a path.
fn curve(path: &mut String, one: (i32, i32), other: (i32, i32), to: (i32, i32)) {
    let [(ax, ay), (bx, by), (x, y)] = [one, other, to];
    write!(path, "C{ax} {ay} {bx} {by} {x} {y}").expect("writing to a String cannot fail");
}
