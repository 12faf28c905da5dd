import { compareArms, type CompareInput, type Comparisons } from "../../runtime/analysis/comparison/compare.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { roundOrder } from "../../runtime/experiment/rounds/order.ts";
import type { Block } from "../../runtime/result/schema.ts";
import type { Machine } from "./machines.ts";

export interface Setup {
  readonly machine: Machine;
  readonly rounds: number;
  /** Rounds of each set-up; a single set-up by default. */
  readonly roundsPerSetup?: number;
  /** True speed-ups of the variants, minus 1. */
  readonly effects: readonly number[];
  readonly minEffect: number;
  readonly controlArm: boolean;
}

/** The order of a round, drawn once for each seed. */
const orders = new Map<string, number[]>();

function orderOf(arms: number, seed: number, round: number): number[] {
  const key = `${arms} ${seed} ${round}`;
  const known = orders.get(key) ?? roundOrder(arms, seed, round);
  orders.set(key, known);
  return known;
}

const SAMPLES = 320;
const WALL = 1000;

/** Returns the matrix of one simulated experiment: a baseline, its control arm, and a variant per effect. */
export function simulate(setup: Setup, seed: number): Comparisons {
  return compareArms(drawMatrix(setup, seed));
}

export function drawMatrix(
  { machine, rounds, roundsPerSetup = rounds, effects, minEffect, controlArm }: Setup,
  seed: number,
): CompareInput {
  const random = new RandomStream(seed, rounds, effects.length);
  const speedups = [0, ...controlArm ? [0] : [], ...effects];
  const { offsets: drawn } = machine;
  const offsetOf = typeof drawn === "number" ? () => drawn * random.normal() : () => drawn(random);
  const offsets = Array.from(
    { length: Math.ceil(rounds / roundsPerSetup) },
    () => speedups.map((effect) => offsetOf() - Math.log1p(effect)),
  );
  const noise = machine.sample(random, rounds * speedups.length);
  const blocks: Block[][] = speedups.map(() => []);
  const slowing = controlArm ? 2 : 1;
  let last = -1;
  for (let round = 0, i = 0; round < rounds; round++) {
    const setup = Math.floor(round / roundsPerSetup);
    for (const [position, arm] of orderOf(speedups.length, seed, round).entries()) {
      const carried = last === slowing && (arm !== slowing || machine.carryOver?.onItself === true);
      last = arm;
      const wall = WALL * Math.exp(noise[i++]! + offsets[setup]![arm]! + (carried ? machine.carryOver?.size ?? 0 : 0));
      blocks[arm]!.push({ round, setup, position, samples: SAMPLES, wall, steps: [] });
    }
  }
  const arm = (name: string, index: number) => ({
    name,
    blocks: blocks[index]!,
    quality: null,
    updates: null,
    work: null,
    failed: false,
  });
  return {
    baseline: "baseline",
    arms: [arm("baseline", 0), ...effects.map((_, i) => arm(`variant${i}`, slowing + i))],
    controlArm: controlArm ? blocks[1]! : null,
    minEffect,
    byPrecision: false,
    seed,
  };
}
