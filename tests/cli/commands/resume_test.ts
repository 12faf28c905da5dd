/** Interrupted and resumed runs produce the same results as undisturbed ones. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Result } from "../../../runtime/result/schema.ts";
import { openStore, openStoreToRead, type Store } from "../../../runtime/store/store.ts";
import { fullTest } from "../../support/full.ts";
import { ProcessOutput } from "../../support/process_output.ts";
import { rehearseIn } from "../rehearse_here.ts";
import { start } from "../../store/synthetic_run.ts";
import { scriptIn, tachoHere } from "../tacho_here.ts";
import { scriptCommand, TACHO, tacho } from "./tacho_process.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  await test(folder);
}

function look<T>(folder: string, at: (store: Store) => T): T | null {
  using store = openStoreToRead(folder);
  return store === null ? null : at(store);
}

/** Runs a script until `rounds` rounds are kept and a block of the next one was run, sends `signal`, and waits for the end. */
async function interruptScript(
  script: string,
  folder: string,
  rounds: number,
  signal: "SIGINT" | "SIGKILL",
  ...args: readonly string[]
): Promise<number> {
  const child = scriptCommand(script, folder, args, {
    env: { HOLD_AT: `${rounds}.1` },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [stdout, stderr] = [new ProcessOutput(child.stdout), new ProcessOutput(child.stderr)];
  await stdout.until("held");
  child.kill(signal);
  if (signal === "SIGINT") {
    await stderr.until("Interrupted");
    const stdin = child.stdin.getWriter();
    await stdin.write(Uint8Array.of(0));
    await stdin.close();
  } else {
    await child.stdin.close();
  }
  await Promise.all([stdout.all(), stderr.all()]);
  return (await child.status).code;
}

/** Sends `signal` to a run that does not end otherwise once `rounds` rounds are kept, and waits for the end. */
async function interrupt(
  child: Deno.ChildProcess,
  folder: string,
  rounds: number,
  signal: Deno.Signal,
): Promise<number> {
  let ended = false;
  const status = child.status.finally(() => ended = true);
  const kept = () =>
    look(folder, (store) => {
      const id = store.find({ limit: 1 })[0]?.id;
      return id === undefined ? 0 : store.roundCount(id);
    }) ?? 0;
  while (!ended && kept() < rounds) await new Promise((resolve) => setTimeout(resolve, 50));
  if (!ended) child.kill(signal);
  return (await status).code;
}

/**
 * Returns the parts of a result that do not depend on interruptions: all but times and what follows from them, such as
 * the length of the warm-up.
 *
 * @param steps number of steps that every variant has run, regardless of its warm-up
 */
function lasting({ baseline, variants, procedure }: Result, steps: number) {
  return {
    baseline,
    order: procedure!.order,
    rounds: procedure!.rounds,
    variants: variants.map(({ name, config, status, losses, blocks, planFingerprint }) => ({
      name,
      config,
      status,
      planFingerprint,
      blocks: blocks.map(({ round, position, samples, steps }) => [round, position, samples, steps.length]),
      losses: losses.slice(0, steps),
    })),
  };
}

function onlyRun(folder: string): { id: string; status: string; resumed: number; result: Result } {
  return look(folder, (store) => {
    const runs = store.find();
    assert.equal(runs.length, 1);
    const { id, status, resumed } = runs[0]!;
    return { id, status, resumed, result: store.result(id)! };
  })!;
}

async function undisturbed(script: string): Promise<Result> {
  let result: Result | null = null;
  await withFolder(async (folder) => {
    assert.equal((await scriptIn(folder, folder, fileURLToPath(new URL(script, import.meta.url)), [])).code, 0);
    result = onlyRun(folder).result;
  });
  return result!;
}

fullTest(
  "a sweep of 4 variants that was interrupted several times produces the same results",
  () =>
    withFolder(async (folder) => {
      const whole = await undisturbed("./sweep_script.ts");
      assert.equal(whole.variants.length, 4);
      const signals = ["SIGKILL", "SIGINT", "SIGKILL"] as const;
      for (const [i, signal] of signals.entries()) {
        const code = await interruptScript("./sweep_script.ts", folder, i + 1, signal, ...i === 0 ? [] : ["--resume"]);
        assert.equal(code, signal === "SIGINT" ? 130 : 137, `interruption ${i + 1}`);
        const state = look(folder, (store) => store.find().map(({ status, resumed }) => [status, resumed]));
        assert.deepEqual(state, [["interrupted", i]]);
      }
      const { code, stderr } = await tacho(folder, "resume");
      assert.equal(code, 0, stderr);
      const { id, status, resumed, result } = onlyRun(folder);
      assert.deepEqual([status, resumed, result.procedure!.resumed], ["complete", signals.length, signals.length]);
      assert.match(stderr, new RegExp(`^kept as ${id} `, "m"));
      assert.deepEqual(lasting(result, 7), lasting(whole, 7));
    }),
);

Deno.test("a killed training resumes with the same losses", () =>
  withFolder(async (folder) => {
    const whole = await undisturbed("./trained_script.ts");
    assert.equal(await interruptScript("./trained_script.ts", folder, 2, "SIGKILL"), 137);
    const { code, stderr } = await tacho(folder, "resume", "last");
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /warning: .*loss/);
    const { status, result } = onlyRun(folder);
    assert.equal(status, "complete");
    assert.deepEqual(lasting(result, 18), lasting(whole, 18));
    assert(result.variants[0]!.losses.every((loss) => typeof loss === "number"));
  }));

fullTest(
  "a run whose process ends by an error of Deno is interrupted, and can be resumed",
  () =>
    withFolder(async (folder) => {
      const { code } = await scriptCommand("./sweep_script.ts", folder, [], { env: { CRASH_AT: "3.1" } }).output();
      assert.equal(code, 1);
      const state = look(folder, (store) => store.find().map(({ id, status }) => [status, store.roundCount(id)]));
      assert.deepEqual(state, [["interrupted", 3]]);
      const { code: resumed, stderr } = await tacho(folder, "resume");
      assert.equal(resumed, 0, stderr);
      assert.equal(onlyRun(folder).status, "complete");
    }),
);

fullTest("a run whose script has changed is not resumed", () =>
  withFolder(async (folder) => {
    const script = `${folder}/script.ts`;
    const mod = new URL("../../../mod.ts", import.meta.url).href;
    const text = `import { run, scenario, syntheticImages } from "${mod}";
      scenario({ name: "changing", data: syntheticImages({ height: 2, width: 2, classes: 2, length: 64, delay: { read: 5 } }),
        loader: { batchSize: 4 }, measure: { steps: 2, skip: 0, rounds: 5000 } });
      if (import.meta.main) await run();`;
    await Deno.writeTextFile(script, text);
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-check", "--config", config, script],
      env: { TACHO_STORE: folder },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    assert.equal(await interrupt(child, folder, 1, "SIGKILL"), 137);
    await Deno.writeTextFile(script, text.replace("delay: { read: 5 }", "delay: { read: 1 }"));
    const changed = await tacho(folder, "resume");
    assert.equal(changed.code, 2);
    assert.match(
      changed.stderr,
      /cannot be resumed.*\n {2}the script has changed\n {2}data\.delay\.read: 5 then, 1 now/,
    );
    const place = look(folder, (store) => store.find().map(({ status }) => status));
    assert.deepEqual(place, ["interrupted"]);
  }));

Deno.test("a run whose script is missing is not resumed", () =>
  withFolder(async (folder) => {
    {
      using store = openStore(folder);
      store.begin(start({ script: `${folder}/script.ts`, cwd: folder })).abandon();
    }
    const gone = await tachoHere(folder, "resume");
    assert.equal(gone.code, 2);
    assert.match(
      gone.stderr,
      /script\.ts not found \(it ran .*\)\. Restore it, or repeat the run with its kept script: tacho repeat \w+\n$/,
    );
  }));

Deno.test("resume fails if all runs are complete", () =>
  withFolder(async (folder) => {
    assert.equal((await rehearseIn(folder, folder, [])).code, 0);
    const [none, whole] = await Promise.all([tachoHere(folder, "resume"), tachoHere(folder, "resume", "last")]);
    assert.deepEqual([none.code, whole.code], [2, 2]);
    assert.match(none.stderr, /^error: tacho resume: every run in .*runs\.sqlite is complete or still running\n$/);
    assert.match(whole.stderr, /^error: Run \w+ is complete and cannot be resumed\n$/);
  }));

fullTest("tacho run forwards interrupts to the script", () =>
  withFolder(async (folder) => {
    const script = new URL("./trained_script.ts", import.meta.url).pathname;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-check", TACHO, "run", script, "--rounds", "5000"],
      env: { TACHO_STORE: folder, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const printed = new Response(child.stdout).text();
    assert.equal(await interrupt(child, folder, 1, "SIGINT"), 130);
    assert.match(await printed, /interrupted: figures up to the interruption/);
    assert.equal(onlyRun(folder).status, "interrupted");
  }));
