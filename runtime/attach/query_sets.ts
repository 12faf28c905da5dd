import { native } from "./native.ts";

/** Queries of a set, the most that WebGPU allows. */
export const QUERIES = 4096;

/** Live query sets; some back ends have about 30. */
const MAX_SETS = 12;

/** A query set that the passes of many encoders share. */
export interface SharedSet {
  readonly set: GPUQuerySet;
  used: number;
  slots: TimedPass[];
}

/** Two queries for a pass. */
export interface TimedPass {
  readonly queries: SharedSet;
  readonly at: number;
  /** Index of the site; -1 while the pass is empty. */
  site: number;
  /** Index of the submit; -1 before it. */
  submit: number;
  /** Time before the submit. */
  submitted: number;
  /** Place in the order of execution. */
  order: number;
  /** Copies and untimed passes before it in its encoder. */
  readonly between: number;
  /** True if its encoder will never be submitted. */
  abandoned: boolean;
}

/** Query sets of a device, whose queries are handed out pass by pass. */
export class QuerySets {
  readonly #gpu: GPUDevice;
  readonly #free: SharedSet[] = [];
  readonly #full: SharedSet[] = [];
  #current: SharedSet | null = null;
  #sets = 0;

  constructor(gpu: GPUDevice) {
    this.#gpu = gpu;
  }

  /** Returns queries for the next pass; null while all sets are in use. */
  slot(between: number): TimedPass | null {
    let queries = this.#current;
    if (queries === null || queries.used + 2 > QUERIES) {
      if (queries !== null) this.#full.push(queries);
      this.#current = queries = this.#free.pop() ?? this.#create();
      if (queries === null) return null;
    }
    const slot = { queries, at: queries.used, site: -1, submit: -1, submitted: 0, order: 0, between, abandoned: false };
    queries.used += 2;
    queries.slots.push(slot);
    return slot;
  }

  /** Number of queries that were handed out since the last reading of the current set, and of full sets. */
  get waiting(): number {
    return this.#full.length * QUERIES + (this.#current?.used ?? 0);
  }

  /** Takes all sets whose queries were handed out. New passes get another set until {@linkcode giveBack}. */
  take(): readonly SharedSet[] {
    const current = this.#current;
    this.#current = null;
    return [...this.#full.splice(0), ...current === null ? [] : [current]];
  }

  /** Takes a set's submitted passes. The others keep their queries; those of abandoned encoders lose them. */
  submitted(queries: SharedSet): readonly TimedPass[] {
    const slots = queries.slots.filter(({ submit, site }) => submit >= 0 && site >= 0);
    queries.slots = queries.slots.filter(({ submit, abandoned }) => submit < 0 && !abandoned);
    return slots;
  }

  /** Gives back a set that was taken. It is used anew once all of its passes were submitted and read. */
  giveBack(queries: SharedSet): void {
    const open = queries.slots.length > 0;
    if (!open) queries.used = 0;
    if (this.#current === null && queries.used + 2 <= QUERIES) this.#current = queries;
    else (open ? this.#full : this.#free).push(queries);
  }

  #create(): SharedSet | null {
    if (this.#sets >= MAX_SETS) return null;
    this.#sets++;
    const set = native.createQuerySet.call(this.#gpu, { label: "attach", type: "timestamp", count: QUERIES });
    return { set, used: 0, slots: [] };
  }
}
