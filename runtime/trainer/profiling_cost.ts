import { setImmediate } from "node:timers/promises";
import type { Device } from "../device/device.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
import { type ExtraTime, extraTime } from "../record/extra_time.ts";
import { runDispatches, runPhases } from "./profiled_submits.ts";
import type { Session } from "./session.ts";

/** Extra time in ms of a step with timestamps. */
export interface ProfilingCost {
  readonly phases: ExtraTime;
  readonly ops: ExtraTime;
}

/** Number of rounds of the measurement. After the minimum, it ends when the time budget is used. */
const ROUNDS = { min: 5, max: 40 } as const;
/** Time budget in ms. */
const BUDGET_MS = 1500;

/**
 * Compares steps on one batch without timestamps, with timestamps per phase, and with timestamps per dispatch. Each round
 * runs all three in alternating order, so that noise affects all of them.
 */
export async function profilingCost(
  session: Session,
  device: Device,
  timestamps: TimestampRecorder,
): Promise<ProfilingCost> {
  const kinds = [
    () => runPhases(session, device, null, null),
    () => runPhases(session, device, timestamps, null),
    () => runDispatches(session.executor, device, timestamps, null),
  ];
  const rounds: number[][] = [];
  const start = performance.now();
  while (rounds.length < ROUNDS.min || (rounds.length < ROUNDS.max && performance.now() - start < BUDGET_MS)) {
    const times = kinds.map(() => 0);
    for (let i = 0; i < kinds.length; i++) {
      const kind = (i + rounds.length) % kinds.length;
      const begin = performance.now();
      kinds[kind]!();
      times[kind] = performance.now() - begin;
      await setImmediate();
    }
    rounds.push(times);
    await timestamps.read(); // Keeps no more than the values of one round in memory
  }
  const extra = (kind: number) => extraTime(rounds.map((times) => [times[0]!, times[kind]!]));
  return { phases: extra(1), ops: extra(2) };
}
