import type {
  AttachedDevice,
  AttachResult,
  FoundSteps,
  PipelineResult,
  Step,
  StepAccount,
} from "../../result/attach_result.ts";
import { type AttachRecord, MAIN_REALM, type TotalName, TOTALS } from "../../attach/records.ts";
import type { Steps } from "../../attach/settings.ts";
import { adviseProgram } from "./advice/advise.ts";
import { accountOf, followsUntimedWork, meanAccount } from "./account.ts";
import { browserOf } from "./browser.ts";
import { clockQuality } from "./clock.ts";
import { timingCost } from "./cost.ts";
import { kernelName, kernelResults } from "./kernels.ts";
import { percentilesOf } from "../../core/percentile.ts";
import { median } from "../../core/statistics.ts";
import { memoryOf } from "./memory.ts";
import { type DeviceRecording, gather, type Recording, totalOf } from "./recording.ts";
import { realmName } from "./realm_name.ts";
import { findSteps } from "./steps.ts";

/** Steps whose accounts are averaged; more are sampled evenly. */
const MAX_ACCOUNTS = 200;

/**
 * Analyses the records of a program: its steps, where their time goes, its kernels and its memory.
 *
 * @param realms the records of the program and of each of its workers
 * @param asked how the user wants steps to be found
 * @param copyGBs copy bandwidth of adapters in GB/s by name, for the advice
 */
export function analyseAttached(
  realms: readonly (readonly AttachRecord[])[],
  asked: Steps["by"],
  copyGBs: ReadonlyMap<string, number> = new Map(),
): AttachResult {
  const recordings = realms.map(gather);
  const cutOff = recordings
    .filter(({ realm, ended, devices }) => realm !== MAIN_REALM && !ended && devices.length > 0)
    .map(({ realm }) => `${realmName(realm)} was terminated: what it did last may be missing`);
  return {
    kind: "attach",
    schemaVersion: 1,
    devices: recordings.flatMap((recording) =>
      recording.devices.map((device) => analyseDevice(recording, device, { asked, copyGBs }))
    ),
    browser: browserOf(realms),
    complete: recordings.some(({ realm, ended }) => realm === MAIN_REALM && ended),
    notes: [...new Set([...realms.flat().flatMap((record) => record.kind === "note" ? [record.text] : []), ...cutOff])],
  };
}

function analyseDevice(
  { realm }: Recording,
  recording: DeviceRecording,
  { asked, copyGBs }: { readonly asked: Steps["by"]; readonly copyGBs: ReadonlyMap<string, number> },
): AttachedDevice {
  const { device, state } = recording;
  const quality = clockQuality(recording);
  const found = findSteps(recording, asked);
  const steady = found.steps.filter(({ warmUp }) => !warmUp);
  const read = readDispatches(recording);
  const timed = steady.filter((step) =>
    step.timing === "timed" && (hasRefused(recording, step) || read(step) >= step.totals.timedDispatches)
  );
  const usable = timed.filter((step) => !hasRefused(recording, step));
  const known = usable.filter((step) => !followsUntimedWork(recording, step));
  const accounted = known.length > 0 ? known : usable;
  const wallOf = (timing: Step["timing"]) => {
    const walls = steady.filter((step) => step.timing === timing).map(({ wall }) => wall);
    return walls.length === 0 ? null : median(walls);
  };
  // Timing kernels takes time of its own
  const untimed = steady.filter(({ timing }) => timing === "untimed");
  const percentiles = percentilesOf((untimed.length > 0 ? untimed : steady).map(({ wall }) => wall));
  const analysed = {
    realm,
    label: device.label,
    adapter: device.adapter,
    timestamps: device.timestamps,
    steps: found,
    steadySteps: steady.length,
    timedSteps: timed.length,
    accountedSteps: accounted.length,
    timedWall: wallOf("timed"),
    untimedWall: wallOf("untimed"),
    percentiles,
    account: quality.usable ? accountOfRun(recording, found, accounted) : null,
    cost: timingCost(found.steps),
    totals: totalsOf((name) => recording.stretches.reduce((sum, stretch) => sum + totalOf(stretch, name), 0)),
    perStep: steady.length === 0 ? null : totalsOf((name) => typical(steady.map(({ totals }) => totals[name]))),
    boundBuffers: boundBuffers(recording, timed),
    kernels: kernelResults(recording, timed, quality.usable),
    memory: memoryOf(recording, found.steps),
    pipelines: pipelinesOf(recording, found.steps),
    modules: recording.modules,
    errors: recording.errors.map(({ type, message, scoped, time }) => ({ type, message, scoped, time })),
    lost: recording.lost === null
      ? null
      : { reason: recording.lost.reason, message: recording.lost.message, time: recording.lost.time },
    clock: {
      ...quality,
      resolution: recording.resolution,
      error: state?.clockError ?? null,
      defects: recording.defects,
      unusable: recording.unusable,
      unslotted: state?.unslotted ?? 0,
      selfTimed: (state?.renders ?? []).reduce((sum, { selfTimed }) => sum + selfTimed, 0),
    },
  };
  return { ...analysed, advice: adviseProgram(analysed, copyGBs.get(device.adapter) ?? null) };
}

