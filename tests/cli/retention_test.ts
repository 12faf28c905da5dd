/** Runs of a script and the store, from the command line. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../runtime/store/store.ts";
import { rehearseIn } from "./rehearse_here.ts";
import { command, type Ended, runScript } from "./tacho_process.ts";

interface Place {
  readonly folder: string;
  /** Runs the scenario in the process of the test. */
  rehearse(args: readonly string[], happening?: string): Promise<Ended>;
}

async function withStore(test: (place: Place) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir();
  const folder = join(root, "store");
  const rehearse = (args: readonly string[], happening = "") => rehearseIn(Deno.cwd(), folder, args, happening);
  try {
    await test({ folder, rehearse });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const KEPT = /^kept as ([0-9a-z]{12}) \(tacho show \1\)$/m;

Deno.test("a run is kept with its script, arguments and result", () =>
  withStore(async ({ folder }) => {
    const args = ["--variants", "baseline,amp", "--seed", "7", "--json", "-"];
    const { code, stdout, stderr } = await runScript("./rehearsal_script.ts", args, { TACHO_STORE: folder });
    assert.equal(code, 0);
    const id = stderr.match(KEPT)?.[1];
    assert(id !== undefined, stderr);
    using store = openStore(folder);
    const run = store.run(id);
    assert.deepEqual([run.status, run.scenario, run.seed, run.cwd], ["complete", "rehearsal", 7, Deno.cwd()]);
    assert.deepEqual(run.args, args);
    assert.deepEqual(run.spec.variants.map(({ name }) => name), ["baseline", "amp"]);
    assert.match(run.script!, /^\/.*tests\/cli\/rehearsal_script\.ts$/);
    assert.equal(run.modules[0]!.text, await Deno.readTextFile(run.script!));
    assert.equal(run.modules[0]!.sha256, run.spec.sha256);
    assert(run.modules.some(({ path }) => path.endsWith("report/result_fixture.ts")));
    assert.deepEqual(store.result(id), JSON.parse(stdout));
  }));

Deno.test("--store sets another folder; --no-store, --list and --dry-run keep nothing", () =>
  withStore(async ({ folder, rehearse }) => {
    const other = join(folder, "..", "other");
    const [named, none, list, dry, help] = await Promise.all([
      rehearse(["--store", other, "--quiet"]),
      rehearse(["--no-store"]),
      rehearse(["--list"]),
      rehearse(["--dry-run"]),
      rehearse(["--help"]),
    ]);
    for (const { code, stderr } of [named, none, list, dry, help]) {
      assert.deepEqual([code, KEPT.test(stderr)], [0, false]);
    }
    assert.equal(named.stderr, "");
    assert.deepEqual([...Deno.readDirSync(join(folder, ".."))].map(({ name }) => name), ["other"]);
    using store = openStore(other);
    assert.equal(store.find({ status: "complete" }).length, 1);
  }));

Deno.test("an unusable store is a warning, and the run is not reported as kept", () =>
  withStore(async ({ folder, rehearse }) => {
    await Deno.mkdir(folder);
    await Deno.writeTextFile(join(folder, "runs.sqlite"), "no database".repeat(1000));
    const { code, stdout, stderr } = await rehearse([]);
    assert.equal(code, 0);
    assert.match(stdout, /^baseline /m);
    assert.match(stderr, /^warning: This run is not kept\. The store .*runs\.sqlite is damaged; move .* away/m);
    assert.doesNotMatch(stderr, /kept as/);
  }));

Deno.test("a failed run is kept as failed, and an interrupted one with its rounds", () =>
  withStore(async ({ folder }) => {
    const env = { TACHO_REHEARSAL: "lost", TACHO_STORE: folder };
    const lost = await runScript("./rehearsal_script.ts", [], env);
    assert.deepEqual([lost.code, KEPT.test(lost.stderr)], [3, false]);
    const child = command("./rehearsal_script.ts", [], { TACHO_REHEARSAL: "wait", TACHO_STORE: folder }).spawn();
    const said = new Response(child.stderr).text();
    let interrupted = false;
    for await (const _ of child.stdout) {
      if (!interrupted) child.kill("SIGINT");
      interrupted = true;
    }
    assert.equal((await child.status).code, 130);
    const id = (await said).match(/^kept as (\w+), incomplete \(tacho resume \1 continues it\)$/m)?.[1];
    using store = openStore(folder);
    assert.deepEqual(store.find().map(({ status, message }) => [status, message]), [
      ["interrupted", null],
      ["failed", "The device was lost: driver reset"],
    ]);
    assert.equal(store.find()[0]!.id, id);

    const resume = (...args: string[]) =>
      runScript("./rehearsal_script.ts", ["--resume", ...args], { TACHO_STORE: folder });
    const again = await resume(id!);
    assert.deepEqual([again.code, again.stderr.match(KEPT)?.[1]], [0, id]);
    assert.deepEqual([store.run(id!).status, store.run(id!).resumed], ["complete", 1]);
    const last = await resume();
    assert.deepEqual([last.code, store.find({ status: "complete" }).length], [0, 2]);
  }));

Deno.test("a run ends when its parent process is killed", () =>
  withStore(async ({ folder }) => {
    const script = fileURLToPath(import.meta.resolve("./rehearsal_script.ts"));
    const env = { TACHO_REHEARSAL: "wait", TACHO_STORE: folder };
    const child = command("../../scripts/tacho.ts", ["run", script], env).spawn();
    const said = new Response(child.stderr).text();
    let killed = false;
    // The run writes into the same pipe, which ends with it
    for await (const _ of child.stdout) {
      if (!killed) child.kill("SIGKILL");
      killed = true;
    }
    await child.status;
    assert.match(
      await said,
      /^Interrupted, as the process that started this run has gone\n[^]*^kept as \w+, incomplete /m,
    );
    using store = openStore(folder);
    assert.deepEqual(store.find().map(({ id, status }) => [status, store.result(id) !== null]), [[
      "interrupted",
      true,
    ]]);
  }));

Deno.test("--resume says why a run cannot be resumed", () =>
  withStore(async ({ rehearse }) => {
    const begun = (count: number, names: string) => `rehearsal: ${count} variants: ${names}\n`;
    const all = begun(4, "baseline, workers, amp, all");
    await rehearse([], "lost");
    const [settings, unknown, nothing, without, value] = await Promise.all([
      rehearse(["--resume", "last", "depth=56", "--variants", "baseline,amp"]),
      rehearse(["--resume", "zzz"]),
      rehearse(["--resume", "--seed", "9"]),
      rehearse(["--no-store", "--resume"]),
      rehearse(["--resume", "amp=O2"]),
    ]);
    for (const { code } of [settings, unknown, nothing, without, value]) assert.equal(code, 2);
    assert.match(settings.stderr, /error: Run \w+ cannot be resumed, since it has changed/);
    assert.match(settings.stderr, /^ {2}params\.depth: 20 then, 56 now$/m);
    assert.match(unknown.stderr, /error: Unknown run "zzz": no ID in .*runs\.sqlite matches/);
    assert.match(nothing.stderr, /error: --resume: found no interrupted run of rehearsal with these settings/);
    assert.equal(without.stderr, `${all}error: --resume: needs the store; omit --no-store\n`);
    assert.match(
      value.stderr,
      /^error: --resume: expected the ID of a kept run, or last, got "amp=O2"; put --resume after/,
    );
  }));
