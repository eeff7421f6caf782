// Starts the program on a temporary database, and a browser.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const ROOT = new URL("../..", import.meta.url).pathname;
export const PROGRAM = process.env.NOUNS_PROGRAM ?? join(ROOT, "target/debug/nouns");
const BROWSER = process.env.NOUNS_BROWSER ?? "/usr/bin/chromium";

/** Returns a port of this machine that is free. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts the program with a schema, and returns its URL and a function that stops it. */
export async function serve(schema, ...flags) {
  const folder = mkdtempSync(join(tmpdir(), "nouns-browser-"));
  const port = await freePort();
  const database = join(folder, "test.db");
  const words = ["serve", schema, "--listen", `127.0.0.1:${port}`, "--database", database, ...flags];
  const program = spawn(PROGRAM, words, { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  program.stderr.on("data", (text) => { log += text; });
  const ended = new Promise((resolve) => program.once("exit", resolve));
  const stop = async () => {
    program.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 200; tries += 1) {
    if (program.exitCode !== null) break;
    const open = await fetch(url).then(() => true, () => false);
    if (open) return { url, database, stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  program.kill();
  throw new Error(`the program does not listen: ${log}`);
}

/** Creates members by POST, and returns the response's JSON. */
export async function create(url, members) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(members),
  });
  const json = await response.json();
  if (!response.ok) throw new Error(`${url}: ${JSON.stringify(json)}`);
  return json;
}

/** Starts the browser. Flags keep it from connections to other hosts. */
export function launch() {
  return chromium.launch({
    executablePath: BROWSER,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });
}
