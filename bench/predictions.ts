/**
 * Compares the predicted gains of advice with measured ones: runs slow trainings, applies each piece of advice alone, and
 * measures it against the training as it was, in interleaved blocks. Cases on ranks need `mpirun.mpich` or `--launcher`.
 *
 *     deno task bench:predictions
 *     deno task bench:predictions --cases small-batches,unfused-ops --rounds 12 --reasons
 *     deno task bench:predictions --record   # also writes the result of each rule to bench/results/
 */
import { median } from "../runtime/core/statistics.ts";
import { parseArgs } from "node:util";
import { measure, run, scenario } from "../mod.ts";
import { advise, RULES } from "../runtime/analysis/advice/advise.ts";
import { launcherOf } from "../runtime/cluster/launcher.ts";
import { compileVariant } from "../runtime/compile/variant.ts";
import { describeDataset } from "../runtime/data/describe.ts";
import { findAdapter } from "../runtime/device/adapter.ts";
import { DEFAULT_TRAITS } from "../runtime/device/traits.ts";
import { planner } from "../runtime/experiment/variant/plan_step.ts";
import type { Change, Finding, Result } from "../runtime/result/schema.ts";
import { mergeAll, nest } from "../runtime/scenario/merge.ts";
import { resolveScenario } from "../runtime/scenario/resolve.ts";
import { type RecordCase, recorder } from "./record/recorder.ts";
import { CASES, type PredictionCase, type Training } from "./prediction_cases.ts";

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

/** What a run on ranks measures. */
interface RankTask {
  readonly name: string;
  readonly tries: readonly Pick<Advice, "kind" | "changes">[];
  readonly options: Options;
}

interface Options {
  readonly rounds: number;
  readonly steps: number;
  readonly seconds: number;
  readonly launcher: string;
}

const TASK = "PREDICTION_TASK";

/** Returns a training that is measured for advice on it. */
function observed({ training, baseline }: PredictionCase, { steps }: Options): Training {
  return {
    ...training,
    measure: { steps, skip: 2, maxSkip: 4, rounds: 3, aa: false, setups: 1 },
    profile: { warmup: 1, active: 3 },
    bottleneck: true,
    ...baseline !== undefined && { variants: { baseline, slow: {} } },
  };
}

/** Returns a training beside copies that each follow one piece of advice. */
function compared(slow: PredictionCase, { rounds, steps, seconds }: Options, tries: RankTask["tries"]): Training {
  const settings = tries.map(({ kind, changes }) =>
    changes.length === 0
      ? slow.fixes![kind]!.settings
      : mergeAll(changes.map(({ path, to }) => nest(path.split("."), to)))
  );
  return {
    ...slow.training,
    memoryBudget: null, // all are on the device at the same time
    measure: {
      ...{ steps, skip: 2, maxSkip: 4, rounds, aa: false },
      ...slow.ranks !== undefined && { setups: 1 },
      maxTime: seconds * (tries.length + 1),
    },
    variants: { before: {}, ...Object.fromEntries(settings.map((each, i) => [`after-${i}`, each])) },
  };
}

