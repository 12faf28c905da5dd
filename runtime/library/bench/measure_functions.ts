import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import { shown } from "../../core/shown.ts";
import { positiveInteger } from "../../data/checked.ts";
import { Device } from "../../device/device.ts";
import { adapterRecord } from "../../experiment/environment.ts";
import type { Result } from "../../result/schema.ts";
import { type MeasureConfig, measureSchema } from "../../scenario/schema.ts";
import { SLUG, SLUG_RULE } from "../../scenario/slug.ts";
import type { BenchEntry, BenchOptions } from "../bench_options.ts";
import type { Connection } from "../measure_kept.ts";
import type { Watch } from "../measurement.ts";
import { CONTROLS, withOptions } from "../options.ts";
import { describeScript, type Script } from "../script.ts";
import { measureWatched } from "../watched_run.ts";
import { calibrate } from "./calibrate.ts";
import { compareHostArms } from "./compare_host_arms.ts";
import { FunctionArm, functionConfig, type FunctionPlace } from "./function_arm.ts";

/** Seed without one in the options, as in a scenario. */
const DEFAULT_SEED = 1;

const name = z.string({ error: "expected a text" }).regex(SLUG, { error: `expected ${SLUG_RULE}` });

const optionsSchema = z.strictObject({
  ...CONTROLS,
  name: name.optional(),
  baseline: z.string({ error: "expected a text" }).optional(),
  calls: positiveInteger.optional(),
  unit: z.string({ error: "expected a text" }).regex(/^[^\s/]+$/, { error: 'expected a word such as "images"' })
    .optional(),
  samples: positiveInteger.optional(),
  device: z.instanceof(GPUDevice, { error: "expected a GPUDevice" }).optional(),
  measure: measureSchema.partial().optional(),
});

/** Functions by name, with what they are measured with. */
interface Benchmark {
  readonly entries: ReadonlyMap<string, BenchEntry<unknown>>;
  readonly name: string;
  readonly baseline: string;
  readonly seed: number;
  readonly measure: MeasureConfig;
  readonly options: BenchOptions;
  readonly script: Script;
}

/** Compares functions for `bench()`. */
export function measureFunctions(
  functions: Readonly<Record<string, unknown>>,
  options: BenchOptions,
  watch: Watch,
): Promise<Result> {
  return withOptions("bench", optionsSchema, options, async () => {
    const entries = entriesOf(functions);
    const names = [...entries.keys()];
    const { name = "bench", baseline = names[0]!, seed = DEFAULT_SEED } = options;
    if (!entries.has(baseline)) {
      throw new InputError(`bench(): baseline: unknown function "${baseline}"${suggestion(baseline, names)}`);
    }
    const measure = measureSchema.parse(options.measure ?? {});
    const script = describeScript();
    const { skip, rounds } = measure;
    const steps = options.measure?.steps;
    const config = functionConfig({
      ...sizeOf(options),
      calls: options.calls ?? null,
      measure: { ...steps === undefined ? {} : { steps }, skip, rounds },
    });
    const spec = {
      ...{ scenario: name, sha256: script.sha256, seed, baseline },
      variants: names.map((name) => ({ name, config })),
    };
    const benchmark = { entries, name, baseline, seed, measure, options, script };
    return await measureWatched(spec, options, watch, (work) => compare(benchmark, work));
  });
}

function sizeOf({ unit = "calls", samples = 1 }: BenchOptions): { unit: string; samples: number } {
  return { unit, samples };
}

/** @throws {InputError} if there is no function, or a name or a function is wrong */
function entriesOf(functions: Readonly<Record<string, unknown>>): Map<string, BenchEntry<unknown>> {
  const entries = new Map<string, BenchEntry<unknown>>();
  for (const [name, given] of Object.entries(functions)) {
    if (!SLUG.test(name)) throw new InputError(`bench(): name ${shown(name)}: expected ${SLUG_RULE}`);
    entries.set(name, entryOf(name, given));
  }
  if (entries.size === 0) throw new InputError("bench(): expected at least one function, got none");
  return entries;
}

function entryOf(name: string, given: unknown): BenchEntry<unknown> {
  if (typeof given === "function") return { run: (_, context) => given(context) as unknown };
  if (typeof given === "object" && given !== null && "run" in given && typeof given.run === "function") {
    return given as BenchEntry<unknown>;
  }
  throw new InputError(`bench(): ${name} is ${shown(given)}; expected a function, or { setup, run, teardown }`);
}

async function compare(benchmark: Benchmark, work: Connection): Promise<Result> {
  const { interrupted, runRecorder } = work;
  const { entries, name, baseline, seed, measure, options, script } = benchmark;
  const device = options.device === undefined ? null : Device.of(options.device);
  if (device !== null) runRecorder?.keepAdapter(adapterRecord(device.info));
  const place: FunctionPlace = { device, ...sizeOf(options), calls: options.calls ?? 1, measure, interrupted };
  const variants = [...entries].map(([name, entry]) => new FunctionArm(name, entry, place));
  const controlArm = measure.aa && variants.length > 1
    ? new FunctionArm(`${baseline}#2`, entries.get(baseline)!, place)
    : null;
  return await compareHostArms({
    ...{ variants, controlArm, name, seed, baseline, device, script },
    size: async (attempts) => {
      const running = [...variants, ...controlArm === null ? [] : [controlArm]].filter((arm) => arm.running);
      const { calls, steps } = await calibrate(running, attempts, {
        calls: options.calls,
        steps: options.measure?.steps,
      });
      place.calls = calls;
      return place.measure = { ...measure, steps };
    },
  }, work);
}
