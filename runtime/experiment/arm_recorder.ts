import { TachoError } from "../core/errors.ts";
import type { KeptBlock, KeptRound, RunRecorder } from "../store/run_recorder.ts";
import type { Arm } from "./arm.ts";

/** Hands what was measured to a run recorder, each thing once; without one it does nothing. */
export class ArmRecorder {
  readonly #runRecorder: RunRecorder | null;
  /** Losses and failures that are kept, by arm. */
  readonly #losses = new Map<string, number>();
  readonly #failed: Set<string>;
  readonly #deviceLost: () => boolean;

  /** @param deviceLost then arms fail through no fault of theirs, and another sitting may do better */
  constructor(runRecorder: RunRecorder | null, deviceLost: () => boolean) {
    this.#runRecorder = runRecorder;
    this.#deviceLost = deviceLost;
    this.#failed = new Set(runRecorder?.failures.map(({ arm }) => arm));
  }

  warmUp(arm: Arm, done: { steps: number; steady: boolean }): void {
    if (this.#runRecorder === null) return;
    this.#keepLosses(this.#runRecorder, arm);
    const tuning = arm.tuning?.choice ?? null;
    this.#runRecorder.keepWarmUp({ arm: arm.name, ...done, ...tuning === null ? {} : { tuning } });
  }

  /** A round comes after the losses of its steps, so that none is without them. */
  round(round: KeptRound, arms: readonly Arm[]): void {
    if (this.#runRecorder === null) return;
    for (const arm of arms) this.#keepLosses(this.#runRecorder, arm);
    this.#runRecorder.keepRound(round);
  }

  failure(arm: Arm, round: number): void {
    const error = arm.failure;
    if (this.#runRecorder === null || error === null || this.#failed.has(arm.name) || this.#deviceLost()) return;
    this.#failed.add(arm.name);
    const exitStatus = error instanceof TachoError ? error.exitStatus : 1;
    this.#runRecorder.keepFailure({ arm: arm.name, round, message: error.message, exitStatus });
  }

  #keepLosses(runRecorder: RunRecorder, arm: Arm): void {
    const first = this.#losses.get(arm.name) ?? 0;
    const losses = arm.losses.slice(first);
    if (losses.length > 0) runRecorder.keepLosses(arm.name, first, losses);
    this.#losses.set(arm.name, first + losses.length);
  }
}

/** Blocks of an arm in whole rounds of earlier sittings. */
export function keptBlocks(runRecorder: RunRecorder | null, arm: string): KeptBlock[] {
  return (runRecorder?.rounds ?? []).flatMap(({ blocks }) => blocks.filter((kept) => kept.arm === arm));
}
