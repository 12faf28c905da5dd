/**
 * Scenario with a function that workers create by importing this script. Prints the batches' sums with 0 and with 2
 * workers.
 */
import { syntheticImages, transforms as t } from "../../../mod.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";

const LEVELS = new Map([[0, 3], [1, 5]]);

const banded = t.map(function banded({ data }, random) {
  const level = LEVELS.get(random.below(2))!;
  for (let i = 0; i < data.length; i++) data[i] = data[i]! - data[i]! % level;
});

if (import.meta.main) {
  const spec = syntheticImages({ height: 8, width: 8, classes: 2, length: 40, transforms: [banded] });
  const options = { batchSize: 10, prefetch: 2, shuffle: true, dropLast: true, seed: 3, split: "train" } as const;
  for (const numWorkers of [0, 2]) {
    await using loader = await createLoader(spec, { ...options, numWorkers, layout: "nhwc" });
    const sums: number[] = [];
    for (let i = 0; i < 6; i++) {
      const batch = await loader.next();
      sums.push([...batch.tensors["input"]!].reduce((sum, x) => sum + x, 0));
      batch.release();
    }
    console.log(JSON.stringify(sums));
  }
}
