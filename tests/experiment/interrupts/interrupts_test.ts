import assert from "node:assert/strict";

const script = new URL("./interrupted_script.ts", import.meta.url);

interface Ended {
  code: number;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** Starts the script, sends the signals once it runs, with `pause` ms between them, and waits for its end. */
async function interrupt(mode: string, signals: readonly Deno.Signal[], pause = 150): Promise<Ended> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-check", script.href, mode],
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  const stderr = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let stdout = "";
  while (!stdout.includes("running")) {
    const { done, value } = await reader.read();
    assert(!done, `The script ended early: ${stdout}`);
    stdout += value;
  }
  for (const signal of signals) {
    child.kill(signal);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  for (let part = await reader.read(); !part.done; part = await reader.read()) stdout += part.value;
  const { code, signal } = await child.status;
  return { code, signal, stdout, stderr: await stderr };
}

Deno.test("The first Ctrl-C is seen by a thread that does not turn its event loop", async () => {
  const { code, signal, stdout, stderr } = await interrupt("polite", ["SIGINT"]);
  assert.match(stdout, /stopped/);
  assert.equal(stderr, "Interrupted: finishing the step (once more to end at once)\n");
  assert.equal(signal, null);
  assert.equal(code, 130);
});

Deno.test("A second Ctrl-C ends the process at once, with status 130 for a shell", async () => {
  const started = performance.now();
  const { code, signal, stdout } = await interrupt("stubborn", ["SIGINT", "SIGINT"]);
  assert(performance.now() - started < 5_000);
  assert.doesNotMatch(stdout, /stopped/);
  assert.equal(signal, "SIGINT");
  assert.equal(code, 130);
});

Deno.test("SIGTERM asks for the end as SIGINT does", async () => {
  assert.equal((await interrupt("polite", ["SIGTERM"])).code, 130);
  assert.equal((await interrupt("stubborn", ["SIGTERM", "SIGINT"])).code, 130);
});

Deno.test("Once closed, Ctrl-C has its usual effect", async () => {
  const { code, signal, stderr } = await interrupt("closed", ["SIGINT"]);
  assert.equal(signal, "SIGINT");
  assert.equal(code, 130);
  assert.equal(stderr, "");
});
