import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { gather, totalOf } from "../../runtime/analysis/attach/recording.ts";
import { runProgram } from "./recorded.ts";

Deno.test("losses of an MLP are the same bit by bit when recorded", async () => {
  const bare = await runProgram("losses_program.ts", [], null);
  const recorded = await runProgram("losses_program.ts", [], {});
  strictEqual(bare.stdout.trim().split("\n").length, 8, bare.stderr);
  deepStrictEqual([recorded.stdout, recorded.code], [bare.stdout, 0]);
  const { devices } = gather(recorded.realms[0]!);
  const dispatches = devices.flatMap(({ stretches }) => stretches.map((stretch) => totalOf(stretch, "dispatches")));
  strictEqual(dispatches.some((count) => count > 0), true);
});
