import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { analyseAttached } from "../../../runtime/analysis/attach/analyse.ts";
import { programCounts } from "../../../runtime/experiment/programs/program_counts.ts";
import type { AttachRecord } from "../../../runtime/attach/records.ts";
import { runProgram } from "../../attach/recorded.ts";

const PROGRAM = "../fixtures/programs/train.ts";

/** Records the program, which dispatches one kernel `work` times per step. */
async function recordOf(work: number): Promise<readonly AttachRecord[]> {
  const { realms, stderr } = await runProgram(PROGRAM, ["steps=10", `work=${work}`], { budget: 1 });
  ok(realms[0] !== undefined, stderr);
  return realms[0];
}

Deno.test("a step's kernels are counted by hash, and passes that were never read count nowhere", async () => {
  const records = await recordOf(3);
  const result = analyseAttached([records], "auto");
  const counts = programCounts(result)!;
  strictEqual(counts.dispatches, 3);
  if (result.devices[0]!.timestamps === "none") return;
  const [kernel] = counts.kernels!;
  deepStrictEqual([counts.pipelines, counts.kernels!.length, kernel!.dispatches], [1, 1, 3]);
  deepStrictEqual([counts.buffers, counts.peakBytes], [1, 4096]);
  notStrictEqual(kernel!.name, "");
  ok(/^[0-9a-f]{12}$/.test(kernel!.hash));

  const renamed = (hash: string) => records.map((record) => record.kind === "kernel" ? { ...record, hash } : record);
  notStrictEqual(programCounts(analyseAttached([renamed("abcdef")], "auto"))!.kernels![0]!.hash, kernel!.hash);
  strictEqual(programCounts(analyseAttached([renamed("")], "auto"))!.kernels, null);

  // The records of a program that was killed before its timestamps were read
  const [device] = analyseAttached([records.filter(({ kind }) => kind !== "passes")], "auto").devices;
  ok(device!.steps.steps.some(({ timing }) => timing === "timed"));
  deepStrictEqual([device!.timedSteps, device!.accountedSteps, device!.account], [0, 0, null]);
});
