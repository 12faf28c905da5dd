import { TachoError } from "../core/errors.ts";
import type { Keeper, KeptBlock, KeptRound } from "../store/keeper.ts";
import type { Arm } from "./arm.ts";

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

  warmUp(arm: Arm, done: { steps: number; steady: boolean }): void {
    if (this.#keeper === null) return;
    this.#keepLosses(this.#keeper, arm);
    const tuning = arm.tuning?.choice ?? null;
    this.#keeper.keepWarmUp({ arm: arm.name, ...done, ...tuning === null ? {} : { tuning } });
  }

  /** A round comes after the losses of its steps, so that none is without them. */
  round(round: KeptRound, arms: readonly Arm[]): void {
    if (this.#keeper === null) return;
    for (const arm of arms) this.#keepLosses(this.#keeper, arm);
    this.#keeper.keepRound(round);
  }

  failure(arm: Arm, round: number): void {
    const error = arm.failure;
    if (this.#keeper === null || error === null || this.#failed.has(arm.name) || this.#deviceLost()) return;
    this.#failed.add(arm.name);
    const exitStatus = error instanceof TachoError ? error.exitStatus : 1;
    this.#keeper.keepFailure({ arm: arm.name, round, message: error.message, exitStatus });
  }

  #keepLosses(keeper: Keeper, arm: Arm): void {
    const first = this.#losses.get(arm.name) ?? 0;
    const losses = arm.losses.slice(first);
    if (losses.length > 0) keeper.keepLosses(arm.name, first, losses);
    this.#losses.set(arm.name, first + losses.length);
  }
}

/** Blocks of an arm in whole rounds of earlier sittings. */
export function keptBlocks(keeper: Keeper | null, arm: string): KeptBlock[] {
  return (keeper?.rounds ?? []).flatMap(({ blocks }) => blocks.filter((kept) => kept.arm === arm));
}
