/** Scenario with a function that runs wherever it is imported, without a check of `import.meta.main`. */
import { run, scenario, syntheticImages, transforms as t } from "../../../mod.ts";

const halved = t.map(function halved({ data }) {
  for (let i = 0; i < data.length; i++) data[i]! >>= 1;
});

export default scenario({
  name: "unguarded",
  data: syntheticImages({ height: 8, width: 8, classes: 2, length: 40, transforms: [halved] }),
  loader: { batchSize: 10, numWorkers: 1 },
  measure: { steps: 2, skip: 1, rounds: 1, aa: false },
});

await run({ args: ["--no-store"] });
