import type { Figures } from "../figures.ts";
import type { Gpu } from "../gpus.ts";
import { codeLines } from "../wgsl/lines.ts";
import { clampedIndices, integerArithmetic, scalarLoads, unpackedHalf } from "./loop.ts";
import { fewWaves, idleLanes, spills } from "./resources.ts";
import type { Advice, Rule } from "./rule.ts";

const RULES: Readonly<Record<string, Rule>> = {
  spills,
  "few-waves": fewWaves,
  "scalar-loads": scalarLoads,
  "idle-lanes": idleLanes,
  "integer-arithmetic": integerArithmetic,
  "clamped-indices": clampedIndices,
  "unpacked-f16": unpackedHalf,
};

/** Returns what to change in a kernel, the most costly first. */
export function adviceOn(
  { figures, wgsl, gpu }: { readonly figures: Figures; readonly wgsl: string; readonly gpu: Gpu },
): Advice[] {
  const context = { figures, gpu, lines: codeLines(wgsl) };
  return Object.entries(RULES).flatMap(([rule, find]) => {
    const found = find(context);
    return found === null ? [] : [{ rule, ...found }];
  }).sort((a, b) => b.share - a.share);
}
