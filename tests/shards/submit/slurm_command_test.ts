import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { sbatch } from "../../../runtime/shards/submit/sbatch.ts";
import { slurmCommand } from "../../../runtime/shards/submit/site.ts";

const CALL = { limit: 60, advice: "try again" };

Deno.test({
  name: "a command of Slurm that is missing, fails, hangs or cannot be run is named",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    assert.equal(await slurmCommand("no-such-command-of-slurm", [], CALL), null);
    const failed = await slurmCommand("sh", ["-c", "echo out; echo problem >&2; exit 3"], CALL);
    assert.deepEqual(failed, { success: false, code: 3, stdout: "out\n", stderr: "problem" });
    await assert.rejects(
      slurmCommand("sh", ["-c", "exec sleep 60"], { limit: 0.2, advice: "try again" }),
      /^InputError: tacho submit: sh did not answer within 0\.2 s; try again$/,
    );
    await assert.rejects(slurmCommand("/", [], CALL), /^InputError: tacho submit: \/ cannot be run/);
  },
});

Deno.test({
  name: "refusals of sbatch are passed on, and variables that override the script are not",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const folder = await Deno.makeTempDir();
    const path = Deno.env.get("PATH")!;
    const answers = async (script: string) => {
      await Deno.writeTextFile(join(folder, "sbatch"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return await sbatch(["job.sh"]);
    };
    try {
      Deno.env.set("PATH", `${folder}${delimiter}${path}`);
      Deno.env.set("SBATCH_EXPORT", "ALL");
      assert.deepEqual(await answers("echo '17;cluster'"), { job: "17", refusal: "it named no job" });
      assert.deepEqual(await answers("echo 17; echo 'no' >&2; exit 1"), { job: null, refusal: "no" });
      assert.deepEqual(await answers("exit 4"), { job: null, refusal: "it ended with status 4" });
      assert.deepEqual(await answers('echo "export: $SBATCH_EXPORT, $*" >&2'), {
        job: null,
        refusal: "export: , --parsable job.sh",
      });
      Deno.env.set("PATH", join(folder, "nothing"));
      await assert.rejects(sbatch([]), /sbatch is not installed here; submit on a login node/);
    } finally {
      Deno.env.set("PATH", path);
      Deno.env.delete("SBATCH_EXPORT");
      await Deno.remove(folder, { recursive: true });
    }
  },
});
