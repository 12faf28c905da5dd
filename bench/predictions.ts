/**
 * Compares the predicted gains of advice with measured ones: runs slow trainings, applies each piece of advice alone, and
 * measures it against the training as it was, in interleaved blocks.
 *
 *     deno task bench:predictions
 *     deno task bench:predictions --cases small-batches,unfused-ops --rounds 12
 */
import { parseArgs } from "node:util";
import { measure, type ScenarioDefinition } from "../mod.ts";
import type { Change, Finding, VariantResult } from "../runtime/result/schema.ts";
import { mergeAll, nest } from "../runtime/scenario/merge.ts";
import { CASES } from "./prediction_cases.ts";

type Case = ScenarioDefinition<Record<never, never>>;

/** A piece of advice that was tried. */
interface Trial {
  readonly rule: string;
  readonly predicted: number;
  readonly measured: NonNullable<VariantResult["comparison"]>["speedup"];
}

const { values } = parseArgs({
  options: {
    cases: { type: "string" },
    rounds: { type: "string", default: "8" },
    steps: { type: "string", default: "5" },
  },
});
const count = (name: "rounds" | "steps") => {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name}: expected a whole number of at least 1, got "${values[name]}"`);
};
const names = values.cases?.split(",") ?? CASES.map(({ name }) => name);
const unknown = names.find((name) => !CASES.some((one) => one.name === name));
if (unknown !== undefined) {
  throw new Error(`--cases: no case is called "${unknown}"; known: ${CASES.map(({ name }) => name).join(", ")}`);
}

/** Returns the advice on a training that consists of changes of settings. */
async function adviceOn(slow: Case): Promise<Finding[]> {
  const result = await measure({
    ...slow,
    measure: { steps: count("steps"), skip: 2, maxSkip: 5, rounds: 3, aa: false },
    profile: { warmup: 1, active: 3 },
    bottleneck: true,
  });
  const [variant] = result.variants;
  if (variant!.status !== "ok") throw new Error(`${slow.name}: ${variant!.error}`);
  return variant!.findings.filter(({ changes, predicted }) => changes.length > 0 && predicted !== null);
}

/** Measures a training with changes against the same without them, by samples per second. */
async function gainOf(slow: Case, changes: readonly Change[]): Promise<Trial["measured"]> {
  const after = mergeAll(changes.map(({ path, to }) => nest(path.split("."), to)));
  const result = await measure({
    ...slow,
    memoryBudget: null, // both are on the device at the same time
    measure: { steps: count("steps"), skip: 2, maxSkip: 5, rounds: count("rounds"), aa: false },
    variants: { before: {}, after },
  });
  const changed = result.variants.find(({ name }) => name === "after");
  const { speedup } = changed?.comparison ?? {};
  if (speedup === undefined) throw new Error(`${slow.name}: ${changed?.error ?? "no comparison"}`);
  return speedup;
}

const percent = (fraction: number) => `${(100 * fraction).toFixed(0)} %`;
const times = (ratio: number) => `x${ratio.toFixed(2)}`;

const trials: Trial[] = [];
for (const slow of CASES.filter(({ name }) => names.includes(name))) {
  const findings = await adviceOn(slow);
  if (findings.length === 0) console.log(`${slow.name}: no advice`);
  for (const { kind, changes, predicted } of findings) {
    const setting = changes.map(({ path, to }) => `${path}=${JSON.stringify(to)}`).join(" ");
    try {
      const measured = await gainOf(slow, changes);
      trials.push({ rule: kind, predicted: predicted!.gain, measured });
      console.log(
        `${slow.name}: ${kind}, ${setting}: predicted ${times(predicted!.gain)}, measured ${times(measured.value)} ` +
          `(${times(measured.low ?? NaN)} to ${times(measured.high ?? NaN)})`,
      );
    } catch (error) {
      console.log(`${slow.name}: ${kind}, ${setting}: cannot run, ${(error as Error).message}`);
    }
  }
}

const median = (numbers: readonly number[]) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
};

console.log("\nrule                 trials  predicted  measured  median error  within the interval");
for (const [rule, own] of [...Map.groupBy(trials, (trial) => trial.rule)].sort(([a], [b]) => a < b ? -1 : 1)) {
  const errors = own.map(({ predicted, measured }) => Math.abs(predicted - measured.value) / measured.value);
  const inside = own.filter(({ predicted, measured: { low, high } }) =>
    predicted >= (low ?? -Infinity) && predicted <= (high ?? Infinity)
  );
  console.log([
    rule.padEnd(20),
    String(own.length).padStart(6),
    times(median(own.map(({ predicted }) => predicted))).padStart(9),
    times(median(own.map(({ measured }) => measured.value))).padStart(8),
    percent(median(errors)).padStart(12),
    `${inside.length} of ${own.length}`.padStart(19),
  ].join("  "));
}
