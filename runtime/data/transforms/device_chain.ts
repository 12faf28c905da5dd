/**
 * A chain whose end runs on the device. The host makes the bytes of each sample and draws its window; the device crops
 * and flips, and maps bytes through a table from the host (`ops/augment.ts`).
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { RandomStream } from "../../core/random.ts";
import type { StageClock } from "../stage_clock.ts";
import { TransformChain } from "./chain.ts";
import { resultType, type SizedType, type Step, stepName, stepsOf, type TransformSpec } from "./definitions.ts";
import { type DevicePart, type Pixels, type SampleType, WINDOW_WORDS } from "./transform.ts";
import type { Move } from "./fused_pass.ts";
import { tableOf, TO_UNIT } from "./points.ts";
import { PixelWindow } from "./window.ts";

export class DeviceChain {
  readonly stages: readonly string[];
  readonly #host: TransformChain;
  readonly #moves: readonly Move[];
  readonly #window = new PixelWindow();
  readonly #height: number;
  readonly #width: number;
  readonly #pixelWords: number;
  #bytes = new Uint8Array(0);
  #words = new Int32Array(0);

  /**
   * @param options.skip first transforms of the host to leave out; samples are what these make
   * @throws {InputError} if no part of the chain can run on the device
   */
  constructor(
    specs: readonly TransformSpec[],
    input: SampleType,
    { seed, fuse, skip = 0 }: { seed: number; fuse: boolean; skip?: number },
  ) {
    const { host, device, sent } = split(specs, input, seed);
    this.#host = new TransformChain(host.slice(skip), host[skip - 1]?.output ?? input, {
      order: sent.order,
      fuse,
      convert: false,
    });
    this.#moves = device.flatMap(({ action, key }) =>
      action.act === "window" ? [{ key, move: action.move, level: 0 }] : []
    );
    this.#height = sent.height;
    this.#width = sent.width;
    this.#pixelWords = pixelWords(sent);
    this.stages = this.#host.stages;
  }

  /**
   * Returns the part of the chain that runs on the device.
   *
   * @throws {InputError} if the device can run no part
   */
  static part(specs: readonly TransformSpec[], input: SampleType): DevicePart {
    const { device, sent } = split(specs, input, 0);
    const result = resultType(specs, input, "data");
    const points = device.flatMap(({ action }) => action.act === "point" ? [action.point] : []);
    if (result.dtype === "u8") points.push(TO_UNIT);
    return {
      words: pixelWords(sent) + WINDOW_WORDS,
      channels: sent.channels,
      order: sent.order,
      sourceHeight: sent.height,
      sourceWidth: sent.width,
      height: result.height,
      width: result.width,
      table: [...tableOf(points, sent.channels)],
    };
  }

  /** Returns the device's part if it can run the whole chain, else null. */
  static whole(specs: readonly TransformSpec[], input: SampleType): DevicePart | null {
    const found = findSplit(stepsOf(specs, input, 0, "data"), input);
    return "host" in found && found.host.length === 0 ? DeviceChain.part(specs, input) : null;
  }

  /**
   * Returns the number of transforms that the host runs.
   *
   * @throws {InputError} if the device can run no part
   */
  static hostSteps(specs: readonly TransformSpec[], input: SampleType): number {
    return split(specs, input, 0).host.length;
  }

  /** Makes a sample's words. Random draws depend only on (seed, epoch, sample). Each pass is a lap of the clock. */
  run(
    source: Pixels,
    out: Uint32Array,
    outOffset: number,
    epoch: number,
    sample: number,
    clock: StageClock | null = null,
  ): void {
    if (this.#bytes.buffer !== out.buffer) {
      this.#bytes = new Uint8Array(out.buffer as ArrayBuffer);
      this.#words = new Int32Array(out.buffer as ArrayBuffer);
    }
    const at = out.byteOffset + 4 * outOffset;
    this.#host.run(source, this.#bytes, at, epoch, sample, clock);
    const window = this.#window;
    window.reset(this.#height, this.#width);
    for (const { key, move } of this.#moves) move(window, new RandomStream(key, epoch, sample));
    const { top, left, step, y0, y1, x0, x1 } = window;
    const words = this.#words;
    let to = at / 4 + this.#pixelWords;
    for (const value of [top, left, step, y0, y1, x0, x1]) words[to++] = value;
  }
}

function pixelWords({ channels, height, width }: SizedType): number {
  return Math.ceil(channels * height * width / 4);
}

interface Split {
  readonly host: readonly Step[];
  readonly device: readonly Step[];
  /** Type of the samples that the host sends. */
  readonly sent: SizedType;
}

function split(specs: readonly TransformSpec[], input: SampleType, seed: number): Split {
  const found = findSplit(stepsOf(specs, input, seed, "data"), input);
  if ("host" in found) return found;
  const why = found.stop === null ? "" : ` after ${stepName(found.stop)}, which runs on the host`;
  throw new InputError(
    `data.placement is device, but there are no u8 images of one size${why}; use u8 images and put the transforms that ` +
      "the device can run last (crops, flips, rescale, normalize), or use placement host",
  );
}

/**
 * Assigns as much as possible of the end of the chain to the device. If that is nothing, returns the step that prevents
 * it, or null if the samples themselves do.
 */
function findSplit(steps: readonly Step[], input: SampleType): Split | { readonly stop: Step | null } {
  const types = [input, ...steps.map(({ output }) => output)];
  let begin = steps.length;
  let pads = false;
  let stop: Step | null = null;
  while (begin > 0) {
    const step = steps[begin - 1]!;
    const { action } = step;
    const fits = action.act === "form" || (action.act === "window" && !action.holes) ||
      (action.act === "point" && !pads); // the table also applies to padding, so no point may come before it
    if (!fits) {
      stop = step;
      break;
    }
    pads ||= action.act === "window" && action.pads === true;
    begin--;
  }
  for (; begin <= steps.length; begin++) {
    const { dtype, height, width, image } = types[begin]!;
    if (!image || dtype !== "u8" || height === null || width === null) continue;
    return {
      host: steps.slice(0, begin),
      device: steps.slice(begin),
      sent: { ...types[begin]!, height, width },
    };
  }
  return { stop };
}
