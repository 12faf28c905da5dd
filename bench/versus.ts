/**
 * Compares a program with itself, and with one that does twice its work: how often does the first comparison have a false
 * verdict, and does the second find the planted factor?
 *
 *     deno task bench:versus                          # 20 runs of 12 rounds
 *     deno task bench:versus --runs 5 --rounds 8
 *
 * Ends with status 1 if more than one run in twenty calls equal programs `faster`, `slower` or `invalid`, or does not call
 * the double `slower`.
 *
 * @module
 */
import { join } from "node:path";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { measure, program, type Result } from "../mod.ts";
import { percent, table } from "./simulation/markdown.ts";

/** Work of the double, as a multiple. */
const PLANTED = 2;

const { values: flags } = parseArgs({
  options: {
    runs: { type: "string", default: "20" },
    rounds: { type: "string", default: "12" },
    steps: { type: "string", default: "5" },
  },
});
const [runs, rounds, steps] = (["runs", "rounds", "steps"] as const).map((name) => {
  const value = Number(flags[name]);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} ${flags[name]}: expected a positive integer`);
}) as [number, number, number];

const script = join(import.meta.dirname!, "planted_program.ts");
const env = Deno.build.os === "linux" ? { DENO_WEBGPU_BACKEND: "vulkan", XDG_RUNTIME_DIR: "/tmp" } : {};
const planted = (work: number) =>
  program([Deno.execPath(), "run", "-A", "--no-check", script, "--work", String(work)], {
    ...{ steps: "mark", env, profile: false },
  });

let [wrong, missed, holdsOne, holdsPlanted] = [0, 0, 0, 0];
const rows: string[][] = [];
for (let run = 0; run < runs; run++) {
  const result = await measure({
    name: "planted",
    seed: run + 1,
    programs: { base: planted(1), again: planted(1), double: planted(PLANTED) },
    measure: { steps, skip: 3, maxSkip: 6, rounds },
  });
  const again = compared(result, "again");
  const double = compared(result, "double");
  const ratio = again.speedup;
  const factor = inverse(double.speedup);
  if (again.verdict !== "same" && again.verdict !== "unclear") wrong++;
  if (double.verdict !== "slower") missed++;
  if (holds(ratio, 1)) holdsOne++;
  if (holds(factor, PLANTED)) holdsPlanted++;
  rows.push([
    String(run + 1),
    again.verdict,
    text(ratio),
    double.verdict,
    text(factor),
    result.noiseFloor === null ? "–" : percent(result.noiseFloor),
    loadavg()[0]!.toFixed(1),
  ]);
  console.error(`run ${run + 1} of ${runs}: again ${again.verdict}, double ${double.verdict} ${text(factor)}`);
}
console.log(
  table(["run", "again", "speed-up", "double", "times the step of the base", "A/A %", "load"], rows),
);
console.log(
  `\n${runs} runs of ${rounds} rounds of ${steps} steps: ${wrong} call equal programs faster, slower or invalid; ` +
    `${holdsOne} of ${runs} intervals hold 1. ${runs - missed} of ${runs} call the double slower; ${holdsPlanted} of ` +
    `${runs} intervals of its step time hold ${PLANTED}`,
);
if (wrong > runs / 20 || missed > runs / 20) Deno.exit(1);

interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Returns the verdict and the speed-up of a program. */
function compared({ variants }: Result, wanted: string): { verdict: string; speedup: Interval } {
  const { verdict, comparison, error } = variants.find(({ name }) => name === wanted)!;
  if (comparison === null) throw new Error(`${wanted} has no complete round: ${error?.message}`);
  const { value, low, high } = comparison.speedup;
  return { verdict: verdict ?? "–", speedup: { value, low: low ?? 0, high: high ?? Infinity } };
}

function inverse({ value, low, high }: Interval): Interval {
  return { value: 1 / value, low: 1 / high, high: 1 / low };
}

function holds({ low, high }: Interval, value: number): boolean {
  return low <= value && value <= high;
}

function text({ value, low, high }: Interval): string {
  return `×${value.toFixed(3)}, ${low.toFixed(3)} to ${high.toFixed(3)}`;
}
