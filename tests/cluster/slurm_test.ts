import assert from "node:assert/strict";
import { join } from "node:path";
import { canStartSlurm, SlurmCluster } from "../support/slurm_cluster.ts";

Deno.test({
  name: "Slurm: an array job runs on both nodes, and its task on a node that fails is requeued",
  ignore: !canStartSlurm(),
  fn: async () => {
    await using cluster = await SlurmCluster.start();
    const hold = join(cluster.folder, "hold");
    await Deno.writeTextFile(hold, "");
    const script = join(cluster.folder, "job.sh");
    await Deno.writeTextFile(
      script,
      `#!/bin/sh
echo "$SLURMD_NODENAME \${SLURM_RESTART_COUNT:-0}" >>"${cluster.folder}/task-$SLURM_ARRAY_TASK_ID"
while [ -e "${hold}" ]; do sleep 0.1; done
`,
    );
    const starts = (task: number) =>
      Deno.readTextFile(join(cluster.folder, `task-${task}`)).then((text) => text.trim().split("\n"), () => []);
    await cluster.run("sbatch", "--array=0-1", "--requeue", "--output=/dev/null", script);
    await cluster.until(async () => (await starts(0)).length + (await starts(1)).length === 2);
    const first = [(await starts(0))[0], (await starts(1))[0]];
    assert.deepEqual(first.toSorted(), ["n1 0", "n2 0"]);

    await cluster.run("scontrol", "update", "nodename=n2", "state=down", "reason=test");
    await Deno.remove(hold);
    await cluster.run("scontrol", "update", "nodename=n2", "state=resume");
    const failed = first.indexOf("n2 0");
    await cluster.run("scontrol", "update", `jobid=${(await requeued(cluster)) ?? ""}`, "starttime=now").catch(
      () => {},
    );
    await cluster.until(async () => (await starts(failed)).length === 2, 180_000);
    assert.match((await starts(failed))[1]!, / 1$/);
    assert.equal((await starts(1 - failed)).length, 1);
  },
});

/** Returns the ID of the requeued task, which otherwise waits for two minutes. */
async function requeued(cluster: SlurmCluster): Promise<string | null> {
  const line = (await cluster.run("squeue", "-h", "-r", "-o", "%i %T")).split("\n").find((text) =>
    text.endsWith("PENDING")
  );
  return line?.split(" ")[0] ?? null;
}
