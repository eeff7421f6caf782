//! Bars that lie: shares of a whole, some for each row.

use std::fmt::Write as _;

use super::{WIDTH, grid, picture, text};

const LEFT: f64 = 270.0;
const RIGHT: f64 = 60.0;
const TOP: f64 = 84.0;
const BAR: f64 = 13.0;
const GAP: f64 = 14.0;

/// Rows of bars.
pub(crate) struct Bars<'words> {
    pub(crate) title: &'words str,
    /// What the bars of each row stand for.
    pub(crate) names: &'words [&'words str],
    pub(crate) rows: Vec<Bar>,
}

/// The bars of a row: percentages, where there are any.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) percents: Vec<Option<f64>>,
}

impl Bars<'_> {
    pub(crate) fn svg(&self) -> String {
        let row = BAR * self.names.len() as f64 + GAP;
        let bottom = TOP + row * self.rows.len() as f64;
        let percents = self.rows.iter().flat_map(|row| &row.percents).flatten();
        let most = percents.copied().fold(100.0, f64::max);
        let across = |percent: f64| LEFT + percent / most * (WIDTH - LEFT - RIGHT);
        let mut svg = String::new();
        let mut from = 20.0;
        for (at, name) in self.names.iter().enumerate() {
            write!(
                svg,
                "<rect class=\"bar c{at}\" x=\"{from}\" y=\"46\" width=\"{BAR}\" height=\"{BAR}\" rx=\"2\"/>"
            )
            .ok();
            svg += &text("faint", "start", (from + BAR + 6.0, 57.0), name);
            from += 40.0 + 7.5 * name.len() as f64;
        }
        for percent in (0..=most as u32).step_by(25) {
            let x = across(percent.into());
            svg += &grid((x, TOP - 8.0), (x, bottom));
            svg += &text("faint", "middle", (x, bottom + 18.0), &format!("{percent} %"));
        }
        for (at, bar) in self.rows.iter().enumerate() {
            let top = TOP + row * at as f64;
            svg += &text("", "end", (LEFT - 12.0, top + (row - GAP) / 2.0 + 4.5), &bar.name);
            for (which, percent) in bar.percents.iter().enumerate() {
                let Some(percent) = percent else { continue };
                let (top, width) = (top + BAR * which as f64, across(*percent) - LEFT);
                let size = format!("width=\"{width:.1}\" height=\"{}\" rx=\"2\"", BAR - 1.0);
                writeln!(svg, "<rect class=\"bar c{which}\" x=\"{LEFT}\" y=\"{top}\" {size}/>")
                    .ok();
                svg += &text(
                    "faint",
                    "start",
                    (across(*percent) + 5.0, top + BAR - 2.5),
                    &format!("{percent:.0} %"),
                );
            }
        }
        picture(bottom + 34.0, self.title, &svg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        let bars = Bars {
            title: "A & B",
            names: &["ours", "theirs"],
            rows: vec![Bar { name: "GET <all>".into(), percents: vec![Some(50.0), None] }],
        };
        let svg = bars.svg();
        let half = (WIDTH - LEFT - RIGHT) / 2.0;
        assert!(svg.contains(&format!("width=\"{half:.1}\" height=\"12\"")), "{svg}");
        assert!(
            svg.contains(">50 %<") && svg.contains("A &amp; B") && svg.contains("GET &lt;all>"),
            "{svg}"
        );
        // One for each name of the legend, and one bar.
        assert_eq!(svg.matches("class=\"bar").count(), 3);
    }
}
