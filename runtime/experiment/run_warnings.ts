/**
 * Warnings about events during a run that make its figures less reliable.
 *
 * @module
 */
import type { Trend } from "../analysis/probe_trend.ts";
import type { Procedure, VariantResult } from "../result/schema.ts";
import type { Alias } from "../scenario/duplicates.ts";

/** Slow-down of the probe kernel over the run that causes a warning, as a fraction. */
const THROTTLING = 0.05;

/** Blocks shorter than this are as short as a scheduling delay, in ms. */
const SHORT_BLOCK = 50;

type Warning = Procedure["warnings"][number];
type Copy = Pick<VariantResult, "name" | "status" | "error" | "losses">;

/** Observations of a run. */
export interface Seen {
  readonly aliases: readonly Alias[];
  readonly baseline: Copy | undefined;
  /** Control arm; null without one. */
  readonly controlArm: Copy | null;
  /** Trend of the probe kernel's time; null without one. */
  readonly trend: Trend | null;
  readonly variants: readonly Pick<VariantResult, "name" | "blocks">[];
}

/** Returns the warnings of a run. */
export function runWarnings({ aliases, baseline, controlArm, trend, variants }: Seen): Warning[] {
  const warnings: Warning[] = [];
  const warn = (kind: string, message: string) => void warnings.push({ kind, message });
  for (const { name, of } of aliases) {
    warn("alias", `"${name}" has the same settings as "${of}" and was not run again; see "${of}" for its results`);
  }
  if (baseline !== undefined && controlArm !== null) {
    // If both failed, the baseline's own error says so
    if (controlArm.error !== null && baseline.status !== "failed") {
      warn(
        "second-arm",
        `the control arm of "${baseline.name}" failed, so the noise floor is unknown: ${controlArm.error.message}`,
      );
    }
    const step = differingStep(baseline, controlArm);
    if (step !== null) {
      warn(
        "not-deterministic",
        `"${baseline.name}" and its control arm differ in the loss of step ${step}: this adapter or driver is not ` +
          "deterministic, so losses cannot be compared exactly",
      );
    }
  }
  if (trend !== null && trend.significant && trend.change > THROTTLING) {
    warn(
      "throttling",
      `the probe kernel took ${(trend.change * 100).toFixed(0)} % longer at the end than at the start: the device ` +
        "throttles, or other programs use it increasingly",
    );
  }
  const short = variants.flatMap(shortBlocks).toSorted((a, b) => a.wall - b.wall)[0];
  if (short !== undefined) {
    const { name, wall, steps } = short;
    const enough = Math.ceil(steps * SHORT_BLOCK / Math.max(wall, 0.1));
    warn(
      "short-blocks",
      `a block of "${name}" takes ${
        wall.toPrecision(2)
      } ms, which is as short as a scheduling delay; use ${enough} steps per block (measure.steps=${enough})`,
    );
  }
  return warnings;
}

function shortBlocks({ name, blocks }: Seen["variants"][number]) {
  const walls = blocks.map(({ wall }) => wall).sort((a, b) => a - b);
  const wall = walls[walls.length >> 1];
  return wall === undefined || wall >= SHORT_BLOCK ? [] : [{ name, wall, steps: blocks[0]!.steps.length }];
}

/** Returns the first step whose loss differs between two copies of a variant, or null. */
function differingStep(a: Copy, b: Copy): number | null {
  const step = b.losses.findIndex((loss, i) => a.losses[i] !== undefined && a.losses[i] !== loss);
  return step < 0 ? null : step;
}
