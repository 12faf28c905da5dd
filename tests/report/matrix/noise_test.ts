import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { noiseTexts, spreadOf } from "../../../runtime/report/matrix/noise.ts";
import { judged } from "../judged_fixture.ts";

const blocks = (...walls: number[]) => walls.map((wall) => ({ samples: 100, wall }));

Deno.test("the spread of blocks is the interquartile range of their speeds, which a single slow block does not change", () => {
  // Speeds 5, 4, 2, 1 a ms: quartiles 4.25, 3, 1.75
  strictEqual(spreadOf(blocks(20, 25, 50, 100))!.toFixed(6), (2.5 / 3).toFixed(6));
  strictEqual(spreadOf(blocks(10, 10, 10, 10, 10_000)), 0);
  strictEqual(spreadOf(blocks(10)), null);
});

Deno.test("the noise is that of the baseline, and the smallest difference shown follows from the intervals and the band", () => {
  const result = judged();
  const [, sink] = result.variants;
  const { low, high } = sink!.comparison!.speedup;
  const only = { ...result, variants: [result.variants[0]!, sink!] };
  const shown = Math.sqrt(high! / low!) * (1 + sink!.comparison!.band) - 1;
  deepStrictEqual(noiseTexts(only), [
    "blocks differ by 0.3 %",
    `8 rounds show differences above ${(100 * shown).toFixed(1)} %`,
  ]);
  const [baseline, ...others] = only.variants;
  const noisy = baseline!.blocks.map((block, i) => ({ ...block, wall: block.wall * (1 + i % 2) }));
  const texts = noiseTexts({ ...only, variants: [{ ...baseline!, blocks: noisy }, ...others] });
  deepStrictEqual([texts.length, texts[2]], [3, "close other programs, or use longer blocks (measure.steps)"]);
  deepStrictEqual(noiseTexts({ ...only, variants: [baseline!] }), [], "nothing is compared");
});
