import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { analyseAttached } from "../../runtime/analysis/attach/analyse.ts";
import { runProgram } from "./recorded.ts";

Deno.test("the kernels that are recorded of a scenario are those of its plan, with the same counts", async () => {
  const { code, stdout, stderr, realms } = await runProgram("own_scenario_program.ts", [], {});
  strictEqual(code, 0, stderr);
  const plan = (JSON.parse(stdout) as [name: string, calls: number][]).toSorted();
  const { devices } = analyseAttached(realms, "auto");
  const device = devices.find(({ label, totals }) => label === "tacho" && totals.dispatches > 0)!;
  strictEqual(device.steps.steps.length, 10);
  strictEqual(device.perStep!.dispatches, plan.reduce((sum, [, calls]) => sum + calls, 0));
  deepStrictEqual(device.kernels.map(({ label, dispatches }) => [label, dispatches! / 10]).toSorted(), plan);
  if (device.timestamps !== "none") {
    deepStrictEqual(device.kernels.map(({ label, perStep }) => [label, perStep]).toSorted(), plan);
  }
});
