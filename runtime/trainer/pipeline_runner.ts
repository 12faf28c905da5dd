import { setImmediate } from "node:timers/promises";
import { InputError } from "../core/errors.ts";
import { toLogical } from "../core/layout.ts";
import { RandomStream } from "../core/random.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import { shown } from "../core/shown.ts";
import { sampleClock } from "../device/clock.ts";
import { Device } from "../device/device.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import type { HostTensor } from "../engine/model_state.ts";
import { SlotPool } from "../engine/slot_pool.ts";
import { type ClockFit, fitClock } from "../record/clock_fit.ts";
import { cleanPasses, type PassTimes } from "../record/device_samples.ts";
import { type Timing, TIMINGS } from "../record/timing.ts";
import type { Pipeline } from "../scenario/pipeline.ts";
import { InferenceStage } from "./inference_stage.ts";

/** Options of `openPipeline`. */
export interface PipelineOptions {
  /** Shape of a batch for the first model, batch dimension first. */
  readonly input: Shape;
  /** Seed of weights and input; default 1. */
  readonly seed?: number;
  /** Part of the name of the adapter to use. */
  readonly adapter?: string;
}

/** Numbers of repeats of a measurement. */
export interface RepeatOptions {
  /** Number of repeats, including skipped ones; default 50. */
  readonly repeats?: number;
  /** Number of warm-up repeats that are not counted; default 5. */
  readonly skip?: number;
}

/** Options of `PipelineRunner.measure`. */
export interface MeasureOptions extends RepeatOptions {
  /** Timing method. */
  readonly timing: Timing;
}

/** Times of a stage. */
export interface StageTimes {
  /** Name of the stage. */
  readonly name: string;
  /** Model on the device, or task on the host. */
  readonly kind: "infer" | "host";
  /** ms, one per counted repeat; null if the device gave no valid timestamps. */
  readonly times: readonly (number | null)[];
}

/** Times of a pipeline by one timing method, in ms. */
export interface PipelineTimes {
  /** Timing method. */
  readonly timing: Timing;
  /** Times of the stages, in their order. */
  readonly stages: readonly StageTimes[];
  /**
   * Time of each repeat by the timing method. `host` and `sync`: from the begin of the first stage to the end of the
   * last, on the host's clock. `event`: from the earliest begin to the latest end, with device times on the host's
   * axis.
   */
  readonly total: readonly (number | null)[];
  /** Time of each repeat until the device was done, on the host's clock regardless of the timing method. */
  readonly wall: readonly number[];
}

/** Opens a device and prepares a pipeline on it: the work of `openPipeline()`, which loads it when it is called. */
export async function preparePipeline(pipeline: Pipeline, options: PipelineOptions): Promise<PipelineRunner> {
  const { input, seed = 1, adapter } = options;
  if (!Array.isArray(input) || input.length === 0 || !input.every((n) => Number.isInteger(n) && n > 0)) {
    throw new InputError(`openPipeline: input is ${shown(input)}, expected a shape such as [8, 3, 32, 32]`);
  }
  const device = await Device.open({ match: adapter });
  try {
    return await create(pipeline, device, input, seed);
  } catch (error) {
    device.destroy();
    throw error;
  }
}

/** Begin and end of a stage on the host's axis in ms. */
interface Interval {
  readonly begin: number;
  readonly end: number;
}

/** One repeat of a pipeline. */
interface Run {
  /** Interval of each stage. */
  readonly intervals: readonly (Interval | null)[];
  readonly wall: number;
}

/**
 * Compiles the models of a pipeline.
 *
 * @param input shape of a batch for the first model, batch dimension first
 * @param seed seed of weights and input
 * @throws {InputError} if a model does not fit its input
 */
let create: (pipeline: Pipeline, device: Device, input: Shape, seed: number) => Promise<PipelineRunner>;

/** A pipeline on a device. */
export class PipelineRunner implements AsyncDisposable {
  readonly #pipeline: Pipeline;
  readonly #device: Device;
  readonly #slots: SlotPool;
  /** Models by index of their stage. */
  readonly #models: ReadonlyMap<number, InferenceStage>;
  readonly #timestamps: TimestampRecorder | null;
  #lastTimestamp = 0n;

  static {
    create = (pipeline, device, input, seed) => PipelineRunner.#create(pipeline, device, input, seed);
  }

  private constructor(
    pipeline: Pipeline,
    device: Device,
    slots: SlotPool,
    models: ReadonlyMap<number, InferenceStage>,
  ) {
    this.#pipeline = pipeline;
    this.#device = device;
    this.#slots = slots;
    this.#models = models;
    this.#timestamps = device.timestamps ? new TimestampRecorder(device) : null;
  }

