import { deepStrictEqual, match, ok } from "node:assert/strict";
import type { AttachResult } from "../../../../runtime/analysis/attach/result.ts";
import { renderAttachedHtml } from "../../../../runtime/report/attach/html.ts";
import { renderAttachedMarkdown } from "../../../../runtime/report/attach/markdown.ts";
import { renderAttached } from "../../../../runtime/report/attach/text.ts";
import { plantedDevice, type PlantedProgram, type PlantedStep } from "./planted_steps.ts";

/** A step with small uploads, a wait, and buffers. */
const step: PlantedStep = {
  counts: {
    ...{ uploads: 100, uploadBytes: 25_600, uploadMs: 20, waits: 2, reads: 2, readBytes: 8, waitMs: 50, sleepMs: 5 },
    ...{ buffers: 30, createMs: 3 },
  },
  host: [["upload", 0, 20], ["submit", 20, 25], ["wait", 25, 75], ["sleep", 75, 80]],
  passes: [[25, 70]],
};

const resultOf = (planted: PlantedStep, program: PlantedProgram = {}): AttachResult => ({
  ...{ kind: "attach", schemaVersion: 1, complete: true, browser: null, notes: [] },
  devices: [plantedDevice(planted, program)],
});

Deno.test("advice is sorted by what it saves, and stands in every report", () => {
  const result = resultOf(step);
  const { advice } = result.devices[0]!;
  deepStrictEqual(advice.map(({ kind, mostMs }) => [kind, mostMs]), [["waits", 55], ["uploads", 20], [
    "created-objects",
    3,
  ]]);
  const text = renderAttached(result, { columns: 100, color: false }, 5);
  match(text, /Advice: the most that each change can save per step[^]*55\.0 +55 +2 waits and 2 mapped reads per step/);
  match(text, /100 uploads per step[^]*write the small values[^]*savings overlap/);
  match(
    renderAttachedMarkdown(result, "x"),
    /\| 55\.0 \| 55 \| 2 waits and 2 mapped reads per step \| copy all results/,
  );
  match(
    renderAttachedHtml(result, "x"),
    /<h3 id="advice">Advice: [^]*2 waits and 2 mapped reads per step[^]*in calls that wait/,
  );
});

Deno.test("a busy device, and a program without steps, get no advice", () => {
  const busy = resultOf({ ...step, passes: [[0, 100]] });
  const without = resultOf(step, { by: "end" });
  deepStrictEqual([busy, without].map(({ devices }) => devices[0]!.advice), [[], []]);
  ok(!renderAttached(busy, { columns: 100, color: false }, 5).includes("Advice"));
});
