/** What stands in print for a number that was not measured. */
export const MISSING = "–";

/** So many times as fast, or as slow, is as good as any. */
const FAR = 100;

const MIB = 1024 * 1024;

/** Three significant digits, never fewer than the integer part and never more than two decimals; a little is not 0. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size > 0 && size < 0.005) return value > 0 ? "<0.01" : "-0.00";
  if (size >= 1e9) return value.toExponential(2);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** `272,474`. */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US");
}

/** Bytes in MiB, without the unit. */
export function formatMiB(bytes: number): string {
  return bytes === 0 ? "0" : formatNumber(bytes / MIB);
}

/** A part of a whole in per cent, without the sign. */
export function formatPercent(ratio: number): string {
  const percent = ratio * 100;
  return percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0);
}

/** `×1.08`: times the speed. */
export function formatRatio(ratio: number): string {
  return `×${ratioText(ratio, 2)}`;
}

/** `1.05-1.12`; a narrow interval has a digit more, and one of next to no rounds is `<0.01 to >100`. */
export function formatInterval(low: number, high: number): string {
  const digits = high - low < 0.015 ? 3 : 2;
  const [from, to] = ratioEnds(low, high, (ratio) => ratioText(ratio, digits));
  return `${from}${from.startsWith("<") || to.startsWith(">") ? " to " : "-"}${to}`;
}

/** Both ends of an interval of ratios. What two or three rounds cannot tell at all is not told to the last digit. */
export function ratioEnds(low: number, high: number, text: (ratio: number) => string): [low: string, high: string] {
  const isWide = high > FAR * low;
  return [isWide && low < 1 / FAR ? `<${1 / FAR}` : text(low), isWide && high > FAR ? `>${FAR}` : text(high)];
}

function ratioText(ratio: number, digits: number): string {
  return Math.abs(ratio) < 10 ? ratio.toFixed(digits) : formatNumber(ratio);
}

/** A probability: `<0.001`, `0.031`, `0.25`. */
export function formatProbability(p: number): string {
  if (p > 0 && p < 0.001) return "<0.001";
  return p.toFixed(p < 0.0995 ? 3 : 2);
}

/** Milliseconds as seconds, with the unit. */
export function formatSeconds(milliseconds: number): string {
  return `${formatNumber(milliseconds / 1000)} s`;
}

/** A loss as far as it is worth reading. */
export function formatLoss(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1000 || (size > 0 && size < 0.001)) return value.toExponential(1);
  return value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

/** The distance of two losses with its sign; `0` only when they are identical. */
export function formatDifference(value: number): string {
  if (value === 0) return "0";
  const text = Math.abs(value) < 0.001 ? value.toExponential(0) : formatLoss(value);
  return value > 0 ? `+${text}` : text;
}

/** `0:07`, `12:30`, `1:02:03`. */
export function formatClock(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
