import { TachoError } from "../core/errors.ts";
import type { Keeper, KeptBlock, KeptRound } from "../store/keeper.ts";
import type { VariantRun } from "./variant/run.ts";

/** Hands what was measured to a keeper, each thing once; without a keeper it does nothing. */
export class Keeping {
  readonly #keeper: Keeper | null;
  /** Losses and failures that are kept, by arm. */
  readonly #losses = new Map<string, number>();
  readonly #failed: Set<string>;
  readonly #deviceLost: () => boolean;

  /** @param deviceLost then arms fail through no fault of theirs, and another sitting may do better */
  constructor(keeper: Keeper | null, deviceLost: () => boolean) {
    this.#keeper = keeper;
    this.#deviceLost = deviceLost;
    this.#failed = new Set(keeper?.failures.map(({ arm }) => arm));
  }

  warmUp(run: VariantRun, done: { steps: number; steady: boolean }): void {
    if (this.#keeper === null) return;
    this.#keepLosses(this.#keeper, run);
    const tuning = run.tuning.choice;
    this.#keeper.keepWarmUp({ arm: run.name, ...done, ...tuning === null ? {} : { tuning } });
  }

  /** A round comes after the losses of its steps, so that none is without them. */
  round(round: KeptRound, arms: readonly VariantRun[]): void {
    if (this.#keeper === null) return;
    for (const run of arms) this.#keepLosses(this.#keeper, run);
    this.#keeper.keepRound(round);
  }

  failure(run: VariantRun, round: number): void {
    const error = run.failure;
    if (this.#keeper === null || error === null || this.#failed.has(run.name) || this.#deviceLost()) return;
    this.#failed.add(run.name);
    const exitStatus = error instanceof TachoError ? error.exitStatus : 1;
    this.#keeper.keepFailure({ arm: run.name, round, message: error.message, exitStatus });
  }

  #keepLosses(keeper: Keeper, run: VariantRun): void {
    const first = this.#losses.get(run.name) ?? 0;
    const losses = run.losses.slice(first);
    if (losses.length > 0) keeper.keepLosses(run.name, first, losses);
    this.#losses.set(run.name, first + losses.length);
  }
}

/** Blocks of an arm in whole rounds of earlier sittings. */
export function keptBlocks(keeper: Keeper | null, arm: string): KeptBlock[] {
  return (keeper?.rounds ?? []).flatMap(({ blocks }) => blocks.filter((kept) => kept.arm === arm));
}
