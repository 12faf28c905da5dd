import type { Trained } from "./steps.ts";

/** Largest difference of two losses of the same step that rounding explains, as a part of 1 + the loss. */
export const LOSS_TOLERANCE = 2e-5;

/**
 * The same from the second step on, for nets whose updates amplify rounding: gradients through batch normalisation. The
 * losses of Tacho's own kernels for CPUs and for GPUs differ by 1.2e-3 within six steps of ResNet-20.
 */
export const AMPLIFIED_TOLERANCE = 5e-3;

/** Differences between the losses of the libraries. */
export interface LossComparison {
  /** Largest difference from the first library's losses, as a part of 1 + the loss. */
  readonly largest: number;
  /** A message for each library that differs by more than the tolerance, and one if the losses do not fall. */
  readonly failures: readonly string[];
}

/**
 * Compares the losses of every step and round with those of the first library in its first round.
 *
 * @param later tolerance from the second step on
 */
export function compareLosses(
  net: string,
  runs: ReadonlyMap<string, readonly Trained[]>,
  later = LOSS_TOLERANCE,
): LossComparison {
  const allowed = (step: number) => step === 0 ? LOSS_TOLERANCE : later;
  const [[first, [{ losses: wanted }]]] = [...runs] as [[string, [Trained]]];
  let largest = 0;
  const failures: string[] = [];
  for (const [name, rounds] of runs) {
    for (const [round, { losses }] of rounds.entries()) {
      const apart = wanted.map((loss, step) => Math.abs((losses[step] ?? NaN) - loss) / (1 + Math.abs(loss)));
      largest = Math.max(largest, ...apart);
      const step = apart.findIndex((difference, step) => !(difference <= allowed(step)));
      if (step < 0) continue;
      failures.push(
        `${net}: in round ${round + 1}, the loss of step ${step + 1} is ${losses[step]} in ${name} and ` +
          `${wanted[step]} in ${first}; expected them at most ${allowed(step)} * (1 + loss) apart`,
      );
      break;
    }
  }
  if (!(wanted.at(-1)! < wanted[0]!)) failures.push(`${net} does not learn: losses ${wanted.join(", ")}`);
  return { largest, failures };
}
