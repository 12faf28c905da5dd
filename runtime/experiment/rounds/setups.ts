import { ENOUGH_SETUPS } from "../../analysis/comparison/setups.ts";
import { hashText, RandomStream } from "../../core/random.ts";
import type { Device } from "../../device/device.ts";
import { Placement } from "../../engine/placement.ts";
import type { SlotPool } from "../../engine/slot_pool.ts";
import type { Procedure } from "../../result/schema.ts";
import type { KeptRound } from "../../store/run_recorder.ts";
import type { Arm } from "../arm.ts";

/** Largest part of the run's time that set-ups may take where their number is not given. */
const SETUP_SHARE = 0.15;

/** The same for the few set-ups without which only large effects are found. */
const FEW_SHARE = 0.5;

export interface SetupsOptions {
  readonly arms: readonly Arm[];
  /** Device; null without one, like the slots. */
  readonly device: Device | null;
  readonly slots: SlotPool | null;
  readonly seed: number;
  /** Set-ups of the whole run (`measure.setups`); null: as many as the time allows, one before each round at most. */
  readonly setups: number | null;
  /** Rounds of the whole run; Infinity if unknown. */
  readonly rounds: number;
  /** Set-ups of earlier sittings. */
  readonly earlier: number;
  /** Time at which the run began, on the axis of `now`. */
  readonly began: number;
  attempt(arm: Arm, work: () => Promise<unknown>): Promise<void>;
  /** Clock in ms. Default `performance.now`. */
  now?(): number;
}

/** Set-ups of the arms over the rounds. */
export interface SetupSchedule {
  /** Number of the current set-up, from 0. */
  readonly current: number;
  /** Number of set-ups so far, and the time that those after the first took in this sitting. */
  readonly outcome: Procedure["setups"];
  /**
   * Sets the running arms up again if it is time to.
   *
   * @param round number of the round that follows; not the first of a sitting
   * @param lastRound time of the round before, in ms
   */
  before(round: number, lastRound: number): Promise<void>;
}

/** Returns true if a set-up is due before a round, with `setups` of them evenly over `rounds` rounds. */
export function isDueBefore(round: number, setups: number, rounds: number): boolean {
  return setupOf(round, setups, rounds) > setupOf(round - 1, setups, rounds);
}

function setupOf(round: number, setups: number, rounds: number): number {
  return Math.floor(round * Math.min(1, setups / rounds));
}

/** Returns the number of set-ups of earlier sittings: a resumed run has been set up again. */
export function earlierSetups(rounds: readonly KeptRound[]): number {
  const numbers = rounds.flatMap(({ blocks }) => blocks.map(({ block }) => block.setup ?? 0));
  return numbers.length === 0 ? 0 : Math.max(...numbers) + 1;
}

/**
 * Sets arms up again between rounds, all of them at the same time: the offset that a set-up may have then varies like the
 * noise of rounds, and more rounds average it out (T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time",
 * ISMM 2013). The training continues on the same state.
 */
export class Setups implements SetupSchedule {
  readonly #options: SetupsOptions;
  readonly #now: () => number;
  #current: number;
  #time = 0;
  /** Time of the last set-up; 0 before the first. */
  #last = 0;

  constructor(options: SetupsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#current = options.earlier;
  }

  get current(): number {
    return this.#current;
  }

  get outcome(): Procedure["setups"] {
    return { count: this.#current + 1, time: this.#time, share: this.#time / (this.#now() - this.#options.began) };
  }

  async before(round: number, lastRound: number): Promise<void> {
    const { arms, device, slots, seed, attempt } = this.#options;
    const running = arms.filter((arm) => arm.running && arm.kernels !== undefined);
    if (device === null || slots === null || arms.length < 2 || running.length === 0 || !this.#due(round, lastRound)) {
      return;
    }
    const begin = this.#now();
    this.#current++;
    const placement = new Placement(device, new RandomStream(seed, hashText("set-up"), this.#current));
    try {
      slots.relocate(placement);
      for (const arm of placement.shuffle(running)) await attempt(arm, () => arm.kernels!.relocate(placement));
    } finally {
      placement.end();
    }
    this.#last = this.#now() - begin;
    this.#time += this.#last;
  }

  #due(round: number, lastRound: number): boolean {
    const { setups, rounds, began } = this.#options;
    if (setups !== null) return isDueBefore(round, setups, rounds);
    const elapsed = this.#now() - began + this.#last + lastRound;
    const isFew = setupOf(round, ENOUGH_SETUPS, rounds) > this.#current;
    return this.#time + this.#last <= (isFew ? FEW_SHARE : SETUP_SHARE) * elapsed;
  }
}
