/** Trains on two nodes of Slurm, whose `srun` starts the ranks without `mpirun`. */
import { match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import type { Result } from "../../mod.ts";
import { canStartSlurm, SlurmCluster } from "../support/slurm_cluster.ts";
import { isInstalled } from "./mpirun.ts";

const COMMAND = [
  ...["deno", "run", "-A", join(import.meta.dirname!, "ranks_script.ts"), "--variants=ranks", "--no-store"],
  ...["measure.steps=2", "measure.rounds=2", "--json", "-"],
];

Deno.test({
  name: "srun starts ranks with PMI-2, and a rank that dies on a node is named by the others",
  ignore: !canStartSlurm() || !isInstalled("mpirun.mpich"),
  fn: async () => {
    await using cluster = await SlurmCluster.start();
    const srun = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const { code, stdout, stderr } = await new Deno.Command("srun", {
        args: ["-N", "2", "-n", "2", ...args, ...COMMAND],
        cwd: cluster.folder,
        env: { ...cluster.env, NO_COLOR: "1", ...env },
        stdin: "null",
      }).output();
      const decoder = new TextDecoder();
      return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
    };
    const { code, stdout, stderr } = await srun(["--mpi=pmi2"]);
    strictEqual(code, 0, stderr);
    strictEqual((JSON.parse(stdout) as Result).variants[0]!.ranks!.size, 2);

    const alone = await srun([]);
    strictEqual(alone.code, 2);
    match(alone.stderr, /pass --mpi=pmix \(Open MPI\) or --mpi=pmi2 \(MPICH\) to srun/);

    // srun does not end the others
    const env = { PLANT: "SIGKILL", PLANT_AT: "step 5", PLANT_RANK: "1", TACHO_RANK_TIMEOUT: "5" };
    const killed = await srun(["--mpi=pmi2"], env);
    match(killed.stderr, /^error: rank 1 on \S+ has shown no sign of life for 5 s/m);
    match(killed.stderr, /task 1: Killed/);
  },
});
