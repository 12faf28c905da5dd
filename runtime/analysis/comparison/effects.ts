import type { Block, Effect } from "../../result/schema.ts";
import { logTimes } from "./block_pairs.ts";
import { ratioOf } from "./estimate.ts";
import { holm } from "./holm.ts";
import { estimateDifferences } from "./setups.ts";

/** An arm of a sweep, with the values of the swept settings. */
export interface FactorialArm {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly blocks: readonly Block[];
}

/** A setting that differs between the arms, and its values in the order of the arms. */
interface Axis {
  readonly setting: string;
  readonly levels: readonly string[];
}

/** An axis with one of its later levels, which is compared with the first. */
interface Factor {
  readonly axis: Axis;
  readonly to: string;
}

/** Largest number of interacting settings; contrasts of more are many and small. */
const MAX_TOGETHER = 3;

/**
 * Returns the main effect of each level of a setting against the first level, over all levels of the others, and the
 * interactions of two or three settings: contrasts of the log time per sample over the cells, by round (F. Yates, The Design
 * and Analysis of Factorial Experiments, 1937). Skips rounds that a cell lacks. p is corrected separately for effects of one,
 * two and three settings, so that interactions do not cost main effects power. Empty if the arms are not all combinations,
 * or no round is complete.
 */
export function effectsOf(arms: readonly FactorialArm[]): Effect[] {
  const axes = axesOf(arms);
  if (axes === null) return [];
  const cells = arms.map(({ settings, blocks }) => ({ settings, times: logTimes(blocks) }));
  const rounds = [...cells[0]!.times.keys()].filter((round) => cells.every(({ times }) => times.has(round)));
  const estimated = combinations(axes).flatMap((factors) => {
    const weights = cells.map(({ settings }) => weightOf(settings, factors));
    const scale = 2 ** factors.length / weights.filter((weight) => weight !== 0).length;
    const differences = rounds.map((round) => ({
      log: scale * cells.reduce((sum, { times }, i) => sum - weights[i]! * times.get(round)!.log, 0),
      setup: cells[0]!.times.get(round)!.setup,
    }));
    const estimate = estimateDifferences(differences);
    return estimate === null ? [] : [{ factors, estimate }];
  });
  // In order of the number of settings, like combinations
  const families = [...Map.groupBy(estimated, ({ factors }) => factors.length).values()];
  const adjusted = families.flatMap((family) => holm(family.map(({ estimate }) => estimate.p)));
  return estimated.map(({ factors, estimate }, i) => ({
    factors: factors.map(({ axis, to }) => ({ setting: axis.setting, from: axis.levels[0]!, to })),
    ratio: ratioOf(estimate),
    p: estimate.p,
    adjustedP: adjusted[i]!,
  }));
}

/** Returns the settings that differ; null unless the arms are all combinations of their levels, each once. */
function axesOf(arms: readonly FactorialArm[]): Axis[] | null {
  const settings = [...new Set(arms.flatMap((arm) => Object.keys(arm.settings)))];
  if (arms.some((arm) => settings.some((setting) => !Object.hasOwn(arm.settings, setting)))) return null;
  const axes = settings
    .map((setting) => ({ setting, levels: [...new Set(arms.map((arm) => arm.settings[setting]!))] }))
    .filter(({ levels }) => levels.length > 1);
  const distinct = new Set(arms.map((arm) => JSON.stringify(axes.map(({ setting }) => arm.settings[setting]))));
  const whole = axes.reduce((product, { levels }) => product * levels.length, 1);
  return axes.length > 0 && distinct.size === arms.length && arms.length === whole ? axes : null;
}

/** Returns each level of each axis, then combinations of two axes, then of three. */
function combinations(axes: readonly Axis[]): Factor[][] {
  let last: { factors: Factor[]; next: number }[] = [{ factors: [], next: 0 }];
  const all: Factor[][] = [];
  for (let size = 1; size <= Math.min(MAX_TOGETHER, axes.length); size++) {
    last = last.flatMap(({ factors, next }) =>
      axes.slice(next).flatMap((axis, i) =>
        axis.levels.slice(1).map((to) => ({ factors: [...factors, { axis, to }], next: next + i + 1 }))
      )
    );
    all.push(...last.map(({ factors }) => factors));
  }
  return all;
}

/** Returns the contrast weight of a cell: the product of 1 per later level and -1 per first level; 0 for other levels. */
function weightOf(settings: FactorialArm["settings"], factors: readonly Factor[]): number {
  return factors.reduce((weight, { axis, to }) => {
    const level = settings[axis.setting]!;
    return weight * (level === to ? 1 : level === axis.levels[0] ? -1 : 0);
  }, 1);
}
