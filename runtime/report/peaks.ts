import { isQuiet, peaksByName } from "../record/peak_choice.ts";
import type { Peak, Peaks } from "../record/peaks.ts";
import { formatNumber, formatPercent, MISSING } from "./format.ts";

/** Returns a peak with its unit: `64 GFLOP/s`. */
export function peakRate({ value, unit }: Peak): string {
  return `${formatNumber(value / 1e9)} G${unit === "FLOP/s" ? "FLOP/s" : "B/s"}`;
}

/** Returns the note of a table that depends on peaks: their values, date and conditions. */
export function peaksLine(peaks: Peaks): string {
  const all = peaksByName(peaks).map(([, peak]) => peak);
  const dates = all.map(({ date }) => date.slice(0, 10)).sort();
  const measured = dates[0] === dates.at(-1) ? dates[0] : `${dates[0]} to ${dates.at(-1)}`;
  const rates = peaksByName(peaks).map(([name, peak]) => `${name} ${peakRate(peak)}`);
  const disturbed = all.every(isQuiet) ? "" : "; not quiet, so the peaks may be higher: tacho peaks --measure";
  return `peaks of this adapter: ${rates.join(", ")}; measured ${measured} on the ${peaks.clock}'s clock, other load ` +
    `${range(all.map(({ load }) => load))}, spread ${range(all.map(({ spread }) => spread))}${disturbed}`;
}

/** Returns the range of fractions in percent: `2 to 5 %`. */
function range(fractions: readonly (number | null)[]): string {
  const known = fractions.filter((fraction) => fraction !== null);
  if (known.length < fractions.length) return MISSING;
  const [low, high] = [Math.min(...known), Math.max(...known)].map(formatPercent);
  return low === high ? `${low} %` : `${low} to ${high} %`;
}
