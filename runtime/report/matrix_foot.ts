import { type Evaluation, fromLoss, type Result, type VariantResult } from "../result/schema.ts";
import { tuningSummary } from "./autotune.ts";
import type { Paint } from "./color.ts";
import { formatCount, formatLoss, formatNumber, MISSING } from "./format.ts";
import { AMORTISED, INTERRUPTED } from "./matrix_columns.ts";
import type { MissingReasons } from "./missing.ts";
import { each } from "./settings.ts";
import { wrap } from "./wrap.ts";

export interface FootOptions {
  missing: MissingReasons;
  /** Names of the columns that did not fit. */
  dropped: readonly string[];
  width: number;
  paint: Paint;
}

/** The lines below the matrix: failures, what was learnt, and what the signs mean. */
export function matrixFoot(result: Result, { missing, dropped, width, paint }: FootOptions): string[] {
  const failures = [...Map.groupBy(result.variants, ({ error }) => error?.message)]
    .filter(([message]) => message !== undefined)
    .flatMap(([message, failed]) => wrap(`${failed.map(({ name }) => name).join(", ")} failed: ${message}`, width))
    .map((line) => paint(line, "bad"));
  const facts = [
    ...evaluations(result.variants),
    overflows(result.variants),
    skippedSamples(result.variants),
    counts(result.variants),
    runtimeWait(result.variants),
    ...tuningSummary(result),
  ].flatMap((fact) => fact === null ? [] : wrap(fact, width));
  const signs = [
    ...missing.sentences().map((sentence) => `${MISSING}  ${sentence}`),
    ...legend(result),
    dropped.length === 0 ? null : `not shown in ${width} columns: ${dropped.join(", ")}`,
  ].flatMap((sign) => sign === null ? [] : wrap(sign, width, 3)).map((line) => paint(line, "quiet"));
  return [...failures, ...facts, ...signs];
}

function legend({ variants, baseline }: Result): (string | null)[] {
  const metrics = variants.flatMap((variant) => Object.values(variant.metrics).filter((metric) => metric !== null));
  const blocks = Math.max(0, ...variants.map((variant) => variant.blocks.length));
  const losses = each(variants.map(({ finalLoss }) => finalLoss?.step), (step) => String(step + 1));
  const spread = variants.some(({ metrics }) => metrics.ips !== null && metrics.ips.low !== null);
  return [
    metrics.some((metric) => metric.amortised) ? `${AMORTISED}  amortised: the time of a sink / its steps` : null,
    variants.some(({ status }) => status === "interrupted")
      ? `${INTERRUPTED}  interrupted: what was measured until then`
      : null,
    spread ? `±  half the range of the ${blocks} blocks` : null,
    variants.length > 1 ? `×  times the speed of ${baseline}` : null,
    losses === null
      ? null
      : `final loss: after ${losses === "1" ? "1 step" : `${losses} steps`}${
        variants.length > 1 ? " of every variant" : ""
      }`,
  ];
}

/** The last evaluation of every variant, those of one kind in a line. */
function evaluations(variants: readonly VariantResult[]): string[] {
  const lines = new Map<string, string[]>();
  for (const { name, evaluations } of variants) {
    const last = evaluations.at(-1);
    if (last === undefined) continue;
    const what = `${last.accuracy === null ? "loss" : "accuracy"} on ${last.split} data ` +
      `(${formatCount(last.samples)} samples) after step ${last.step}`;
    const line = lines.get(what) ?? [];
    lines.set(what, [...line, `${name} ${score(last)}`]);
  }
  return [...lines].map(([what, scores]) => `${what}: ${scores.join(", ")}`);
}

function score({ accuracy, loss }: Evaluation): string {
  if (accuracy !== null) return `${(accuracy * 100).toFixed(1)} %`;
  return loss === null ? MISSING : formatLoss(fromLoss(loss));
}

function skippedSamples(variants: readonly VariantResult[]): string | null {
  const some = variants.flatMap(({ name, pipeline }) => pipeline?.skipped ? [{ name, ...pipeline }] : []);
  if (some.length === 0) return null;
  const first = some[0]!.skipReasons[0];
  return "samples skipped because they could not be made: " +
    `${some.map(({ name, skipped }) => `${name} ${formatCount(skipped)}`).join(", ")}` +
    (first === undefined ? "" : `; the first: ${first}`);
}

function overflows(variants: readonly VariantResult[]): string | null {
  const some = variants.filter((variant) => (variant.overflows ?? 0) > 0);
  if (some.length === 0) return null;
  return `steps skipped because a gradient overflowed: ${some.map((v) => `${v.name} ${v.overflows}`).join(", ")}`;
}

function counts(variants: readonly VariantResult[]): string | null {
  const known = variants.filter((variant) => variant.counts !== null);
  if (known.length === 0) return null;
  const words = known.map(({ name, counts }) => `${name} ${counts!.submits}/${counts!.waits}/${counts!.readbacks}`);
  return `submits/waits/readbacks: ${words.join(", ")}`;
}

function runtimeWait(variants: readonly VariantResult[]): string | null {
  const known = variants.filter((variant) => variant.metrics.runtimeWait !== null);
  if (known.length === 0) return null;
  const words = known.map(({ name, metrics }) => `${name} ${formatNumber(metrics.runtimeWait!.value)}`);
  return `runtime wait, Deno's own sleep after a wait for the device, in ms a step: ${words.join(", ")}`;
}
