import { stalledOps } from "../../analysis/op_stalls.ts";
import type { Defects, OpRecord, Profile, Result, VariantResult } from "../../result/schema.ts";
import { formatNumber, formatPercent, MISSING } from "../format.ts";
import { doubtful } from "../timestamps.ts";

/** Source of a table's figures, which determines what can be wrong with them. */
export type Source = "phases" | "ops" | "host";

/** Returns why device times are unknown; null where they are known. */
export function untimed({ environment: { adapter } }: Result): string | null {
  if (adapter === null || adapter.features.includes("timestamp-query")) return null;
  return "The adapter has no timestamp queries: device times are unknown";
}

/** Returns the notes on the accuracy of a table. */
export function trustLines({ profile, ops }: VariantResult, source: Source): string[] {
  if (profile === null) return [`cost of profiling: ${MISSING}, no steps were profiled`];
  const timed = profile.phases.length > 0 || profile.trust.resolution !== null;
  const parts = [
    source === "ops" ? residualShares(profile) : null,
    source === "ops" ? defects(profile.trust.defects) : null,
    source === "host" || !timed ? null : clock(profile),
  ];
  return [
    source === "ops" ? stalls(ops) : "",
    parts.filter((part) => part !== null).join(" · "),
    cost(profile),
  ].filter((line) => line !== "");
}

/** Number of stalled ops to name. */
const NAMED_STALLS = 3;

function stalls(ops: readonly OpRecord[]): string {
  const all = stalledOps(ops);
  if (all.length === 0) return "";
  const named = all.slice(0, NAMED_STALLS).map(({ op, worst, median }) =>
    `${op.name} ${formatNumber(worst)} ms once, median ${formatNumber(median)} ms`
  );
  const more = all.length > NAMED_STALLS ? `; and ${all.length - NAMED_STALLS} more` : "";
  return `stalled: ${named.join("; ")}${more} (total, mean and max include it, median and share do not)`;
}

/** Returns how ops and residual add up to each phase's interval; null where no phase was timed. */
export function residuals({ profile }: VariantResult): string | null {
  if (profile === null || profile.phases.length === 0) return null;
  const parts = profile.phases.map(({ phase, interval, ops, residual }) =>
    `${phase} ${signed(ops)} + ${signed(residual)} = ${signed(interval)}`
  );
  return `ops + residual = phase, in ms per profiled step: ${parts.join("; ")}`;
}

function residualShares({ phases }: Profile): string | null {
  if (phases.length === 0) return null;
  const share = (residual: number, interval: number) => interval > 0 ? formatPercent(residual / interval) : MISSING;
  const parts = phases.map(({ phase, interval, residual }) => `${phase} ${share(residual, interval)} %`);
  return `residual: ${parts.join(", ")}`;
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

function cost({ cost: { phases, ops, uncertainty } }: Profile): string {
  const percent = (ratio: number | null, within: number | undefined) => {
    if (ratio === null) return MISSING;
    return `${formatPercent(ratio)}${within === undefined ? "" : ` ±${formatPercent(within)}`} %`;
  };
  return `cost of profiling, of the batch cost: ${percent(phases, uncertainty?.phases)} for phases, ` +
    `${percent(ops, uncertainty?.ops)} for every op`;
}

function signed(value: number): string {
  return value < 0 ? `-${formatNumber(-value)}` : formatNumber(value);
}
