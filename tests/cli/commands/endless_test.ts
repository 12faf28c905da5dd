import assert from "node:assert/strict";
import { ProcessOutput } from "../../support/process_output.ts";
import { tachoHere } from "../tacho_here.ts";
import { scriptCommand } from "./tacho_process.ts";

Deno.test("a transform that never returns does not survive SIGTERM, and complete rounds are kept", async () => {
  const folder = await Deno.makeTempDir();
  const child = scriptCommand("./endless_script.ts", folder, [], {
    env: { TACHO_GRACE: "0.5" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [stdout, stderr] = [new ProcessOutput(child.stdout), new ProcessOutput(child.stderr)];
  await stdout.until("endless");
  child.kill("SIGTERM");
  assert.equal((await child.status).code, 130);
  const said = await stderr.all();
  const [, id = ""] = /complete rounds are kept \(tacho resume (\S+) continues them\)/.exec(said) ?? assert.fail(said);
  const runs = await tachoHere(folder, "runs");
  assert.match(runs.stdout, new RegExp(`${id}.*interrupted`));
  const shown = await tachoHere(folder, "show", id);
  assert.match(shown.stdout, /^No result yet, [1-9]\d* complete rounds? kept/m);
  await Deno.remove(folder, { recursive: true });
});
