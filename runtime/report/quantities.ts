import type { Metrics, OpRecord } from "../result/schema.ts";
import { formatNumber } from "./format.ts";

const SCALES = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]] as const;
const BYTES = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]] as const;

/** Formats floating-point operations: `151 MFLOP`. */
export function formatFlops(flops: number): string {
  const [prefix, size] = SCALES.find(([, size]) => flops >= size) ?? ["", 1];
  return prefix === "" ? `${flops} FLOP` : `${formatNumber(flops / size)} ${prefix}FLOP`;
}

/** Formats bytes: `8.40 MiB`. */
export function formatBytes(bytes: number): string {
  const [unit, size] = BYTES.find(([, size]) => bytes >= size) ?? ["B", 1];
  const isWhole = unit === "B" && Number.isInteger(bytes);
  return `${isWhole ? bytes : formatNumber(bytes / size)} ${unit}`;
}

/** Formats milliseconds in the unit that suits them: `3.20 us`, `533 ms`, `12.5 s`. */
export function formatTime(ms: number): string {
  const size = Math.abs(ms);
  if (size >= 10_000) return `${formatNumber(ms / 1000)} s`;
  return size < 0.9995 ? `${ms === 0 ? 0 : formatNumber(ms * 1000)} us` : `${formatNumber(ms)} ms`;
}

/** Formats a shape: `32x16x32x32`. */
export function formatShape(shape: readonly number[]): string {
  return shape.length === 0 ? "scalar" : shape.join("x");
}

/** Formats shapes, with types that differ from `dtype`: `32x10 32:i32`. */
export function formatTensors(tensors: OpRecord["inputs"], dtype: string): string {
  return tensors.map((tensor) => formatShape(tensor.shape) + (tensor.dtype === dtype ? "" : `:${tensor.dtype}`))
    .join(" ");
}

/** Returns what blocks count, by the unit of the throughput: tokens, steps of programs, else samples. */
export function countedNoun(
  variants: readonly { readonly metrics: { readonly ips: Pick<NonNullable<Metrics["ips"]>, "unit"> | null } }[],
): "sample" | "token" | "step" {
  const units = variants.map(({ metrics: { ips } }) => ips?.unit);
  return units.includes("tokens/s") ? "token" : units.includes("steps/s") ? "step" : "sample";
}

/** Returns milliseconds, or microseconds where all times are below 1 ms, and the factor from milliseconds. */
export function timeUnit(times: readonly (number | null)[]): [unit: string, scale: number] {
  const longest = times.reduce<number>((most, time) => Math.max(most, Math.abs(time ?? 0)), 0);
  return longest > 0 && longest < 1 ? ["us", 1000] : ["ms", 1];
}
