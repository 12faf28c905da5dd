import { InputError } from "../core/errors.ts";

/** Limits of a slower network, which all-reduces of gradients keep to. */
export interface EmulatedNetwork {
  /** Time added to each collective operation, in ms. */
  readonly latency: number;
  /** Bytes per ms; Infinity for no limit. */
  readonly bandwidth: number;
}

const BYTES = { kB: 1e3, MB: 1e6, GB: 1e9 } as const;

/**
 * Reads the value of `TACHO_NETWORK`: a latency, a bandwidth or both, such as `2ms,100MB/s`. Null without a value.
 *
 * @throws {InputError} if it is neither
 */
export function emulatedNetwork(text: string | null): EmulatedNetwork | null {
  if (text === null || text === "") return null;
  let [latency, bandwidth] = [0, Infinity];
  for (const part of text.split(",")) {
    const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|kB\/s|MB\/s|GB\/s)$/.exec(part.trim()) ?? [];
    const value = Number(amount);
    if (unit === "ms") latency = value;
    else if (unit !== undefined && value > 0) bandwidth = value * BYTES[unit.slice(0, 2) as keyof typeof BYTES] / 1000;
    else throw new InputError(`TACHO_NETWORK=${text}: expected a latency, a bandwidth or both, such as 2ms,100MB/s`);
  }
  return { latency, bandwidth };
}

/** Pace of an emulated network: transfers that overlap share its bandwidth, but not its latency. */
export class Pace {
  readonly #network: EmulatedNetwork;
  /** Time at which the earlier transfers have used the bandwidth. */
  #free = -Infinity;

  constructor(network: EmulatedNetwork) {
    this.#network = network;
  }

  /**
   * Returns the earliest end of a transfer.
   *
   * @param start time at which all ranks are ready, in ms
   * @param collectives operations that follow each other in it
   */
  endOf(start: number, bytes: number, collectives = 1): number {
    const { latency, bandwidth } = this.#network;
    this.#free = Math.max(start, this.#free) + bytes / bandwidth;
    return this.#free + collectives * latency;
  }
}
