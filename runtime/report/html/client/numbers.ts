import { formatNumber, MISSING, ratioEnds } from "../../format.ts";

/** The number, or what stands for one that was not measured. */
export function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined) return MISSING;
  return value === 0 ? "0" : formatNumber(value);
}

/** A part of a whole in per cent, with the sign. */
export function percentText(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined) return MISSING;
  const percent = ratio * 100;
  return `${percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0)} %`;
}

/** `1.08 (1.04–1.12)`. */
export function estimateText(value: number, low: number | null, high: number | null): string {
  const interval = low === null || high === null ? "" : ` (${ratioEnds(low, high, ratioText).join("–")})`;
  return `${ratioText(value)}${interval}`;
}

/** A ratio: three digits after the point where it is close to 1. */
export function ratioText(ratio: number): string {
  if (!Number.isFinite(ratio)) return String(ratio);
  if (ratio >= 99.5) return formatNumber(ratio);
  if (ratio > 0 && ratio < 0.005) return ratio.toPrecision(2);
  return ratio.toFixed(Math.abs(ratio - 1) < 0.095 ? 3 : 2);
}

/** A number as short as an axis wants it. */
export function tickText(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e9) return `${trim(value / 1e9)}G`;
  if (size >= 1e6) return `${trim(value / 1e6)}M`;
  if (size >= 1e4) return `${trim(value / 1e3)}k`;
  return size < 1e-3 ? value.toExponential(0) : trim(value);
}

function trim(value: number): string {
  return String(Number(value.toPrecision(4)));
}
