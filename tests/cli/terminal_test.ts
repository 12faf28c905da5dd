/** Output that cannot be written: a full disk, and a pipe whose reader has ended. */
import assert from "node:assert/strict";
import { command, type Ended, ended, TACHO } from "./tacho_process.ts";

/** Runs a script of this folder with redirections of a shell, such as `> /dev/full`. */
async function redirected(redirection: string, script: string, ...args: readonly string[]): Promise<Ended> {
  const deno = ["run", "-q", "-A", "--no-check", new URL(script, import.meta.url).href, ...args];
  return await ended(
    new Deno.Command("sh", {
      args: ["-c", `exec "$0" "$@" ${redirection}`, Deno.execPath(), ...deno],
      env: { NO_COLOR: "1", TACHO_STORE: "/nonexistent/store" },
    }),
  );
}

function rehearse(redirection: string, ...args: readonly string[]): Promise<Ended> {
  return redirected(redirection, "./rehearsal_script.ts", "--no-store", ...args);
}

const FULL = /^error: stdout is incomplete: No space left on device.*\n$/m;

Deno.test("a full stdout has its own status and ends nothing", async () => {
  const json = await Deno.makeTempFile({ suffix: ".json" });
  const { code, stderr } = await rehearse("> /dev/full", "--json", json);
  assert.equal(code, 74);
  assert.match(stderr, FULL);
  assert.equal(JSON.parse(await Deno.readTextFile(json)).scenario.name, "rehearsal");
  await Deno.remove(json);
});

Deno.test("events of --json-lines that cannot be written do not end the run", async () => {
  const { code, stderr } = await rehearse("> /dev/full", "--json-lines");
  assert.equal(code, 74);
  assert.match(stderr, FULL);
});

Deno.test("a failed gate keeps its status if stdout is full", async () => {
  const { code, stderr } = await rehearse("> /dev/full", "--gate", "ips.baseline>1e9");
  assert.equal(code, 1);
  assert.match(stderr, FULL);
});

Deno.test("a reader that closes stdout, like head, gives the status without a message", async () => {
  const child = command("./rehearsal_script.ts", ["--no-store", "--variants", "baseline"]).spawn();
  await child.stdout.cancel();
  const { code } = await child.status;
  const stderr = await new Response(child.stderr).text();
  assert.deepEqual([code, stderr], [74, "rehearsal: 1 variant: baseline\n"]);
});

Deno.test("commands of tacho have the status, too", async () => {
  const { code, stderr } = await redirected("> /dev/full", TACHO, "--version");
  assert.equal(code, 74);
  assert.match(stderr, FULL);
});

Deno.test("a full stderr ends nothing", async () => {
  const { code, stdout } = await rehearse("2> /dev/full");
  assert.equal(code, 0);
  assert.match(stdout, /^baseline +140/m);
  const failed = await redirected("2> /dev/full", TACHO, "unknown");
  assert.equal(failed.code, 2);
  // Warnings and gates' outcomes go to stderr where stdout holds data
  const gated = await rehearse("2> /dev/full", "--json", "-", "--gate", "ips.baseline>1e9");
  assert.equal(gated.code, 1);
  assert.equal(JSON.parse(gated.stdout).scenario.name, "rehearsal");
});
