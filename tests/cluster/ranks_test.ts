/** Trains on several ranks with each installed MPI. */
import assert, { deepStrictEqual, match } from "node:assert/strict";
import type { Result } from "../../mod.ts";
import { isInstalled, mpirun } from "./mpirun.ts";

/** Trains on ranks and returns the losses of both variants. */
async function losses(
  ...[launcher, ranks, args]: Parameters<typeof mpirun>
): Promise<{ one: number[]; ranks: number[] }> {
  const { code, stdout, stderr } = await mpirun(launcher, ranks, [...args as string[], "--json", "-", "--no-store"]);
  deepStrictEqual(code, 0, stderr);
  const { variants } = JSON.parse(stdout) as Result;
  const [one, all] = variants.map(({ losses }) => losses.map(Number));
  return { one: one!, ranks: all! };
}

function assertClose(actual: readonly number[], expected: readonly number[]): void {
  assert(expected.length >= 20);
  deepStrictEqual(actual.length, expected.length);
  actual.forEach((loss, i) => assert(Math.abs(loss - expected[i]!) <= 1e-5 * expected[i]!, `step ${i}: ${loss}`));
}

Deno.test({
  name: "Open MPI: four ranks train like one rank with the whole batch, and equally each time",
  ignore: !isInstalled("mpirun.openmpi"),
  fn: async () => {
    const first = await losses("mpirun.openmpi", 4, ["kind=mlp"]);
    assertClose(first.ranks, first.one);
    deepStrictEqual((await losses("mpirun.openmpi", 4, ["kind=mlp"])).ranks, first.ranks);
  },
});

Deno.test({
  name: "MPICH: gradients are averaged after the last micro-batch, and clipped afterwards",
  ignore: !isInstalled("mpirun.mpich"),
  fn: async () => {
    const { one, ranks } = await losses("mpirun.mpich", 2, ["kind=conv", "accumulate=2", "clipNorm=0.05"]);
    assertClose(ranks, one);
  },
});

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
  name: "a rank with another seed is named by rank, and all end with bad input",
  ignore: !isInstalled("mpirun.openmpi"),
  fn: async () => {
    const { code, stderr } = await mpirun("mpirun.openmpi", 2, [["--no-store"], ["--no-store", "seed=2"]]);
    deepStrictEqual(code, 2);
    match(stderr, /rank 1 on \S+: seed is 2, but 1 on rank 0/);
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
