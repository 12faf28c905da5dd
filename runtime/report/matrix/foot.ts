import { energySentence } from "../outcome/energy.ts";
import { measuredMetrics } from "../../analysis/metrics.ts";
import { type Evaluation, fromLoss, type Result, type VariantResult } from "../../result/schema.ts";
import { tuningSummary, tuningWarnings } from "../autotune.ts";
import { formatCount, formatCounted, formatLoss, formatNumber, MISSING } from "../format.ts";
import { ABLATED, AMORTISED, INTERRUPTED } from "./column.ts";
import { missingReasons } from "./missing.ts";
import { aliases, procedureFacts, procedureWarnings } from "./procedure.ts";
import { disagreements, type FootLine, judgedBy, verdictLegend, verdictReasons } from "./verdicts.ts";
import { droppedNote, type Page, quiet } from "../page.ts";
import { nameInProse, namesInProse, perVariant } from "../plain_text.ts";
import { each } from "../settings.ts";
import { timestampFacts } from "../timestamps.ts";
import { wrap } from "../wrap.ts";

/** Selection of the notes below the matrix. */
export interface FootOptions {
  /** Adds the notes on method and the legend of columns, which reports always have. */
  readonly explain: boolean;
}

/** Line on the command line in place of the notes that `explain` adds. */
const MORE = "--explain shows how this was measured and what the columns mean";

/** Returns the lines below the matrix: failures, reasons for verdicts, warnings and signs, and the method on request. */
export function matrixFoot(
  result: Result,
  page: Page,
  { dropped, explain }: FootOptions & { readonly dropped: readonly string[] },
): string[] {
  const { width, paint } = page;
  const facts = (explain ? footFacts(result) : findings(result)).flatMap(({ text, tone }) =>
    wrap(text, width).map((line) => tone === undefined ? line : paint(line, tone))
  );
  const signs = explain ? footSigns(result) : [...missing(result), ...marks(result)];
  const more = explain || !page.flags ? [] : [MORE];
  return [...facts, ...[...signs, ...droppedNote(page, dropped), ...more].flatMap((sign) => quiet(page, sign))];
}

/** Returns the facts about a run, the most severe first, and how it was measured. */
export function footFacts(result: Result): FootLine[] {
  const energy = energySentence(result);
  return [
    ...findings(result),
    ...[...methodNotes(result), ...energy === null ? [] : [energy]].map((text) => ({ text })),
  ];
}

/** Returns the reasons for missing figures, then the legend of signs and columns. */
export function footSigns(result: Result): string[] {
  return [...missing(result), ...marks(result), ...legend(result)];
}

/** Returns the lines of {@linkcode footFacts} and {@linkcode footSigns} in two parts: what changes how the figures are read, and the method. */
export function footParts(result: Result): { readonly open: string[]; readonly folded: string[] } {
  const open = [...findings(result).map(({ text }) => text), ...missing(result), ...marks(result)];
  const all = [...footFacts(result).map(({ text }) => text), ...footSigns(result)];
  return { open, folded: all.filter((line) => !open.includes(line)) };
}

/** Returns the facts that change how the figures are read. */
function findings(result: Result): FootLine[] {
  const { variants } = result;
  const facts = [
    ...disagreements(result),
    ...aliases(result),
    ...tuningSummary(result),
    ...evaluations(variants),
    overflows(variants),
    skippedSamples(variants),
    warnedSamples(variants),
  ].flatMap((text) => text === null ? [] : [{ text }]);
  const tuning = tuningWarnings(result).map((text) => ({ text: `warning: ${text}`, tone: "warning" } as const));
  return [
    ...failures(result),
    ...verdictReasons(result),
    ...procedureWarnings(result),
    ...timestampFacts(variants),
    ...tuning,
    ...facts,
  ];
}

function missing(result: Result): string[] {
  return missingReasons(result).map((reason) => `${MISSING}  ${reason}`);
}

function failures({ variants }: Result): FootLine[] {
  const groups = Map.groupBy(variants.filter(({ error }) => error !== null), ({ error }) => error!.message);
  return [...groups].map(([message, failed]) => ({
    text: `${namesInProse(failed.map(({ name }) => name))} failed: ${message}`,
    tone: "bad",
  }));
}

/** Explains the marks after figures. */
function marks({ variants }: Result): string[] {
  const metrics = variants.flatMap((variant) => measuredMetrics(variant.metrics));
  return [
    metrics.some((metric) => metric.amortised) ? `${AMORTISED}  amortised: time of a sink / its steps` : null,
    variants.some(({ status }) => status === "interrupted")
      ? `${INTERRUPTED}  interrupted: figures up to the interruption`
      : null,
    variants.some(({ bottleneck }) => bottleneck?.byArms != null) ? `${ABLATED}  bound by ablations` : null,
  ].filter((line) => line !== null);
}

