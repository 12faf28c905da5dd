/**
 * A list of transforms as passes over a sample. Neighbours are fused: any crops and flips, one scaling, and then what
 * needs no padding make one pass. Padding after a scaling begins a new pass, since there the padding is a scaled zero.
 *
 * @module
 */
import type { Layout } from "../../core/layout.ts";
import { RandomStream } from "../../core/random.ts";
import { streamKey } from "../keys.ts";
import { type CopyPass, fusedPass } from "./fused_pass.ts";
import { normalizeDef } from "./normalize.ts";
import { randomCropDef } from "./random_crop.ts";
import { randomHorizontalFlipDef } from "./random_horizontal_flip.ts";
import type { TransformSpec } from "./schema.ts";
import type { Action, SampleType, TransformDef } from "./transform.ts";
import { PixelWindow } from "./window.ts";

type Defs = { readonly [K in TransformSpec["kind"]]: TransformDef<Extract<TransformSpec, { kind: K }>> };

const DEFS: Defs = {
  randomCrop: randomCropDef,
  randomHorizontalFlip: randomHorizontalFlipDef,
  normalize: normalizeDef,
};

function defOf(spec: TransformSpec): TransformDef<TransformSpec> {
  return DEFS[spec.kind] as TransformDef<TransformSpec>;
}

/**
 * The type of a sample before each transform, and after the last.
 *
 * @throws {InputError} if a transform cannot take what the one before it makes; the message begins with `place`
 */
export function chainTypes(specs: readonly TransformSpec[], input: SampleType, place: string): SampleType[] {
  const types = [input];
  specs.forEach((spec, i) => types.push(defOf(spec).output(spec, types[i]!, `${place}.transforms[${i}]`)));
  return types;
}

/** Crops and flips of one pass, each with the key of its random draws. */
interface Move {
  readonly key: number;
  readonly move: Extract<Action, { act: "window" }>["move"];
}

interface Pass {
  readonly input: SampleType;
  readonly moves: readonly Move[];
  readonly copy: CopyPass;
}

/** A chain ready to run. One chain serves one thread: it has scratch memory. */
export class TransformChain {
  readonly #passes: readonly Pass[];
  readonly #scratch: readonly Float32Array[];
  readonly #window = new PixelWindow();

  /** `input` is the type of the source's samples; the results are f32 in `layout`. */
  constructor(specs: readonly TransformSpec[], input: SampleType, layout: Layout, seed: number) {
    const types = chainTypes(specs, input, "data");
    const groups = groupActions(specs.map((spec, i) => defOf(spec).action(spec, types[i]!)));
    const keys = drawKeys(specs, seed);
    let at = 0;
    const passes: Pass[] = [];
    groups.forEach((group, g) => {
      const type: SampleType = { ...types[at]!, dtype: g === 0 ? input.dtype : "f32" };
      const moves = group.flatMap((action, i) =>
        action.act === "window" ? [{ key: keys[at + i]!, move: action.move }] : []
      );
      const scale = group.find((action) => action.act === "scale") ?? null;
      const last = g === groups.length - 1;
      passes.push({ input: type, moves, copy: fusedPass(type, scale, last ? layout : "row") });
      at += group.length;
    });
    this.#passes = passes;
    this.#scratch = passes.slice(1).map(({ input }) => new Float32Array(input.channels * input.height * input.width));
  }

  /** Transforms one sample, drawing by (seed, epoch, sample) alone. */
  run(
    source: Uint8Array | Float32Array,
    offset: number,
    out: Float32Array,
    outOffset: number,
    epoch: number,
    sample: number,
  ): void {
    for (let i = 0; i < this.#passes.length; i++) {
      const { input, moves, copy } = this.#passes[i]!;
      const window = this.#window;
      window.reset(input.height, input.width);
      for (const { key, move } of moves) move(window, new RandomStream(key, epoch, sample));
      const scratch = this.#scratch[i];
      copy(window, source, offset, scratch ?? out, scratch === undefined ? outOffset : 0);
      if (scratch !== undefined) [source, offset] = [scratch, 0];
    }
  }
}

/** At least one group, so that a chain without transforms still converts its samples. */
function groupActions(actions: readonly Action[]): Action[][] {
  const groups: Action[][] = [[]];
  let scaled = false;
  for (const action of actions) {
    if (scaled && (action.act === "scale" || action.pads)) {
      groups.push([]);
      scaled = false;
    }
    groups.at(-1)!.push(action);
    scaled ||= action.act === "scale";
  }
  return groups;
}

/** By kind and count, so that adding a transform of another kind leaves the draws of the rest as they were. */
function drawKeys(specs: readonly TransformSpec[], seed: number): number[] {
  const seen = new Map<string, number>();
  return specs.map(({ kind }) => {
    const count = seen.get(kind) ?? 0;
    seen.set(kind, count + 1);
    return streamKey(seed, `data/transform/${kind}/${count}`);
  });
}
