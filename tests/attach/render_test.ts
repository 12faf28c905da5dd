import { deepStrictEqual, match, ok } from "node:assert/strict";
import { analyseAttached } from "../../runtime/analysis/attach/analyse.ts";
import { renderAttached } from "../../runtime/report/attach/text.ts";
import { runProgram } from "./recorded.ts";

/** Records the program, and returns its device and the report. */
async function record(...args: string[]) {
  const bare = await runProgram("render_program.ts", args, null);
  const recorded = await runProgram("render_program.ts", args, {});
  deepStrictEqual([recorded.stdout, recorded.code], [bare.stdout, 0], recorded.stderr);
  ok(bare.stdout.startsWith("0 51,102,153,255\n"), bare.stdout);
  const result = analyseAttached(recorded.realms, "auto");
  return { device: result.devices[0]!, text: renderAttached(result, { color: false, columns: 120 }, 10) };
}

Deno.test("render passes are listed and timed as a whole, and tell steps", async () => {
  const { device, text } = await record();
  deepStrictEqual([device.steps.steps.length, device.totals.renderPasses, device.clock.selfTimed], [8, 8, 0]);
  match(text, /\nrender passes +1 +– +8\b/);
  if (device.timestamps === "none") return;
  deepStrictEqual(
    device.kernels.map(({ name, dispatches, perStep, timedBy }) => [name, dispatches, perStep, timedBy]),
    [
      ["render pass scene", 8, 1, "pass"],
    ],
  );
  const { kernels, idle, wall } = device.account!;
  ok(kernels > 0 && idle.unexplained < 0.05 * wall);
});

Deno.test("render passes with timestamps of the program are listed, and not timed", async () => {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter?.features.has("timestamp-query") !== true) return;
  const { device, text } = await record("own");
  deepStrictEqual([device.totals.renderPasses, device.clock.selfTimed], [8, 8]);
  deepStrictEqual(device.kernels.map(({ name, dispatches, total, untimed }) => [name, dispatches, total, untimed]), [
    ["render pass scene", 8, null, "own"],
  ]);
  match(text, /\nrender pass scene +– +– +– +– +– +8\b/);
  match(text, /–: the program's own timestamps are in these render passes/);
  match(text, /8 render passes with the program's own timestamps, not timed here/);
  match(text, /\nrender passes +1 +– +8\b/);
  deepStrictEqual(device.account, null);
});
