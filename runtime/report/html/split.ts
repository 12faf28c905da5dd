import type { Result, VariantResult } from "../../result/schema.ts";
import { differences } from "../differences.ts";
import { boundSentence } from "../pipeline_bound.ts";
import { settingsOf } from "../settings.ts";
import { residuals, trustLines } from "../profile/trust.ts";
import { packRows } from "./packing.ts";
import type { Overview, VariantDetail, VariantOverview, VariantWords } from "./embedded.ts";

/** The result without the bulk of its variants, and that bulk for each of them. */
export function splitResult(result: Result, command: string | null): { overview: Overview; details: VariantDetail[] } {
  const { variants, ...rest } = result;
  const baseline = variants.find(({ name }) => name === result.baseline) ?? null;
  return {
    overview: { ...rest, variants: variants.map(overviewOf), command: command ?? commandOf(result) },
    details: variants.map((variant) => detailOf(variant, baseline)),
  };
}

function overviewOf(variant: VariantResult): VariantOverview {
  const { blocks, ops: _ops, profile: _profile, queues: _queues, pipeline: _pipeline, autotune: _, ...rest } = variant;
  return { ...rest, blocks: blocks.map((block) => ({ ...block, steps: block.steps.length })) };
}

function detailOf(variant: VariantResult, baseline: VariantResult | null): VariantDetail {
  const { blocks, ops, profile, queues, pipeline, autotune } = variant;
  return {
    blocks: blocks.map((block) => ({ ...block, steps: packRows(block.steps) })),
    ops: packRows(ops),
    profile: profile && { ...profile, memory: packRows(profile.memory) },
    queues,
    pipeline,
    autotune,
    words: wordsOf(variant, baseline),
  };
}

function wordsOf(variant: VariantResult, baseline: VariantResult | null): VariantWords {
  const alone = baseline === null || baseline === variant;
  return {
    stepTrust: trustLines(variant, "phases"),
    opTrust: trustLines(variant, "ops"),
    residuals: residuals(variant),
    pipeline: variant.pipeline === null ? null : boundSentence(variant.pipeline),
    apart: alone ? [] : differences(variant.config, baseline.config),
  };
}

/** As far as the result tells: settings that the command line changed are not in it. */
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
