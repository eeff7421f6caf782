// Tests of HTTP caches between people and the server: that of a browser in which two people sign in
// one after the other, and that of nginx, which all clients share.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { newPage } from "./page.js";
import { PROGRAM, ROOT, freePort, launch, serve } from "./server.js";

const PASSWORD = "correct horse battery";

/** Invoices that their owners read, except an open one; all responses may be cached for an hour. */
const SCHEMA = `
nouns: 1
auth: { accounts: user, login: email }
resources:
  user:
    fields:
      email: { type: string, required: true, unique: true }
      password: { type: password, required: true }
    access: { read: { where: { id: $account.id } } }
  invoice:
    cache: { visibility: public, max_age: 1h }
    fields:
      text: { type: string, required: true }
      is_open: { type: boolean, default: false }
      owner_id: { references: user, required: true, default: $account.id }
    access: { read: { any: [{ where: { owner_id: $account.id } }, { where: { is_open: true } }] } }
  brand:
    cache: { visibility: public, max_age: 1h }
    fields: { name: string }
    access: { read: public }
`;

let folder;
let browser;
let shop;

const basic = (email) => `Basic ${Buffer.from(`${email}:${PASSWORD}`).toString("base64")}`;
const PEOPLE = ["ada@example.org", "bo@example.org"];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "nouns-caches-"));
  const schema = join(folder, "shop.yaml");
  writeFileSync(schema, SCHEMA);
  browser = await launch();
  shop = await serve(schema);
  for (const email of PEOPLE) {
    const words = ["account", "add", schema, email, "--database", shop.database, "--password-stdin"];
    const run = spawnSync(PROGRAM, words, { cwd: ROOT, input: `${PASSWORD}\n` });
    assert.equal(run.status, 0, String(run.stderr));
    await write(email, "/invoices", { text: `of ${email}` });
  }
  await write(PEOPLE[0], "/invoices", { text: "for all", is_open: true });
  await write(PEOPLE[0], "/brands", { name: "Acme" });
});

after(async () => {
  await browser?.close();
  await shop?.stop();
  rmSync(folder, { recursive: true });
});

async function write(email, path, member) {
  const response = await fetch(shop.url + path, {
    method: "POST",
    headers: { authorization: basic(email), "content-type": "application/json" },
    body: JSON.stringify(member),
  });
  assert.equal(response.status, 201);
}

/** What a person reads of the invoices: their texts. */
const texts = ({ items }) => items.map(({ text }) => text).sort();

const OWN = PEOPLE.map((email) => ["for all", `of ${email}`]);

describe("the cache of a browser", () => {
  test("gives nobody what it has stored for another", async (t) => {
    const page = await newPage(browser, t);
    // The pages forbid scripts to send requests, so the JSON is opened like a link.
    const open = async (path) => {
      await page.goto(`${shop.url}${path}?format=json`);
      return JSON.parse(await page.locator("body").innerText());
    };
    const read = async () => texts(await open("/invoices"));
    for (let turn = 0; turn < 2; turn += 1) {
      // What nobody in particular has read is not fresh for one who signs in, and so on.
      assert.deepEqual(await read(), ["for all"]);
      for (const [at, email] of PEOPLE.entries()) {
        await page.goto(`${shop.url}/-/sign-in`);
        await page.getByLabel("email").fill(email);
        await page.getByLabel("password").fill(PASSWORD);
        await page.getByRole("button", { name: "Sign in" }).click();
        assert.deepEqual(await read(), OWN[at], email);
        await page.goto(shop.url);
        await page.getByRole("button", { name: "Sign out" }).click();
        assert.deepEqual(await read(), ["for all"]);
      }
    }
    // The cache does store what is the same for all.
    assert.equal((await open("/brands/1")).name, "Acme");
    const response = await fetch(`${shop.url}/brands/1`, {
      method: "PATCH",
      headers: { authorization: basic(PEOPLE[0]), "content-type": "application/json" },
      body: JSON.stringify({ name: "Other" }),
    });
    assert.equal(response.status, 200);
    assert.equal((await open("/brands/1")).name, "Acme");
  });
});

describe("the cache of nginx", () => {
  test("gives nobody what it has stored for another", async (t) => {
    const port = await freePort();
    const home = join(folder, "nginx");
    mkdirSync(home);
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const file = join(home, "nginx.conf");
    // As root, nginx would be another user, who may not write into the folder.
    const user = process.getuid() === 0 ? "user root;" : "";
    writeFileSync(file, `
      ${user} daemon off; pid ${home}/pid; error_log ${home}/errors;
      events {}
      http {
        access_log off;
        ${paths.map((path) => `${path}_temp_path ${home}/${path};`).join(" ")}
        proxy_cache_path ${home}/cache keys_zone=shop:1m;
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass ${shop.url};
            proxy_cache shop;
            proxy_set_header Host $http_host;
            add_header x-cache $upstream_cache_status always;
          }
        }
      }`);
    const nginx = spawn("nginx", ["-p", home, "-c", file], { stdio: ["ignore", "ignore", "inherit"] });
    t.after(() => nginx.kill());
    const front = `http://127.0.0.1:${port}`;
    for (let tries = 0; tries < 100; tries += 1) {
      if (await fetch(front).then(() => true, () => false)) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const session = async (email) => {
      const body = JSON.stringify({ email, password: PASSWORD });
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${front}/sessions`, { method: "POST", headers, body });
      assert.equal(response.status, 201);
      return response.headers.get("set-cookie").split(";")[0];
    };
    const readers = [{ headers: {}, expected: ["for all"] }];
    for (const [at, email] of PEOPLE.entries()) {
      readers.push({ headers: { authorization: basic(email) }, expected: OWN[at] });
      readers.push({ headers: { cookie: await session(email) }, expected: OWN[at] });
    }
    // Whoever comes first, each gets what it would get without the cache. Each order has URLs of its
    // own.
    const orders = [
      [readers, "text"],
      [[...readers].reverse(), "id,text"],
      [[...readers, ...readers], "text,id"],
    ];
    for (const [order, fields] of orders) {
      for (const path of ["/invoices", "/invoices?format=ndjson", "/invoices/1", "/invoices/3"]) {
        const url = `${path}${path.includes("?") ? "&" : "?"}fields=${fields}`;
        for (const { headers, expected } of order) {
          const [cached, direct] = await Promise.all([front, shop.url].map((at) => fetch(at + url, { headers })));
          assert.equal(cached.status, direct.status, url);
          const content = await cached.text();
          if (cached.status === 200) assert.equal(content, await direct.text(), url);
          for (const text of OWN.flat().filter((text) => content.includes(text))) {
            assert.ok(expected.includes(text), `${url}: ${content}`);
          }
        }
      }
    }
    // The cache does store what is the same for all, and what nobody in particular reads.
    for (const path of ["/brands/1", "/invoices/3"]) {
      await fetch(front + path);
      const again = await fetch(front + path);
      assert.equal(again.headers.get("x-cache"), "HIT", path);
    }
  });
});
