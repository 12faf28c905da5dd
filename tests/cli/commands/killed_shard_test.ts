import assert from "node:assert/strict";
import { join } from "node:path";
import { readShardProgress } from "../../../runtime/store/shards/shard_file.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { Place } from "../tacho_process.ts";

const ROUNDS = 8;

/** A small network, whose rounds take about 0.2 s. */
const SCRIPT = `import { crossEntropy, mlp, run, scenario, sgd, syntheticImages } from ${
  JSON.stringify(new URL("../../../mod.ts", import.meta.url).href)
};
export default scenario({
  name: "killed",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64, delay: { read: 4 } }),
  measure: { steps: 2, skip: 1, rounds: ${ROUNDS} },
  sweep: { "loader.batchSize": [4, 8, 12] },
});
if (import.meta.main) await run();
`;

Deno.test("a shard killed in its fifth round loses that round only, and merges leave one run, however they end", async () => {
  await using place = await Place.make();
  const script = "killed.ts";
  await place.write(script, SCRIPT);
  const shard = (number: number) => ["run", script, "--shard", `${number}/2`];
  const files = [1, 2].map((number) => join(place.folder, `killed-${number}-of-2.tacho.jsonl`));
  const second = place.tacho(shard(2));
  const child = place.start(shard(1));
  const rounds = () => {
    try {
      return readShardProgress(files[0]!).rounds;
    } catch {
      return 0; // not begun
    }
  };
  let ended = false;
  const ending = child.output().then(() => ended = true);
  while (rounds() < 4 && !ended) await new Promise((resolve) => setTimeout(resolve, 10));
  killTree(child.pid);
  await ending;
  const kept = rounds();
  assert(kept >= 4 && kept < ROUNDS, `${kept} rounds`);
  assert.equal((await second).code, 0);

  const partial = await place.tacho(["merge", ...files]);
  assert.equal(partial.code, 1);
  assert.match(
    partial.stderr,
    new RegExp(`incomplete: \\S+-1-of-2\\S+ has ${kept} of ${ROUNDS} rounds; run shard 1/2`),
  );

  const again = place.tacho(shard(1));
  const meanwhile = await place.tacho(["merge", ...files]); // which reads a file that is being written
  assert.match(meanwhile.stderr, /kept as \w+/);
  assert.equal((await again).code, 0);
  const { rounds: all, resumed, status } = readShardProgress(files[0]!);
  assert.deepEqual([all, resumed, status], [ROUNDS, 1, "complete"]);

  for (const delay of [200, 500, 800, 1100]) {
    const merging = place.start(["merge", ...files]);
    await new Promise((resolve) => setTimeout(resolve, delay));
    killTree(merging.pid);
    await merging.output();
  }
  const merges = await Promise.all([place.tacho(["merge", ...files]), place.tacho(["merge", ...files.toReversed()])]);
  const ids = merges.map(({ stderr }) => stderr.match(/^kept as (\w+)/m)?.[1]);
  assert.deepEqual(merges.map(({ code }) => code), [0, 0], merges[0]!.stderr);
  assert.equal(ids[0], ids[1]);
  const whole = await place.tacho(["run", script]);
  const wholeId = `${whole.stderr}${whole.stdout}`.match(/kept as (\w+)/)![1]!;
  using store = openStore(join(place.folder, "store"));
  const complete = store.find({ status: "complete" }).filter(({ variants }) => variants === 3).map(({ id }) => id);
  assert.deepEqual(complete.filter((id) => id !== ids[0]), [wholeId], "one run of all merges");
  assert(store.find().every(({ status }) => status !== "running"));
  const [merged, expected] = [store.result(ids[0]!)!, store.result(wholeId)!];
  for (const [i, { name, losses }] of merged.variants.entries()) {
    const common = Math.min(losses.length, expected.variants[i]!.losses.length); // warm-ups may differ in length
    assert(common >= 2 * ROUNDS, name);
    assert.deepEqual(losses.slice(0, common), expected.variants[i]!.losses.slice(0, common), name);
  }
});

/** Kills a process and those that it has started. */
function killTree(pid: number): void {
  const { stdout } = new Deno.Command("ps", { args: ["-o", "pid=", "--ppid", String(pid)] }).outputSync();
  for (const id of [pid, ...new TextDecoder().decode(stdout).split(/\s+/).map(Number).filter((id) => id > 0)]) {
    try {
      Deno.kill(id, "SIGKILL");
    } catch {
      // it has ended
    }
  }
}
