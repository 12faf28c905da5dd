import assert from "node:assert/strict";
import { join } from "node:path";
import { canStartSlurm, SlurmCluster } from "../support/slurm_cluster.ts";

const TACHO = new URL("../../scripts/tacho.ts", import.meta.url).href;

/** A sweep without a device, whose rounds take about 0.1 s. */
const SCRIPT = `import { run, scenario, syntheticImages } from ${
  JSON.stringify(new URL("../../mod.ts", import.meta.url).href)
};
export default scenario({
  name: "clustered",
  data: syntheticImages({ height: 2, width: 2, classes: 4, length: 64, delay: { read: 2 } }),
  loader: { batchSize: 1 },
  measure: { steps: 8, skip: 1, rounds: 40, aa: false },
  sweep: { "loader.batchSize": [1, 2, 3, 4, 5] },
});
if (import.meta.main) await run();
`;

interface ShardState {
  readonly status: string;
  readonly rounds: number | null;
  readonly of: number | null;
  readonly resumed: number;
}

Deno.test({
  name: "Slurm: a submitted sweep is interrupted before its time limit, requeued, and complete in every shard",
  ignore: !canStartSlurm(),
  fn: async () => {
    await using cluster = await SlurmCluster.start();
    await Deno.writeTextFile(join(cluster.folder, "my sweep.ts"), SCRIPT);
    const tacho = (...args: readonly string[]) => cluster.run(Deno.execPath(), "run", "-q", "-A", TACHO, ...args);
    const shards = async (): Promise<ShardState[]> => {
      const text = await tacho("status", "my-sweep", "--json").catch(() => "[]");
      return JSON.parse(text)[0]?.shards ?? [];
    };

    const answer = await tacho("submit", "my sweep.ts", "--shards", "4", "--tasks", "2", "--", "--comment=it's # one");
    const job = answer.match(/^Submitted 4 shards in 2 tasks as job (\d+);/)?.[1];
    assert.ok(job !== undefined, answer);
    await cluster.until(async () => ((await shards())[0]?.rounds ?? 0) > 0, 120_000);
    await cluster.run("scancel", "--batch", "--signal=USR1", `${job}_0`);
    await cluster.untilEmpty();

    const states = await shards();
    assert.deepEqual(states.map(({ status }) => status), Array(4).fill("complete"));
    for (const { rounds, of } of states) assert.equal(rounds, of);
    assert.deepEqual(states.map(({ resumed }) => resumed), [1, 0, 0, 0]);
    const log = await Deno.readTextFile(join(cluster.folder, "my-sweep.shards", "logs", `${job}_0.log`));
    assert.match(log, /^Interrupted: finishing the round\n[^]*^The time limit is near; the task continues when Slurm/m);
  },
});
