/** A sweep of 16 variants without a device, which takes a second or so. */
import { run, scenario, syntheticImages } from "../../../mod.ts";
import "./hold.ts";

const counts = Array.from({ length: 4 }, (_, i) => i + 1);

export default scenario({
  name: "sweep",
  data: syntheticImages({ height: 2, width: 2, classes: 4, length: 512, delay: { read: 0.2 } }),
  loader: { batchSize: 1 },
  measure: { steps: 1, skip: 1, maxSkip: 1, rounds: 6, aa: false },
  sweep: { "loader.batchSize": counts, "loader.prefetch": counts },
});

if (import.meta.main) await run();
