import { memoryTotals } from "../../analysis/memory_points.ts";
import type { Result, VariantResult } from "../../result/schema.ts";
import { footParts } from "../matrix/foot.ts";
import { settingsOf } from "../settings.ts";
import { packRows } from "./packing.ts";
import type { Overview, VariantDetail, VariantOverview } from "./embedded.ts";

/** Splits a result into an overview and the details of each variant. */
export function splitResult(result: Result, command: string | null): { overview: Overview; details: VariantDetail[] } {
  const { variants, ...rest } = result;
  return {
    overview: {
      ...rest,
      variants: variants.map(overviewOf),
      command: command ?? commandOf(result),
      foot: footParts(result),
    },
    details: variants.map(detailOf),
  };
}

function overviewOf(variant: VariantResult): VariantOverview {
  const { blocks, ops: _ops, profile, queues: _queues, pipeline: _pipeline, autotune: _, ...rest } = variant;
  const memoryOverStep = memoryTotals(profile?.memory ?? []);
  return { ...rest, memoryOverStep, blocks: blocks.map((block) => ({ ...block, steps: block.steps.length })) };
}

function detailOf(variant: VariantResult): VariantDetail {
  const { blocks, ops, profile, queues, pipeline, autotune } = variant;
  return {
    blocks: blocks.map((block) => ({ ...block, steps: packRows(block.steps) })),
    ops: packRows(ops),
    profile: profile && { ...profile, memory: packRows(profile.memory) },
    queues,
    pipeline,
    autotune,
  };
}

/** Reconstructs a command line from the result, which does not record overrides on the command line. */
function commandOf({ scenario: { file, seed }, variants }: Result): string | null {
  if (file === null) return null;
  const settings = variants.map(({ config }) => settingsOf(config));
  const flag = (name: "steps" | "skip" | "rounds") => {
    const values = new Set(settings.map((one) => one[name]));
    const [value] = values;
    return values.size === 1 && value !== undefined ? ` --${name} ${value}` : "";
  };
  const script = /^[\w./-]+$/.test(file) ? file : JSON.stringify(file);
  return `deno run -A ${script} --seed ${seed}${flag("steps")}${flag("skip")}${flag("rounds")}`;
}
