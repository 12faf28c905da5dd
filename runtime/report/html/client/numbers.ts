import { formatNumber, MISSING } from "../../format.ts";

/** Formats a number, or the placeholder for a missing one. */
export function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined) return MISSING;
  return value === 0 ? "0" : formatNumber(value);
}

/** Formats a fraction in per cent, with the sign. */
export function percentText(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined) return MISSING;
  const percent = ratio * 100;
  return `${percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0)} %`;
}

/** Formats a number for an axis. */
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
