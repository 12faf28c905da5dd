import assert from "node:assert/strict";
import { changePoints, exactChanges } from "../../runtime/analysis/change_points.ts";
import { RandomStream } from "../../runtime/core/random.ts";

/** A series of normal values with the given means, 20 of each. */
function series(seed: number, means: readonly number[], spread = 0.02): number[] {
  const random = new RandomStream(seed);
  return means.flatMap((mean) => Array.from({ length: 20 }, () => mean * (1 + spread * random.normal())));
}

Deno.test("steps of 10 % are found near their place, and an undone change is two changes", () => {
  let exact = 0;
  for (let seed = 0; seed < 20; seed++) {
    const found = changePoints(series(seed, [100, 110, 100]));
    assert(found.length >= 2, `${seed}: ${found.length}`);
    if (found.length === 2 && found.every(({ index }, i) => Math.abs(index - 20 * (i + 1)) <= 1)) exact++;
  }
  assert(exact >= 17, String(exact));
  const [up] = changePoints(series(3, [100, 110]));
  assert(Math.abs(up!.before - 100) < 2 && Math.abs(up!.after - 110) < 2 && up!.p! <= 0.01);
});

Deno.test("noise has no changes in at least 19 of 20 series", () => {
  let changed = 0;
  for (let seed = 100; seed < 160; seed++) changed += changePoints(series(seed, [100, 100])).length > 0 ? 1 : 0;
  assert(changed <= 3, String(changed));
});

Deno.test("one outlier, equal values and short series are no changes, and results repeat", () => {
  const values = series(5, [100, 100]);
  values[17] = 300;
  assert.deepEqual(changePoints(values), []);
  assert.deepEqual(changePoints(Array.from({ length: 30 }, () => 7)), []);
  for (const n of [0, 1, 2, 5]) assert.deepEqual(changePoints(Array.from({ length: n }, (_, i) => i)), []);
  assert.deepEqual(changePoints(series(9, [1, 2])), changePoints(series(9, [1, 2])));
});

Deno.test("every change of an exact value counts", () => {
  assert.deepEqual(exactChanges([22, 22, 23, 22]).map(({ index, before, after }) => [index, before, after]), [
    [2, 22, 23],
    [3, 23, 22],
  ]);
});
