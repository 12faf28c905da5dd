import { deepStrictEqual, match } from "node:assert/strict";
import { join } from "node:path";
import { analyseAttached } from "../../runtime/analysis/attach/analyse.ts";
import { renderAttached } from "../../runtime/report/attach/text.ts";
import { runProgram } from "./recorded.ts";

const NAME = "stack_program.ts";
const lines = Deno.readTextFileSync(join(import.meta.dirname!, NAME)).split("\n");
/** Line of the program with a comment, as reports name it. */
const lineOf = (comment: string) => `${NAME}:${lines.findIndex((line) => line.endsWith(`// ${comment}`)) + 1}`;

Deno.test("the program's lines that dispatch kernels, make pipelines and create buffers are named, packages' are not", async () => {
  const { realms, code, stderr } = await runProgram(NAME, [], { stack: true });
  deepStrictEqual(code, 0, stderr);
  const result = analyseAttached(realms, "auto");
  const { kernels, pipelines, memory, timestamps } = result.devices[0]!;
  deepStrictEqual(pipelines.map(({ line }) => line), [lineOf("pipeline")]);
  deepStrictEqual(memory!.leaks.map(({ label, line, count }) => [label, line, count]), [
    ["forgotten", lineOf("leak"), 5],
  ]);
  deepStrictEqual(memory!.largest.find(({ label }) => label === "kept")!.line, lineOf("kept buffer"));
  deepStrictEqual(memory!.keptWarmUp.count, 2); // the kept one, and that of the first step
  if (timestamps === "none") return;
  deepStrictEqual(
    kernels.map(({ label, line, grids, perStep }) => [label, line, grids[0]!.grid, perStep]).toSorted(),
    [
      ["kernel", lineOf("own dispatch"), [4, 1, 1], 1],
      ["kernel", lineOf("dispatch by a library"), [2, 1, 1], 1],
    ].toSorted(),
  );
  const text = renderAttached(result, { color: false, columns: 140 }, 10);
  for (const comment of ["own dispatch", "dispatch by a library", "kept buffer", "leak"]) {
    match(text, new RegExp(lineOf(comment)));
  }
  match(text, /created by warm-up steps, never destroyed, and not among the leaks: 2 buffers \(1\.25 KiB\)/);
});

Deno.test("without --stack there are no lines", async () => {
  const { realms } = await runProgram(NAME, [], {});
  const { kernels, pipelines, memory } = analyseAttached(realms, "auto").devices[0]!;
  const all = [...kernels, ...pipelines, ...memory!.leaks, ...memory!.largest];
  deepStrictEqual(all.filter(({ line }) => line !== null), []);
});
