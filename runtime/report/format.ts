/** Placeholder for a number that was not measured. */
export const MISSING = "–";

/** Limit for the ends of a wide interval of ratios, and its inverse. */
const FAR = 100;

const MIB = 1024 * 1024;

/** Formats three significant digits: at least the integer part, at most two decimals. A tiny value is `<0.01`, not 0. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size > 0 && size < 0.005) return value > 0 ? "<0.01" : "-0.00";
  if (size >= 1e9) return value.toExponential(2);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** Formats a count: `272,474`. */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US");
}

/** Formats a count with its noun: `1 step`, `3 steps`. */
export function formatCounted(value: number, noun: string): string {
  return `${formatCount(value)} ${value === 1 ? noun : `${noun}s`}`;
}

/** Formats bytes in MiB, without the unit. */
export function formatMiB(bytes: number): string {
  return bytes === 0 ? "0" : formatNumber(bytes / MIB);
}

/** Formats a fraction in per cent, without the sign. */
export function formatPercent(ratio: number): string {
  const percent = ratio * 100;
  const text = percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0);
  return text === "-0.0" ? "0.0" : text;
}

/** Formats a fraction as a percentage: `12 %`, `1.2 %`, `<0.1 %`. */
export function percentText(ratio: number): string {
  return ratio > 0 && ratio < 0.0005 ? "<0.1 %" : `${formatPercent(ratio)} %`;
}

/** Formats a ratio of speeds: `×1.08`. */
export function formatRatio(ratio: number): string {
  return `×${ratioText(ratio, 2)}`;
}

/** Formats an interval: `1.05-1.12`. A narrow one has one more digit; one of very few rounds is `<0.01 to >100`. */
export function formatInterval(low: number, high: number): string {
  const digits = high - low < 0.015 ? 3 : 2;
  const [from, to] = ratioEnds(low, high, (ratio) => ratioText(ratio, digits));
  return `${from}${from.startsWith("<") || to.startsWith(">") ? " to " : "-"}${to}`;
}

/** Formats both ends of an interval of ratios. A very wide one, of two or three rounds, ends at `<0.01` and `>100`. */
export function ratioEnds(low: number, high: number, text: (ratio: number) => string): [low: string, high: string] {
  const isWide = high > FAR * low;
  return [isWide && low < 1 / FAR ? `<${1 / FAR}` : text(low), isWide && high > FAR ? `>${FAR}` : text(high)];
}

function ratioText(ratio: number, digits: number): string {
  return Math.abs(ratio) < 10 ? ratio.toFixed(digits) : formatNumber(ratio);
}

/** Formats a probability: `<0.001`, `0.031`, `0.25`. */
export function formatProbability(p: number): string {
  if (p > 0 && p < 0.001) return "<0.001";
  return p.toFixed(p < 0.0995 ? 3 : 2);
}

/** Formats milliseconds as seconds, with the unit. */
export function formatSeconds(milliseconds: number): string {
  return `${formatNumber(milliseconds / 1000)} s`;
}

/** Formats a loss with up to four significant digits. */
export function formatLoss(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1000 || (size > 0 && size < 0.001)) return value.toExponential(1);
  return value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

/** Formats the signed difference of two losses; `0` only when they are identical. */
export function formatDifference(value: number): string {
  if (value === 0) return "0";
  const text = Math.abs(value) < 0.001 ? value.toExponential(0) : formatLoss(value);
  return value > 0 ? `+${text}` : text;
}

/** Formats a duration: `0:07`, `12:30`, `1:02:03`. */
export function formatClock(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** Formats a number as C's `%g`: six significant digits, no trailing zeros, an exponent for very small or large ones. */
export function formatG(value: number): string {
  if (!Number.isFinite(value) || value === 0) return String(value);
  const [digits = "0", exponentText = "0"] = value.toExponential(5).split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return trimZeros(value.toFixed(5 - exponent));
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${trimZeros(digits)}e${exponent < 0 ? "-" : "+"}${size}`;
}

function trimZeros(digits: string): string {
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}
