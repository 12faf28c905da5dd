import { deepStrictEqual, match, ok } from "node:assert/strict";
import { analyseAttached } from "../../runtime/analysis/attach/analyse.ts";
import { renderAttached } from "../../runtime/report/attach/text.ts";
import { runProgram } from "./recorded.ts";

Deno.test("kernels that run only outside of the timed steps are listed with their counts, without times", async () => {
  const recorded = await runProgram("outside_program.ts", [], {});
  deepStrictEqual([recorded.stdout, recorded.code], ["1.125\n", 0], recorded.stderr);
  const result = analyseAttached(recorded.realms, "auto");
  const [device] = result.devices;
  const rows = device!.kernels.map(({ label, dispatches, calls, total, untimed }) =>
    [label, dispatches, calls > 0, total !== null, untimed] as const
  );
  const text = renderAttached(result, { color: false, columns: 120 }, 10);
  match(text, /\nfill #\w+ +– +– +– +– +– +1\b/);
  match(text, /\nhalve #\w+ +– +– +– +– +– +3\b/);
  if (device!.timestamps === "none") {
    ok(rows.every(([, , , , untimed]) => untimed === "none"), JSON.stringify(rows));
    return;
  }
  deepStrictEqual(rows, [
    ["add", 8, true, true, null],
    ["halve", 3, false, false, "outside"],
    ["fill", 1, false, false, "outside"],
  ]);
  match(text, /–: dispatched only outside of the timed steps/);
});
