import assert from "node:assert/strict";
import { ProcessOutput } from "../../support/process_output.ts";

const script = new URL("./interrupted_script.ts", import.meta.url);

interface Ended {
  code: number;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** Starts the script, sends the signals, the first once it runs and the second once that was heard, and waits for its end. */
async function interrupt(mode: string, signals: readonly Deno.Signal[]): Promise<Ended> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", script.href, mode],
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  const [stdout, stderr] = [new ProcessOutput(child.stdout), new ProcessOutput(child.stderr)];
  const said = [() => stdout.until("running"), () => stderr.until("Interrupted")];
  for (const [i, signal] of signals.entries()) {
    await said[i]!();
    child.kill(signal);
  }
  const { code, signal } = await child.status;
  return { code, signal, stdout: await stdout.all(), stderr: await stderr.all() };
}

Deno.test("The first Ctrl-C reaches a blocked main thread", async () => {
  const { code, signal, stdout, stderr } = await interrupt("polite", ["SIGINT"]);
  assert.match(stdout, /stopped/);
  assert.equal(stderr, "Interrupted: finishing the step (once more to end at once)\n");
  assert.equal(signal, null);
  assert.equal(code, 130);
});

Deno.test("A second Ctrl-C ends the process immediately with status 130", async () => {
  const { code, signal, stdout } = await interrupt("stubborn", ["SIGINT", "SIGINT"]);
  assert.doesNotMatch(stdout, /stopped/);
  assert.equal(signal, "SIGINT");
  assert.equal(code, 130);
});

Deno.test("SIGTERM interrupts like SIGINT", async () => {
  assert.equal((await interrupt("polite", ["SIGTERM"])).code, 130);
  assert.equal((await interrupt("stubborn", ["SIGTERM", "SIGINT"])).code, 130);
});

Deno.test("After closing, Ctrl-C has its default effect", async () => {
  const { code, signal, stderr } = await interrupt("closed", ["SIGINT"]);
  assert.equal(signal, "SIGINT");
  assert.equal(code, 130);
  assert.equal(stderr, "");
});

Deno.test("The end of the parent process interrupts a process", async () => {
  const { code, stderr } = await interrupt("orphan", []);
  assert.equal(stderr, "Interrupted, as the process that started this run has gone\n");
  assert.equal(code, 130);
});
