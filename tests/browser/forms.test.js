// Tests of the forms in a browser: to create, change and delete members, and to sign in and out.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { newPage, violations } from "./page.js";
import { fillZoos } from "./sample.js";
import { PROGRAM, ROOT, create, launch, serve } from "./server.js";

const PASSWORD = "correct horse battery";

let browser;
let zoo;
let news;

/** Adds an account to the newsroom. */
function addAccount(email, name, role) {
  const words = ["account", "add", "schemas/newsroom.yaml", email, "--database", news.database, "--password-stdin"];
  const run = spawnSync(PROGRAM, [...words, "--set", `role=${role}`, "--set", `name=${name}`], {
    cwd: ROOT,
    input: `${PASSWORD}\n`,
  });
  assert.equal(run.status, 0, String(run.stderr));
}

before(async () => {
  browser = await launch();
  zoo = await serve("schemas/zoo.yaml");
  news = await serve("schemas/newsroom.yaml");
  await fillZoos(zoo.url);
  addAccount("ada@example.org", "Ada", "admin");
  addAccount("bo@example.org", "Bo", "reader");
});

after(async () => {
  await browser?.close();
  await zoo?.stop();
  await news?.stop();
});

const json = async (url) => (await fetch(url)).json();
const alert = (page) => page.getByRole("alert").innerText();
const heading = (page) => page.getByRole("heading", { level: 1 }).innerText();

/** Changes a member as another program would, without a precondition. */
async function patch(url, changes) {
  const response = await fetch(url, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(changes),
  });
  assert.equal(response.status, 200);
}

