//! A plot of percentages as horizontal bars. Each row has one bar for each series.

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::{COLORS, GRID, INK, TOP, WIDTH, text, titled};

const BAR: u32 = 13;
const GAP: u32 = 12;
/// The height of the plot without its rows, in pixels.
const AROUND: u32 = TOP + 62;

/// The anchor of a text: its left edge, at half of its height.
const MIDDLE: Pos = Pos { h_pos: HPos::Left, v_pos: VPos::Center };

/// A plot of horizontal bars.
pub(super) struct Bars {
    pub(super) title: String,
    /// The label of the axis: what the percentages mean.
    pub(super) across: String,
    /// The names of the series.
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Bar>,
}

/// A row of the plot. `percents` has an element for each series; `None` draws no bar.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) percents: Vec<Option<f64>>,
}

impl Bars {
    pub(super) fn svg(&self) -> Result<String, DrawingAreaErrorKind<std::io::Error>> {
        let (series, rows) = (self.names.len() as u32, self.rows.len() as u32);
        let percents = self.rows.iter().flat_map(|row| &row.percents).flatten();
        let most = percents.copied().fold(100.0, f64::max) * 1.15;
        let height = AROUND + rows * (series * BAR + GAP);
        let mut svg = String::new();
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        titled(&root, &self.title)?;
        let mut chart = ChartBuilder::on(&root)
            .margin(14)
            .margin_top(TOP)
            .set_label_area_size(LabelAreaPosition::Left, 280)
            .set_label_area_size(LabelAreaPosition::Bottom, 46)
            // The first row is drawn at the top, so the rows are reversed. `into_segmented`
            // includes the end of the range.
            .build_cartesian_2d(
                0.0..most,
                (0..self.rows.len().saturating_sub(1)).into_segmented(),
            )?;
        let name = |at: &SegmentValue<usize>| match at {
            SegmentValue::CenterOf(at) => self.rows.iter().rev().nth(*at).map(|row| &*row.name),
            _ => None,
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(GRID)
            .label_style(text(INK))
            .y_labels(rows as usize)
            .y_label_formatter(&|at| name(at).unwrap_or_default().into())
            .x_label_formatter(&|percent| format!("{percent:.0} %"))
            .x_desc(&self.across)
            .draw()?;
        for (at, (name, color)) in self.names.iter().zip(COLORS).enumerate() {
            let bars = || {
                let rows = self.rows.iter().rev().enumerate();
                rows.filter_map(move |(row, bar)| Some((row, bar.percents[at]?)))
            };
            let margins = (GAP / 2 + BAR * at as u32, GAP / 2 + BAR * (series - 1 - at as u32));
            chart
                .draw_series(bars().map(|(row, percent)| {
                    let ends =
                        [(0.0, SegmentValue::Exact(row)), (percent, SegmentValue::Exact(row + 1))];
                    let mut bar = Rectangle::new(ends, color.filled());
                    bar.set_margin(margins.0, margins.1 + 1, 0, 0);
                    bar
                }))?
                .label(name)
                .legend(move |(x, y)| {
                    Rectangle::new([(x, y - 6), (x + 12, y + 6)], color.filled())
                });
            let down = (at as i32 * 2 + 1 - series as i32) * BAR as i32 / 2;
            chart.draw_series(bars().map(|(row, percent)| {
                let place = EmptyElement::at((percent, SegmentValue::CenterOf(row)));
                place + Text::new(format!("{percent:.0} %"), (5, down), text(color).pos(MIDDLE))
            }))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE)
            .border_style(GRID)
            .label_font(text(INK))
            .draw()?;
        root.present()?;
        drop(chart);
        drop(root);
        Ok(svg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_percentage_has_a_bar_of_its_color_and_a_number() {
        let bars = Bars {
            title: "A & B".into(),
            across: "percent".into(),
            names: vec!["of ours".into(), "of theirs".into()],
            rows: vec![
                Bar { name: "GET <all>".into(), percents: vec![Some(50.0), None] },
                Bar { name: "POST".into(), percents: vec![Some(25.0), Some(112.0)] },
            ],
        };
        let svg = bars.svg().unwrap();
        // The first series has two bars and a legend entry. The second series has one bar and a
        // legend entry.
        for (color, bars) in [("fill=\"#0969DA\" stroke", 3), ("fill=\"#BC4C00\" stroke", 2)] {
            assert_eq!(
                svg.matches(color).count(),
                bars,
                "each series has its bars and a legend entry in its color: {svg}"
            );
        }
        for words in ["A &amp; B", "GET &lt;all&gt;", "50 %", "112 %", "of theirs"] {
            assert!(svg.contains(words), "the plot must have the text `{words}`: {svg}");
        }
    }
}
