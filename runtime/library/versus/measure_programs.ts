import type { Steps } from "../../attach/settings.ts";
import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import { checkCommand } from "../../programs/preloaded_command.ts";
import type { SplitCommand } from "../../programs/split_command.ts";
import { adapterRecord } from "../../experiment/environment.ts";
import type { Result } from "../../result/schema.ts";
import { type MeasureConfig, measureSchema } from "../../scenario/schema.ts";
import type { MeasureSettings } from "../../scenario/setting_types.ts";
import { compareHostArms } from "../bench/compare_host_arms.ts";
import { functionConfig, type FunctionSettings } from "../bench/function_result.ts";
import type { Watch } from "../measurement.ts";
import { measureWatched, type WatchedWork } from "../watched_run.ts";
import { ProgramArm } from "./program_arm.ts";

/** Programs to compare, and how. */
export interface Versus {
  readonly programs: ReadonlyMap<string, SplitCommand>;
  readonly name: string;
  /** Name of the program that the others are compared with; null for the first. */
  readonly baseline: string | null;
  readonly seed: number;
  readonly measure: MeasureSettings;
  readonly steps: Steps;
  /** Unit that a step processes, and the number of units. */
  readonly unit: string;
  readonly perStep: number;
  /** Longest time without a step, in ms. */
  readonly timeout: number;
  readonly store: boolean | string;
  readonly report: string | undefined;
}

/**
 * Compares programs by the procedure of a scenario. A program that fails does so alone.
 *
 * @throws {InputError} if a command does not run Deno, or the baseline is unknown
 * @throws {AbortedError} if the signal aborts; its `partial` is the result so far
 */
export async function measurePrograms(versus: Versus, watch: Watch): Promise<Result> {
  const { programs, name, seed, unit, perStep, store, report } = versus;
  const names = [...programs.keys()];
  const baseline = versus.baseline ?? names[0] ?? "";
  if (!programs.has(baseline)) {
    throw new InputError(`tacho versus: unknown baseline "${baseline}"${suggestion(baseline, names)}`);
  }
  for (const { words } of programs.values()) checkCommand("tacho versus", words);
  const measure = measureSchema.parse(versus.measure);
  const settings: FunctionSettings = { unit, samples: perStep, calls: null, measure };
  const spec = {
    ...{ scenario: name, sha256: null, seed, baseline },
    variants: names.map((name) => ({ name, config: functionConfig(settings) })),
  };
  const keeping = report === undefined ? { store } : { store, report };
  return await measureWatched(spec, keeping, watch, (work) => compare(versus, { baseline, measure, settings }, work));
}

async function compare(
  { programs, name, seed, steps, timeout }: Versus,
  { baseline, measure, settings }: { baseline: string; measure: MeasureConfig; settings: FunctionSettings },
  work: WatchedWork,
): Promise<Result> {
  const arm = (name: string, { words, env }: SplitCommand) =>
    new ProgramArm(name, { command: words, env, steps, timeout, interrupted: work.interrupted }, settings);
  const variants = [...programs].map(([name, command]) => arm(name, command));
  const controlArm = measure.aa && variants.length > 1 ? arm(`${baseline}#2`, programs.get(baseline)!) : null;
  const adapter = () => variants.find(({ adapter }) => adapter !== null)?.adapter ?? null;
  return await compareHostArms({
    ...{ variants, controlArm, name, seed, baseline, device: null },
    adapter,
    size: () => {
      const names = new Set(variants.map(({ adapter }) => adapter?.name).filter((name) => name !== undefined));
      if (names.size > 1) {
        const message = `The programs use different adapters: ${[...names].join(", ")}; the result names the first`;
        work.emit({ type: "warning", kind: null, message });
      }
      const info = adapter();
      if (info !== null) work.runRecorder?.keepAdapter(adapterRecord(info));
      return Promise.resolve(measure);
    },
    script: { file: null, sha256: null },
  }, work);
}
