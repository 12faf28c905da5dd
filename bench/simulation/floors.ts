import type { Comparison, Metric } from "../../runtime/result/schema.ts";
import { type Setup, simulate } from "./experiments.ts";

/** Bands with which a speed-up is compared, by name, as fractions. */
const BANDS: Record<string, (setup: Setup, comparison: Comparison, floor: Metric) => number> = {
  "in use": (_, { band }) => band,
  "whole difference": ({ minEffect }, _, floor) => Math.max(minEffect, floor.value),
  "upper end": ({ minEffect }, _, floor) => Math.max(minEffect, floor.high!),
  "none": ({ minEffect }) => minEffect,
};

/** Returns how often the first variant is significantly outside each band, on either side. */
export function calledByBand(setup: Setup, experiments: number): Record<string, number> {
  const called: Record<string, number> = Object.fromEntries(Object.keys(BANDS).map((name) => [name, 0]));
  for (let seed = 0; seed < experiments; seed++) {
    const { byName, noiseFloor } = simulate(setup, seed);
    const comparison = byName.get("variant0")!.comparison!;
    const { low, high } = comparison.speedup;
    for (const [name, bandOf] of Object.entries(BANDS)) {
      const band = bandOf(setup, comparison, noiseFloor!);
      const outside = low! > 1 + band || high! < 1 / (1 + band);
      if (outside && comparison.adjustedP! < 0.05) called[name]! += 1 / experiments;
    }
  }
  return called;
}
