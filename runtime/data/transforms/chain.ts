/**
 * Transforms as passes over a sample. Neighbours are fused (`grouping.ts`): a pass reads each pixel once and writes it to
 * its final place, in the type and order that the next pass needs.
 *
 * @module
 */
import type { Layout } from "../../core/layout.ts";
import { sleep } from "../sleep.ts";
import type { StageClock } from "../stage_clock.ts";
import { type Step, stepName, stepsOf, type TransformSpec } from "./definitions.ts";
import { FusedPass, type Move } from "./fused_pass.ts";
import { type Group, groupSteps } from "./grouping.ts";
import { TO_UNIT } from "./points.ts";
import type { Order, Pixels, Point, SamplePass, SampleType } from "./transform.ts";

/** Options of a chain. */
export interface ChainOptions {
  /** Memory order of the results. */
  readonly order: Order;
  /** Run several transforms in one pass, else each on its own. Results are the same. */
  readonly fuse: boolean;
  /** Convert results to f32, else leave bytes. */
  readonly convert: boolean;
}

interface Pass {
  readonly run: FusedPass | SamplePass;
  /** Type of its result. */
  readonly output: SampleType;
  /** Milliseconds to sleep after it. */
  readonly delay: number;
}

/** Chain ready to run. Its scratch memory ties it to one thread. */
export class TransformChain {
  /** Names of the passes: their transforms, or `convert` for a pass that only copies to the batch. */
  readonly stages: readonly string[];
  readonly #passes: readonly Pass[];
  /** Output of each pass, as large as needed so far; none for the last one of a batch. */
  readonly #scratch: (Uint8Array | Float32Array)[];

  /**
   * @param input type of the source's samples
   * @throws {InputError} if this thread lacks a user's function
   */
  constructor(steps: readonly Step[], input: SampleType, { order, fuse, convert }: ChainOptions) {
    const groups = groupSteps(steps, fuse);
    this.stages = groups.map((group) => groupName(steps, group));
    this.#passes = groups.map((group, g) => {
      const before = group.begin === 0 ? input : steps[group.begin - 1]!.output;
      const last = g === groups.length - 1 ? { order, convert } : null;
      return makePass(steps.slice(group.begin, group.end), group, before, last);
    });
    this.#scratch = this.#passes.map(() => new Uint8Array(0));
  }

  /**
   * Makes the chain from a source's samples to f32 samples in `layout`.
   *
   * @param options.skip first transforms of the input to leave out; samples are what these make
   */
  static of(
    specs: readonly TransformSpec[],
    input: SampleType,
    { layout, seed, fuse, skip = 0 }: { layout: Layout; seed: number; fuse: boolean; skip?: number },
  ): TransformChain {
    const steps = stepsOf(specs, input, seed, "data");
    return new TransformChain(steps.slice(skip), steps[skip - 1]?.output ?? input, {
      order: layout === "nhwc" ? "hwc" : "chw",
      fuse,
      convert: true,
    });
  }

  /**
   * Transforms one sample. Random draws depend only on (seed, epoch, sample). Each pass is a lap of the clock.
   *
   * @throws {InputError} if the sample is too small for a crop, or a user's function fails
   */
  run(
    source: Pixels,
    out: Float32Array | Uint8Array,
    outOffset: number,
    epoch: number,
    sample: number,
    clock: StageClock | null = null,
  ): void {
    const last = this.#passes.length - 1;
    const pixels = this.#before(last, source, epoch, sample, clock);
    const { run, delay } = this.#passes[last]!;
    if ("run" in run) throw new Error("A chain ends with a transform of whole samples");
    run.place(pixels, epoch, sample);
    run.write(pixels, out, outOffset);
    if (delay > 0) sleep(delay);
    clock?.lap(last);
  }

  /** Transforms one sample as `run` does, and returns the result, valid until the next call. */
  pixels(source: Pixels, epoch: number, sample: number, clock: StageClock | null): Pixels {
    return this.#before(this.#passes.length, source, epoch, sample, clock);
  }

  /** Runs the passes before pass `end`. */
  #before(end: number, source: Pixels, epoch: number, sample: number, clock: StageClock | null): Pixels {
    let pixels = source;
    for (let i = 0; i < end; i++) {
      const { run, output, delay } = this.#passes[i]!;
      if ("run" in run) {
        pixels = run.run(pixels, epoch, sample);
      } else {
        run.place(pixels, epoch, sample);
        const { height, width } = run;
        const data = this.#room(i, output, output.channels * height * width);
        run.write(pixels, data, 0);
        pixels = { data, offset: 0, height, width };
      }
      if (delay > 0) sleep(delay);
      clock?.lap(i);
    }
    return pixels;
  }

  /** Returns scratch memory of at least `length` values. */
  #room(i: number, { dtype }: SampleType, length: number): Uint8Array | Float32Array {
    const kind = dtype === "u8" ? Uint8Array : Float32Array;
    let room = this.#scratch[i];
    if (!(room instanceof kind) || room.length < length) room = this.#scratch[i] = new kind(length);
    return room;
  }
}

/** Names a pass by its transforms; if they convert values, also by the types and orders between them. */
function groupName(steps: readonly Step[], { begin, end }: Group): string {
  const held = steps.slice(begin, end);
  const name = held.map(stepName).join("+") || "convert";
  if (!held.some(({ def }) => def.converts)) return name;
  const forms = [held[0]!.input, ...held.map(({ output }) => output)].map(({ dtype, order }) => `${dtype} ${order}`);
  return `${name} (${forms.filter((form, i) => form !== forms[i - 1]).join(" > ")})`;
}

/** @param last form of the results, for the last pass; null for others */
function makePass(
  steps: readonly Step[],
  { whole }: Group,
  input: SampleType,
  last: { readonly order: Order; readonly convert: boolean } | null,
): Pass {
  const output = steps.at(-1)?.output ?? input;
  const delay = steps.reduce((sum, { spec }) => sum + (spec.delay ?? 0), 0);
  const [step] = steps;
  if (whole && step?.action.act === "whole") {
    return { run: step.action.open(input, output, step.key), output, delay };
  }
  const points = last?.convert && output.dtype === "u8" ? [TO_UNIT] : [];
  return { run: fusePass(steps, input, last?.order ?? output.order, points), output, delay };
}

/** Makes one pass of `steps` and then `last`. */
function fusePass(steps: readonly Step[], input: SampleType, order: Order, last: readonly Point[]): FusedPass {
  const before: Move[] = [];
  const after: Move[] = [];
  const points: Point[] = [];
  const at = steps.findIndex(({ action }) => action.act === "resample");
  steps.forEach(({ action, key }, i) => {
    if (action.act === "point") points.push(action.point);
    if (action.act === "window") (i < at ? before : after).push({ key, move: action.move, level: points.length });
  });
  const resample = steps[at];
  return new FusedPass({
    input,
    before,
    resample: resample?.action.act === "resample" ? { ...resample.action, key: resample.key } : null,
    after,
    points: [...points, ...last],
    order,
  });
}
