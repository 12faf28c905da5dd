import assert from "node:assert/strict";
import { join } from "node:path";
import { readSweeps, type ShardStatus } from "../../runtime/cli/submit/sweep_status.ts";
import { InputError } from "../../runtime/core/errors.ts";
import type { Result } from "../../runtime/result/schema.ts";
import { openStore } from "../../runtime/store/store.ts";
import { canStartSlurm, SlurmCluster } from "../support/slurm_cluster.ts";

const TACHO = new URL("../../scripts/tacho.ts", import.meta.url).href;

const ROUNDS = 16;

/** Twelve variants of a small network, with rounds of about 0.3 s. */
const SCRIPT = `import { crossEntropy, mlp, run, scenario, sgd, syntheticImages } from ${
  JSON.stringify(new URL("../../mod.ts", import.meta.url).href)
};
export default scenario({
  name: "twelve",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64, delay: { read: 4 } }),
  measure: { steps: 2, skip: 1, rounds: ${ROUNDS} },
  sweep: { "loader.batchSize": [2, 4, 8], "optimizer.learningRate": [0.01, 0.02, 0.05, 0.1] },
});
if (import.meta.main) await run();
`;

Deno.test({
  name:
    "Slurm: twelve variants in four shards, one interrupted before its time limit and one on a node that fails, merge " +
    "into the losses of the unsharded run",
  ignore: !canStartSlurm(),
  fn: async () => {
    await using cluster = await SlurmCluster.start();
    await Deno.writeTextFile(join(cluster.folder, "my sweep.ts"), SCRIPT);
    const tacho = (...args: readonly string[]) => cluster.run(Deno.execPath(), "run", "-q", "-A", TACHO, ...args);
    const folder = join(cluster.folder, "my-sweep.shards");
    const rounds = (shard: number) => statesIn(folder)[shard]?.rounds ?? 0;
    const untilMeasuring = async (shard: number) => {
      await cluster.until(() => Promise.resolve(rounds(shard) >= 2), 240_000);
      assert(rounds(shard) < ROUNDS, `shard ${shard + 1} ended before it was interrupted`);
    };

    const answer = await tacho("submit", "my sweep.ts", "--shards", "4", "--", "--comment=it's # one");
    const job = answer.match(/^Submitted 4 shards as job (\d+);.*\nJob \d+ merges them when all have ended/)?.[1];
    assert(job !== undefined, answer);
    const running = async () =>
      (await cluster.run("squeue", "-h", "-r", "-t", "running", "-o", "%K %N")).split("\n").map((line) =>
        line.split(" ")
      );
    const taskOn = async (node: string) => Number((await running()).find(([, on]) => on === node)?.[0] ?? -1);
    let [signalled, failing] = [-1, -1];
    await cluster.until(async () => {
      [signalled, failing] = [await taskOn("n1"), await taskOn("n2")];
      return signalled >= 0 && failing >= 0;
    });
    await untilMeasuring(signalled);
    cluster.signalScript("n1", "SIGUSR1");
    await untilMeasuring(failing);
    await cluster.run("scontrol", "update", "nodename=n2", "state=down", "reason=test");
    await cluster.untilEmpty();

    const states = statesIn(folder);
    const logs = await cluster.run("sh", "-c", `cat '${folder}'/logs/*`);
    assert.deepEqual(states.map(({ status, rounds }) => [status, rounds]), Array(4).fill(["complete", ROUNDS]), logs);
    assert.deepEqual(
      states.map(({ resumed }) => resumed),
      [0, 1, 2, 3].map((i) => i === signalled || i === failing ? 1 : 0),
    );
    const log = await Deno.readTextFile(join(folder, "logs", `${job}_${signalled}.log`));
    assert.match(log, /^Interrupted: finishing the round\n[^]*^The time limit is near; the task continues when Slurm/m);
    const unsharded = join(cluster.folder, "unsharded.json");
    await tacho("run", "my sweep.ts", "--no-store", "--json", unsharded);
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
    const report = join(folder, "report", "report.md");
    assert.match(await Deno.readTextFile(report), /^## Nodes$/m);
  },
});

function statesIn(folder: string): readonly ShardStatus[] {
  try {
    return readSweeps(folder)[0]!.shards;
  } catch (error) {
    if (error instanceof InputError) return []; // no shard has started
    throw error;
  }
}
