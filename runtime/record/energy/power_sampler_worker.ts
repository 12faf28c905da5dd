/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * Worker that samples the power of sensors; see power_sampler.ts.
 *
 * @module
 */
import { readKernelFile } from "../../core/files.ts";
import { HEADER, PERIOD_MS, type SamplerPlan, VALUES } from "./power_sampler.ts";

self.onmessage = ({ data }: MessageEvent<SamplerPlan>) => sample(data);

function sample({ memory, paths }: SamplerPlan): void {
  const words = new Int32Array(memory, 0, HEADER.bytes / 4);
  const values = new Float64Array(memory, HEADER.bytes);
  let last: number | null = null;
  while (Atomics.load(words, HEADER.ended) === 0) {
    const watts = paths.map(wattsOf);
    const now = performance.timeOrigin + performance.now();
    const seconds = last === null ? 0 : (now - last) / 1000;
    Atomics.add(words, HEADER.changes, 1);
    values[VALUES.time] = now;
    for (const [i, power] of watts.entries()) {
      const at = VALUES.first + VALUES.each * i;
      values[at + VALUES.joules]! += seconds * values[at + VALUES.watts]!;
      if (power !== null) values[at + VALUES.watts] = power;
    }
    Atomics.add(words, HEADER.changes, 1);
    last = now;
    Atomics.wait(words, HEADER.ended, 0, PERIOD_MS);
  }
}

/** Returns the power of a sensor in watts; null if it cannot be read now, as of a GPU that sleeps. */
function wattsOf(path: string): number | null {
  try {
    const text = readKernelFile(path).trim();
    const watts = Number(text) / 1e6;
    return text === "" || !Number.isFinite(watts) ? null : watts;
  } catch {
    return null;
  }
}
