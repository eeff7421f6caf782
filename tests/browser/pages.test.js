// Tests of the pages that show data, in a browser: home, collections, members and problems.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newPage, violations } from "./page.js";
import { fillLeague, fillZoos } from "./sample.js";
import { create, launch, serve } from "./server.js";

let browser;
let zoo;
let league;
let many;

before(async () => {
  browser = await launch();
  zoo = await serve("schemas/zoo.yaml");
  league = await serve("schemas/league.yaml");
  many = await serve("schemas/zoo.yaml");
  await fillZoos(zoo.url);
  await fillLeague(league.url);
});

after(async () => {
  await browser?.close();
  await zoo?.stop();
  await league?.stop();
  await many?.stop();
});

const texts = (locator) => locator.allInnerTexts();

describe("the way through the pages", () => {
  test("from home over a collection and a member to a nested collection", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(zoo.url);
    assert.equal(await page.title(), "City zoos");
    assert.equal(await page.getByText("12 members").count(), 1);
    await page.getByRole("link", { name: "Zoos", exact: true }).click();
    assert.equal(await page.title(), "Zoos – City zoos");
    await page.getByRole("link", { name: "1", exact: true }).click();
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Tierpark Zoo 1");
    await page.getByRole("link", { name: "Animals" }).click();
    assert.equal(new URL(page.url()).pathname, "/zoos/1/animals");
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByText("City zoos").click();
    assert.equal(new URL(page.url()).pathname, "/");
  });

  test("along a reference, and back to the members that refer", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${league.url}/api/v2/teams/2`);
    await page.getByRole("link", { name: "Portugal" }).click();
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Portugal Country pt");
    await page.getByRole("link", { name: "Teams" }).click();
    assert.equal(new URL(page.url()).search, "?country_id=pt");
    assert.deepEqual(await texts(page.locator("tbody td:nth-child(2)")), ["United", "Wanderers"]);
  });
});

describe("a collection", () => {
  test("is sorted by its headings", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/zoos`);
    await page.getByRole("link", { name: "name", exact: true }).click();
    const names = await texts(page.locator("tbody td:nth-child(2)"));
    assert.deepEqual(names, [...names].sort());
    assert.equal(await page.locator("th[aria-sort=ascending]").innerText(), "name");
    await page.getByRole("link", { name: "name", exact: true }).click();
    assert.deepEqual(await texts(page.locator("tbody td:nth-child(2)")), names.reverse());
    assert.equal(await page.locator("th[aria-sort=descending]").innerText(), "name");
  });

  test("has pages", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/zoos/1/animals?limit=10`);
    const seen = [];
    for (;;) {
      seen.push(...await texts(page.locator("tbody td:nth-child(2)")));
      const next = page.getByRole("link", { name: "Next" });
      if (await next.count() === 0) break;
      await next.click();
    }
    assert.equal(new Set(seen).size, 28);
    await page.getByRole("link", { name: "Previous" }).click();
    assert.deepEqual(await texts(page.locator("tbody td:nth-child(2)")), seen.slice(10, 20));
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`is filtered by its form, ${javaScriptEnabled ? "with" : "without"} scripts`, async (t) => {
      const page = await newPage(browser, t, { javaScriptEnabled });
      await page.goto(`${zoo.url}/zoos/1/animals?sortby=-name`);
      await page.getByText("Filter", { exact: true }).click();
      await page.getByLabel("name contains").fill("ta");
      await page.getByLabel("weight_kg ≥").fill("5");
      await page.getByRole("button", { name: "Apply" }).click();
      const query = [...new URL(page.url()).searchParams];
      assert.deepEqual(query, [
        ["sortby", "-name"], ["name[contains]", "ta"], ["weight_kg[gte]", "5"],
      ]);
      const names = await texts(page.locator("tbody td:nth-child(2)"));
      assert.deepEqual(names, ["Lotta", "Gustav"]);
      const chips = page.getByRole("list", { name: "Filters in effect" });
      assert.equal(await chips.getByRole("listitem").count(), 2);
      await page.getByRole("link", { name: "Remove the filter weight_kg ≥ 5" }).click();
      assert.equal(await chips.getByRole("listitem").count(), 1);
    });
  }

  for (const javaScriptEnabled of [true, false]) {
    const scripts = javaScriptEnabled ? "with" : "without";
    test(`is filtered by the empty string, ${scripts} scripts`, async (t) => {
      const page = await newPage(browser, t, { javaScriptEnabled });
      await page.goto(`${zoo.url}/zoos`);
      await page.getByText("Filter", { exact: true }).click();
      await page.getByLabel("city is empty").check();
      await page.getByRole("button", { name: "Apply" }).click();
      assert.deepEqual([...new URL(page.url()).searchParams], [["city[eq]", ""]]);
      await page.getByText("No member matches the filter.").waitFor();
      await page.getByText("Filter", { exact: true }).click();
      assert.equal(await page.getByLabel("city is empty").first().isChecked(), true);
    });
  }

  test("is filtered by choices", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${league.url}/api/v2/players`);
    await page.getByText("Filter", { exact: true }).click();
    await page.getByLabel("position is").selectOption("keeper");
    await page.getByLabel("active is").selectOption("false");
    await page.getByRole("button", { name: "Apply" }).click();
    const positions = await texts(page.locator("tbody td:nth-child(5)"));
    assert.deepEqual([...new Set(positions)], ["keeper"]);
    await page.getByText("Filter", { exact: true }).click();
    assert.equal(await page.getByLabel("position is", { exact: true }).inputValue(), "keeper");
    await page.getByRole("link", { name: "Clear all" }).click();
    assert.equal(new URL(page.url()).search, "");
  });

  test("is filtered by a member that it refers to", async (t) => {
    const page = await newPage(browser, t, { javaScriptEnabled: false });
    await page.goto(`${zoo.url}/zoos/1/animals`);
    await page.getByText("Filter", { exact: true }).click();
    await page.getByLabel("animal_type_id is").selectOption("Otter");
    await page.getByRole("button", { name: "Apply" }).click();
    assert.equal(new URL(page.url()).search, "?animal_type_id=2");
    assert.equal(new Set(await texts(page.locator("tbody td:nth-child(3)"))).size, 1);
    assert.equal(await page.locator("tbody td:nth-child(3)").first().innerText(), "Otter");
  });

  test("is filtered by its counts", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${league.url}/api/v2/players?sortby=name`);
    const counts = page.getByRole("region", { name: "Counts" });
    await counts.getByRole("link", { name: "keeper 7" }).click();
    assert.equal(new URL(page.url()).search, "?sortby=name&position=keeper");
    assert.equal(await page.locator("tbody tr").count(), 7);
    assert.equal(await counts.getByRole("link", { name: "forward 7" }).count(), 1);
    await counts.getByRole("link", { name: "keeper 7" }).click();
    assert.equal(new URL(page.url()).search, "?sortby=name");
  });

  test("has a search for a member among many", async (t) => {
    const page = await newPage(browser, t);
    const types = Array.from({ length: 51 }, (_, at) => ({ name: `Beetle ${at}` }));
    await create(`${many.url}/animal_types`, types);
    await create(`${many.url}/zoos`, { name: "Insects" });
    await page.goto(`${many.url}/zoos/1/animals`);
    await page.getByText("Filter", { exact: true }).click();
    const id = page.getByLabel("animal_type_id is");
    assert.equal(await id.evaluate((input) => input.list.options.length), 50);
    assert.deepEqual(await violations(page), []);
    await page.getByLabel("Search Animal types").fill("Beetle 50");
    const found = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Find" }).click();
    const other = await found;
    await other.waitForLoadState();
    assert.deepEqual(await texts(other.locator("tbody td:nth-child(2)")), ["Beetle 50"]);
    await other.close();
    await id.fill("51");
    await page.getByRole("button", { name: "Apply" }).click();
    assert.equal(new URL(page.url()).search, "?animal_type_id=51");
  });

  for (const width of [360, 600, 768, 1024, 1280, 1600]) {
    test(`has inputs that do not cover each other, ${width} pixels wide`, async (t) => {
      const page = await newPage(browser, t, { viewport: { width, height: 900 } });
      await page.goto(`${many.url}/zoos/1/animals`);
      await page.getByText("Filter", { exact: true }).click();
      assert.ok(await page.getByRole("button", { name: "Find" }).count() > 0);
      const controls = await page.locator(".filter").locator("input:visible, select:visible, button:visible").all();
      const boxes = await Promise.all(controls.map((control) => control.boundingBox()));
      const inputs = await page.locator(".filter input:visible:not([type=checkbox])").all();
      for (const input of inputs) assert.ok((await input.boundingBox()).width >= 100);
      for (const [at, one] of boxes.entries()) {
        for (const other of boxes.slice(at + 1)) {
          const isBeside = one.x + one.width <= other.x || other.x + other.width <= one.x;
          const isAbove = one.y + one.height <= other.y || other.y + other.height <= one.y;
          assert.ok(isBeside || isAbove, JSON.stringify([one, other]));
        }
      }
      // A form for a search has no box of its own.
      const searches = await page.locator(".filter form:not([data-filter])").all();
      for (const search of searches) assert.equal((await search.boundingBox())?.height ?? 0, 0);
    });
  }

  test("is exported", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/zoos?city=Oslo&limit=1`);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    const lines = [];
    for await (const chunk of await (await download).createReadStream()) lines.push(chunk);
    assert.equal(Buffer.concat(lines).toString().trim().split("\r\n").length, 3);
  });

  test("is used by the keyboard alone", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/zoos`);
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(":focus").innerText(), "Skip to the content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(":focus").innerText(), "New zoo");
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(":focus").innerText(), "Filter");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Tier");
    await page.keyboard.press("Enter");
    await page.waitForURL(/contains/);
    assert.deepEqual(await texts(page.locator("tbody td:nth-child(2)")), ["Tierpark"]);
  });
});

test("the request is copied as a command line", async (t) => {
  const page = await newPage(browser, t, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(`${zoo.url}/zoos?city=Oslo&limit=1`);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(line, `curl '${zoo.url}/zoos?city=Oslo&limit=1'`);
});

describe("every page", () => {
  const pages = {
    home: () => `${league.url}/api/v2/`,
    "a table": () => `${league.url}/api/v2/players?position=keeper&active=true`,
    "an empty table": () => `${zoo.url}/zoos?city=Nowhere`,
    "a nested table": () => `${zoo.url}/zoos/1/animals?limit=5`,
    "a member": () => `${league.url}/api/v2/teams/1`,
    "a deprecated resource": () => `${league.url}/api/v2/news_items`,
    "a problem": () => `${zoo.url}/zoos?nmae=x`,
    "the list of problems": () => `${zoo.url}/-/problems`,
  };
  for (const [name, url] of Object.entries(pages)) {
    for (const colorScheme of ["light", "dark"]) {
      test(`${name} has no barrier, ${colorScheme}`, async (t) => {
        const page = await newPage(browser, t, { colorScheme });
        await page.goto(url());
        const filter = page.getByText("Filter", { exact: true });
        if (await filter.count() > 0) await filter.click();
        assert.deepEqual(await violations(page), []);
      });
    }
    test(`${name} fits a phone`, async (t) => {
      const page = await newPage(browser, t, { viewport: { width: 375, height: 700 } });
      await page.goto(url());
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 375, `the page is ${width} wide`);
    });
  }
});
