/**
 * A list of transforms as passes over a sample. Neighbours are fused (`grouping.ts`): a pass reads each pixel where it is
 * and writes it where it goes, in the type and order that the next one wants.
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

/** How a chain is made of its steps. */
export interface ChainOptions {
  /** The order of the results. */
  readonly order: Order;
  /** Passes of several transforms; else one of each. Changes no result. */
  readonly fuse: boolean;
  /** Whether results become f32, or stay the bytes that they are. */
  readonly convert: boolean;
}

interface Pass {
  readonly run: FusedPass | SamplePass;
  /** What it makes. */
  readonly output: SampleType;
  /** Milliseconds that it sleeps. */
  readonly delay: number;
}

/** A chain ready to run. One chain serves one thread: it has scratch memory. */
export class TransformChain {
  /** The passes by name: the transforms that each is made of, or `convert` where it only copies to the batch. */
  readonly stages: readonly string[];
  readonly #passes: readonly Pass[];
  /** What each pass but the last writes to, as large as it had to be so far. */
  readonly #scratch: (Uint8Array | Float32Array)[];

  /**
   * @param input the type of the source's samples
   * @throws {InputError} if this thread lacks a function of the user's
   */
  constructor(steps: readonly Step[], input: SampleType, { order, fuse, convert }: ChainOptions) {
    const groups = groupSteps(steps, fuse);
    this.stages = groups.map((group) => groupName(steps, group));
    this.#passes = groups.map((group, g) => {
      const before = group.begin === 0 ? input : steps[group.begin - 1]!.output;
      const last = g === groups.length - 1 ? { order, convert } : null;
      return makePass(steps.slice(group.begin, group.end), group, before, last);
    });
    this.#scratch = this.#passes.slice(1).map(() => new Uint8Array(0));
  }

  /** The chain from a source's samples to f32 samples in `layout`. */
  static of(
    specs: readonly TransformSpec[],
    input: SampleType,
    { layout, seed, fuse }: { layout: Layout; seed: number; fuse: boolean },
  ): TransformChain {
    return new TransformChain(stepsOf(specs, input, seed, "data"), input, {
      order: layout === "nhwc" ? "hwc" : "chw",
      fuse,
      convert: true,
    });
  }

  /**
   * Transforms one sample, drawing by (seed, epoch, sample) alone. Each pass is a lap of the clock.
   *
   * @throws {InputError} if the sample is too small for a crop, or a function of the user's fails
   */
  run(
    source: Pixels,
    out: Float32Array | Uint8Array,
    outOffset: number,
    epoch: number,
    sample: number,
    clock: StageClock | null = null,
  ): void {
    let pixels = source;
    for (let i = 0; i < this.#passes.length; i++) {
      const { run, output, delay } = this.#passes[i]!;
      if ("run" in run) {
        pixels = run.run(pixels, epoch, sample);
      } else {
        run.place(pixels, epoch, sample);
        if (i === this.#passes.length - 1) {
          run.write(pixels, out, outOffset);
        } else {
          const { height, width } = run;
          const data = this.#room(i, output, output.channels * height * width);
          run.write(pixels, data, 0);
          pixels = { data, offset: 0, height, width };
        }
      }
      if (delay > 0) sleep(delay);
      clock?.lap(i);
    }
  }

  /** Scratch memory of at least `length` values. */
  #room(i: number, { dtype }: SampleType, length: number): Uint8Array | Float32Array {
    const kind = dtype === "u8" ? Uint8Array : Float32Array;
    let room = this.#scratch[i];
    if (!(room instanceof kind) || room.length < length) room = this.#scratch[i] = new kind(length);
    return room;
  }
}

/** What a pass holds; where transforms convert back and forth, also what the values go through. */
function groupName(steps: readonly Step[], { begin, end }: Group): string {
  const held = steps.slice(begin, end);
  const name = held.map(stepName).join("+") || "convert";
  if (!held.some(({ def }) => def.converts)) return name;
  const forms = [held[0]!.input, ...held.map(({ output }) => output)].map(({ dtype, order }) => `${dtype} ${order}`);
  return `${name} (${forms.filter((form, i) => form !== forms[i - 1]).join(" > ")})`;
}

/** @param last what a batch wants, for the last pass; null for others */
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

/** One pass of `steps`, and of `last` after them. */
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
