//! Draws plots from the tables of the performance pages, so that a plot has the numbers of its
//! page.

mod bars;
mod lines;
mod table;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use plotters::{coord::Shift, prelude::*};

use self::{
    bars::{Bar, Bars},
    lines::{Line, Lines},
    table::{number, rows},
};
use crate::grouped;

/// The options of `plots`.
#[derive(Args, Debug)]
pub(crate) struct Plots {
    /// The folder with the pages. The plots are written to its subfolder `plots`.
    #[arg(default_value = "docs")]
    docs: PathBuf,
}

type Area<'svg> = DrawingArea<SVGBackend<'svg>, Shift>;

const WIDTH: u32 = 800;
/// The height of the title, in pixels.
const TOP: u32 = 52;
const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
const GRID: RGBColor = RGBColor(0xd1, 0xd9, 0xe0);
/// The colors of the series. Each has a contrast ratio to white of at least 4.5.
const COLORS: [RGBColor; 5] = [
    RGBColor(0x09, 0x69, 0xda),
    RGBColor(0xbc, 0x4c, 0x00),
    RGBColor(0x1a, 0x7f, 0x37),
    RGBColor(0x82, 0x50, 0xdf),
    RGBColor(0xbf, 0x39, 0x89),
];

/// The rows of the table "by rows" that are drawn. The omitted rows take as long as "20 by name".
const BY_ROWS: [&str; 5] = [
    "20 by a filter without an index",
    "20 by name, and the total",
    "the first 100",
    "20 by name",
    "a member by id",
];

impl Plots {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = self.docs.join("plots");
        fs::create_dir_all(&folder)?;
        let plots = drawn(&self.docs)?;
        plots.into_iter().try_for_each(|(name, svg)| fs::write(folder.join(name), svg))
    }
}

/// Draws all plots. Returns each with its file name.
fn drawn(docs: &Path) -> io::Result<[(&'static str, String); 3]> {
    let load = fs::read_to_string(docs.join("performance.md"))?;
    let growth = fs::read_to_string(docs.join("performance-growth.md"))?;
    Ok([
        ("load.svg", by_work(&load)?.svg().map_err(io::Error::other)?),
        ("rows.svg", by_rows(&growth)?.svg().map_err(io::Error::other)?),
        ("depth.svg", by_depth(&growth)?.svg().map_err(io::Error::other)?),
    ])
}

fn by_work(page: &str) -> io::Result<Bars> {
    let (_, rows) = rows(page, "| work | of hello |")?;
    let bars = rows.into_iter().map(|cells| Bar {
        percents: vec![number(&cells[1]), number(&cells[2])],
        name: cells[0].clone(),
    });
    Ok(Bars {
        title: "Throughput of Nouns, relative to two baselines".into(),
        across: "requests per second, in percent of the baseline".into(),
        names: vec![
            "relative to a bare hyper server".into(),
            "relative to a server written by hand".into(),
        ],
        rows: bars.collect(),
    })
}

fn by_rows(page: &str) -> io::Result<Lines> {
    let (header, rows) = rows(page, "| by the rows of the table |")?;
    let sizes: Vec<f64> =
        header.iter().filter_map(|cell| number(cell.strip_suffix(": µs")?)).collect();
    let line = |name: &&str| {
        let cells = rows.iter().find(|cells| cells[0] == *name)?;
        let micros = cells[1..].iter().map(|cell| number(cell));
        let points = sizes.iter().zip(micros).filter_map(|(size, micros)| Some((*size, micros?)));
        Some(Line { name: (*name).into(), points: points.collect() })
    };
    Ok(Lines {
        title: "Time of a request, by the rows of its table".into(),
        across: "rows of the table".into(),
        lines: BY_ROWS.iter().filter_map(line).collect(),
    })
}

/// Draws the times of pages by their depth, for the largest table.
fn by_depth(page: &str) -> io::Result<Lines> {
    let (_, rows) = rows(page, "| rows | page |")?;
    let largest = rows.iter().filter_map(|cells| number(&cells[0])).fold(0.0, f64::max);
    let line = |(name, column): (&str, usize)| Line {
        name: name.into(),
        points: rows
            .iter()
            .filter(|cells| number(&cells[0]) == Some(largest))
            .filter_map(|cells| Some((number(&cells[1])?, number(&cells[column])?)))
            .collect(),
    };
    Ok(Lines {
        title: format!("Time of a page of 20, by its depth in {} rows", grouped(largest as u64)),
        across: "number of the page".into(),
        lines: [("by offset", 3), ("by cursor", 2)].map(line).into(),
    })
}

/// Draws the background and the title of a plot.
fn titled(root: &Area<'_>, title: &str) -> Result<(), DrawingAreaErrorKind<io::Error>> {
    root.fill(&WHITE)?;
    let bold = ("sans-serif", 19, FontStyle::Bold).into_font().color(&INK);
    root.draw_text(title, &bold, (14, 14))
}

/// The style of plain text in this color.
fn text(color: RGBColor) -> TextStyle<'static> {
    ("sans-serif", 16).into_font().color(&color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plots_show_the_figures_of_their_pages() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        for (name, svg) in drawn(&docs).unwrap() {
            let shown = fs::read_to_string(docs.join("plots").join(name)).unwrap();
            assert_eq!(shown, svg, "{name} is not up to date: run `nouns-bench plots`");
        }
    }

    #[test]
    fn a_page_without_the_table_is_an_error() {
        assert_eq!(by_work("# A page\n").err().unwrap().kind(), io::ErrorKind::InvalidData);
    }
}
