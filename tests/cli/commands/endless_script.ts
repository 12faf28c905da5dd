/** A run whose transform never returns after 40 samples: rounds of 2 variants with 4 samples a block are complete by then. */
import { run, scenario, syntheticImages, transforms as t } from "../../../mod.ts";

let samples = 0;

const endless = t.map(() => {
  if (++samples < 40) return;
  console.log("endless");
  for (;;);
});

export default scenario({
  name: "endless",
  data: syntheticImages({ height: 2, width: 2, channels: 1, classes: 2, length: 64, transforms: [endless] }),
  loader: { batchSize: 2, numWorkers: 0 },
  measure: { steps: 1, skip: 1, maxSkip: 1, rounds: 1000, aa: false },
  variants: { one: {}, two: { loader: { prefetch: 3 } } },
});

if (import.meta.main) await run();