/** Returns the number of distinct buffers that the dispatches of each of these steps bind; null if it is not the same. */
function boundBuffers({ stretches }: DeviceRecording, steps: readonly Step[]): number | null {
  const counts = steps.map(({ from, to }) => {
    const bound = stretches.slice(from, to).filter((stretch) => totalOf(stretch, "dispatches") > 0)
      .map((stretch) => stretch.bound);
    return bound.includes(undefined) ? null : new Set(bound.flatMap((numbers) => numbers ?? [])).size;
  });
  return new Set(counts).size === 1 ? counts[0]! : null;
}

/**
 * Returns a function that counts the timed passes of a step that were read. Those of the last steps are missing if the program
 * was killed, or destroyed its device before they could be read.
 */
function readDispatches({ passes }: DeviceRecording): (step: Step) => number {
  const bySubmit = new Map<number, number>();
  for (const { submit } of passes) bySubmit.set(submit, (bySubmit.get(submit) ?? 0) + 1);
  return ({ firstSubmit, endSubmit }) => {
    let count = 0;
    for (let submit = firstSubmit; submit < endSubmit; submit++) count += bySubmit.get(submit) ?? 0;
    return count;
  };
}

/** Returns true if passes of a step have no usable timestamps. */
function hasRefused({ refused }: DeviceRecording, { firstSubmit, endSubmit }: Step): boolean {
  for (let submit = firstSubmit; submit < endSubmit; submit++) if (refused.has(submit)) return true;
  return false;
}

/**
 * Accounts for the timed steps whose passes all have usable timestamps, or for the whole run where no steps were found and
 * everything was timed.
 */
function accountOfRun(recording: DeviceRecording, { by }: FoundSteps, accounted: readonly Step[]): StepAccount | null {
  if (by !== "none") {
    const stride = Math.ceil(accounted.length / MAX_ACCOUNTS);
    return meanAccount(accounted.filter((_, i) => i % stride === 0).map((step) => accountOf(recording, step)));
  }
  const { stretches } = recording;
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (recording.passes.length === 0 || first === undefined || last === undefined) return null;
  const totals = totalsOf((name) => stretches.reduce((sum, stretch) => sum + totalOf(stretch, name), 0));
  const whole = { from: 0, to: stretches.length, start: first.start, end: last.end, totals, warmUp: false };
  const submits = { firstSubmit: 0, endSubmit: last.endSubmit };
  return accountOf(recording, { ...whole, ...submits, wall: last.end - first.start - totals.ownMs, timing: "timed" });
}

function pipelinesOf({ pipelines, kernels }: DeviceRecording, steps: readonly Step[]): PipelineResult[] {
  return pipelines.map(({ type, kernel, time, callMs, readyMs, line, cuts }) => {
    const record = kernel === null ? undefined : kernels[kernel];
    const step = steps.findIndex(({ from, to }) => cuts >= from && cuts < to);
    return {
      ...{ type, time, callMs, readyMs, line },
      name: record === undefined ? "render pipeline" : kernelName(record),
      step: step < 0 ? null : step,
      inSteadyStep: step >= 0 && !steps[step]!.warmUp,
    };
  });
}

/** Returns the median of counts; the mean where most of them are 0, as with a wait in every tenth step. */
function typical(counts: readonly number[]): number {
  return median(counts) || counts.reduce((sum, count) => sum + count, 0) / counts.length;
}

function totalsOf(value: (name: TotalName) => number): Record<TotalName, number> {
  return Object.fromEntries(TOTALS.map((name) => [name, value(name)])) as Record<TotalName, number>;
}
