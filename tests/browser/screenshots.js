// Makes the pictures of the documentation in `docs/screenshots`: pages in a browser as WebP, and a
// terminal as SVG, each in light and dark.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillLeague } from "./sample.js";
import { launch, serve } from "./server.js";
import { terminal } from "./terminal.js";

const ROOT = new URL("../..", import.meta.url).pathname;
const FOLDER = join(ROOT, "docs/screenshots");
const PROGRAM = process.env.NOUNS_PROGRAM ?? join(ROOT, "target/debug/nouns");
const SCHEMES = ["light", "dark"];

/** The players of a team, with the fields that fit the picture. */
const PLAYERS =
  "/api/v2/teams/1/players?sortby=name&limit=12&fields=id,name,number,position,active,height_m,mentor_id";

/** The pages, each with its size. */
const PAGES = [
  { name: "home", path: "/api/v2/", width: 1100, height: 760 },
  { name: "collection", path: PLAYERS, width: 1100, height: 640 },
  { name: "member", path: "/api/v2/teams/1", width: 1100, height: 640 },
  { name: "form", path: "/api/v2/-/forms/teams", width: 1100, height: 760, act: sendWrongValues },
];

/** A schema with mistakes, which the terminal shows with their repair. */
const DRAFT = `nouns: 1
resources:
  zoo:
    fields:
      name: { type: strng, required: true, uniqe: true }
  animal:
    parent: zo
    fields:
      weight_kg: { type: number, minimum: 0 }
`;

/** Sends a form with values that are refused. The browser would not send them by itself. */
async function sendWrongValues(page) {
  await page.getByLabel("name").fill("Rovers");
  await page.getByLabel("slug").fill("The Rovers");
  await page.locator("form").last().evaluate((form) => { form.noValidate = true; });
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** Writes a picture of a page. Playwright has no WebP, but the browser does. */
async function shoot(browser, url, { name, path, width, height, act }, scheme) {
  const context = await browser.newContext({
    locale: "en", colorScheme: scheme, viewport: { width, height }, deviceScaleFactor: 1.5,
  });
  const page = await context.newPage();
  await page.goto(url + path);
  await act?.(page);
  const session = await context.newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  writeFileSync(join(FOLDER, `${name}-${scheme}.webp`), Buffer.from(data, "base64"));
  await context.close();
}

/** Returns what the program prints in a terminal, with its colours. */
function printed(folder, command) {
  const words = `${PROGRAM} ${command}`;
  try {
    return execFileSync("script", ["-qec", words, "/dev/null"], { cwd: folder, encoding: "utf8" });
  } catch (error) {
    // A check that finds mistakes ends with 1.
    return error.stdout;
  }
}

mkdirSync(FOLDER, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "nouns-screenshots-"));
const [browser, league] = [await launch(), await serve("schemas/league.yaml")];
try {
  await fillLeague(league.url);
  for (const scheme of SCHEMES) {
    for (const page of PAGES) await shoot(browser, league.url, page, scheme);
  }
  writeFileSync(join(folder, "zoo.yaml"), DRAFT);
  const command = "check zoo.yaml";
  const lines = `$ nouns ${command}\n${printed(folder, command)}`;
  for (const scheme of SCHEMES) {
    writeFileSync(join(FOLDER, `terminal-${scheme}.svg`), terminal(lines, scheme));
  }
} finally {
  await browser.close();
  await league.stop();
  rmSync(folder, { recursive: true });
}
