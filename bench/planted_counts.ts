/**
 * Runs programs with planted faults under `tacho attach`: extra readbacks, uploads, buffers that nothing destroys and
 * pipelines, each in steps that a seed chooses. Their counts in every step must be exact, and the slow kernel must come first.
 *
 *     deno task bench:planted             # 100 programs
 *     deno task bench:planted --runs 10
 *
 * Exits with 1 unless all counts are right.
 *
 * @module
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { AttachedDevice, AttachResult } from "../runtime/analysis/attach/result.ts";
import { RandomStream } from "../runtime/core/random.ts";
import type { Plan } from "../tests/library/attach/planted.ts";
import { table } from "./simulation/markdown.ts";

/** Steps of a program, of which the first two have no faults: a fault in the first step is part of the warm-up. */
const STEPS = 24;

/** Probability of each fault in a step. */
const SHARE = 0.3;

const FAULTS = ["reads", "uploads", "leaks", "pipelines"] as const;
type Fault = (typeof FAULTS)[number];
type Planted = Readonly<Record<Fault, readonly number[]>>;

const { values: flags } = parseArgs({ options: { runs: { type: "string", default: "100" } } });
const runs = Number(flags.runs);
if (!(Number.isInteger(runs) && runs > 0)) throw new Error(`--runs ${flags.runs}: expected a positive integer`);

const root = join(import.meta.dirname!, "..");
const planted = join(root, "tests/library/attach/planted.ts");
const program = await Deno.makeTempFile({ suffix: ".ts" });
await Deno.writeTextFile(
  program,
  `import { openDevice, runPlanted } from ${JSON.stringify(planted)};
   console.log(await runPlanted(await openDevice(), JSON.parse(Deno.args[0])));`,
);

/** Counts that a program's report must have, by name. */
const CHECKS: Readonly<Record<string, (device: AttachedDevice, planted: Planted) => boolean>> = {
  "steps": ({ steps }) => steps.steps.length === STEPS,
  "readbacks of each step": ({ steps }, { reads }) =>
    equal(steps.steps.map(({ totals }) => totals.reads), twice(reads)),
  "uploads of each step": ({ steps }, { uploads }) =>
    equal(steps.steps.map(({ totals }) => totals.uploads), twice(uploads)),
  "leaked buffers": ({ memory }, { leaks }) =>
    equal(memory!.leaks.map(({ label, count }) => `${label} ${count}`), [`forgotten ${leaks.length}`]),
  "pipelines in steps": ({ pipelines }, { pipelines: planted }) =>
    equal(pipelines.flatMap(({ inSteadyStep, step }) => inSteadyStep ? [step] : []), planted),
  "the slow kernel first": ({ kernels }) => kernels[0]!.label === "slow",
};

const right = new Map(Object.keys(CHECKS).map((name) => [name, 0]));
let adapter = "";
for (let run = 0; run < runs; run++) {
  const chosen = choose(run + 1);
  const device = await record({ steps: STEPS, ...chosen });
  adapter = device.adapter;
  for (const [name, check] of Object.entries(CHECKS)) {
    if (check(device, chosen)) right.set(name, right.get(name)! + 1);
    else console.error(`run ${run + 1}, ${name}: planted ${JSON.stringify(chosen)}`);
  }
  if ((run + 1) % 10 === 0) console.error(`run ${run + 1} of ${runs}`);
}
await Deno.remove(program);
console.log(table(["counted", "right"], [...right].map(([name, count]) => [name, `${count} of ${runs}`])));
console.log(`\nAdapter: ${adapter}`);
Deno.exit([...right.values()].every((count) => count === runs) ? 0 : 1);

/** Draws the steps with each fault; at least one each. */
function choose(seed: number): Planted {
  const random = new RandomStream(seed);
  const steps = (): number[] => {
    const drawn = Array.from({ length: STEPS - 2 }, (_, i) => i + 2).filter(() => random.uniform() < SHARE);
    return drawn.length === 0 ? steps() : drawn;
  };
  return { reads: steps(), uploads: steps(), leaks: steps(), pipelines: steps() };
}

/** Runs the program under `tacho attach`, and returns its device. */
async function record(plan: Plan): Promise<AttachedDevice> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const command = ["deno", "run", "-A", "--no-check", program, JSON.stringify(plan)];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", join(root, "scripts/tacho.ts"), "attach", "--no-store", "--json", file, "--"]
      .concat(command),
    env: Deno.build.os === "linux" ? { DENO_WEBGPU_BACKEND: "vulkan", XDG_RUNTIME_DIR: "/tmp" } : {},
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { devices } = JSON.parse(await Deno.readTextFile(file)) as AttachResult;
  await Deno.remove(file);
  return devices[0]!;
}

/** Counts of steps that have one, and two where a fault is planted. */
function twice(planted: readonly number[]): number[] {
  return Array.from({ length: STEPS }, (_, step) => planted.includes(step) ? 2 : 1);
}

function equal(a: readonly unknown[], b: readonly unknown[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