/** Measures a training, here or on its ranks. */
async function resultOf(slow: PredictionCase, options: Options, tries?: RankTask["tries"]): Promise<Result> {
  if (slow.ranks === undefined) {
    return await measure(tries === undefined ? observed(slow, options) : compared(slow, options, tries));
  }
  const json = await Deno.makeTempFile({ suffix: ".json" });
  const task = { name: slow.name, options, ...tries !== undefined && { tries } };
  try {
    const { success, stderr } = await new Deno.Command(options.launcher, {
      args: [
        ...options.launcher.endsWith("openmpi") ? ["--allow-run-as-root", "--oversubscribe"] : [],
        ...["-n", String(slow.ranks), "deno", "run", "-A", import.meta.filename!],
        ...["--json", json, "--no-store", "--quiet"],
      ],
      env: { [TASK]: JSON.stringify(task), ...slow.network !== undefined && { TACHO_NETWORK: slow.network } },
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(`${slow.name}: ${new TextDecoder().decode(stderr)}`);
    return JSON.parse(await Deno.readTextFile(json)) as Result;
  } finally {
    await Deno.remove(json);
  }
}

/** Returns a training's result with the advice on it that can be tried. */
async function adviceOn(slow: PredictionCase, options: Options): Promise<{ result: Result; advice: Advice[] }> {
  const result = await resultOf(slow, options);
  const variant = result.variants.at(-1)!;
  if (variant.status !== "ok") throw new Error(`${slow.name}: ${variant.error?.message}`);
  const predicts = (finding: Finding): finding is Advice =>
    finding.predicted !== null && (finding.changes.length > 0 || slow.fixes?.[finding.kind] !== undefined);
  const advice = variant.findings.filter(predicts);
  // A rule that finds no gain may still predict well that there is none
  const silent = slow.rules.filter((rule) => !advice.some(({ kind }) => kind === rule));
  const { cores, adapter } = result.environment;
  const { config, memoryBudget } = resolved(slow.training);
  const dataset = describeDataset(config.data);
  const { train: { length: samples }, sample } = dataset;
  const traits = (await findAdapter())?.traits ?? DEFAULT_TRAITS;
  const all = silent.length === 0 ? [] : advise({
    variant,
    baseline: slow.baseline === undefined ? null : result.variants[0]!,
    cores,
    software: adapter?.fallback === true,
    peaks: result.roofline?.peaks ?? null,
    memoryLimit: memoryBudget,
    data: { samples, sample },
    plan: planner(config, dataset, traits, compileVariant(config, dataset, traits)),
    minGain: 0,
  });
  return { result, advice: [...advice, ...all.filter(predicts).filter(({ kind }) => silent.includes(kind))] };
}

function resolved(training: Training) {
  const { variants: [variant], memoryBudget } = resolveScenario(training);
  return { config: variant!.config, memoryBudget };
}

/** Measures a training with each piece of advice against the same without, by samples per second. */
async function gainsOf(slow: PredictionCase, options: Options, advice: readonly Advice[]): Promise<(Gain | string)[]> {
  const result = await resultOf(slow, options, advice.map(({ kind, changes }) => ({ kind, changes })));
  return advice.map(({ kind, changes }, i) => {
    const { comparison, error } = result.variants.find(({ name }) => name === `after-${i}`)!;
    const { value, low, high } = comparison?.speedup ?? {};
    if (value === undefined) return error?.message ?? "no comparison";
    const fix = changes.length === 0 ? slow.fixes![kind]! : undefined;
    const work = fix?.equalWork === true ? workOf({ ...slow.training, ...fix.settings }) / workOf(slow.training) : 1;
    return { value: value * work, low: (low ?? -Infinity) * work, high: (high ?? Infinity) * work };
  });
}

/** Returns the floating-point operations of a step. */
function workOf(training: Training): number {
  const { config } = resolved(training);
  const { flops } = compileVariant(config, describeDataset(config.data), DEFAULT_TRAITS).plan;
  return Object.values(flops).reduce((sum, each) => sum + each, 0);
}

const settingsOf = (changes: readonly Change[]) =>
  changes.map(({ path, to }) => `${path}=${JSON.stringify(to)}`).join(" ");
const percent = (fraction: number) => `${(100 * fraction).toFixed(0)} %`;
const times = (ratio: number) => `x${ratio.toFixed(2)}`;
const load = () => Deno.loadavg()[0]!.toFixed(1);

/** Tries all advice on a case, and prints each prediction beside its measurement. */
async function tryCase(slow: PredictionCase, options: Options, reasons: boolean): Promise<Trial[]> {
  const before = load();
  const { advice } = await adviceOn(slow, options);
  console.log(`\n${slow.name}`);
  const silent = slow.rules.filter((rule) => !advice.some(({ kind }) => kind === rule));
  if (silent.length > 0) console.log(`  no prediction of ${silent.join(", ")}`);
  if (advice.length === 0) return [];
  const gains = await gainsOf(slow, options, advice);
  const trials: Trial[] = [];
  for (const [i, { kind, changes, evidence, predicted: { gain, reasoning } }] of advice.entries()) {
    const measured = gains[i]!;
    const setting = `  ${kind}, ${changes.length === 0 ? "as it says" : settingsOf(changes)}: predicted ${times(gain)}`;
    if (typeof measured === "string") {
      console.log(`${setting}, cannot run: ${measured}`);
      continue;
    }
    trials.push({ rule: kind, predicted: gain, measured });
    const { value, low, high } = measured;
    console.log(`${setting}, measured ${times(value)} (${times(low)} to ${times(high)})`);
    if (!reasons) continue;
    console.log(`    ${reasoning}`);
    console.log(`    ${evidence.map(({ label, value }) => `${label}: ${value}`).join("; ")}`);
  }
  console.log(`  load ${before} before, ${load()} after`);
  return trials;
}

/** Prints the errors by rule. */
function summarize(trials: readonly Trial[], record: RecordCase): void {
  console.log("\nrule                 trials  predicted  measured  median error  within the interval");
  const errorOf = ({ predicted, measured }: Trial) => Math.abs(predicted - measured.value) / measured.value;
  const row = (rule: string, own: readonly Trial[]) => {
    const inside = own.filter(({ predicted, measured: { low, high } }) => predicted >= low && predicted <= high);
    record(rule, {
      trials_count: own.length,
      predicted_ratio: median(own.map(({ predicted }) => predicted)),
      measured_ratio: median(own.map(({ measured }) => measured.value)),
      median_error_percent: 100 * median(own.map(errorOf)),
      within_interval_count: inside.length,
    });
    return [
      rule.padEnd(20),
      String(own.length).padStart(6),
      times(median(own.map(({ predicted }) => predicted))).padStart(9),
      times(median(own.map(({ measured }) => measured.value))).padStart(8),
      percent(median(own.map(errorOf))).padStart(12),
      `${inside.length} of ${own.length}`.padStart(19),
    ].join("  ");
  };
  for (const [rule, own] of [...Map.groupBy(trials, ({ rule }) => rule)].sort(([a], [b]) => a < b ? -1 : 1)) {
    console.log(row(rule, own));
  }
  if (trials.length > 0) console.log(row("all", trials));
  const silent = new Set(RULES.map(({ kind }) => kind)).difference(new Set(trials.map(({ rule }) => rule)));
  if (silent.size > 0) console.log(`\nrules without a trial: ${[...silent].join(", ")}`);
}

async function main(): Promise<void> {
  const { args, record } = await recorder("predictions");
  const { values } = parseArgs({
    args,
    options: {
      cases: { type: "string" },
      rounds: { type: "string", default: "6" },
      steps: { type: "string", default: "4" },
      seconds: { type: "string", default: "40" },
      launcher: { type: "string", default: "mpirun.mpich" },
      reasons: { type: "boolean", default: false },
    },
  });
  const count = (name: "rounds" | "steps" | "seconds") => {
    const number = Number(values[name]);
    if (Number.isInteger(number) && number > 0) return number;
    throw new Error(`--${name}: expected a whole number of at least 1, got "${values[name]}"`);
  };
  const options = {
    ...{ rounds: count("rounds"), steps: count("steps"), seconds: count("seconds") },
    launcher: values.launcher,
  };
  const names = values.cases?.split(",") ?? CASES.map(({ name }) => name);
  const unknown = names.find((name) => !CASES.some((one) => one.name === name));
  if (unknown !== undefined) {
    throw new Error(`--cases: no case is called "${unknown}"; known: ${CASES.map(({ name }) => name).join(", ")}`);
  }
  const trials: Trial[] = [];
  for (const slow of CASES.filter(({ name }) => names.includes(name))) {
    trials.push(...await tryCase(slow, options, values.reasons));
  }
  summarize(trials, record);
}

if (launcherOf() === null) {
  await main();
} else {
  const { name, options, tries } = JSON.parse(Deno.env.get(TASK)!) as Omit<RankTask, "tries"> & Partial<RankTask>;
  const slow = CASES.find((one) => one.name === name)!;
  scenario(tries === undefined ? observed(slow, options) : compared(slow, options, tries));
  await run();
}
