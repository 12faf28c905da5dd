/**
 * What was seen while a run went on that takes from what its figures are worth.
 *
 * @module
 */
import type { Trend } from "../analysis/probe_trend.ts";
import type { Procedure, VariantResult } from "../result/schema.ts";
import type { Alias } from "../scenario/duplicates.ts";

/** A probe that slows down by more than this part over the run is worth a warning. */
const THROTTLING = 0.05;

/** A block of less than this is as short as a pause of the system or a thread's turn: ms. */
const SHORT_BLOCK = 50;

type Warning = Procedure["warnings"][number];
type Copy = Pick<VariantResult, "name" | "status" | "error" | "losses">;

/** What a run has seen. */
export interface Seen {
  readonly aliases: readonly Alias[];
  readonly baseline: Copy | undefined;
  /** The control arm; null where there was none. */
  readonly controlArm: Copy | null;
  /** Of the fixed kernel between rounds. */
  readonly trend: Trend | null;
  readonly variants: readonly Pick<VariantResult, "name" | "blocks">[];
}

export function runWarnings({ aliases, baseline, controlArm, trend, variants }: Seen): Warning[] {
  const warnings: Warning[] = [];
  const warn = (kind: string, message: string) => void warnings.push({ kind, message });
  for (const { name, of } of aliases) {
    warn("alias", `"${name}" is set up exactly as "${of}" and was not run again: "${of}" stands for both`);
  }
  if (baseline !== undefined && controlArm !== null) {
    // Where both failed the baseline's own error says so
    if (controlArm.error !== null && baseline.status !== "failed") {
      warn(
        "second-arm",
        `the second copy of "${baseline.name}" failed, so the noise is not known: ${controlArm.error.message}`,
      );
    }
    const step = unlikeStep(baseline, controlArm);
    if (step !== null) {
      warn(
        "not-deterministic",
        `the two copies of "${baseline.name}" differ in the loss of step ${step}: this adapter or driver does not ` +
          "compute the same twice, so losses cannot be compared to the last bit",
      );
    }
  }
  if (trend !== null && trend.significant && trend.change > THROTTLING) {
    warn(
      "throttling",
      `a fixed kernel took ${(trend.change * 100).toFixed(0)} % longer at the end than at the start: the device ` +
        "throttles, or other programs take more and more of it",
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
      } ms, less than a pause of the system may: figures of so short ` +
        `blocks are chance; give them ${enough} steps (--steps ${enough})`,
    );
  }
  return warnings;
}

function shortBlocks({ name, blocks }: Seen["variants"][number]) {
  const walls = blocks.map(({ wall }) => wall).sort((a, b) => a - b);
  const wall = walls[walls.length >> 1];
  return wall === undefined || wall >= SHORT_BLOCK ? [] : [{ name, wall, steps: blocks[0]!.steps.length }];
}

/** The first step in which two copies of one variant, which learn the same, have other losses. */
function unlikeStep(a: Copy, b: Copy): number | null {
  const step = b.losses.findIndex((loss, i) => a.losses[i] !== undefined && a.losses[i] !== loss);
  return step < 0 ? null : step;
}
