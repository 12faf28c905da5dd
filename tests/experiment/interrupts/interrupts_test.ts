import assert from "node:assert/strict";
import { graceOf } from "../../../runtime/experiment/interrupts/interrupts.ts";
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

Deno.test("SIGTERM and SIGHUP interrupt like SIGINT", async () => {
  assert.equal((await interrupt("polite", ["SIGTERM"])).code, 130);
  const { code, stdout, stderr } = await interrupt("polite", ["SIGHUP"]);
  assert.equal(code, 130);
  assert.match(stdout, /stopped/);
  assert.match(stderr, /^Interrupted: finishing the step/);
  assert.equal((await interrupt("stubborn", ["SIGTERM", "SIGINT"])).code, 130);
});

Deno.test("SIGUSR1 interrupts at the end of the round", async () => {
  const { code, signal, stdout, stderr } = await interrupt("rounds", ["SIGUSR1"]);
  assert.deepEqual([code, signal], [130, null]);
  assert.match(stdout, /round \d+ ended\nstopped\n$/);
  assert.equal(stderr, "Interrupted: finishing the round\n");
  assert.equal((await interrupt("polite", ["SIGUSR1", "SIGTERM"])).code, 130); // which does not wait for a round
});

Deno.test("nohup still protects from SIGHUP", async () => {
  const signals = import.meta.resolve("../../../runtime/experiment/interrupts/signals.ts");
  const code = `console.log((await import("${signals}")).interruptSignals().join())`;
  const heeded = async (setup: string) => {
    const args = ["-c", `${setup} exec "$0" eval --no-check '${code}'`, Deno.execPath()];
    return new TextDecoder().decode((await new Deno.Command("sh", { args }).output()).stdout).trim();
  };
  assert.equal(await heeded(""), "SIGINT,SIGTERM,SIGHUP");
  assert.equal(await heeded("trap '' HUP;"), "SIGINT,SIGTERM");
});

Deno.test("a process whose main thread is blocked ends after the time of grace with status 130", async () => {
  const { code, signal, stdout, stderr } = await interrupt("blocked", ["SIGTERM"]);
  assert.deepEqual([code, signal], [130, "SIGINT"]);
  assert.doesNotMatch(stdout, /stopped/);
  assert.match(
    stderr,
    /\nInterrupted: the step has not finished in 1 s, so the process ends now; 2 rounds are kept\n$/,
  );
});

Deno.test("a process that still polls the flag may take longer than the time of grace", async () => {
  const { code, signal, stdout } = await interrupt("slow", ["SIGTERM"]);
  assert.deepEqual([code, signal], [130, null]);
  assert.match(stdout, /stopped/);
});

Deno.test("TACHO_GRACE is in seconds", () => {
  assert.deepEqual([graceOf(null), graceOf("0.5"), graceOf("60")], [10_000, 500, 60_000]);
  for (const text of ["0", "-1", "ten", "Infinity"]) {
    assert.throws(() => graceOf(text), {
      name: "InputError",
      message: `TACHO_GRACE=${text}: expected seconds, such as 10`,
    });
  }
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
