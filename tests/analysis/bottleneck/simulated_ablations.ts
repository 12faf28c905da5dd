import {
  ABLATION_NAMES,
  type AblationBlock,
  type MeasuredAblations,
} from "../../../runtime/analysis/bottleneck/measured_ablations.ts";
import { RandomStream } from "../../../runtime/core/random.ts";

/** Parts of a step, in ms. */
export interface SimulatedStep {
  readonly input: number;
  readonly copy: number;
  readonly host: number;
  /** The kernels' work. */
  readonly kernels: number;
  readonly launch: number;
  /** Batches are made beside the step. */
  readonly workers?: boolean;
  /** True if device times are null. */
  readonly untimed?: boolean;
}

/** Simulated blocks of each ablation, each of which independently takes up to `noise` times as long. */
export function simulateAblations(step: SimulatedStep, { rounds = 9, noise = 1, seed = 1 } = {}): MeasuredAblations {
  const { input, copy, host, kernels, launch, workers = false, untimed = false } = step;
  const random = new RandomStream(seed, 1, 2);
  const fed = (rest: number) => workers ? Math.max(input, copy + rest) : input + copy + rest;
  const costs = {
    "whole": fed(host + launch + kernels),
    "input only": input,
    "synthetic input": host + launch + kernels,
    "no host waits": launch + kernels,
    "null kernels": fed(host + launch),
  };
  const blocks = (name: keyof typeof costs): AblationBlock[] =>
    Array.from({ length: rounds }, (_, round) => {
      const slower = noise ** random.uniform();
      const loads = name !== "synthetic input" && name !== "no host waits";
      const device = name === "null kernels" ? launch : launch + kernels;
      return {
        round,
        steps: 10,
        batchCost: costs[name] * slower,
        readerCost: loads
          ? (workers ? costs[name] - copy - host - (name === "input only" ? 0 : device) : input) * slower
          : 0,
        letData: loads && name !== "input only" ? copy * slower : 0,
        device: name === "input only" || untimed ? null : device * slower,
      };
    });
  return {
    overlapped: false,
    contended: false,
    whole: blocks("whole"),
    ablations: new Map(ABLATION_NAMES.map((name) => [name, blocks(name)])),
  };
}
