import type { AttachRecord, CutRecord, RecordSink, StateRecord } from "../../attach/records.ts";

/** Stretches that are kept one by one. */
const MAX_STRETCHES = 4096;

/**
 * Records of a device in memory. They are bounded for programs that run for long: after a number of stretches, later ones
 * are added up in one, so that totals stay exact, and a note says so.
 */
export class BoundedRecords implements RecordSink {
  readonly #records: AttachRecord[] = [];
  readonly #limit: number;
  #stretches = 0;
  /** Sum of the stretches beyond the limit; null without any. */
  #rest: CutRecord | null = null;
  #state: StateRecord | null = null;

  /** @param limit stretches that are kept one by one */
  constructor(limit = MAX_STRETCHES) {
    this.#limit = limit;
  }

  write(record: AttachRecord): void {
    if (record.kind === "state") this.#state = record; // it replaces the one before
    else if (record.kind === "cut" && this.#stretches++ >= this.#limit) this.#rest = joined(this.#rest, record);
    else if (record.kind !== "passes" || this.#rest === null) this.#records.push(record);
  }

  flush(): void {}

  /** Returns the records up to now. */
  all(): readonly AttachRecord[] {
    if (this.#rest === null) return [...this.#records, ...this.#state === null ? [] : [this.#state]];
    const text = `the first ${this.#limit} stretches between waits are analysed; later ones count in the totals only`;
    return [
      ...this.#records,
      this.#rest,
      ...this.#state === null ? [] : [this.#state],
      { kind: "note", text },
    ];
  }
}

/** Adds a stretch to earlier ones. It ends no step. */
function joined(rest: CutRecord | null, cut: CutRecord): CutRecord {
  const totals = cut.totals.map((total, i) => total + (rest?.totals[i] ?? 0));
  return { ...cut, by: "end", name: null, start: rest?.start ?? cut.start, symbol: 0, totals, host: [] };
}
