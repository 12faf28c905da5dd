/** Kills and stops ranks in each phase of a run: whatever ends, the rank is named, and nothing waits for it. */
import assert, { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { openStore } from "../../runtime/store/store.ts";
import type { Result } from "../../mod.ts";
import { full } from "../support/full.ts";
import { isInstalled, type LauncherName, mpirun, mpirunCommand } from "./mpirun.ts";

/** Two rounds of two steps after two warm-up steps. */
const ARGS = ["--variants=ranks", "measure.steps=2", "measure.rounds=2"];

/** Returns the arguments of a run that reaches a phase. The steps for the trace are recorded for reports. */
const argsFor = (phase: string, folder: string) => phase === "the trace" ? [...ARGS, "--report", folder] : ARGS;

interface Fault {
  readonly phase: string;
  /** Moment, as in `ranks_script.ts`. */
  readonly at: string;
  readonly launcher: LauncherName;
  readonly rank: number;
  /** Belongs to the fast set. */
  readonly fast?: true;
}

const KILLED: readonly Fault[] = [
  { phase: "the start", at: "sum gradients 2", launcher: "mpirun.openmpi", rank: 1 },
  { phase: "measured steps", at: "step 5", launcher: "mpirun.mpich", rank: 1, fast: true },
  { phase: "the trace", at: "compare clocks", launcher: "mpirun.openmpi", rank: 1 },
  { phase: "the end", at: "leave", launcher: "mpirun.mpich", rank: 1 },
];

const STOPPED: readonly Fault[] = [
  { phase: "loading", at: "load", launcher: "mpirun.mpich", rank: 1 },
  { phase: "the start", at: "sum gradients 2", launcher: "mpirun.openmpi", rank: 1 },
  { phase: "compilation", at: "pipeline", launcher: "mpirun.mpich", rank: 1 },
  { phase: "the warm-up", at: "step 1", launcher: "mpirun.mpich", rank: 0 },
  { phase: "measured steps", at: "step 5", launcher: "mpirun.openmpi", rank: 1, fast: true },
  { phase: "the trace", at: "compare clocks", launcher: "mpirun.mpich", rank: 1 },
  { phase: "the end", at: "leave", launcher: "mpirun.openmpi", rank: 1 },
];

for (const { phase, at, launcher, rank } of KILLED.filter(isChosen)) {
  Deno.test({
    name: `a rank that is killed in ${phase} ends all, and its launcher names it`,
    ignore: !isInstalled(launcher),
    fn: async () => {
      const store = await Deno.makeTempDir();
      try {
        const env = { PLANT: "SIGKILL", PLANT_AT: at, PLANT_RANK: String(rank), TACHO_STORE: store };
        const { code, stdout, stderr } = await mpirun(launcher, 2, argsFor(phase, join(store, "report")), env);
        const [, host, ...processes] = /^ranks 0, 1 on (\S+): processes (\d+), (\d+)$/m.exec(stderr)!;
        if (launcher === "mpirun.openmpi") {
          strictEqual(code, 137);
          match(stderr, new RegExp(`process rank ${rank} .* on node ${host} exited on signal 9`));
        } else {
          strictEqual(code, 9);
          match(stdout, new RegExp(`PID ${processes[rank]} RUNNING AT ${host}`));
        }
        await checkKept(store, phase);
        if (full && phase === "measured steps") await checkResumed(store);
      } finally {
        await Deno.remove(store, { recursive: true });
      }
    },
  });
}

for (const { phase, at, launcher, rank } of STOPPED.filter(isChosen)) {
  Deno.test({
    name: `a rank that stops in ${phase} is named, and the run ends with status 4`,
    ignore: !isInstalled(launcher),
    fn: async () => {
      const silence = phase === "loading" ? 2 : 5; // ranks wait four times as long for all to start
      const env = { PLANT: "SIGSTOP", PLANT_AT: at, PLANT_RANK: String(rank), TACHO_RANK_TIMEOUT: String(silence) };
      const folder = await Deno.makeTempDir();
      const args = [...argsFor(phase, folder), "--no-store"];
      const { code, stdout, stderr } = await mpirun(launcher, 2, args, env);
      await Deno.remove(folder, { recursive: true });
      strictEqual(code, 4, stderr);
      const errors = stderr.match(/^error: .*/gm) ?? [];
      strictEqual(errors.length, 1, stderr);
      match(
        errors[0]!,
        phase === "loading"
          ? /rank 0 on \S+ has waited 8 s for all ranks to join/
          : new RegExp(`rank ${rank} on \\S+ has shown no sign of life for ${silence} s`),
      );
      strictEqual(/samples\/s/.test(stdout), phase === "the end");
    },
  });
}

// tests/cli/retention_test.ts has Ctrl-C in the fast set
for (const launcher of full ? ["mpirun.openmpi", "mpirun.mpich"] as const : []) {
  Deno.test({
    name: `Ctrl-C on ${launcher} ends all ranks, and the complete rounds are kept`,
    ignore: !isInstalled(launcher),
    fn: async () => {
      const store = await Deno.makeTempDir();
      const args = ["--variants=ranks", "measure.steps=2", "measure.rounds=1000000", "--json-lines"];
      const child = mpirunCommand(launcher, 2, args, { TACHO_STORE: store }).spawn();
      const errors = new Response(child.stderr).text();
      let [events, interrupted] = ["", false];
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        events += text;
        if (interrupted || events.split('"type":"round"').length <= 2) continue;
        child.kill("SIGINT");
        interrupted = true;
      }
      await child.status;
      const processes = /^ranks 0, 1 on \S+: processes (\d+), (\d+)$/m.exec(await errors)!.slice(1);
      for (const pid of processes) while (isRunning(pid)) await pause();
      {
        using kept = openStore(store);
        const { id } = kept.find()[0]!;
        while (kept.run(id).status === "running") await pause(); // its process is ending
        strictEqual(kept.run(id).status, "interrupted");
        assert(kept.roundCount(id) >= 2);
      }
      await Deno.remove(store, { recursive: true });
    },
  });
}