  static async #create(pipeline: Pipeline, device: Device, input: Shape, seed: number): Promise<PipelineRunner> {
    const slots = new SlotPool(device);
    const plans = new Map<number, ReturnType<typeof InferenceStage.plan>>();
    let shape = input;
    for (const [i, stage] of pipeline.stages.entries()) {
      if (stage.kind !== "infer") continue;
      const plan = planStage(stage.name, () => InferenceStage.plan(stage.model, shape, device.traits));
      slots.reserve(plan.slots);
      plans.set(i, plan);
      shape = plan.output.shape;
    }
    const models = new Map<number, InferenceStage>();
    let previous: InferenceStage | null = null;
    for (const [i, plan] of plans) {
      const label = pipeline.stages[i]!.name;
      previous = await InferenceStage.create(plan, device, slots, previous, { seed, label });
      models.set(i, previous);
    }
    const runner = new PipelineRunner(pipeline, device, slots, models);
    const stream = new RandomStream(seed);
    runner.setInput(Float32Array.from({ length: sizeOf(input) }, () => 2 * stream.uniform() - 1));
    runner.#submitAll();
    device.wait(); // The first dispatch compiles the shaders
    await device.settle();
    return runner;
  }

  /** Device that the pipeline runs on, with its counts of submits and waits. */
  get device(): Device {
    return this.#device;
  }

  /**
   * Sets the input of the first model.
   *
   * @param data values of the input shape in row-major order
   * @throws {InputError} if the number of values is wrong
   */
  setInput(data: Float32Array): void {
    this.#first.setInput(data);
  }

  /** Reads the output of the last model back. */
  async output(): Promise<HostTensor> {
    const { plan, output } = [...this.#models.values()].at(-1)!;
    const [bytes] = await this.#device.read([{ buffer: output, offset: 0, size: sizeOf(plan.output.shape) * 4 }]);
    const { shape, layout } = plan.output;
    return { shape, data: toLogical(new Float32Array(bytes!), shape, layout) };
  }

  /**
   * Times repeats of the pipeline with one timing method. The device is idle at the start of each repeat.
   *
   * @throws {InputError} if `repeats` is not greater than `skip`
   */
  async measure({ timing, ...options }: MeasureOptions): Promise<PipelineTimes> {
    const [times] = await this.#measure([timing], options);
    return times!;
  }

  /**
   * Measures with all timing methods in turns, starting with another one each time, so that drift affects all of them equally.
   */
  async compare(options: RepeatOptions = {}): Promise<Record<Timing, PipelineTimes>> {
    const times = await this.#measure(TIMINGS, options);
    return Object.fromEntries(times.map((each) => [each.timing, each])) as Record<Timing, PipelineTimes>;
  }

  async #measure(timings: readonly Timing[], { repeats = 50, skip = 5 }: RepeatOptions): Promise<PipelineTimes[]> {
    if (!(Number.isInteger(skip) && skip >= 0 && Number.isInteger(repeats) && repeats > skip)) {
      throw new InputError(`measure: repeats is ${repeats} and skip ${skip}; expected more repeats than skipped ones`);
    }
    const before = await sampleClock(this.#device);
    const runs = new Map(timings.map((timing) => [timing, [] as Run[]]));
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (let turn = 0; turn < timings.length; turn++) {
        const timing = timings[(repeat + turn) % timings.length]!;
        runs.get(timing)!.push(await this.#run(timing));
      }
    }
    const after = await sampleClock(this.#device);
    const fit = fitClock([before, after].filter((sample) => sample !== null));
    const events = runs.get("event");
    if (events !== undefined) runs.set("event", await this.#byDevice(events, fit));
    await this.#device.settle();
    return timings.map((timing) => this.#times(timing, runs.get(timing)!.slice(skip)));
  }

  /** Frees the models and destroys the device. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#timestamps?.free();
    for (const model of this.#models.values()) model.free();
    this.#slots.free();
    this.#device.destroy();
    await Promise.resolve();
  }

  get #first(): InferenceStage {
    return this.#models.values().next().value!;
  }

  #submitAll(): void {
    for (const model of this.#models.values()) model.submit(null);
  }

  /** Runs each stage once on an idle device. */
  async #run(timing: Timing): Promise<Run> {
    this.#device.wait();
    await setImmediate();
    const intervals: Interval[] = [];
    for (const [i, stage] of this.#pipeline.stages.entries()) {
      const begin = performance.now();
      if (stage.kind === "host") {
        const result = stage.task();
        if (result instanceof Promise) await result;
      } else {
        this.#models.get(i)!.submit(timing === "event" ? this.#timestamps : null);
        if (timing === "sync") this.#device.wait();
      }
      intervals.push({ begin, end: performance.now() });
    }
    this.#device.wait();
    return { intervals, wall: performance.now() - intervals[0]!.begin };
  }

  /** Replaces the intervals of models by those from timestamps; null without valid timestamps. */
  async #byDevice(runs: readonly Run[], fit: ClockFit | null): Promise<Run[]> {
    const { passes, last } = cleanPasses(await this.#timestamps?.read() ?? [], this.#lastTimestamp);
    this.#lastTimestamp = last;
    let next = 0;
    const intervalOf = (host: Interval | null, stage: number): Interval | null => {
      if (!this.#models.has(stage)) return host;
      const pass: PassTimes | null = passes[next++] ?? null;
      return pass === null || fit === null ? null : { begin: fit.toHost(pass.begin), end: fit.toHost(pass.end) };
    };
    return runs.map(({ intervals, wall }) => ({ intervals: intervals.map(intervalOf), wall }));
  }

  #times(timing: Timing, runs: readonly Run[]): PipelineTimes {
    return {
      timing,
      stages: this.#pipeline.stages.map(({ name, kind }, i) => ({
        name,
        kind,
        times: runs.map(({ intervals }) => lengthOf(intervals[i]!)),
      })),
      total: runs.map(({ intervals }) => lengthOf(span(intervals))),
      wall: runs.map(({ wall }) => wall),
    };
  }
}

function span(intervals: readonly (Interval | null)[]): Interval | null {
  const known = intervals.filter((interval) => interval !== null);
  if (known.length < intervals.length) return null;
  return { begin: Math.min(...known.map(({ begin }) => begin)), end: Math.max(...known.map(({ end }) => end)) };
}

function lengthOf(interval: Interval | null): number | null {
  return interval === null ? null : interval.end - interval.begin;
}

/** Adds the stage's name to input errors. */
function planStage<T>(name: string, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`pipeline: stage "${name}": ${error.message}`, { cause: error });
  }
}
