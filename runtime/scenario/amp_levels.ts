import type { FloatType } from "../core/dtype.ts";
import type { PrecisionRule } from "../graph/op.ts";
import { ALL_OPS } from "../nn/all_ops.ts";

/** Levels of mixed precision, after NVIDIA Apex. f16 is a storage type throughout; sums are in f32. */
export const AMP_LEVELS = ["O0", "O1", "O2", "O3"] as const;

export type AmpLevel = (typeof AMP_LEVELS)[number];

/** Data type of an op at each level, by the op's precision rule; null leaves it unchanged. */
export const DATA_TYPES: Readonly<Record<AmpLevel, Readonly<Record<PrecisionRule, FloatType | null>>>> = {
  O0: { compute: "f32", follow: "f32", normalize: "f32", wide: "f32", loss: "f32", fixed: null },
  O1: { compute: "f16", follow: "f32", normalize: "f32", wide: "f32", loss: "f32", fixed: null },
  O2: { compute: "f16", follow: "f16", normalize: "f16", wide: "f32", loss: "f32", fixed: null },
  O3: { compute: "f16", follow: "f16", normalize: "f16", wide: "f16", loss: "f16", fixed: null },
};

/** Storage type of parameters and running statistics. */
export const STORED_TYPES: Readonly<Record<AmpLevel, FloatType>> = { O0: "f32", O1: "f32", O2: "f32", O3: "f16" };

/** Lists the ops with f16 data at a level, each formatted by `show`: `all but cross_entropy`. */
export function halfPrecisionOps(level: AmpLevel, show = (type: string) => type): string {
  const types = (wanted: FloatType) =>
    ALL_OPS.filter(({ precision, gradient }) => gradient !== undefined && DATA_TYPES[level][precision] === wanted)
      .map(({ type }) => show(type));
  const [half, single] = [types("f16"), types("f32")];
  if (half.length === 0) return "none";
  if (single.length === 0) return "all";
  return half.length < single.length ? half.join(", ") : `all but ${single.join(", ")}`;
}

/** Describes all levels in one line. */
export function describeLevels(): string {
  const levels = AMP_LEVELS.map((level) => `${level}: ${halfPrecisionOps(level)}`).join("; ");
  const stored = AMP_LEVELS.filter((level) => STORED_TYPES[level] === "f16").join(", ");
  return `ops with f16 data: ${levels}; weights and running statistics: f32, in ${stored} f16`;
}
