/**
 * Plans the variants and programs of a scenario as arms, without running anything.
 *
 * @module
 */
import type { AdapterInfo } from "../device/adapter.ts";
import type { Device } from "../device/device.ts";
import { DEFAULT_TRAITS } from "../device/traits.ts";
import { SlotPool } from "../engine/slot_pool.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { Arm } from "./arm.ts";
import type { ExperimentOptions } from "./options.ts";
import {
  checkTogether,
  type MemoryLimit,
  memoryLimitOf,
  planAll,
  planControlArm,
  type Planned,
  type Schedule,
  scheduleOf,
} from "./planning.ts";
import { type AnyProgramArm, checkUnits, programArms, programControlArm } from "./programs/program_arms.ts";
import type { StoppingRules } from "./rounds/stopping.ts";
import { switchStep } from "./start/step_counts.ts";
import type { TeamFacts } from "./distributed/team.ts";
import { type VariantArm, variantArm } from "./variant/variant_arm.ts";

/** Arms of an experiment, with the plans and rules that they follow. */
export interface PlannedArms {
  /** The variants, and the control arm after them. */
  readonly variants: readonly Planned[];
  readonly memory: MemoryLimit;
  /** Activations of all variants; null without a device. */
  readonly slots: SlotPool | null;
  /** Arms of the planned variants, in their order. */
  readonly runs: readonly VariantArm[];
  readonly programs: readonly AnyProgramArm[];
  /** All arms, the control arm last. */
  readonly arms: readonly Arm[];
  readonly controlArm: Arm | null;
  readonly schedule: Schedule;
  readonly rules: StoppingRules;
}

/** Device of the arms, and what they report while they run. */
export interface ArmsPlace {
  /** Null if no variant has a model. */
  readonly device: Device | null;
  /** Facts about the ranks; null on one. */
  readonly team: TeamFacts | null;
  /** Called with a difference between processes of a variant. */
  onDifference(message: string): void;
  /** Called with the adapter of a program. */
  onAdapter(info: AdapterInfo): void;
  /** Called with what the user should know about a program. */
  onWarning(message: string): void;
}

/** @throws {InputError} if no variant can run, or the variants do not fit in memory together */
export function planArms(scenario: ResolvedScenario, options: ExperimentOptions, place: ArmsPlace): PlannedArms {
  const { device, team } = place;
  const { cluster = null, minRounds = 1, interrupted } = options;
  const traits = device?.traits ?? DEFAULT_TRAITS;
  const ranks = cluster?.size ?? 1;
  const memory = memoryLimitOf(scenario, device?.info ?? { fallback: false });
  const own = planAll(scenario, { traits, adapterName: device?.info.name ?? "none", memory, ranks });
  const control = planControlArm(scenario, own, traits, ranks);
  const variants = control === null ? own : [...own, control];
  const inProcesses = scenario.measure.processes !== null;
  checkTogether(variants, memory, inProcesses);
  const slots = device === null ? null : new SlotPool(device);
  const schedule = scheduleOf(scenario, own);
  // The number of rounds is fixed when training for epochs, and for a single variant, which has no interval
  const fixed = schedule.epochs || own.length + scenario.programs.length < 2;
  const runs = variants.map((one, index) => {
    const { compiled, variant: { config } } = one;
    return variantArm(one, {
      ...{ device, slots, interrupted, cluster, team, cache: options.cache ?? true, index, inProcesses },
      // With fresh processes, kernels are chosen here before the first step
      switchStep: inProcesses ? 0 : switchStep(schedule, Math.max(1, compiled?.sink ?? 0), config),
      of: own[index]?.variant.name ?? scenario.baseline,
      source: options.processSource ?? null,
      onWarning: place.onDifference,
    });
  });
  const ofPrograms = { interrupted, onAdapter: place.onAdapter, onWarning: place.onWarning };
  const programs = programArms(scenario, ofPrograms);
  checkUnits([...runs, ...programs], programs);
  const runnable = own.filter(({ error }) => error === null).length;
  const controlArm = control === null ? programControlArm(scenario, runnable, ofPrograms) : runs.at(-1)!;
  const others = [...runs.filter((run) => run !== controlArm), ...programs];
  return {
    ...{ variants, memory, slots, runs, programs, controlArm, schedule },
    arms: controlArm === null ? others : [...others, controlArm],
    rules: { ...scenario.measure, rounds: schedule.rounds, minRounds, ...fixed ? { precision: null } : {} },
  };
}
