import type { AdapterInfo } from "../../device/adapter.ts";
import { InputError } from "../../core/errors.ts";
import { shown } from "../../core/shown.ts";
import type { Procedure } from "../../result/schema.ts";
import type { ResolvedScenario } from "../../scenario/resolve.ts";
import type { ResolvedProgram } from "../../scenario/program.ts";
import { WHOLE_RUN } from "../../scenario/command.ts";
import type { Arm } from "../arm.ts";
import { ColdStartArm } from "./cold_start_arm.ts";
import { CommandRunsArm } from "./command_runs_arm.ts";
import { CommandStepsArm } from "./command_steps_arm.ts";
import { ProgramArm } from "./program_arm.ts";
import type { ProgramPlace } from "./program_arm_base.ts";
import { programConfig } from "./program_config.ts";

/** Arm that runs a program. */
export type AnyProgramArm = ProgramArm | ColdStartArm | CommandRunsArm | CommandStepsArm;

type ArmsPlace = Omit<ProgramPlace, "config" | "isControl">;

/** Returns an arm for each program of a scenario. */
export function programArms({ programs, measure }: ResolvedScenario, place: ArmsPlace): AnyProgramArm[] {
  const cold = programs.find(({ program }) => program.kind === "program" && program.start === "cold");
  if (cold !== undefined && measure.statistic !== "mean") {
    throw new InputError(
      `measure.statistic: is ${measure.statistic}, but each block of ${cold.name} is one cold start`,
    );
  }
  return programs.map((program) =>
    armOf(program, { ...place, config: programConfig(program, measure), isControl: false })
  );
}

function armOf(program: ResolvedProgram, place: ProgramPlace): AnyProgramArm {
  const { name, program: spec, words, env } = program;
  if (spec.kind === "command") {
    const of = { name, program: spec, words, env };
    return spec.steps === WHOLE_RUN ? new CommandRunsArm(of, place) : new CommandStepsArm(of, place);
  }
  const of = { name, program: spec, words, env };
  return spec.start === "cold" ? new ColdStartArm(of, place) : new ProgramArm(of, place);
}

/**
 * Returns the control arm of a scenario whose baseline is a program; null if the scenario disables it, or has nothing to
 * compare.
 *
 * @param runnable number of variants that can run
 */
export function programControlArm(
  scenario: ResolvedScenario,
  runnable: number,
  place: ArmsPlace,
): AnyProgramArm | null {
  const { programs, measure, baseline } = scenario;
  const program = programs.find(({ name }) => name === baseline);
  if (program === undefined || !measure.aa || runnable + programs.length < 2) return null;
  const own = { config: programConfig(program, measure), isControl: true };
  return armOf({ ...program, name: `${baseline}#2` }, { ...place, ...own });
}

/**
 * Checks that the throughput of each program has the unit of the other arms.
 *
 * @throws {InputError} naming the first program with another unit
 */
export function checkUnits(
  arms: readonly Pick<Arm, "name" | "unitOfRate">[],
  programs: readonly AnyProgramArm[],
): void {
  const first = arms[0];
  const other = programs.find(({ unitOfRate }) => unitOfRate !== first?.unitOfRate);
  if (first === undefined || other === undefined) return;
  const unit = first.unitOfRate.slice(0, -"/s".length);
  throw new InputError(
    `programs.${other.name}.unit: ${other.unitOfRate} cannot be compared with ${first.unitOfRate} of ${first.name}; set ` +
      `unit to ${shown(unit)}, and perStep to the number of ${unit} in a step`,
  );
}

/** Returns the adapter of the first program that has one; null if none has. */
export function programAdapter(programs: readonly AnyProgramArm[]): AdapterInfo | null {
  return programs.find(({ adapter }) => adapter !== null)?.adapter ?? null;
}

/** Returns a warning if the arms of a run use different adapters; else nothing. */
export function adapterWarnings(own: AdapterInfo | null, programs: readonly AnyProgramArm[]): Procedure["warnings"] {
  const all = [own, ...programs.map(({ adapter }) => adapter)].flatMap((info) => info === null ? [] : [info.name]);
  const names = [...new Set(all)];
  if (names.length < 2) return [];
  const message = `the arms use different adapters: ${names.join(", ")}; the result names the first`;
  return [{ kind: "adapters", message }];
}
