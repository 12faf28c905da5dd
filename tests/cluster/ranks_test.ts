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
  name: "a rank with another seed and other data is named by rank, and all end with bad input",
  ignore: !isInstalled("mpirun.openmpi"),
  fn: async () => {
    const env = { PLANT: "samples", PLANT_RANK: "1" };
    const { code, stderr } = await mpirun("mpirun.openmpi", 2, [["--no-store", "--variants=ranks"], [
      "--no-store",
      "--variants=ranks",
      "seed=2",
    ]], env);
    deepStrictEqual(code, 2);
    match(stderr, /rank 1 on \S+: seed is 2, but 1 on rank 0/);
    match(stderr, /rank 1 on \S+: the data's SHA-256 of three samples is /);
  },
});

Deno.test({
  name: "a rank whose model differs is named with the parameters that do",
  ignore: !isInstalled("mpirun.mpich"),
  fn: async () => {
    const env = { PLANT: "model", PLANT_RANK: "1" };
    const { code, stderr } = await mpirun("mpirun.mpich", 2, ["--no-store", "--variants=ranks"], env);
    deepStrictEqual(code, 2);
    match(stderr, /rank 1 on \S+: in ranks, \S+\.weight is 33x64 instead of 32x64, 1.bias is 33/);
  },
});

Deno.test({
  name: "an error of one rank before the start is printed by rank 0, once",
  ignore: !isInstalled("mpirun.mpich"),
  fn: async () => {
    const args = ["--no-store", "--variants=ranks"];
    const { code, stderr } = await mpirun("mpirun.mpich", 3, [args, args, ["nonsense=1"]]);
    deepStrictEqual(code, 2);
    deepStrictEqual(stderr.match(/^error: .*/gm)?.map((line) => line.slice(0, 14)), ["error: rank 2 "]);
  },
});

Deno.test({
  name: "a batch that the ranks cannot divide is an input error",
  ignore: !isInstalled("mpirun.openmpi"),
  fn: async () => {
    const { code, stdout } = await mpirun("mpirun.openmpi", 2, [
      "--no-store",
      "--variants=one,ranks",
      "loader.batchSize=9",
    ]);
    deepStrictEqual(code, 2);
    match(stdout, /loader.batchSize is 9/);
  },
});
