import assert from "node:assert/strict";
import { join } from "node:path";
import type { Result } from "../../runtime/result/schema.ts";
import { openStore } from "../../runtime/store/store.ts";
import { canStartSlurm, SlurmCluster } from "../support/slurm_cluster.ts";

const TACHO = new URL("../../scripts/tacho.ts", import.meta.url).href;

const ROUNDS = 8;

/** Twelve variants of a small network, with rounds of about 0.2 s. */
const SCRIPT = `import { crossEntropy, mlp, run, scenario, sgd, syntheticImages } from ${
  JSON.stringify(new URL("../../mod.ts", import.meta.url).href)
};
export default scenario({
  name: "twelve",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64, delay: { read: 2 } }),
  measure: { steps: 2, skip: 1, rounds: ${ROUNDS} },
  sweep: { "loader.batchSize": [2, 4, 8], "optimizer.learningRate": [0.01, 0.02, 0.05, 0.1] },
});
if (import.meta.main) await run();
`;

interface ShardState {
  readonly status: string;
  readonly rounds: number | null;
  readonly resumed: number;
}

Deno.test({
  name: "Slurm: twelve variants in four shards, one of whose nodes fails, merge into the losses of the unsharded run",
  ignore: !canStartSlurm(),
  fn: async () => {
    await using cluster = await SlurmCluster.start();
    await Deno.writeTextFile(join(cluster.folder, "twelve.ts"), SCRIPT);
    const tacho = (...args: readonly string[]) => cluster.run(Deno.execPath(), "run", "-q", "-A", TACHO, ...args);
    const shards = async (): Promise<ShardState[]> =>
      JSON.parse(await tacho("status", "twelve", "--json").catch(() => "[]"))[0]?.shards ?? [];

    const answer = await tacho("submit", "twelve.ts", "--shards", "4");
    assert.match(answer, /^Submitted 4 shards as job \d+;.*\nJob \d+ merges them when all have ended/);
    const nodes = async () =>
      (await cluster.run("squeue", "-h", "-r", "-t", "running", "-o", "%K %N")).split("\n").map((line) =>
        line.split(" ")
      );
    let failing = -1;
    await cluster.until(async () => {
      failing = Number((await nodes()).find(([, node]) => node === "n2")?.[0] ?? -1);
      const rounds = (await shards())[failing]?.rounds ?? 0;
      return rounds >= 2 && rounds < ROUNDS - 1;
    }, 240_000);
    await cluster.run("scontrol", "update", "nodename=n2", "state=down", "reason=test");
    await cluster.untilEmpty();

    const states = await shards();
    assert.deepEqual(states.map(({ status, rounds }) => [status, rounds]), Array(4).fill(["complete", ROUNDS]));
    assert.equal(states[failing]!.resumed, 1);
    const unsharded = join(cluster.folder, "unsharded.json");
    await tacho("run", "twelve.ts", "--no-store", "--json", unsharded);
    const whole: Result = JSON.parse(await Deno.readTextFile(unsharded));
    using store = openStore(join(cluster.folder, "store"));
    const [run, ...others] = store.find({ scenario: "twelve" });
    assert.deepEqual([others.length, run?.status, run?.variants], [0, "complete", 12]);
    const merged = store.result(run!.id)!;
    assert.deepEqual(merged.nodes!.map(({ rounds }) => rounds), Array(4).fill(ROUNDS));
    assert.deepEqual(merged.variants.map(({ name }) => name), whole.variants.map(({ name }) => name));
    for (const [i, { name, losses }] of merged.variants.entries()) {
      const expected = whole.variants[i]!.losses;
      const common = Math.min(losses.length, expected.length); // warm-ups may differ in length
      assert(common >= 2 * ROUNDS, name);
      assert.deepEqual(losses.slice(0, common), expected.slice(0, common), name);
    }
    const report = join(cluster.folder, "twelve.shards", "report", "report.md");
    assert.match(await Deno.readTextFile(report), /^## Nodes$/m);
  },
});
