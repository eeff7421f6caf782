// Draws the output of a program in a terminal as SVG.

const LINE = 19;
const CHARACTER = 8.43;
const MARGIN = 16;

/** The colours of a scheme: of the background, of text, and of the codes 31 to 36. */
const SCHEMES = {
  light: { back: "#ffffff", text: "#1f2328", 31: "#b3201f", 32: "#1a6e2d", 33: "#8a5a00", 34: "#0550ae", 35: "#7a3fb5", 36: "#0b6b75" },
  dark: { back: "#16191d", text: "#e6e8ea", 31: "#ff8f88", 32: "#7ddb8e", 33: "#f0c35b", 34: "#86bdff", 35: "#d3a7ff", 36: "#78d8e2" },
};

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Splits a line into parts of one style each: its text, whether it is bold, and its colour. */
function parts(line) {
  const parts = [];
  let style = { bold: false, colour: "text" };
  for (const piece of line.split(/(\x1b\[[0-9;]*m)/)) {
    const codes = /^\x1b\[([0-9;]*)m$/.exec(piece);
    if (!codes) {
      if (piece) parts.push({ text: piece, ...style });
      continue;
    }
    for (const code of codes[1].split(";").map(Number)) {
      if (code === 0) style = { bold: false, colour: "text" };
      if (code === 1) style = { ...style, bold: true };
      if ((code >= 31 && code <= 36) || (code >= 91 && code <= 96)) {
        style = { ...style, colour: String(30 + (code % 10)) };
      }
    }
  }
  return parts;
}

/** Returns an SVG document that shows the lines. */
export function terminal(output, scheme) {
  const colours = SCHEMES[scheme];
  const lines = output.replaceAll("\r", "").trimEnd().split("\n");
  const columns = Math.max(...lines.map((line) => line.replaceAll(/\x1b\[[0-9;]*m/g, "").length));
  const width = Math.ceil(columns * CHARACTER + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  const drawn = lines.map((line, at) => {
    const spans = parts(line).map(({ text, bold, colour }) => {
      const weight = bold ? ' font-weight="bold"' : "";
      return `<tspan fill="${colours[colour]}"${weight}>${escaped(text)}</tspan>`;
    });
    return `<text x="${MARGIN}" y="${MARGIN + 14 + at * LINE}" xml:space="preserve">${spans.join("")}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"
  font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">
<rect width="${width}" height="${height}" rx="8" fill="${colours.back}" stroke="#8888" />
${drawn.join("\n")}
</svg>
`;
}
