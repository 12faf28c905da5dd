import type { AttachResult } from "../../result/attach_result.ts";
import { analyseAttached } from "../../analysis/attach/analyse.ts";
import type { DeviceRecorder } from "../../attach/device_recorder.ts";
import { install } from "../../attach/install.ts";
import { now } from "../../attach/native.ts";
import type { Patches } from "../../attach/patch.ts";
import { factsOf, watch } from "../../attach/patches/devices.ts";
import { beginRecords, type Realm } from "../../attach/realm.ts";
import { MAIN_REALM } from "../../attach/records.ts";
import { Registry } from "../../attach/registry.ts";
import { parseSteps } from "../../attach/settings.ts";
import { InputError } from "../../core/errors.ts";
import { BoundedRecords } from "./bounded_records.ts";
import { copyBandwidths } from "../../engine/copy_bandwidths.ts";

/** Options of {@linkcode attach}. */
export interface AttachOptions {
  /** Rule that finds steps: `auto` (the default), `wait`, `mark` or `submit:N`. Calls of `step()` replace it. */
  readonly steps?: string;
  /** Records the lines that create buffers and pipelines and dispatch kernels. Default: false. */
  readonly stack?: boolean;
  /** Largest accepted slowdown by timing, as a fraction: fewer steps are timed where it would be exceeded. Default: 0.05. */
  readonly budget?: number;
  /** Times dispatches if the device has the feature `timestamp-query`; false only counts. Default: true. */
  readonly timing?: boolean;
}

/** Records a device until it is disposed of. */
export interface Profiler extends AsyncDisposable {
  /** Ends a step. From its first call on, nothing else ends steps. */
  step(): void;
  /**
   * Returns what was recorded so far: steps and where their time goes, kernels, memory, errors. Blocks until the device is
   * done. Call it between steps.
   */
  result(): Promise<AttachResult>;
}

/** The registry of all profilers, and WebGPU's patches while it has devices. */
const registry = new Registry();
let patches: Patches | null = null;

/**
 * Records what a program does with a device: times of kernels, uploads, copies, waits, pipelines, memory. Patches WebGPU
 * until the profiler is disposed of; results of the program stay the same. Kernels are timed if the device was requested
 * with the feature `timestamp-query`. Pipelines and buffers that exist already have no names.
 *
 * ```ts
 * import { attach } from "@tacho/tacho/attach";
 *
 * const adapter = await navigator.gpu.requestAdapter();
 * const device = await adapter!.requestDevice({ requiredFeatures: ["timestamp-query"] });
 * await using profiler = attach(device);
 * for (let i = 0; i < 10; i++) {
 *   // train a step on the device
 *   profiler.step();
 * }
 * console.log((await profiler.result()).devices[0]!.kernels);
 * ```
 *
 * @throws {InputError} if an option is wrong, or the device is already attached to
 */
export function attach(device: GPUDevice, options: AttachOptions = {}): Profiler {
  const { steps: text = "auto", stack = false, budget = 0.05, timing = true } = options;
  const steps = parseSteps(text);
  if (steps === null) throw new InputError(`attach: steps: expected auto, wait, mark or submit:N, got "${text}"`);
  if (!(budget > 0 && budget <= 1)) throw new InputError(`attach: budget: expected a number in (0, 1], got ${budget}`);
  if (registry.of(device) !== undefined) {
    throw new InputError("attach: the device is already attached to; dispose of the first profiler");
  }
  const sink = new BoundedRecords();
  const realm: Realm = { sink, now, waitsBlock: true };
  beginRecords(realm, MAIN_REALM);
  patches ??= install(registry, null);
  const settings = { steps, stack, budget, timing };
  const recorder = registry.add(device, device.queue, factsOf(device), { settings, realm });
  watch(device, recorder);
  const primed = recorder.prime().catch(() => {}); // a lost device, which the result names
  return {
    step: () => recorder.step(),
    async result() {
      await primed;
      recorder.finish();
      const end = { kind: "end", time: now() } as const;
      return analyseAttached([[...sink.all(), end]], recorder.stepsBy, await copyBandwidths());
    },
    async [Symbol.asyncDispose]() {
      await primed;
      detach(device, recorder);
    },
  };
}

function detach(device: GPUDevice, recorder: DeviceRecorder): void {
  if (registry.of(device) !== recorder) return;
  registry.remove(device, recorder);
  if (registry.size > 0) return;
  patches?.undo();
  patches = null;
}
