// A page of the browser that fails its test when it logs an error, and the check for barriers.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Opens a page. At the end of the test it must have logged no error and asked no other host. */
export async function newPage(browser, t, options = {}) {
  const context = await browser.newContext({ locale: "en", ...options });
  context.setDefaultTimeout(5000);
  const page = await context.newPage();
  const errors = [];
  const hosts = new Set();
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    // The browser logs the status of a problem, which is what the test expects.
    const isStatus = message.text().includes("the server responded with a status of");
    if (message.type() === "error" && !isStatus) errors.push(message.text());
  });
  page.on("request", (request) => hosts.add(new URL(request.url()).hostname));
  t.after(async () => {
    await context.close();
    assert.deepEqual(errors, []);
    assert.deepEqual([...hosts].filter((host) => host !== "127.0.0.1"), []);
  });
  return page;
}

/** Returns what axe finds on a page: the rules of WCAG 2.2 at level AA, and good practice. */
export async function violations(page, { context = {}, disabled = [] } = {}) {
  // The page's own policy forbids to add a script, so it is evaluated by the driver.
  await page.evaluate(AXE);
  const rules = Object.fromEntries(disabled.map((rule) => [rule, { enabled: false }]));
  const run = ([context, options]) => globalThis.axe.run({ include: document, ...context }, options);
  const found = await page.evaluate(run, [context, { rules }]);
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`);
}
