import assert from "node:assert/strict";
import { initialize } from "../../runtime/nn/initialize.ts";

const N = 40_000;

function moments(values: Float32Array) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}

Deno.test("initialize fills constants and shapes", () => {
  assert.deepEqual(initialize({ kind: "constant", value: 0.5 }, [2, 3], 1, "a"), new Float32Array(6).fill(0.5));
  assert.equal(initialize({ kind: "normal", mean: 0, deviation: 1 }, [5], 1, "a").length, 5);
});

Deno.test("initialize matches the moments of the distributions", () => {
  const normal = moments(initialize({ kind: "normal", mean: 3, deviation: 2 }, [N], 7, "w"));
  assert.ok(Math.abs(normal.mean - 3) < 5 * 2 / Math.sqrt(N), `${normal.mean}`);
  assert.ok(Math.abs(normal.deviation - 2) < 0.04, `${normal.deviation}`);
  const values = initialize({ kind: "uniform", low: -1, high: 3 }, [N], 7, "w");
  const uniform = moments(values);
  assert.ok(values.every((x) => x >= -1 && x <= 3));
  assert.ok(Math.abs(uniform.mean - 1) < 0.03, `${uniform.mean}`);
  assert.ok(Math.abs(uniform.deviation - 4 / Math.sqrt(12)) < 0.02, `${uniform.deviation}`);
});

Deno.test("initialize draws uncorrelated neighbours", () => {
  const values = initialize({ kind: "normal", mean: 0, deviation: 1 }, [N], 7, "w");
  for (const lag of [1, 2, 3, 4]) {
    let sum = 0;
    for (let i = lag; i < N; i++) sum += values[i]! * values[i - lag]!;
    assert.ok(Math.abs(sum / N) < 5 / Math.sqrt(N), `lag ${lag}: ${sum / N}`);
  }
});

Deno.test("initialize depends only on seed and name", () => {
  const draw = (seed: number, name: string, n = 8) =>
    initialize({ kind: "normal", mean: 0, deviation: 1 }, [n], seed, name);
  assert.deepEqual(draw(1, "a"), draw(1, "a"));
  assert.deepEqual(draw(1, "a", 5), draw(1, "a", 8).slice(0, 5));
  assert.notDeepEqual(draw(1, "a"), draw(2, "a"));
  assert.notDeepEqual(draw(1, "a"), draw(1, "b"));
});
