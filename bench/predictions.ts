/**
 * Compares the predicted gains of advice with measured ones: runs slow trainings, applies each piece of advice alone, and
 * measures it against the training as it was, in interleaved blocks.
 *
 *     deno task bench:predictions
 *     deno task bench:predictions --cases small-batches,unfused-ops --rounds 12 --reasons
 */
import { parseArgs } from "node:util";
import { measure, type ScenarioDefinition } from "../mod.ts";
import type { Change, Finding, Result } from "../runtime/result/schema.ts";
import { mergeAll, nest } from "../runtime/scenario/merge.ts";
import { CASES } from "./prediction_cases.ts";

type Case = ScenarioDefinition<Record<never, never>>;
type Advice = Finding & { readonly predicted: NonNullable<Finding["predicted"]> };

/** A gain with its interval. */
interface Gain {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A piece of advice that was tried. */
interface Trial {
  readonly rule: string;
  readonly predicted: number;
  readonly measured: Gain;
}

const { values } = parseArgs({
  options: {
    cases: { type: "string" },
    rounds: { type: "string", default: "6" },
    steps: { type: "string", default: "4" },
    seconds: { type: "string", default: "40" },
    reasons: { type: "boolean", default: false },
  },
});
const count = (name: "rounds" | "steps" | "seconds") => {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name}: expected a whole number of at least 1, got "${values[name]}"`);
};
const names = values.cases?.split(",") ?? CASES.map(({ name }) => name);
const unknown = names.find((name) => !CASES.some((one) => one.name === name));
if (unknown !== undefined) {
  throw new Error(`--cases: no case is called "${unknown}"; known: ${CASES.map(({ name }) => name).join(", ")}`);
}

/** Returns a training's result with the advice on it that consists of changes of settings. */
async function adviceOn(slow: Case): Promise<{ result: Result; advice: Advice[] }> {
  const result = await measure({
    ...slow,
    measure: { steps: count("steps"), skip: 2, maxSkip: 4, rounds: 3, aa: false },
    profile: { warmup: 1, active: 3 },
    bottleneck: true,
  });
  const [variant] = result.variants;
  if (variant!.status !== "ok") throw new Error(`${slow.name}: ${variant!.error}`);
  const advice = variant!.findings.filter((one): one is Advice => one.changes.length > 0 && one.predicted !== null);
  return { result, advice };
}

/** Measures a training with each piece of advice against the same without, by samples per second; null if one fails. */
async function gainsOf(slow: Case, advice: readonly Advice[]): Promise<(Gain | string)[]> {
  const changed = advice.map(({ changes }) => mergeAll(changes.map(({ path, to }) => nest(path.split("."), to))));
  const result = await measure({
    ...slow,
    memoryBudget: null, // all are on the device at the same time
    measure: {
      ...{ steps: count("steps"), skip: 2, maxSkip: 4, rounds: count("rounds"), aa: false },
      maxTime: count("seconds") * (advice.length + 1),
    },
    variants: { before: {}, ...Object.fromEntries(changed.map((settings, i) => [`after-${i}`, settings])) },
  });
  return advice.map((_, i) => {
    const { comparison, error } = result.variants.find(({ name }) => name === `after-${i}`)!;
    const { value, low, high } = comparison?.speedup ?? {};
    return value === undefined
      ? error?.message ?? "no comparison"
      : { value, low: low ?? -Infinity, high: high ?? Infinity };
  });
}

const settingsOf = (changes: readonly Change[]) =>
  changes.map(({ path, to }) => `${path}=${JSON.stringify(to)}`).join(" ");
const percent = (fraction: number) => `${(100 * fraction).toFixed(0)} %`;
const times = (ratio: number) => `x${ratio.toFixed(2)}`;
const load = () => Deno.loadavg()[0]!.toFixed(1);

const trials: Trial[] = [];
for (const slow of CASES.filter(({ name }) => names.includes(name))) {
  const before = load();
  const { result, advice } = await adviceOn(slow);
  if (trials.length === 0) console.log(`${result.environment.adapter?.name}, ${result.environment.cores} cores`);
  console.log(`\n${slow.name}${advice.length === 0 ? ": no advice" : ""}`);
  if (advice.length === 0) continue;
  const gains = await gainsOf(slow, advice);
  for (const [i, { kind, changes, evidence, predicted: { gain, reasoning } }] of advice.entries()) {
    const measured = gains[i]!;
    const setting = `  ${kind}, ${settingsOf(changes)}: predicted ${times(gain)}`;
    if (typeof measured === "string") {
      console.log(`${setting}, cannot run: ${measured}`);
      continue;
    }
    trials.push({ rule: kind, predicted: gain, measured });
    const { value, low, high } = measured;
    console.log(`${setting}, measured ${times(value)} (${times(low)} to ${times(high)})`);
    if (!values.reasons) continue;
    console.log(`    ${reasoning}`);
    console.log(`    ${evidence.map(({ label, value }) => `${label}: ${value}`).join("; ")}`);
  }
  console.log(`  load ${before} before, ${load()} after`);
}

const median = (numbers: readonly number[]) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
};

console.log("\nrule                 trials  predicted  measured  median error  within the interval");
for (const [rule, own] of [...Map.groupBy(trials, (trial) => trial.rule)].sort(([a], [b]) => a < b ? -1 : 1)) {
  const errors = own.map(({ predicted, measured }) => Math.abs(predicted - measured.value) / measured.value);
  const inside = own.filter(({ predicted, measured: { low, high } }) => predicted >= low && predicted <= high);
  console.log([
    rule.padEnd(20),
    String(own.length).padStart(6),
    times(median(own.map(({ predicted }) => predicted))).padStart(9),
    times(median(own.map(({ measured }) => measured.value))).padStart(8),
    percent(median(errors)).padStart(12),
    `${inside.length} of ${own.length}`.padStart(19),
  ].join("  "));
}
