import { HASH_SEED, mix } from "./hash.ts";
import { type CutRecord, HOST_KINDS, type HostKind, type TotalName, TOTALS } from "./records.ts";

/** Host intervals of a stretch; more are not stored. */
const MAX_INTERVALS = 20_000;

const INDEX = Object.fromEntries(TOTALS.map((name, i) => [name, i])) as Record<TotalName, number>;
const KIND = Object.fromEntries(HOST_KINDS.map((kind, i) => [kind, i])) as Record<HostKind, number>;

/** Contents of a stretch's record. */
type Stretch = Pick<CutRecord, "symbol" | "totals" | "host">;

/** Counts and times of a device since its beginning, and what is new since the last cut. */
export class StretchCounter {
  readonly #totals = new Float64Array(TOTALS.length);
  readonly #atCut = new Float64Array(TOTALS.length);
  #host: number[] = [];
  #symbol = HASH_SEED;

  /** Returns a count or time since the beginning. */
  total(name: TotalName): number {
    return this.#totals[INDEX[name]]!;
  }

  /** Adds to a count or a time in ms. */
  add(name: TotalName, by: number): void {
    this.#totals[INDEX[name]]! += by;
  }

  /** Returns what a count or time has grown by since the last cut. */
  sinceCut(name: TotalName): number {
    return this.#totals[INDEX[name]]! - this.#atCut[INDEX[name]]!;
  }

  /** True if anything was counted since the last cut. */
  get changed(): boolean {
    return this.#totals.some((total, i) => total !== this.#atCut[i]);
  }

  /** Hash of the kernels and render passes since the last cut; 0 without any. */
  get symbol(): number {
    return this.#symbol === HASH_SEED ? 0 : this.#symbol;
  }

  /** Adds a dispatch of a kernel, or a render pass, to the hash. */
  dispatched(symbol: number): void {
    this.#symbol = mix(this.#symbol, symbol);
  }

  /** Adds an interval of the host's main thread. */
  interval(kind: HostKind, start: number, end: number): void {
    if (this.#host.length < 3 * MAX_INTERVALS) this.#host.push(KIND[kind], start, end);
  }

  /** Returns what was counted since the last cut, and begins the next stretch. */
  cut(): Stretch {
    const totals = Array.from(this.#totals, (total, i) => rounded(total - this.#atCut[i]!));
    const stretch = { symbol: this.symbol, totals, host: this.#host.map(rounded) };
    this.#atCut.set(this.#totals);
    this.#host = [];
    this.#symbol = HASH_SEED;
    return stretch;
  }
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
