/** Trains on several ranks with each installed MPI. */
import assert, { deepStrictEqual, match } from "node:assert/strict";
import type { Result } from "../../mod.ts";
import { isInstalled, LAUNCHERS, mpirun } from "./mpirun.ts";

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

for (const [i, launcher] of LAUNCHERS.entries()) {
  const ignore = !isInstalled(launcher);
  Deno.test({
    name: `${launcher}: ranks with a part of the batch train like one rank with the batch, and equally each time`,
    ignore,
    fn: async () => {
      const args = [i === 0 ? "kind=mlp" : "kind=conv"];
      const first = await losses(launcher, i === 0 ? 4 : 2, args);
      assertClose(first.ranks, first.one);
      deepStrictEqual(await losses(launcher, i === 0 ? 4 : 2, args), first);
    },
  });
}

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
