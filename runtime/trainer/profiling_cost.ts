import { setImmediate } from "node:timers/promises";
import type { Device } from "../device/device.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
import { extraTime } from "../record/extra_time.ts";
import { runOps, runPhases } from "./profiled_submits.ts";
import type { Session } from "./session.ts";

/** Extra time of a step with timestamps over one without, as a part of the latter. */
export interface ProfilingCost {
  readonly phases: number;
  readonly ops: number;
  readonly uncertainty: { readonly phases: number; readonly ops: number };
}

/** Rounds from which the cost of profiling is found: more where they are short, until this time has passed. */
const ROUNDS = { least: 5, most: 40 } as const;
const MS = 1500;

/**
 * Compares steps on one batch without timestamps, with those of phases, and with those of ops: all three in each round,
 * in turns, so that what else the machine does falls on all of them.
 */
export async function profilingCost(
  session: Session,
  device: Device,
  timestamps: TimestampRecorder,
): Promise<ProfilingCost> {
  const kinds = [
    () => runPhases(session, device, null, null),
    () => runPhases(session, device, timestamps, null),
    () => runOps(session, device, timestamps, null),
  ];
  const rounds: number[][] = [];
  const start = performance.now();
  while (rounds.length < ROUNDS.least || (rounds.length < ROUNDS.most && performance.now() - start < MS)) {
    const times = kinds.map(() => 0);
    for (let i = 0; i < kinds.length; i++) {
      const kind = (i + rounds.length) % kinds.length;
      const begin = performance.now();
      kinds[kind]!();
      times[kind] = performance.now() - begin;
      await setImmediate();
    }
    rounds.push(times);
    await timestamps.read(); // no more than a round's values are kept
  }
  const [phases, ops] = [1, 2].map((kind) => extraTime(rounds.map((times) => [times[0]!, times[kind]!])));
  return {
    phases: phases!.value,
    ops: ops!.value,
    uncertainty: { phases: phases!.uncertainty, ops: ops!.uncertainty },
  };
}
