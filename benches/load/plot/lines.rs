//! Lines on two logarithmic scales: times over numbers.

use std::fmt::Write as _;

use super::{WIDTH, grid, picture, text};
use crate::grouped;

const LEFT: f64 = 76.0;
/// The width of a letter of a name, as most fonts have it at most; names stand at the ends of their
/// lines.
const LETTER: f64 = 7.2;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 420.0;
const HEIGHT: f64 = 474.0;
/// What a name needs.
const NAME: f64 = 17.0;

/// Times over numbers.
pub(crate) struct Plot<'words> {
    pub(crate) title: &'words str,
    /// What the numbers count.
    pub(crate) across: &'words str,
    pub(crate) lines: Vec<Line>,
}

/// A line: numbers and microseconds, all above 0.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Whole powers of ten around some figures.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    from: i32,
    to: i32,
}

impl Scale {
    fn around(figures: impl Iterator<Item = f64> + Clone) -> Self {
        let least = figures.clone().fold(f64::INFINITY, f64::min).log10().floor();
        let most = figures.fold(0.0, f64::max).log10().ceil();
        let from = if least.is_finite() { least as i32 } else { 0 };
        Self { from, to: (most as i32).max(from + 1) }
    }

    /// Where a figure lies, from 0 to 1.
    fn share(self, figure: f64) -> f64 {
        (figure.log10() - f64::from(self.from)) / f64::from(self.to - self.from)
    }
}

impl Plot<'_> {
    pub(crate) fn svg(&self) -> String {
        let longest =
            self.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or_default();
        let right = WIDTH - 28.0 - LETTER * longest as f64;
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let (numbers, times) =
            (Scale::around(points().map(|at| at.0)), Scale::around(points().map(|at| at.1)));
        let x = |number| LEFT + numbers.share(number) * (right - LEFT);
        let y = |micros| BOTTOM - times.share(micros) * (BOTTOM - TOP);
        let mut svg = String::new();
        for power in times.from..=times.to {
            let at = y(10_f64.powi(power));
            svg += &grid((LEFT, at), (right, at));
            svg += &text("faint", "end", (LEFT - 8.0, at + 4.5), &time(power));
        }
        for power in numbers.from..=numbers.to {
            let number = 10_f64.powi(power);
            svg += &grid((x(number), TOP), (x(number), BOTTOM));
            svg += &text("faint", "middle", (x(number), BOTTOM + 20.0), &grouped(number as u64));
        }
        let middle = (LEFT + right) / 2.0;
        svg += &text("faint", "middle", (middle, BOTTOM + 42.0), self.across);
        for (at, line) in self.lines.iter().enumerate() {
            let places: Vec<String> = line
                .points
                .iter()
                .map(|point| format!("{:.1},{:.1}", x(point.0), y(point.1)))
                .collect();
            writeln!(svg, "<polyline class=\"line c{at}\" points=\"{}\"/>", places.join(" ")).ok();
            for place in places {
                let (x, y) = place.split_once(',').unwrap_or_default();
                writeln!(svg, "<circle class=\"dot c{at}\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>").ok();
            }
        }
        let ends =
            self.lines.iter().map(|line| line.points.last().map_or(BOTTOM, |last| y(last.1)));
        let ends: Vec<f64> = ends.collect();
        for (at, height) in apart(&ends).into_iter().enumerate() {
            let place = (right + 14.0, height + 4.5);
            svg += &text(&format!("name c{at}"), "start", place, &self.lines[at].name);
        }
        picture(HEIGHT, self.title, &svg)
    }
}

/// Heights for names, in which none lies on another: each as near to its own as the ones below it
/// let it.
fn apart(heights: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|a, b| heights[*b].total_cmp(&heights[*a]));
    let mut placed = heights.to_vec();
    let mut free = BOTTOM;
    for at in order {
        placed[at] = heights[at].min(free);
        free = placed[at] - NAME;
    }
    placed
}

/// A power of ten of microseconds.
fn time(power: i32) -> String {
    match power {
        6.. => format!("{} s", 10_u64.pow(power as u32 - 6)),
        3..6 => format!("{} ms", 10_u64.pow(power as u32 - 3)),
        0..3 => format!("{} µs", 10_u64.pow(power as u32)),
        _ => format!("{} µs", 10_f64.powi(power)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_whole_powers_of_ten() {
        assert_eq!(Scale::around([3.0, 4000.0].into_iter()), Scale { from: 0, to: 4 });
        assert_eq!(Scale::around([100.0].into_iter()), Scale { from: 2, to: 3 });
        let scale = Scale { from: 0, to: 4 };
        assert_eq!([1.0, 100.0, 10_000.0].map(|figure| scale.share(figure)), [0.0, 0.5, 1.0]);
        assert_eq!([1, 2, 3, 5, 6].map(time), ["10 µs", "100 µs", "1 ms", "100 ms", "1 s"]);
    }

    #[test]
    fn no_name_lies_on_another() {
        assert_eq!(apart(&[100.0, 300.0, 95.0]), [100.0, 300.0, 83.0]);
        assert_eq!(apart(&[BOTTOM, BOTTOM]), [BOTTOM, BOTTOM - NAME]);
    }

    #[test]
    fn every_line_has_its_points_and_its_name() {
        let lines = vec![
            Line { name: "by cursor".into(), points: vec![(1.0, 20.0), (100.0, 20.0)] },
            Line { name: "by offset".into(), points: vec![(1.0, 20.0), (100.0, 2000.0)] },
        ];
        let svg = Plot { title: "Depth", across: "page", lines }.svg();
        assert_eq!(
            (svg.matches("<polyline").count(), svg.matches("<circle").count()),
            (2, 4),
            "{svg}"
        );
        for words in
            [">10 µs<", ">10 ms<", ">100<", ">page<", ">by cursor<", ">by offset<", ">Depth<"]
        {
            assert!(svg.contains(words), "{words}: {svg}");
        }
    }
}