/** Returns true for a fault of the set that runs. */
function isChosen({ fast }: Fault): boolean {
  return full || fast === true;
}

/** Waits a moment for processes that a launcher is ending. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

function isRunning(pid: string): boolean {
  try {
    return /deno/.test(Deno.readTextFileSync(`/proc/${pid}/cmdline`));
  } catch {
    return false;
  }
}

/** Checks that a kept run has all complete rounds and nothing else. */
async function checkKept(folder: string, phase: string): Promise<void> {
  using store = openStore(folder);
  const runs = store.find();
  deepStrictEqual(runs.map(({ scenario }) => scenario), ["ranks"]);
  const [{ id }] = runs as [typeof runs[0] & object];
  while (store.run(id).status === "running") await pause(); // its process is ending
  // A rank may be killed while rank 0 completes the run
  if (phase === "the end" && store.run(id).status === "complete") {
    return strictEqual(store.result(id)!.variants.length, 1);
  }
  strictEqual(store.run(id).status, "interrupted");
  const rounds = { "the start": 0, "measured steps": 1 }[phase] ?? 2;
  strictEqual(store.roundCount(id), rounds);
}

/** Checks that a run whose rank was killed continues where it was, with the losses of a run that was not interrupted. */
async function checkResumed(store: string): Promise<void> {
  const json = ["--json", "-"];
  const resumed = await mpirun("mpirun.mpich", 2, [...ARGS, "--resume", ...json], { TACHO_STORE: store });
  strictEqual(resumed.code, 0, resumed.stderr);
  const whole = await mpirun("mpirun.mpich", 2, [...ARGS, "--no-store", ...json]);
  const [losses, expected] = [resumed, whole].map(({ stdout }) => (JSON.parse(stdout) as Result).variants[0]!.losses);
  deepStrictEqual(losses, expected);
}