/** Explains the columns. */
function legend(result: Result): string[] {
  const { variants, baseline } = result;
  const statistic = result.procedure?.statistic;
  const blocks = Math.max(0, ...variants.map((variant) => variant.blocks.length));
  const losses = each(variants.map(({ finalLoss }) => finalLoss?.step), (step) => String(step + 1));
  const spread = variants.some(({ metrics }) => metrics.ips !== null && metrics.ips.min !== null);
  return [
    spread ? `±  half the interquartile range over the ${blocks} blocks` : null,
    variants.length > 1
      ? `×  speed relative to ${nameInProse(baseline)}${
        statistic === undefined ? "" : ` at the ${statistic} of a block`
      }`
      : null,
    ...verdictLegend(result),
    variants.some(({ stepTimes }) => stepTimes !== null) ? "step: batch cost of single steps, over all blocks" : null,
    losses === null
      ? null
      : `final loss: after ${losses === "1" ? "1 step" : `${losses} steps`}${
        variants.length > 1 ? " in every variant" : ""
      }`,
  ].filter((line) => line !== null);
}

/** Returns the last evaluation of every variant, one line for each kind. */
function evaluations(variants: readonly VariantResult[]): string[] {
  const lines = new Map<string, [string, string][]>();
  for (const { name, evaluations } of variants) {
    const last = evaluations.at(-1);
    if (last === undefined) continue;
    const what = `${last.accuracy === null ? "loss" : "accuracy"} on ${nameInProse(last.split)} data ` +
      `(${formatCount(last.samples)} samples) after step ${last.step}`;
    const line = lines.get(what) ?? [];
    lines.set(what, [...line, [name, `${score(last)}${replaced(last)}`]]);
  }
  return [...lines].map(([what, scores]) => `${what}: ${perVariant(scores, variants.length)}`);
}

function score({ accuracy, loss }: Evaluation): string {
  if (accuracy !== null) return `${(accuracy * 100).toFixed(1)} %`;
  return loss === null ? MISSING : formatLoss(fromLoss(loss));
}

function replaced({ skipped }: Evaluation): string {
  if (skipped === 0) return "";
  return ` (${formatCounted(skipped, "sample")} skipped and replaced)`;
}

function skippedSamples(variants: readonly VariantResult[]): string | null {
  const some = variants.flatMap(({ name, pipeline }) => pipeline?.skipped ? [{ name, ...pipeline }] : []);
  if (some.length === 0) return null;
  const first = some[0]!.skipReasons[0];
  const counts = perVariant(some.map(({ name, skipped }) => [name, formatCount(skipped)]));
  return `samples skipped because of errors: ${counts}${first === undefined ? "" : `; first error: ${first}`}`;
}

function warnedSamples(variants: readonly VariantResult[]): string | null {
  const some = variants.flatMap(({ name, pipeline }) => pipeline?.warnings ? [{ name, ...pipeline.warnings }] : []);
  if (some.length === 0) return null;
  const counts = perVariant(some.map(({ name, samples }) => [name, formatCount(samples)]));
  return `samples decoded with warnings: ${counts}; first warning: ${some[0]!.first}`;
}

function overflows(variants: readonly VariantResult[]): string | null {
  const some = variants.filter((variant) => (variant.overflows ?? 0) > 0);
  if (some.length === 0) return null;
  return `steps skipped after a gradient overflow: ${
    perVariant(some.map(({ name, overflows }) => [name, String(overflows)]))
  }`;
}

/** Returns how a run was measured and judged: noise floor, set-ups, outliers, probe, waits and tuning. */
function methodNotes(result: Result): string[] {
  const { variants } = result;
  return [
    ...judgedBy(result),
    ...procedureFacts(result),
    counts(variants),
    runtimeWait(variants),
  ].filter((note) => note !== null);
}

function counts(variants: readonly VariantResult[]): string | null {
  const facts = variants.flatMap(({ name, counts }) =>
    counts === null ? [] : [[name, `${counts.submits}/${counts.waits}/${counts.readbacks}`] as const]
  );
  return facts.length === 0 ? null : `submits/waits/readbacks: ${perVariant(facts, variants.length)}`;
}

function runtimeWait(variants: readonly VariantResult[]): string | null {
  const known = variants.filter((variant) => variant.metrics.runtimeWait !== null);
  if (known.length === 0) return null;
  const facts = known.map(({ name, metrics }) => [name, formatNumber(metrics.runtimeWait!.value)] as const);
  return `runtime wait (Deno's sleep after each wait for the device), ms per step: ${
    perVariant(facts, variants.length)
  }`;
}
