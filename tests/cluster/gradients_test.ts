import assert, { deepStrictEqual } from "node:assert/strict";
import { isInstalled, type LauncherName, mpirun } from "./mpirun.ts";

for (const launcher of ["mpirun.openmpi", "mpirun.mpich"] satisfies LauncherName[]) {
  Deno.test({
    name: `${launcher}: means over three ranks are within their stated errors of f64, and clocks within theirs`,
    ignore: !isInstalled(launcher),
    fn: async () => {
      const { code, stdout, stderr } = await mpirun(launcher, 3, [], {}, "gradients_script.ts");
      deepStrictEqual(code, 0, stderr);
      const { f32, f16, clocks, ordered } = JSON.parse(stdout);
      assert(f32 > 0 && f32 <= 1, `f32: ${f32}`);
      assert(f16 > 0 && f16 <= 1.001, `f16: ${f16}`);
      assert(ordered);
      // Processes of one host share a clock, which the system may adjust while they start
      for (const { offset, uncertainty } of clocks) assert(Math.abs(offset) <= uncertainty + 1, `${offset} ms`);
    },
  });
}
