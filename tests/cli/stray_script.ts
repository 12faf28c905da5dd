/** A run whose transform fails outside of its call, as `FAULT` says: at once, or after the run. */
import { run, scenario, syntheticImages, transforms as t } from "../../mod.ts";

let samples = 0;

const faulty = t.map(function faulty() {
  if (++samples !== 7) return;
  const fault = Deno.env.get("FAULT");
  if (fault === "rejected") Promise.reject(new Error("torn"));
  if (fault !== "late") return;
  const failLate = () => {
    if (finished) throw new Error("torn");
    setTimeout(failLate, 20);
  };
  failLate();
});

let finished = false;

scenario({
  name: "stray",
  data: syntheticImages({ height: 2, width: 2, channels: 1, classes: 2, length: 64, transforms: [faulty] }),
  loader: { batchSize: 2 },
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2, aa: false },
  variants: { one: {}, two: { loader: { prefetch: 3 } } },
});

if (import.meta.main) {
  if (Deno.env.get("FAULT") === "own") {
    setTimeout(() => {
      throw new RangeError("Not ours");
    });
  }
  await run();
  finished = true;
}
