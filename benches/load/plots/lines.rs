//! A plot of lines on two logarithmic axes: a number on the horizontal axis, and a time on the
//! vertical one.

use std::ops::Range;

use plotters::{coord::combinators::WithKeyPoints, prelude::*};

use super::{COLORS, GRID, INK, TOP, WIDTH, text, titled};
use crate::grouped;

const HEIGHT: u32 = 460;
/// The width of a letter in most fonts, in pixels. The name of a line is beside its end.
const LETTER: u32 = 7;

/// A plot of times against numbers, such as the number of rows.
pub(super) struct Lines {
    pub(super) title: String,
    /// The label of the horizontal axis: what the numbers count.
    pub(super) across: String,
    pub(super) lines: Vec<Line>,
}

/// A line: points of a number and a time in microseconds, all above 0.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

impl Lines {
    pub(super) fn svg(&self) -> Result<String, DrawingAreaErrorKind<std::io::Error>> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let (numbers, times) = (powers(points().map(|at| at.0)), powers(points().map(|at| at.1)));
        let longest = self.lines.iter().map(|line| line.name.chars().count()).max();
        let names = 28 + LETTER * longest.unwrap_or_default() as u32;
        let mut svg = String::new();
        let root = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT)).into_drawing_area();
        titled(&root, &self.title)?;
        let mut chart = ChartBuilder::on(&root)
            .margin(14)
            .margin_top(TOP)
            .margin_right(names)
            .set_label_area_size(LabelAreaPosition::Left, 84)
            .set_label_area_size(LabelAreaPosition::Bottom, 46)
            .build_cartesian_2d(scale(&numbers), scale(&times))?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(GRID)
            .label_style(text(INK))
            .x_label_formatter(&|number| grouped(number.round() as u64))
            .y_label_formatter(&|micros| time(*micros))
            .x_desc(&self.across)
            .y_desc("time of a request")
            .draw()?;
        for (line, color) in self.lines.iter().zip(COLORS) {
            chart.draw_series(LineSeries::new(line.points.clone(), color.stroke_width(2)))?;
            let dots = line.points.iter().map(|point| Circle::new(*point, 3, color.filled()));
            chart.draw_series(dots)?;
            let name = line.points.last().map(|end| {
                EmptyElement::at(*end) + Text::new(line.name.clone(), (10, -7), text(color))
            });
            chart.draw_series(name)?;
        }
        root.present()?;
        drop(chart);
        drop(root);
        Ok(svg)
    }
}

/// The exponents of the powers of ten that enclose these numbers.
fn powers(figures: impl Iterator<Item = f64> + Clone) -> Range<i32> {
    let least = figures.clone().fold(f64::INFINITY, f64::min).log10().floor();
    let most = figures.fold(0.0, f64::max).log10().ceil();
    let from = if least.is_finite() { least as i32 } else { 0 };
    from..(most as i32).max(from + 1)
}

/// A logarithmic axis with a label at each power of ten.
fn scale(powers: &Range<i32>) -> WithKeyPoints<LogCoord<f64>> {
    let power = |exponent| 10_f64.powi(exponent);
    let range = (power(powers.start)..power(powers.end)).log_scale();
    range.with_key_points((powers.start..=powers.end).map(power).collect())
}

/// Formats a time in seconds, milliseconds or microseconds, depending on its size.
fn time(micros: f64) -> String {
    match micros {
        1e6.. => format!("{:.0} s", micros / 1e6),
        1e3.. => format!("{:.0} ms", micros / 1e3),
        1.0.. => format!("{micros:.0} µs"),
        _ => format!("{micros} µs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_whole_powers_of_ten() {
        assert_eq!(powers([3.0, 4000.0].into_iter()), 0..4);
        assert_eq!(powers([100.0].into_iter()), 2..3);
        assert_eq!(
            [0.1, 1.0, 1e2, 1e5, 1e6].map(time),
            ["0.1 µs", "1 µs", "100 µs", "100 ms", "1 s"]
        );
    }

    #[test]
    fn every_line_has_its_points_and_its_name() {
        let lines = vec![
            Line { name: "by cursor".into(), points: vec![(1.0, 20.0), (100.0, 20.0)] },
            Line { name: "by offset".into(), points: vec![(1.0, 20.0), (100.0, 2000.0)] },
        ];
        let svg = Lines { title: "Depth".into(), across: "page".into(), lines }.svg().unwrap();
        assert_eq!(svg.matches("<circle").count(), 4, "each point of a line has a circle: {svg}");
        for words in ["10 µs", "10 ms", "100", "page", "by cursor", "by offset", "Depth"] {
            assert!(
                svg.contains(&format!("\n{words}\n")),
                "the plot must have the text `{words}`: {svg}"
            );
        }
    }
}
