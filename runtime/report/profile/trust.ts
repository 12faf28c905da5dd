import { stalledGaps, stalledOps } from "../../analysis/op_stalls.ts";
import { SIGNIFICANT_RESIDUAL } from "../../analysis/residual_cause.ts";
import { isOwnLoop } from "../own_loop.ts";
import type { Defects, OpRecord, PhaseSplit, Profile, Result, VariantResult } from "../../result/schema.ts";
import { formatCounted, formatNumber, formatPercent, MISSING } from "../format.ts";
import { nameText } from "../plain_text.ts";
import { doubtful } from "../timestamps.ts";

/** Source of a table's figures, which determines what can be wrong with them. */
export type Source = "phases" | "ops" | "host";

/** Returns why device times are unknown; null where they are known. */
export function untimed({ environment: { adapter } }: Result): string | null {
  if (adapter === null || adapter.features.includes("timestamp-query")) return null;
  return "The adapter has no timestamp queries: device times are unknown";
}

/** Returns the notes on the accuracy of a table. */
export function trustLines({ config, profile, ops }: VariantResult, source: Source): string[] {
  if (profile === null) return [`cost of profiling: ${MISSING}, no steps were profiled`];
  const timed = profile.phases.length > 0 || profile.trust.resolution !== null;
  const parts = [
    source === "ops" ? residualShares(profile) : null,
    source === "ops" ? defects(profile.trust.defects) : null,
    source === "host" || !timed ? null : clock(profile),
  ];
  return [
    ...source === "ops" ? stallLines(profile, ops) : [],
    parts.filter((part) => part !== null).join(" · "),
    ...source === "ops" ? residualCauses(profile) : [],
    cost(profile, isOwnLoop(config)),
  ].filter((line) => line !== "");
}

/** Number of stalled ops to name. */
const NAMED_STALLS = 3;

/** Returns a line that names ops and gaps that stalled in one step; none without stalls. */
export function stallLines({ phases }: Profile, ops: readonly OpRecord[]): string[] {
  const all = [
    ...stalledOps(ops).map(({ op, worst, median }) =>
      `${op.name} ${formatNumber(worst)} ms once, median ${formatNumber(median)} ms`
    ),
    ...stalledGaps(phases).map(({ before, worst, usual }) =>
      `gap of ${formatNumber(worst)} ms before ${nameText(before, 40)} once, usually at most ${formatNumber(usual)} ms`
    ),
  ];
  if (all.length === 0) return [];
  const more = all.length > NAMED_STALLS ? `; and ${all.length - NAMED_STALLS} more` : "";
  const named = all.slice(0, NAMED_STALLS).join("; ");
  return [`stalled: ${named}${more} (total, mean and max include it, median and share do not)`];
}

/** Returns how ops and residual add up to each phase's interval; null where no phase was timed. */
export function residuals({ profile }: VariantResult): string | null {
  if (profile === null || profile.phases.length === 0) return null;
  const parts = profile.phases.map(({ phase, interval, ops, residual }) =>
    `${phase} ${signed(ops)} + ${signed(residual)} = ${signed(interval)}`
  );
  return `ops + residual = phase, medians in ms per profiled step: ${parts.join("; ")}`;
}

function residualShares({ phases }: Profile): string | null {
  if (phases.length === 0) return null;
  const share = (residual: number, interval: number) => interval > 0 ? formatPercent(residual / interval) : MISSING;
  const parts = phases.map(({ phase, interval, residual }) => `${phase} ${share(residual, interval)} %`);
  return `residual: ${parts.join(", ")}`;
}

/** Returns a line for each phase with a residual above 5 %, which names its cause. */
export function residualCauses({ phases }: Profile): string[] {
  return phases.filter(({ residual, interval }) => residual > SIGNIFICANT_RESIDUAL * interval).map((split) => {
    const { phase, residual, interval } = split;
    return `residual of ${phase}, ${formatPercent(residual / interval)} %: ${causeText(split)}`;
  });
}

function causeText({ cause, gaps, measured }: PhaseSplit): string {
  const between = `${formatCounted(gaps?.count ?? 0, "gap")} between kernels`;
  const also = measured === null ? "" : ` (${formatNumber(measured)} ms)`;
  switch (cause) {
    case "stall": {
      const { ms = NaN, before = "" } = gaps?.longest ?? {};
      return `one gap of ${formatNumber(ms)} ms before ${nameText(before, 40)}, far longer than the others`;
    }
    case "submits":
      return "gaps between submits, since a step has more dispatches than a query set holds";
    case "launches":
      return `${between}, which the measured steps have too${also}`;
    case "timestamps":
      return `${between}, which are timed one by one; the measured steps do not have them${also}`;
    case null:
      return `${between}; ${measured === null ? "the measured steps' phases were not timed" : "cause not recorded"}`;
  }
}

function defects(counts: Defects): string | null {
  const some = doubtful(counts);
  return some === null ? null : `doubtful timestamps: ${some}`;
}

function clock({ trust: { nsPerTick, offsetUncertainty, resolution } }: Profile): string {
  const parts = [
    nsPerTick === null
      ? "not calibrated"
      : `${nsPerTick.value.toFixed(6)} ns per tick ±${nsPerTick.uncertainty.toExponential(0)}`,
    offsetUncertainty === null ? null : `aligned with the host's within ${formatNumber(offsetUncertainty)} ms`,
    resolution === null ? null : `resolution ${formatNumber(resolution)} ns`,
  ];
  return `device clock: ${parts.filter((part) => part !== null).join(", ")}`;
}

function cost({ cost: { phases, ops, uncertainty } }: Profile, ownLoop: boolean): string {
  const percent = (ratio: number | null, within: number | undefined) => {
    if (ratio === null) return MISSING;
    return `${formatPercent(ratio)}${within === undefined ? "" : ` ±${formatPercent(within)}`} %`;
  };
  if (ownLoop) return `cost of profiling, of the batch cost: ${percent(ops, uncertainty?.ops)}`;
  return `cost of profiling, of the batch cost: ${percent(phases, uncertainty?.phases)} for phases, ` +
    `${percent(ops, uncertainty?.ops)} for every dispatch`;
}

function signed(value: number): string {
  return value < 0 ? `-${formatNumber(-value)}` : formatNumber(value);
}
