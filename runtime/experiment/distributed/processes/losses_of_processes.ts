import type { Loss } from "../../../result/schema.ts";

/** Loss of a step that differs between two processes. */
export interface DifferingLoss {
  readonly step: number;
  readonly earlier: Loss | null;
  readonly later: Loss | null;
}

/** Losses of an arm whose processes, one after the other, run the same steps from the first on. */
export class LossesOfProcesses {
  /** Losses of the process with most steps. */
  readonly all: (Loss | null)[] = [];
  #done = 0;

  /** Steps of the current process. */
  get done(): number {
    return this.#done;
  }

  /** Begins a process. */
  restart(): void {
    this.#done = 0;
  }

  /** Adds steps of the current process. Returns the first one whose loss differs from that of an earlier process, or null. */
  add(losses: readonly (Loss | null)[]): DifferingLoss | null {
    let differing: DifferingLoss | null = null;
    for (const later of losses) {
      const step = this.#done++;
      const earlier = this.all[step];
      if (earlier === undefined) this.all.push(later);
      else if (earlier !== later) differing ??= { step, earlier, later };
    }
    return differing;
  }
}
