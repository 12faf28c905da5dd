/** A training whose kernels change at the end of a window is verified from the store. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fullTest } from "../../support/full.ts";
import { Place } from "../tacho_process.ts";

const MOD = new URL("../../../mod.ts", import.meta.url).href;

const SCRIPT = `
import { conv2d, crossEntropy, flatten, linear, relu, run, scenario, sequential, sgd, syntheticImages } from "${MOD}";

export default scenario({
  name: "tuned",
  model: sequential(conv2d(12, { kernel: 3, padding: 1 }), relu(), flatten(), linear(10)),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.2 }),
  data: syntheticImages({ height: 8, width: 8, classes: 10, length: 64 }),
  loader: { batchSize: 4 },
  measure: { steps: 2, skip: 2, maxSkip: 2, rounds: 2, aa: false },
  variants: { tuned: { compile: { autotune: { start: 1, stop: 4, cache: "times.json" } } } },
});

if (import.meta.main) await run();
`;

interface Entries {
  readonly entries: Record<string, { chosen: string; candidates: { id: string }[] }>;
}

fullTest("losses with tuned kernels are reproduced", async () => {
  await using place = await Place.make();
  await place.write("tuned.ts", SCRIPT);
  const first = await place.tacho(["run", "tuned.ts", "--no-store"]);
  assert.equal(first.code, 0, first.stderr);
  // Choices that no timing has a hand in, and that are not the default
  const file = join(place.folder, "times.json");
  const times: Entries = JSON.parse(await Deno.readTextFile(file));
  for (const entry of Object.values(times.entries)) entry.chosen = entry.candidates.at(-1)!.id;
  await Deno.writeTextFile(file, JSON.stringify(times));
  for (const args of [[], ["--skip", "0"], ["epochs=1"]]) {
    const { code, stderr } = await place.tacho(["run", "tuned.ts", ...args]);
    assert.equal(code, 0, stderr);
    const verified = await place.inside(["verify", "last"]);
    assert.equal(verified.code, 0, args.join() + verified.stdout + verified.stderr);
    assert.match(verified.stdout, /^tuned +\d+ +identical$/m);
  }
});
