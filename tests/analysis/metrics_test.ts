import { ok, strictEqual } from "node:assert/strict";
import { summarize } from "../../runtime/analysis/metrics.ts";
import type { Block } from "../../runtime/result/schema.ts";
import { variant } from "../report/result_fixture.ts";
import { arm } from "./comparison/arms.ts";

function metricsOf(blocks: readonly Block[]) {
  const about = { amortised: false, setup: null, firstStep: null, accuracy: null, timing: null };
  return summarize({ ...about, blocks, runtimeWaits: blocks.map(() => 0), unit: "images/s", profilingCost: null });
}

const speedOf = (blocks: readonly Block[]) => metricsOf(blocks).ips;

Deno.test("images/s times the batch cost are the images of a step, even with uneven blocks", () => {
  const { blocks } = arm("a", [100, 3, 120, 80, 7, 90]);
  const interrupted = { ...blocks[0]!, samples: 50, wall: 9 };
  const [step] = variant("a").blocks[0]!.steps;
  const uneven = [...blocks, interrupted].map((block) => {
    const count = block.samples / 25;
    return { ...block, steps: Array.from({ length: count }, () => ({ ...step!, batchCost: block.wall / count })) };
  });
  const { ips, batchCost } = metricsOf(uneven);
  ok(Math.abs(ips!.value * batchCost!.value / 1000 / 25 - 1) < 1e-12);
  ok(ips!.min! < ips!.value && ips!.value < ips!.max!);
});

Deno.test("a block without time has no throughput", () => {
  const [block] = arm("a", [100]).blocks;
  strictEqual(speedOf([{ ...block!, wall: 0 }]), null);
  strictEqual(speedOf([]), null);
  strictEqual(speedOf([block!, { ...block!, wall: 0 }])!.min, null);
});
