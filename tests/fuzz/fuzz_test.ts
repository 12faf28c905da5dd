/** A few trials of every fuzzer, with a fixed seed; the fast set has half of them, and `deno task fuzz` runs more. */
import assert from "node:assert/strict";
import { full } from "../support/full.ts";
import { fuzz } from "./fuzzer.ts";
import { FUZZERS } from "./fuzzers.ts";

const SEED = 1;

for (const fuzzer of FUZZERS) {
  Deno.test({
    name: `damaged and random ${fuzzer.name} end in a message for the user or in a right answer`,
    ignore: !(await fuzzer.isPossible?.() ?? true),
    fn: async () =>
      assert.deepEqual(await fuzz(fuzzer, { seed: SEED, count: full ? fuzzer.few : Math.ceil(fuzzer.few / 2) }), []),
  });
}
