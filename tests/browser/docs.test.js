// Tests of the API reference, which Swagger UI renders, in a browser.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newPage, violations } from "./page.js";
import { fillLeague, fillZoos } from "./sample.js";
import { launch, serve } from "./server.js";

// The rules that Swagger UI breaks by itself: grey and red texts with little contrast, headings that
// skip a level, summaries with a link inside a button, and lists of values without a label.
const THIRD_PARTY = ["color-contrast", "heading-order", "nested-interactive", "select-name"];

let browser;
let zoo;
let league;

before(async () => {
  browser = await launch();
  zoo = await serve("schemas/zoo.yaml");
  league = await serve("schemas/league.yaml");
  await fillZoos(zoo.url);
  await fillLeague(league.url);
});

after(async () => {
  await browser?.close();
  await zoo?.stop();
  await league?.stop();
});

/** Opens the reference, and one of its operations. */
async function openOperation(page, url, tag, method, path) {
  await page.goto(`${url}/-/docs`);
  await page.locator(`.opblock-tag[data-tag="${tag}"] button`).click();
  const operation = page.locator(`.opblock-${method}`).filter({
    has: page.locator(`[data-path="${path}"]`),
  });
  await operation.locator(".opblock-summary-control").click();
  return operation;
}

// A violation of the Content-Security-Policy is logged as an error, which `newPage` refuses.
describe("the API reference", () => {
  test("is linked from the home page, and has each operation", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(zoo.url);
    await page.getByRole("link", { name: "API reference" }).click();
    assert.equal(await page.title(), "API reference – City zoos");
    const document = await (await fetch(`${zoo.url}/openapi.json`)).json();
    await page.locator(".opblock-tag").first().waitFor();
    const tags = await page.locator(".opblock-tag").evaluateAll(
      (all) => all.map((one) => one.dataset.tag),
    );
    assert.deepEqual(tags, document.tags.map(({ name }) => name));
    for (const tag of tags) {
      await page.locator(`.opblock-tag[data-tag="${tag}"] button`).click();
    }
    const operations = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .filter((operation) => operation.operationId);
    assert.equal(await page.locator(".opblock").count(), operations.length);
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByText("City zoos").click();
    assert.equal(new URL(page.url()).pathname, "/");
  });

  test("sends a request to this server", async (t) => {
    const page = await newPage(browser, t);
    const operation = await openOperation(page, zoo.url, "zoos", "get", "/zoos");
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByPlaceholder("limit", { exact: true }).fill("2");
    await operation.getByPlaceholder("city[in]", { exact: true }).fill("Oslo,Berlin");
    await operation.getByRole("button", { name: "Execute" }).click();
    const response = operation.locator(".live-responses-table");
    await response.waitFor();
    assert.equal(await response.locator("tbody .response-col_status").innerText(), "200");
    const sent = await operation.locator(".request-url pre").innerText();
    const query = new URL(sent).searchParams;
    assert.equal(query.get("limit"), "2");
    assert.equal(query.get("city[in]"), "Oslo,Berlin");
    const body = await response.locator(".highlight-code code").first().innerText();
    assert.equal(JSON.parse(body).items.length, 2);
  });

  test("changes a member with If-Match, and shows the conflict", async (t) => {
    const page = await newPage(browser, t);
    const base = `${league.url}/api/v2`;
    const operation = await openOperation(page, base, "teams", "patch", "/teams/{team_id}");
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByPlaceholder("team_id", { exact: true }).fill("2");
    const match = operation.getByPlaceholder("If-Match", { exact: true });
    const body = operation.locator("textarea.body-param__text");
    const execute = operation.getByRole("button", { name: "Execute" });
    const status = operation.locator(".live-responses-table tbody .response-col_status");
    const { headers } = await fetch(`${base}/teams/2`);
    await match.fill(headers.get("etag"));
    await body.fill('{ "name": "Nomads" }');
    await execute.click();
    await status.getByText("200").waitFor();
    assert.equal((await (await fetch(`${base}/teams/2`)).json()).name, "Nomads");
    await execute.click();
    await status.getByText("412").waitFor();
  });

  test("is used by the keyboard alone", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/-/docs`);
    await page.locator(".opblock-tag").first().waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(":focus").innerText(), "Skip to the content");
    await page.keyboard.press("Enter");
    const reach = async (selector) => {
      // What a key opens is there a moment later.
      await page.locator(selector).first().waitFor();
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press("Tab");
        if (await page.locator(`${selector}:focus`).count() > 0) return;
      }
      assert.fail(`the keyboard does not reach ${selector}`);
    };
    await reach('.opblock-tag[data-tag="zoos"] button');
    await page.keyboard.press("Enter");
    await reach(".opblock-get .opblock-summary-control");
    await page.keyboard.press("Enter");
    await reach(".try-out__btn");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Execute" }).first().waitFor();
  });

  test("says without scripts where the document is", async (t) => {
    const page = await newPage(browser, t, { javaScriptEnabled: false });
    await page.goto(`${zoo.url}/-/docs`);
    await page.getByText("This page needs JavaScript.").waitFor();
    const paths = await page.getByRole("link", { name: "openapi.json" }).evaluateAll(
      (all) => all.map((link) => new URL(link.href).pathname),
    );
    assert.deepEqual(paths, ["/openapi.json", "/openapi.json"]);
  });

  test("says that the document could not be read", async (t) => {
    const page = await newPage(browser, t);
    await page.route("**/openapi.json", (route) => route.fulfill({ status: 503 }));
    await page.goto(`${zoo.url}/-/docs`);
    const alert = await page.getByRole("alert").innerText();
    assert.equal(alert, "/openapi.json could not be read: the status is 503");
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`has no barrier beside those of Swagger UI, ${colorScheme}`, async (t) => {
      const page = await newPage(browser, t, { colorScheme });
      await openOperation(page, zoo.url, "zoos", "get", "/zoos/{zoo_id}");
      assert.deepEqual(await violations(page, { context: { exclude: ".swagger-ui" } }), []);
      const component = { include: ".swagger-ui" };
      assert.deepEqual(await violations(page, { context: component, disabled: THIRD_PARTY }), []);
    });
  }

  test("fits a phone", async (t) => {
    const page = await newPage(browser, t, { viewport: { width: 375, height: 700 } });
    await openOperation(page, zoo.url, "zoos", "get", "/zoos");
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 375, `the page is ${width} wide`);
  });
});
