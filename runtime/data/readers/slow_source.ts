import { sleep } from "../sleep.ts";
import type { StageClock } from "../stage_clock.ts";
import type { Source } from "./reader.ts";

/** Milliseconds to sleep after reading, and after decoding. */
interface Delays {
  readonly read: number;
  readonly decode: number;
}

/**
 * Adds delays to a source. A decode delay adds the stage to a source that does not decode; sources that decode implement the
 * read delay.
 */
export function slowed(source: Source, { read, decode }: Delays): Source {
  const decodes = (source.stages?.length ?? 1) > 1;
  const delays = decodes ? [decode] : decode > 0 ? [read, decode] : [read];
  return delays.every((delay) => delay === 0) ? source : new SlowSource(source, delays);
}

class SlowSource implements Source {
  readonly stages: readonly string[];
  readonly #source: Source;
  /** Delays after the source has read; each but the last ends a stage, the first of them the source's last. */
  readonly #delays: readonly number[];
  readonly #lastOfSource: number;

  constructor(source: Source, delays: readonly number[]) {
    const own = source.stages ?? ["read"];
    this.stages = delays.length > 1 ? [...own, "decode"] : own;
    this.#source = source;
    this.#delays = delays;
    this.#lastOfSource = own.length - 1;
  }

  get data(): Source["data"] {
    return this.#source.data;
  }

  get offset(): number {
    return this.#source.offset;
  }

  get height(): Source["height"] {
    return this.#source.height;
  }

  get width(): Source["width"] {
    return this.#source.width;
  }

  get step(): Source["step"] {
    return this.#source.step;
  }

  get warning(): string | null {
    return this.#source.warning ?? null;
  }

  get fields(): NonNullable<Source["fields"]> {
    return this.#source.fields ?? {};
  }

  read(index: number, target: Int32Array | Float32Array, at: number, clock?: StageClock | null): void | Promise<void> {
    const pending = this.#source.read(index, target, at, clock);
    if (pending === undefined) return this.#sleep(clock ?? null);
    return pending.then(() => this.#sleep(clock ?? null));
  }

  seek(epoch: number, order: Uint32Array | null, from: number): void {
    this.#source.seek?.(epoch, order, from);
  }

  close(): void {
    this.#source.close();
  }

  #sleep(clock: StageClock | null): void {
    this.#delays.forEach((delay, i) => {
      if (i > 0) clock?.lap(this.#lastOfSource + i - 1);
      if (delay > 0) sleep(delay);
    });
  }
}
