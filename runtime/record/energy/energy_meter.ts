/**
 * Energy that the system has counted, in joules.
 *
 * @module
 */
import type { EnergySource } from "./energy_source.ts";
import { hwmonSources } from "./hwmon.ts";
import { nvmlSources } from "./nvml.ts";
import { raplSources } from "./rapl.ts";

/** Energy counters of a run. */
export interface EnergyFacts {
  /** Names of the counters that were summed. */
  readonly sources: readonly string[];
  /** Power in watts before the run, while nothing of it was running; null without counters. */
  readonly idle: number | null;
  /** Why counters are missing; null if none of the kinds in use are. */
  readonly reason: string | null;
}

/** Milliseconds between reads, so that no counter wraps around twice unseen: a package at 200 W wraps after 22 minutes. */
const POLL_MS = 60_000;

/** Milliseconds over which the idle power is measured. */
const IDLE_MS = 500;

/** Sums the energy of all sources. */
export class EnergyMeter {
  readonly names: readonly string[];
  /** Reasons why other counters of the same kinds, such as that of a second package, are missing. */
  readonly missing: readonly string[];
  readonly #sources: readonly EnergySource[];
  readonly #poll: ReturnType<typeof setInterval>;

  constructor(sources: readonly EnergySource[], missing: readonly string[] = []) {
    this.missing = missing;
    this.names = sources.map(({ name }) => name);
    this.#sources = sources;
    this.#poll = setInterval(() => this.joules(), POLL_MS);
    this.#poll.unref();
  }

  /** Returns the joules since the meter was made. */
  joules(): number {
    return this.#sources.reduce((sum, source) => sum + source.joules(), 0);
  }

  /** Returns the mean power over the next `ms` milliseconds, in watts. */
  async power(ms = IDLE_MS): Promise<number> {
    const [joules, begin] = [this.joules(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, ms));
    return (this.joules() - joules) / (performance.now() - begin) * 1000;
  }

  close(): void {
    clearInterval(this.#poll);
    for (const source of this.#sources) source.close?.();
  }
}

/**
 * Opens the counters of this machine: processor packages and memory (RAPL), NVIDIA GPUs (NVML), and GPUs of others (hwmon).
 * Returns a reason if there are none.
 *
 * @param root folder that contains `sys`
 */
export function openEnergyMeter(root = "/"): EnergyMeter | string {
  const rapl = raplSources(root);
  const found = [rapl, nvmlSources(), hwmonSources(root, rapl.sources.length > 0)];
  const sources = found.flatMap(({ sources }) => sources);
  if (sources.length > 0) {
    return new EnergyMeter(sources, found.flatMap(({ sources, missing }) => sources.length > 0 ? missing : []));
  }
  return found.flatMap(({ missing }) => missing).join("; ");
}
