import assert from "node:assert/strict";
import { resultText } from "../../runtime/cli/result_text.ts";
import type { Result } from "../../runtime/result/schema.ts";
import { profiledResult } from "../report/profile_fixture.ts";

const PLAIN = { pipeline: false, color: false };

/** Lines of the log that scripts read with the expression that they use on SINGA's own output. */
function parsed(text: string): [id: number, name: string, seconds: number][] {
  return [...text.matchAll(/OP_ID(\d+)\. (\S+) : (\S+) sec/g)].map(([, id, name, time]) => [+id!, name!, +time!]);
}

Deno.test("a log stands alone, instead of the matrix", () => {
  const text = resultText(profiledResult(), { ...PLAIN, log: "singa" });
  assert.match(text, /^Time Profiling:$/m);
  assert.doesNotMatch(text, /images\/s/);
  const ops = parsed(text);
  assert.deepEqual(ops.map(([id]) => id), ops.map((_, i) => i));
  assert.deepEqual(ops[0], [0, "cudnnConvForward", 0.002]);
});

Deno.test("a flag that asks for more prints the matrix after the log", () => {
  for (const more of [{ explain: true }, { advice: true }, { raw: true }] as const) {
    assert.match(resultText(profiledResult(), { ...PLAIN, log: "singa", ...more }), /Time Profiling:[^]*images\/s/);
  }
  assert.match(resultText(profiledResult(), PLAIN), /images\/s/);
});

Deno.test("the hits of the cache of kernels' times are printed without --explain", () => {
  const op = { op: "conv2d", nodes: [], inputs: [], outputs: [], source: "cache", chosen: "a", candidates: [] };
  const autotune = {
    ...{ ops: [op, op, op, op], hits: 3, spent: 500, before: 0, after: 0, clock: "device", cache: "t.json" },
    warnings: [],
  } as unknown as NonNullable<Result["variants"][number]["autotune"]>;
  const text = resultText(profiledResult({ autotune }), PLAIN);
  assert.match(text, /^autotune of baseline: 4 ops, 3 from the cache \(75 %\)/m);
});
