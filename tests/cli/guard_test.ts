import assert from "node:assert/strict";
import { type Ended, runScript } from "./tacho_process.ts";

function faulty(fault: string, ...args: string[]): Promise<Ended> {
  return runScript("./faulty_script.ts", [fault, ...args], { NO_COLOR: "1" });
}

Deno.test("a mistake at the top level of a script prints a readable message and exits with 2", async () => {
  const { code, stderr } = await faulty("top-level");
  assert.equal(code, 2);
  assert.doesNotMatch(stderr, /^ +at /m);
  assert.match(stderr, /^error: [^]*dpeth.*\n$/);
});

Deno.test("a mistake that is thrown or rejected later prints a readable message and exits with 2", async () => {
  const endings = await Promise.all([faulty("top-level-await"), faulty("timer")]);
  assert.deepEqual(endings, [
    { code: 2, stdout: "", stderr: "error: Rejected\n" },
    { code: 2, stdout: "", stderr: "error: Thrown later\n" },
  ]);
});

Deno.test("--debug prints the stack trace", async () => {
  const { code, stderr } = await faulty("top-level-await", "--debug");
  assert.equal(code, 2);
  assert.match(stderr, /^error: InputError: Rejected[^]*faulty_script\.ts:\d+/);
});

Deno.test("other errors reach Deno, and caught errors print nothing", async () => {
  const [foreign, caught] = await Promise.all([faulty("foreign"), faulty("caught")]);
  assert.equal(foreign.code, 1);
  assert.match(foreign.stderr, /Uncaught .*RangeError: Not ours[^]*faulty_script\.ts:\d+/);
  assert.deepEqual(caught, { code: 0, stdout: "caught Caught\n", stderr: "" });
});

Deno.test("an error in a worker is reported to its owner", async () => {
  const { code, stdout } = await faulty("worker");
  assert.equal(code, 0);
  assert.match(stdout, /^the worker's owner heard: .*In a worker\n$/);
});

Deno.test("run() without a scenario says what to do", async () => {
  const { code, stderr } = await faulty("unregistered");
  assert.deepEqual([code, stderr], [2, "error: run(): no scenario to run; call scenario({ ... }) first\n"]);
});
