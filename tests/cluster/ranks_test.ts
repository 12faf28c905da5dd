/** Trains on several ranks with each installed MPI. */
import assert, { deepStrictEqual, match } from "node:assert/strict";
import type { Result } from "../../mod.ts";
import { isInstalled, mpirun } from "./mpirun.ts";

Deno.test({
  name: "overlapping all-reduces change no loss, and f16 compression changes them little",
  ignore: !isInstalled("mpirun.mpich"),
  fn: async () => {
    const args = ["distribute.overlap=false,true", "distribute.compress=null,f16", "distribute.bucket=1024"];
    const { code, stdout, stderr } = await mpirun("mpirun.mpich", 2, [
      ...args,
      ...["kind=conv", "measure.rounds=2", "--json", "-", "--no-store", "--share-device"],
    ]);
    deepStrictEqual(code, 0, stderr);
    const { variants } = JSON.parse(stdout) as Result;
    const [plain, compressed, overlapped, both] = variants.map(({ losses }) => losses.map(Number));
    deepStrictEqual(overlapped, plain);
    deepStrictEqual(both, compressed);
    compressed!.forEach((loss, i) => assert(Math.abs(loss - plain![i]!) < 1e-3, `step ${i}: ${loss}`));
    for (const { metrics, ranks, blocks } of variants) {
      deepStrictEqual(ranks!.ranks.map(({ rank, steps }) => [rank, steps]), [[0, 10], [1, 10]]);
      deepStrictEqual(ranks!.buckets.map(({ calls }) => calls), ranks!.buckets.map(() => 10));
      assert(metrics.allReduce!.value > 0);
      assert(blocks.every(({ steps }) => steps.every(({ allReduce }) => allReduce !== undefined)));
    }
  },
});

Deno.test({
  name: "a stopped rank is named, and the run ends with status 4",
  ignore: !isInstalled("mpirun.mpich"),
  fn: async () => {
    const env = { PLANT: "SIGSTOP", PLANT_AT: "submit 10", PLANT_RANK: "1", TACHO_RANK_TIMEOUT: "3" };
    const { code, stderr } = await mpirun("mpirun.mpich", 2, ["--no-store", "--variants=ranks"], env);
    deepStrictEqual(code, 4, stderr);
    match(stderr, /rank 1 on \S+ has shown no sign of life for 3 s/);
  },
});

Deno.test({
  name: "a rank with another seed and other data is named by rank, and all end with bad input",
  ignore: !isInstalled("mpirun.openmpi"),
  fn: async () => {
    const env = { PLANT: "samples", PLANT_RANK: "1" };
    const { code, stderr } = await mpirun("mpirun.openmpi", 2, [["--no-store"], ["--no-store", "seed=2"]], env);
    deepStrictEqual(code, 2);
    match(stderr, /rank 1 on \S+: seed is 2, but 1 on rank 0/);
    match(stderr, /rank 1 on \S+: the data's SHA-256 of three samples is /);
  },
});

Deno.test({
  name: "an error of one rank before the start is printed by rank 0, once",
  ignore: !isInstalled("mpirun.mpich"),
  fn: async () => {
    const { code, stderr } = await mpirun("mpirun.mpich", 3, [["--no-store"], ["--no-store"], ["nonsense=1"]]);
    deepStrictEqual(code, 2);
    deepStrictEqual(stderr.match(/^error: .*/gm)?.map((line) => line.slice(0, 14)), ["error: rank 2 "]);
  },
});

Deno.test({
  name: "ranks that wait for one that never starts end with status 4",
  ignore: !isInstalled("mpirun.mpich"),
  fn: async () => {
    const env = { PLANT: "SIGSTOP", PLANT_AT: "load", PLANT_RANK: "1", TACHO_RANK_TIMEOUT: "2" };
    const { code, stderr } = await mpirun("mpirun.mpich", 2, ["--no-store"], env);
    deepStrictEqual(code, 4);
    match(stderr, /rank 0 on \S+ has waited 8 s for all ranks to join/);
  },
});

Deno.test({
  name: "a batch that the ranks cannot divide is an input error",
  ignore: !isInstalled("mpirun.openmpi"),
  fn: async () => {
    const { code, stdout } = await mpirun("mpirun.openmpi", 2, ["--no-store", "loader.batchSize=9"]);
    deepStrictEqual(code, 2);
    match(stdout, /loader.batchSize is 9/);
  },
});
