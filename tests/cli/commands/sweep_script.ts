/** A sweep of 4 variants without a device, which takes a second or so. */
import { run, scenario, syntheticImages } from "../../../mod.ts";
import "./hold.ts";

export default scenario({
  name: "sweep",
  data: syntheticImages({ height: 2, width: 2, classes: 4, length: 512, delay: { read: 0.2 } }),
  loader: { batchSize: 1 },
  measure: { steps: 1, skip: 1, maxSkip: 1, rounds: 6, aa: false },
  sweep: { "loader.batchSize": [1, 2], "loader.prefetch": [1, 2] },
});

if (import.meta.main) await run();
