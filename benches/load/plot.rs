//! Pictures of the tables, as SVG that looks well on light and dark pages, without any other file.

mod bars;
mod lines;

pub(crate) use self::{
    bars::{Bar, Bars},
    lines::{Line, Plot},
};

/// Width of every picture: that of a page of text on most screens.
const WIDTH: f64 = 800.0;

/// The background is drawn too: who shows a picture on a page of the other kind can still read it.
const STYLE: &str = "\
    .page { fill: #ffffff } text { fill: #1f2328; font: 13px system-ui, sans-serif } .title { font-weight: 600; font-size: 15px }\n\
    .faint { fill: #59636e } .grid { stroke: #d1d9e0; stroke-width: 1 } .line { fill: none; stroke-width: 2 }\n\
    .c0 { --c: #0969da } .c1 { --c: #bc4c00 } .c2 { --c: #1a7f37 } .c3 { --c: #8250df } .c4 { --c: #bf3989 }\n\
    .c5 { --c: #9a6700 } .c6 { --c: #1b7c83 } .c7 { --c: #cf222e } .c8 { --c: #57606a }\n\
    .line { stroke: var(--c) } .dot, .bar, .name { fill: var(--c) }\n\
    @media (prefers-color-scheme: dark) {\n\
    .page { fill: #0d1117 } text { fill: #f0f6fc } .faint { fill: #9198a1 } .grid { stroke: #3d444d }\n\
    .c0 { --c: #4493f8 } .c1 { --c: #f0883e } .c2 { --c: #3fb950 } .c3 { --c: #ab7df8 } .c4 { --c: #db61a2 }\n\
    .c5 { --c: #d29922 } .c6 { --c: #39c5cf } .c7 { --c: #f85149 } .c8 { --c: #9198a1 }\n\
    .line { stroke: var(--c) } .dot, .bar, .name { fill: var(--c) }\n\
    }";

/// A picture of a height, with a title.
fn picture(height: f64, title: &str, content: &str) -> String {
    let title = escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{title}\">\n<style>\n{STYLE}\n</style>\n\
         <rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\" rx=\"6\"/>\n\
         <text class=\"title\" x=\"20\" y=\"30\">{title}</text>\n{content}</svg>\n"
    )
}

/// A text at a place: its class, and where it is anchored.
fn text(class: &str, anchor: &str, (x, y): (f64, f64), words: &str) -> String {
    let words = escaped(words);
    format!(
        "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{words}</text>\n"
    )
}

fn grid((from_x, from_y): (f64, f64), (to_x, to_y): (f64, f64)) -> String {
    format!(
        "<line class=\"grid\" x1=\"{from_x:.1}\" y1=\"{from_y:.1}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\"/>\n"
    )
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
