import type { AttachResult } from "../../runtime/result/attach_result.ts";
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { analyseAttached } from "../../runtime/analysis/attach/analyse.ts";
import { renderAttached } from "../../runtime/report/attach/text.ts";
import { type Recorded, runProgram } from "./recorded.ts";

const bare = await runProgram("late_program.ts", [], null);

/** Compares the recorded program with the bare one, and returns its result. */
function same(recorded: Recorded): AttachResult {
  deepStrictEqual([recorded.stdout, recorded.stderr, recorded.code], [bare.stdout, bare.stderr, 0]);
  ok(bare.stdout.endsWith("ended\n"), bare.stdout);
  return analyseAttached(recorded.realms, "auto");
}

/** Counts of a device's whole run. */
function countsOf({ devices }: AttachResult): (readonly [label: string, ...counts: number[]])[] {
  return devices.map(({ label, totals }) =>
    [label, totals.submits, totals.renderPasses, totals.copyBytes, totals.textures, totals.reads] as const
  );
}

/** A drawing is one submit, one render pass, 64 x 4 texels of 4 bytes copied, one texture, and one mapped read. */
const COUNTS = [["drawing", 3, 2, 2048, 2, 2], ["second", 1, 1, 1024, 1, 1], ["worker", 3, 3, 3072, 3, 3]];

Deno.test("late imports, bundles, early messages to workers and destroyed devices are recorded", async () => {
  const result = same(await runProgram("late_program.ts", [], {}));
  deepStrictEqual(countsOf(result), COUNTS);
  strictEqual(result.devices[0]!.lost?.reason, "destroyed");
  deepStrictEqual([result.complete, result.notes.length], [true, 1]);
  match(result.notes[0]!, /^worker late_worker\.ts was terminated/);
  if (result.devices[0]!.timestamps !== "none") {
    const [pass] = result.devices[0]!.kernels;
    deepStrictEqual([pass!.name, pass!.calls, pass!.grids], ["render pass drawing", 2, []]);
  }
});

Deno.test("without timestamps there are counts, and one line", async () => {
  const result = same(await runProgram("late_program.ts", [], { timing: false }));
  deepStrictEqual(countsOf(result), COUNTS);
  const text = renderAttached(result, { color: false, columns: 140 }, 10);
  strictEqual(text.match(/no times of kernels: the device has no timestamp queries/g)?.length, result.devices.length);
  doesNotMatch(text, /NaN|undefined|null/);
});
