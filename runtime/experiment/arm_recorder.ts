import { TachoError } from "../core/errors.ts";
import type { KeptBlock, KeptRound, RunRecorder } from "../store/run_recorder.ts";
import type { Arm } from "./arm.ts";

/** Passes new measurements to a run recorder. Does nothing without one. */
export class ArmRecorder {
  readonly #runRecorder: RunRecorder | null;
  /** Number of recorded losses of each arm. */
  readonly #losses = new Map<string, number>();
  readonly #failed: Set<string>;
  readonly #deviceLost: () => boolean;

  /** @param deviceLost true if the device was lost; failures are then not recorded, since a resumed run may succeed */
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

  /** Records a round, after the losses of its steps. */
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

/** Returns the blocks of an arm in complete rounds of earlier sittings. */
export function keptBlocks(runRecorder: RunRecorder | null, arm: string): KeptBlock[] {
  return (runRecorder?.rounds ?? []).flatMap(({ blocks }) => blocks.filter((kept) => kept.arm === arm));
}
