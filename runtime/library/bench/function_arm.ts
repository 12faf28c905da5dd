import { setImmediate } from "node:timers/promises";
import { summarize } from "../../analysis/metrics.ts";
import { InputError, TachoError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { namedReasonOf } from "../../core/shown.ts";
import type { Device } from "../../device/device.ts";
import { type DeviceEvent, elapsed } from "../../device/device_event.ts";
import type { Arm, ArmRecord } from "../../experiment/arm.ts";
import { toByPhase } from "../../record/phases.ts";
import type { Block, Loss, StepRecord, Unit, VariantResult } from "../../result/schema.ts";
import type { MeasureConfig } from "../../scenario/schema.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import type { BenchEntry } from "../bench_options.ts";
import { unmeasuredVariant } from "../../result/unmeasured.ts";
import { FUNCTION_MODE } from "../../report/own_loop.ts";

/** Settings of a function in a result. */
export interface FunctionSettings {
  readonly unit: string;
  readonly samples: number;
  /** Calls per step; null if they are chosen later. */
  readonly calls: number | null;
  readonly measure: { readonly steps?: number; readonly skip: number; readonly rounds: number };
}

/** Returns the settings of a benchmarked function, as a variant has them. */
export function functionConfig(
  { unit, samples, calls, measure: { steps, skip, rounds } }: FunctionSettings,
  onDevice = false,
): VariantResult["config"] {
  return {
    model: null,
    mode: FUNCTION_MODE,
    optimizer: null,
    data: { unit },
    timing: onDevice ? "event" : null,
    samples,
    calls,
    measure: { ...steps === undefined ? {} : { steps }, skip, rounds },
  } as VariantResult["config"];
}

/** Settings that all functions of a benchmark share. */
export interface FunctionPlace {
  /** Device to wait for at the end of a step; null without one. */
  readonly device: Device | null;
  /** Unit that a call processes, and the number of units. */
  readonly unit: string;
  readonly samples: number;
  /** Calls per step; set before the first step. */
  calls: number;
  /** Sizes of the measurement, as the settings of a variant have them. */
  measure: Pick<MeasureConfig, "steps" | "skip" | "rounds">;
  interrupted(): boolean;
}

/** Times of a step, in ms. */
interface StepTimes {
  readonly wall: number;
  /** Pairs of events whose times add up to the device time. */
  readonly events: readonly (readonly [DeviceEvent, DeviceEvent])[];
}

/** Arm that calls a function. */
export class FunctionArm implements Arm {
  readonly unit = 1;
  readonly stateful = false;
  readonly blocks: Block[] = [];
  readonly losses: (Loss | null)[] = [];
  failure: Error | null = null;
  interrupted = false;
  readonly #entry: BenchEntry<unknown>;
  readonly #place: FunctionPlace;
  #state: { readonly value: unknown } | null = null;
  #calls = 0;
  #setup: number | null = null;
  #firstStep: number | null = null;

  readonly name: string;

  constructor(name: string, entry: BenchEntry<unknown>, place: FunctionPlace) {
    this.name = name;
    this.#entry = entry;
    this.#place = place;
  }

  get unitOfRate(): Unit {
    return `${this.#place.unit}/s`;
  }

  get running(): boolean {
    return this.failure === null && !this.interrupted;
  }

  get steps(): number {
    return this.losses.length;
  }

  fail(error: unknown): void {
    this.failure = error instanceof Error ? error : new Error(String(error));
  }

  interrupt(): void {
    if (this.failure === null) this.interrupted = true;
  }

  /** Sets the function up, once. */
  async prepare(): Promise<void> {
    if (this.#state !== null) return;
    const begin = performance.now();
    this.#state = { value: await this.#guarded(() => this.#entry.setup?.()) };
    this.#setup = performance.now() - begin;
  }

  /** Calls the function `calls` times without counting them as a step. Returns the wall time in ms. */
  async time(calls: number): Promise<number> {
    const { wall } = await this.#call(calls);
    await this.#place.device?.settle(); // errors of the device must not reach the next arm
    return wall;
  }

  async warmUp(steps: number, onStep: (done: number) => void = () => {}): Promise<{ wall: number }> {
    let wall = 0;
    for (let done = 1; done <= steps && this.#goesOn(); done++) {
      wall += (await this.#step()).wall;
      onStep(done);
    }
    await this.#place.device?.settle();
    return { wall };
  }

  endWarmUp(): void {}

  async block(
    ...[place, count, { onStep }]: Parameters<Arm["block"]>
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    const first = this.steps;
    const times: StepTimes[] = [];
    while (times.length < count && this.#goesOn()) {
      times.push(await this.#step());
      onStep(times.length);
    }
    const steps = await this.#guarded(() => Promise.all(times.map((time, i) => record(first + i, time))));
    await this.#place.device?.settle();
    if (times.length < count) return null; // an incomplete block is not compared
    const { calls, samples } = this.#place;
    const block: Block = {
      ...place,
      samples: count * calls * samples,
      wall: times.reduce((sum, { wall }) => sum + wall, 0),
      steps,
    };
    this.blocks.push(block);
    return { block, host: { runtimeWait: 0, counts: {}, letData: [], hostQueue: [], deviceQueue: [] } };
  }

  skip(): void {}

  restoreBlock({ block }: Omit<KeptBlock, "arm">): void {
    this.blocks.push(block);
  }

  record(): ArmRecord {
    const { name, blocks, losses, failure } = this;
    const onDevice = blocks.some(({ steps }) => steps.some(({ stepTime }) => stepTime !== null));
    const metrics = summarize({
      blocks,
      runtimeWaits: blocks.map(() => NaN),
      amortised: false,
      unit: this.unitOfRate,
      setup: this.#setup,
      firstStep: this.#firstStep,
      accuracy: null,
      timing: onDevice ? "event" : null,
      profilingCost: null,
    });
    const status: VariantResult["status"] = failure !== null ? "failed" : this.interrupted ? "interrupted" : "ok";
    const error = failure && {
      message: failure.message,
      exitStatus: failure instanceof TachoError ? failure.exitStatus : 1,
    };
    const config = functionConfig(this.#place, onDevice);
    const variant = { ...unmeasuredVariant(name, config), metrics, status, error, blocks, losses };
    return { variant, timeline: null, ablations: null, data: null };
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = null;
    if (state !== null) await this.#guarded(() => this.#entry.teardown?.(state.value), `${this.name}: teardown: `);
  }

  /** Returns false, and ends the arm, once the measurement is interrupted. */
  #goesOn(): boolean {
    if (this.#place.interrupted()) this.interrupt();
    return this.running;
  }

  async #step(): Promise<StepTimes> {
    const times = await this.#call(this.#place.calls);
    this.#firstStep ??= times.wall;
    this.losses.push(null);
    return times;
  }

  /** Calls the function, and lets other work of the program run afterwards. */
  async #call(calls: number): Promise<StepTimes> {
    const { device } = this.#place;
    const events: [DeviceEvent, DeviceEvent][] = [];
    const deviceTime = (begin: DeviceEvent, end: DeviceEvent) => void events.push([begin, end]);
    const { value } = this.#state!;
    const { run } = this.#entry;
    const wall = await this.#guarded(async () => {
      const begin = performance.now();
      for (let i = 0; i < calls; i++) {
        const returned = run(value, { call: this.#calls++, deviceTime });
        if (isPromise(returned)) await returned;
      }
      device?.wait();
      return performance.now() - begin;
    });
    await setImmediate();
    return { wall, events };
  }

  /** Runs code of the user, whose errors end the arm alone. */
  async #guarded<T>(work: () => T, where = ""): Promise<Awaited<T>> {
    try {
      return await work();
    } catch (error) {
      if (isInstance(error, TachoError)) throw error;
      throw new InputError(`${where}${namedReasonOf(error)}`, { cause: error });
    }
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

async function record(index: number, { wall, events }: StepTimes): Promise<StepRecord> {
  const times = await Promise.all(events.map(([begin, end]) => elapsed(begin, end)));
  return {
    index,
    batchCost: wall,
    readerCost: null,
    stepTime: times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0),
    iterationGap: null,
    ...toByPhase<number>([]),
    loss: null,
  };
}
