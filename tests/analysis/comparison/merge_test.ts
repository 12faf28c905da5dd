import assert from "node:assert/strict";
import { judgeMerged, type NodeEstimate } from "../../../runtime/analysis/comparison/merge.ts";
import { poolNodes } from "../../../runtime/analysis/comparison/pooled.ts";

/** Standard normal numbers by the Box-Muller transform of a linear congruential generator. */
function normals(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) + 0.5) / 2 ** 32;
  for (let i = 0; i < 10; i++) uniform();
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

function onNode(normal: () => number, offset: number): NodeEstimate {
  const error = 0.01 / Math.sqrt(8);
  const value = offset + error * normal();
  const interval = { low: value - 1.96 * error, high: value + 1.96 * error };
  const p = 2 * normalTail(Math.abs(value) / error);
  const estimate: NodeEstimate["estimate"] = {
    ...{ rounds: 8, setups: 1, unit: "round", value, interval, reached: 0.95, method: "made", p, smallestP: null },
  };
  return { estimate, spread: { setups: null, rounds: null }, floor: 0, quality: null, unequal: null };
}

/** Returns P(Z > z), by the bound of the tail for large z. */
function normalTail(z: number): number {
  return Math.exp(-z * z / 2) / (z + Math.sqrt(z * z + 8 / Math.PI)) * 2 / Math.sqrt(2 * Math.PI);
}

Deno.test("intervals over nodes that differ by 5 % cover 93 to 97 %, and few equals are called different", () => {
  const normal = normals(7);
  const trials = 2000;
  for (const nodes of [3, 6]) {
    let covered = 0;
    let called = 0;
    for (let i = 0; i < trials; i++) {
      const estimates = Array.from({ length: nodes }, () => onNode(normal, 0.05 * normal()));
      const { interval } = poolNodes(estimates.map(({ estimate }) => estimate));
      if (interval!.low <= 0 && interval!.high >= 0) covered++;
      const [judged] = judgeMerged([estimates], 0.01);
      if (judged!.verdict === "faster" || judged!.verdict === "slower") called++;
    }
    assert(covered / trials > 0.93 && covered / trials < 0.97, `${covered / trials} with ${nodes} nodes`);
    assert(called / trials < 0.05, `${called / trials} false verdicts with ${nodes} nodes`);
  }
});

Deno.test("a true difference is found, and the correction covers all variants", () => {
  const normal = normals(3);
  const real = Array.from({ length: 6 }, () => onNode(normal, 0.3));
  assert.equal(judgeMerged([real], 0.01)[0]!.verdict, "faster");
  const others = Array.from({ length: 11 }, () => [onNode(normal, 0)]);
  const all = judgeMerged([real, ...others], 0.01);
  assert.equal(all[0]!.comparison.adjustedP, Math.min(1, all[0]!.comparison.p! * 12));
});
