import assert from "node:assert/strict";
import { join } from "node:path";
import { readSweeps, type ShardStatus } from "../../runtime/shards/submit/sweep_status.ts";
import { InputError } from "../../runtime/core/errors.ts";
import type { Result } from "../../runtime/result/schema.ts";
import { openStore } from "../../runtime/store/store.ts";
import { canStartSlurm, SlurmCluster } from "../support/slurm_cluster.ts";

const TACHO = new URL("../../scripts/tacho.ts", import.meta.url).href;

const ROUNDS = 5;

/** Number of rounds after which a task of the array is held until the file `go-TASK` is in its folder. */
const HELD = 2;

const specifier = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** Twelve variants of a small network, whose tasks are held. */
const SCRIPT = `import { crossEntropy, mlp, run, scenario, sgd, syntheticImages } from ${specifier("../../mod.ts")};
import { LocalSteps } from ${specifier("../../runtime/experiment/variant/local_steps.ts")};

const task = Deno.env.get("SLURM_ARRAY_TASK_ID");
const { block } = LocalSteps.prototype;
LocalSteps.prototype.block = function (at, ...rest) {
  while (task !== undefined && at.round === ${HELD} && ![...Deno.readDirSync(".")].some(({ name }) => name === "go-" + task)) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  return block.call(this, at, ...rest);
};
export default scenario({
  name: "twelve",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64 }),
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: ${ROUNDS} },
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
    const untilHeld = (shard: number) => cluster.until(() => Promise.resolve(rounds(shard) === HELD));
    const letGo = (shard: number) => Deno.writeTextFile(join(cluster.folder, `go-${shard}`), "");

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
    for (const shard of [0, 1, 2, 3]) if (shard !== signalled && shard !== failing) await letGo(shard);
    const logOf = (shard: number) => Deno.readTextFile(join(folder, "logs", `${job}_${shard}.log`));
    await untilHeld(signalled);
    cluster.signalScript("n1", "SIGUSR1");
    await cluster.until(async () => (await logOf(signalled)).includes("Interrupted: finishing the round"));
    await letGo(signalled);
    await untilHeld(failing);
    await cluster.run("scontrol", "update", "nodename=n2", "state=down", "reason=test");
    await cluster.until(async () => await taskOn("n2") !== failing);
    await letGo(failing);
    await cluster.untilEmpty();

    const states = statesIn(folder);
    const logs = await cluster.run("sh", "-c", `cat '${folder}'/logs/*`);
    assert.deepEqual(states.map(({ status, rounds }) => [status, rounds]), Array(4).fill(["complete", ROUNDS]), logs);
    assert.deepEqual(
      states.map(({ resumed }) => resumed),
      [0, 1, 2, 3].map((i) => i === signalled || i === failing ? 1 : 0),
    );
    assert.match(
      await logOf(signalled),
      /^Interrupted: finishing the round\n[^]*^The time limit is near; the task continues when Slurm/m,
    );
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
      assert.equal(losses.length, 1 + 2 * ROUNDS, name);
      assert.deepEqual(losses, expected, name);
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
