import assert from "node:assert/strict";
import { ProcessOutput } from "../support/process_output.ts";

const TACHO = new URL("../../scripts/tacho.ts", import.meta.url).href;
const SCRIPT = new URL("../experiment/interrupts/interrupted_script.ts", import.meta.url).pathname;

/** Starts `tacho run` with a script in `mode`, and waits until the script runs. */
async function start(mode: string): Promise<{ child: Deno.ChildProcess; stdout: ProcessOutput; script: number }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", TACHO, "run", SCRIPT, mode],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const stdout = new ProcessOutput(child.stdout);
  await stdout.until("running as ");
  return { child, stdout, script: Number(/running as (\d+) /.exec(await stdout.line())![1]) };
}

/** Returns true if the process is stopped, as by Ctrl-Z. */
function isStopped(pid: number): boolean {
  const [state] = /(?<=\) )\w/.exec(Deno.readTextFileSync(`/proc/${pid}/stat`))!;
  return state === "T";
}

/** Waits until all of the processes are stopped, or none. */
async function until(stopped: boolean, pids: readonly number[]): Promise<void> {
  while (!pids.every((pid) => isStopped(pid) === stopped)) await new Promise((resolve) => setTimeout(resolve, 20));
}

Deno.test({
  name: "Ctrl-Z stops the script with tacho, and both go on together",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { child, stdout, script } = await start("polite");
    child.kill("SIGTSTP");
    await until(true, [child.pid, script]);
    child.kill("SIGCONT");
    await until(false, [child.pid, script]);
    child.kill("SIGTERM");
    assert.equal((await child.status).code, 130);
    assert.match(await stdout.all(), /stopped/);
  },
});

Deno.test("a hangup reaches the script as an interrupt", async () => {
  const { child, stdout } = await start("polite");
  child.kill("SIGHUP");
  assert.equal((await child.status).code, 130);
  assert.match(await stdout.all(), /stopped/);
});