async function signIn(page, email) {
  await page.getByLabel("email").fill(email);
  await page.getByLabel("password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
}

describe("a new member", () => {
  for (const javaScriptEnabled of [true, false]) {
    test(`is created, ${javaScriptEnabled ? "with" : "without"} scripts`, async (t) => {
      const page = await newPage(browser, t, { javaScriptEnabled });
      const name = `Form ${javaScriptEnabled}`;
      await page.goto(`${zoo.url}/zoos`);
      await page.getByRole("link", { name: "New zoo" }).click();
      assert.equal(new URL(page.url()).pathname, "/-/forms/zoos");
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("Opened").fill("1999-12-31");
      await page.getByRole("button", { name: "Create" }).click();
      assert.equal(await heading(page), `${name} Zoo ${new URL(page.url()).pathname.slice(6)}`);
      const { city, opened } = await json(page.url());
      assert.deepEqual({ city, opened }, { city: null, opened: "1999-12-31" });
    });
  }

  test("below another, with messages at the inputs", async (t) => {
    const page = await newPage(browser, t);
    const kind = await create(`${zoo.url}/animal_types`, { name: "Dodo" });
    await page.goto(`${zoo.url}/zoos/2/animals`);
    await page.getByRole("link", { name: "New animal" }).click();
    await page.getByLabel("Name").fill("<b>Bo & co</b>");
    await page.getByLabel("Animal type").selectOption("Dodo");
    await page.getByLabel("Weight kg").fill("-3");
    await page.getByRole("button", { name: "Create" }).click();
    assert.match(await alert(page), /Not done/);
    const weight = page.getByLabel("Weight kg");
    assert.equal(await weight.getAttribute("aria-invalid"), "true");
    const about = await weight.evaluate((input) => input.getAttribute("aria-describedby"));
    assert.match(await page.locator(`#${about.trim()}`).innerText(), /at least 0/);
    assert.equal(await page.getByLabel("Name").inputValue(), "<b>Bo & co</b>");
    await weight.fill("3.25");
    await fetch(`${zoo.url}/animal_types/${kind.id}`, { method: "DELETE" });
    await page.getByRole("button", { name: "Create" }).click();
    const type = page.getByLabel("Animal type");
    assert.equal(await type.getAttribute("aria-invalid"), "true");
    assert.equal(await type.inputValue(), String(kind.id));
    assert.deepEqual(await violations(page), []);
    await type.selectOption("Otter");
    await page.getByRole("button", { name: "Create" }).click();
    assert.match(new URL(page.url()).pathname, /^\/zoos\/2\/animals\/\d+$/);
    assert.equal((await json(page.url())).weight_kg, 3.25);
  });

  test("by the keyboard alone", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/-/forms/animal_types`);
    await page.getByLabel("Name").focus();
    await page.keyboard.type("Okapi");
    await page.keyboard.press("Enter");
    await page.waitForURL(/animal_types\/\d+$/);
    assert.match(await heading(page), /^Okapi/);
  });
});

describe("a change", () => {
  test("sends only what has changed", async (t) => {
    const page = await newPage(browser, t);
    await patch(`${zoo.url}/zoos/3`, { city: "a\r\nb" });
    await page.goto(`${zoo.url}/zoos/3`);
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Name").fill("Harbour");
    await page.getByRole("button", { name: "Save" }).click();
    assert.match(await heading(page), /^Harbour/);
    const { name, city } = await json(`${zoo.url}/zoos/3`);
    assert.deepEqual({ name, city }, { name: "Harbour", city: "a\r\nb" });
  });

  test("removes a value", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/-/forms/zoos/1`);
    await page.getByLabel("Opened").fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(`${zoo.url}/zoos/1`);
    assert.equal((await json(`${zoo.url}/zoos/1`)).opened, null);
  });

  test("of another meanwhile is compared", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/-/forms/zoos/4`);
    await page.getByLabel("City").fill("Mine");
    await patch(`${zoo.url}/zoos/4`, { city: "Theirs", opened: "2001-02-03" });
    await page.getByRole("button", { name: "Save" }).click();
    assert.match(await alert(page), /Somebody else has changed this/);
    const cells = await page.getByRole("alert").locator("tbody tr").allInnerTexts();
    assert.deepEqual(cells, ["city\tMine\tTheirs"]);
    assert.equal(await page.getByLabel("City").inputValue(), "Mine");
    assert.equal(await page.getByLabel("Opened").inputValue(), "2001-02-03");
    assert.equal((await json(`${zoo.url}/zoos/4`)).city, "Theirs");
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(`${zoo.url}/zoos/4`);
    const { city, opened } = await json(`${zoo.url}/zoos/4`);
    assert.deepEqual({ city, opened }, { city: "Mine", opened: "2001-02-03" });
  });

  test("of another in other fields is kept", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/-/forms/zoos/5`);
    await page.getByLabel("Name").fill("Mine alone");
    await patch(`${zoo.url}/zoos/5`, { city: "Theirs" });
    await page.getByRole("button", { name: "Save" }).click();
    assert.match(await alert(page), /Their changes are in the form/);
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(`${zoo.url}/zoos/5`);
    const { name, city } = await json(`${zoo.url}/zoos/5`);
    assert.deepEqual({ name, city }, { name: "Mine alone", city: "Theirs" });
  });

  test("of a value that another member has", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/-/forms/animal_types/1`);
    await page.getByLabel("Name").fill("Otter");
    await page.getByRole("button", { name: "Save" }).click();
    assert.match(await page.locator(".message").innerText(), /same `name`|taken|already/);
    assert.equal((await json(`${zoo.url}/animal_types/1`)).name, "Red panda");
  });
});

describe("a deletion", () => {
  for (const javaScriptEnabled of [true, false]) {
    test(`is done, ${javaScriptEnabled ? "with" : "without"} scripts`, async (t) => {
      const page = await newPage(browser, t, { javaScriptEnabled });
      const made = await fetch(`${zoo.url}/zoos`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: `Old ${javaScriptEnabled}` }),
      });
      const url = made.headers.get("location");
      await page.goto(new URL(url, zoo.url).href);
      await page.getByText("Delete", { exact: true }).click();
      await page.getByRole("button", { name: "Delete it" }).click();
      assert.equal(new URL(page.url()).pathname, "/zoos");
      assert.equal((await fetch(new URL(url, zoo.url))).status, 404);
    });
  }

  test("of what another has changed is not done", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/zoos/6`);
    await patch(`${zoo.url}/zoos/6`, { city: "Changed" });
    await page.getByText("Delete", { exact: true }).click();
    await page.getByRole("button", { name: "Delete it" }).click();
    assert.match(await alert(page), /Somebody else has changed this/);
    assert.equal((await fetch(`${zoo.url}/zoos/6`)).status, 200);
    await page.getByText("Delete", { exact: true }).click();
    await page.getByRole("button", { name: "Delete it" }).click();
    await page.waitForURL(`${zoo.url}/zoos`);
    assert.equal((await fetch(`${zoo.url}/zoos/6`)).status, 404);
  });

  test("of what others refer to says so", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${zoo.url}/animal_types/2`);
    await page.getByText("Delete", { exact: true }).click();
    await page.getByRole("button", { name: "Delete it" }).click();
    assert.match(await alert(page), /Not done/);
    assert.match(await heading(page), /^Otter/);
  });
});

describe("a person", () => {
  test("signs in, works and signs out", async (t) => {
    const page = await newPage(browser, t);
    await page.goto(`${news.url}/sections?sortby=name`);
    assert.equal(await page.getByRole("link", { name: "New section" }).count(), 0);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("email").fill("ada@example.org");
    await page.getByLabel("password").fill("wrong password");
    await page.getByRole("button", { name: "Sign in" }).click();
    assert.match(await alert(page), /wrong/);
    assert.equal(await page.getByLabel("email").inputValue(), "ada@example.org");
    assert.equal(await page.getByLabel("password").inputValue(), "");
    assert.deepEqual(await violations(page), []);
    await signIn(page, "ada@example.org");
    assert.equal(page.url(), `${news.url}/sections?sortby=name`);
    assert.match(await page.locator(".session").innerText(), /ada@example\.org/);
    await page.getByRole("link", { name: "New section" }).click();
    await page.getByLabel("Name").fill("Politics");
    await page.getByRole("button", { name: "Create" }).click();
    assert.match(await heading(page), /^Politics/);
    await page.getByRole("button", { name: "Sign out" }).click();
    assert.equal(new URL(page.url()).pathname, "/");
    assert.equal(await page.getByRole("link", { name: "Sign in" }).count(), 1);
    await page.goto(`${news.url}/sections`);
    assert.equal(await page.getByRole("link", { name: "New section" }).count(), 0);
  });

  test("is led to the sign-in, and back", async (t) => {
    const page = await newPage(browser, t);
    const response = await page.goto(`${news.url}/users`);
    assert.equal(response.status(), 401);
    await page.getByRole("link", { name: "Sign in" }).click();
    await signIn(page, "bo@example.org");
    assert.equal(page.url(), `${news.url}/users`);
    await page.getByRole("link", { name: "2", exact: true }).click();
    await page.getByRole("link", { name: "Edit" }).click();
    // Nobody promotes itself: the form has no input for the role, and a forged one is refused.
    assert.equal(await page.getByLabel("Role").count(), 0);
    await page.getByLabel("Name").fill("Bodo");
    await page.getByRole("button", { name: "Save" }).click();
    assert.match(await page.locator("main").innerText(), /Bodo/);
  });
});

describe("a page of another site", () => {
  test("cannot send a form", async (t) => {
    const page = await newPage(browser, t);
    for (const [path, body] of [
      ["/zoos", "name=Evil"],
      ["/zoos/1?_method=DELETE", ""],
      ["/zoos/1?_method=PATCH", "name=Evil"],
    ]) {
      await page.goto("about:blank");
      await page.setContent(`<form method="post" action="${zoo.url}${path}">
        <input name="x" value="y"><button>Go</button></form>`);
      const answered = page.waitForResponse((response) => response.request().method() === "POST");
      await page.getByRole("button").click();
      assert.equal((await answered).status(), 403, `${path} ${body}`);
    }
    assert.equal((await fetch(`${zoo.url}/zoos/1`)).status, 200);
  });
});

describe("no barrier", () => {
  for (const colorScheme of ["light", "dark"]) {
    test(`is in a form, ${colorScheme}`, async (t) => {
      const page = await newPage(browser, t, { colorScheme });
      for (const path of ["/-/forms/zoos/1/animals", "/-/forms/zoos/1", "/zoos/1"]) {
        await page.goto(zoo.url + path);
        assert.deepEqual(await violations(page), [], path);
      }
      await page.goto(`${news.url}/-/sign-in`);
      assert.deepEqual(await violations(page), []);
    });
  }
});
