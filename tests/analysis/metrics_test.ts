import { ok, strictEqual } from "node:assert/strict";
import { compareArms } from "../../runtime/analysis/comparison/compare.ts";
import { summarize } from "../../runtime/analysis/metrics.ts";
import type { Block } from "../../runtime/result/schema.ts";
import { arm, input } from "./comparison/arms.ts";

function speedOf(blocks: readonly Block[]) {
  const about = { amortised: false, setup: null, firstStep: null, accuracy: null, timing: null };
  return summarize({ ...about, blocks, runtimeWaits: blocks.map(() => 0), unit: "images/s", profilingCost: null }).ips;
}

Deno.test("the ratio of two throughputs is the geometric mean of their ratios, even with uneven blocks", () => {
  const [a, b] = [arm("a", [100, 3, 120, 80, 7, 90]), arm("b", [2, 60, 50, 400, 45, 3])];
  const { ratio } = compareArms(input([a, b])).byName.get("b")!.comparison!.companion!;
  const [slow, fast] = [speedOf(a.blocks)!, speedOf(b.blocks)!];
  ok(Math.abs(fast.value / slow.value / ratio.value - 1) < 1e-12);
  ok(slow.min! < slow.value && slow.value < slow.max!);
});

Deno.test("a block without time has no throughput", () => {
  const [block] = arm("a", [100]).blocks;
  strictEqual(speedOf([{ ...block!, wall: 0 }]), null);
  strictEqual(speedOf([]), null);
  strictEqual(speedOf([block!, { ...block!, wall: 0 }])!.min, null);
});
