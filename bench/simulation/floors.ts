import { logSpeedups } from "../../runtime/analysis/comparison/block_pairs.ts";
import { noiseFloor } from "../../runtime/analysis/comparison/estimate.ts";
import { estimateDifferences } from "../../runtime/analysis/comparison/setups.ts";
import { drawMatrix, type Setup } from "./experiments.ts";

/** Logs up to which a difference counts as none, by rule, from the difference between two runs of the baseline. */
const RULES: Record<string, (difference: number, floor: number) => number> = {
  "in use": (_, floor) => floor,
  "whole difference": (difference) => difference,
  "none": () => 0,
};

/** Returns how often the first variant is significantly outside of each band, on either side. */
export function calledByBand(setup: Setup, experiments: number): Record<string, number> {
  const called: Record<string, number> = Object.fromEntries(Object.keys(RULES).map((name) => [name, 0]));
  for (let seed = 0; seed < experiments; seed++) {
    const { arms, controlArm, minEffect } = drawMatrix(setup, seed);
    const [baseline, variant] = arms;
    const { interval, p } = estimateDifferences(logSpeedups(variant!.blocks, baseline!.blocks))!;
    const again = estimateDifferences(logSpeedups(controlArm!, baseline!.blocks))!;
    for (const [name, rule] of Object.entries(RULES)) {
      const band = Math.max(Math.log1p(minEffect), rule(Math.abs(again.value), Math.log1p(noiseFloor(again))));
      if (p < 0.05 && (interval!.low > band || interval!.high < -band)) called[name]! += 1 / experiments;
    }
  }
  return called;
}
