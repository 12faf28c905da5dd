/** Longest period, in symbols. */
const LONGEST = 256;

/** Symbols that are remembered: two of the longest periods. */
const REMEMBERED = 2 * LONGEST;

/** Repetitions of a period after its first occurrence before it is trusted. */
const REPETITIONS = 2;

/** Most matches that are demanded of a period that broke before. */
const MAX_DEMANDED = 64;

/**
 * Finds the period of a sequence while it arrives. A period is trusted once it has occurred three times in a row. One that
 * then breaks may be part of a longer one, so it must next hold for twice as long as it did.
 */
export class PeriodTracker {
  readonly #symbols = new Float64Array(REMEMBERED);
  /** Consecutive symbols that equal the one a period earlier, by period. */
  readonly #matches = new Int32Array(LONGEST + 1);
  #count = 0;
  #period = 0;
  #phase = 0;
  /** Matches that are demanded of a period, where it broke before. */
  readonly #demands = new Int32Array(LONGEST + 1);

  /** The trusted period, in symbols; 0 without one. */
  get period(): number {
    return this.#period;
  }

  /** Adds a symbol. Returns true if it completes a period. */
  add(symbol: number): boolean {
    const at = this.#count++;
    this.#symbols[at % REMEMBERED] = symbol;
    for (let p = 1; p <= Math.min(LONGEST, at); p++) {
      this.#matches[p] = this.#symbols[(at - p) % REMEMBERED] === symbol ? this.#matches[p]! + 1 : 0;
    }
    if (this.#period > 0) {
      if (this.#matches[this.#period]! > 0) return ++this.#phase % this.#period === 0;
      const held = this.#phase + REPETITIONS * this.#period;
      this.#demands[this.#period] = Math.max(this.#demands[this.#period]!, Math.min(MAX_DEMANDED, 2 * held));
      this.#period = 0;
    }
    this.#period = this.#trusted();
    this.#phase = 0;
    return this.#period > 0;
  }

  /** Returns the shortest period that holds long enough. A multiple of a shorter one is none. */
  #trusted(): number {
    const holds = (period: number, matches: number) => this.#matches[period]! >= matches;
    for (let p = 1; p <= LONGEST; p++) {
      if (!holds(p, Math.max(REPETITIONS * p, this.#demands[p]!))) continue;
      let isMultiple = false;
      for (let q = 1; 2 * q <= p && !isMultiple; q++) isMultiple = p % q === 0 && holds(q, REPETITIONS * p);
      if (!isMultiple) return p;
    }
    return 0;
  }
}
