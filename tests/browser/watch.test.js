// Tests of `nouns serve --watch` in a browser: an open page notices what happens to the schema file.

import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { newPage, violations } from "./page.js";
import { create, launch, serve } from "./server.js";

let browser;
let server;
let folder;
let file;

const yaml = (fields) => `nouns: 1\nresources:\n  zoo:\n    fields:\n${fields}`;
const NAME = "      name: { type: string, required: true }\n";

/** Replaces the schema file, as an editor does. */
function edit(fields) {
  const other = join(folder, "other.yaml");
  writeFileSync(other, yaml(fields));
  renameSync(other, file);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "nouns-watch-"));
  file = join(folder, "zoo.yaml");
  edit(NAME);
  browser = await launch();
  server = await serve(file, "--watch");
  await create(`${server.url}/zoos`, { name: "Tierpark" });
});

after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, { recursive: true });
});

const mistake = (page) => page.getByRole("region", { name: "A file has a mistake" });

describe("an open page", () => {
  test("shows a mistake in the schema file, and then the new schema", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${server.url}/zoos`);
    edit("      name: { type: strng, required: true }\n");
    await mistake(page).waitFor();
    assert.match(await mistake(page).innerText(), /did you mean `string`\?/);
    assert.deepEqual(await violations(page), []);
    edit(`${NAME}      city: string\n`);
    await page.getByRole("columnheader", { name: "city" }).waitFor();
    assert.equal(await mistake(page).count(), 0);
    // A change that does not fit the tables: they are made again, since this run has made the file.
    edit(NAME);
    await page.getByText("There are no members here.").waitFor();
    assert.equal(await mistake(page).count(), 0);
  });

  test("keeps what its reader has typed", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${server.url}/zoos`);
    await page.getByText("Filter", { exact: true }).click();
    await page.getByLabel("name contains").fill("park");
    edit("      name: strng\n");
    await page.getByText("The schema file has changed.").waitFor();
    assert.equal(await page.getByLabel("name contains").inputValue(), "park");
    edit(`${NAME}      city: string\n`);
  });

  test("shows a mistake as wide as its content", async (t) => {
    edit("      name: strng\n");
    for (const width of [375, 1600]) {
      const page = await newPage(browser, t, { viewport: { width, height: 800 } });
      for (const [path, content] of [["/zoos", "h1"], ["/-/docs", "header nav"]]) {
        await page.goto(server.url + path);
        await mistake(page).waitFor();
        const box = await mistake(page).boundingBox();
        const start = await page.locator(content).first().boundingBox();
        const whole = await page.evaluate(() => document.documentElement.clientWidth);
        assert.equal(box.x, start.x, `${path} at ${width}`);
        assert.equal(box.width, whole - 2 * box.x, `${path} at ${width}`);
        assert.ok(box.x >= 16, `${path} at ${width}`);
      }
    }
    edit(`${NAME}      city: string\n`);
  });

  test("shows a mistake without scripts when it is loaded again", async (t) => {
    const page = await newPage(browser, t, { javaScriptEnabled: false });
    edit("      name: strng\n");
    for (let tries = 0; tries < 50; tries += 1) {
      await page.goto(`${server.url}/zoos`);
      if (await mistake(page).count() > 0) break;
      await page.waitForTimeout(100);
    }
    assert.match(await mistake(page).innerText(), /did you mean `string`\?/);
  });
});
