/** Errors that user code leaves behind end a run with a message and a status of their own, neither 0 nor a gate's 1. */
import assert from "node:assert/strict";
import { type Ended, runScript } from "./tacho_process.ts";

function stray(fault: string, ...args: readonly string[]): Promise<Ended> {
  return runScript("./stray_script.ts", ["--no-store", ...args], { FAULT: fault, NO_COLOR: "1" });
}

const TORN = "Error: torn \\(/.*tests/cli/stray_script\\.ts:\\d+:\\d+\\); catch it where it occurs";

Deno.test("a rejection in a transform fails its variant, with the thread, the sample and the file", async () => {
  for (const [numWorkers, thread] of [[0, "main thread"], [1, "data worker 0 of 1"]] as const) {
    const { code, stdout, stderr } = await stray("rejected", `loader.numWorkers=${numWorkers}`);
    assert.equal(code, 2, stderr);
    const text = `${stdout}${stderr}`.replaceAll(/\s+/g, " ");
    assert.match(
      text,
      new RegExp(`Sample \\d+ \\(batch \\d+\\): ${thread}: a promise that nothing awaits was rejected: ${TORN}`),
    );
    assert.doesNotMatch(text, / at file:/);
  }
});

Deno.test("a timer of a transform that fails after the run ends with a message and status 2", async () => {
  const { code, stdout, stderr } = await stray("late", "loader.numWorkers=0");
  assert.equal(code, 2);
  assert.match(stdout, /^one /m);
  assert.match(
    stderr,
    new RegExp(`^error: Sample \\d+ \\(batch \\d+\\): main thread: a timer's callback failed: ${TORN}\\n$`, "m"),
  );
});

Deno.test("a script's own error during a run ends it after its results, with the status of an unexpected error", async () => {
  const { code, stdout, stderr } = await stray("own", "loader.numWorkers=0");
  assert.equal(code, 70);
  assert.match(stdout, /^one /m);
  assert.match(stderr, /^error: RangeError: Not ours$/m);
});
