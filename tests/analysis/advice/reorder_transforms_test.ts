import assert from "node:assert/strict";
import { detoursOf, reorderTransforms } from "../../../runtime/analysis/advice/reorder_transforms.ts";
import { TransformChain } from "../../../runtime/data/transforms/chain.ts";
import { stepsOf } from "../../../runtime/data/transforms/definitions.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import type { TransformSpec } from "../../../runtime/data/transforms/schema.ts";
import type { SampleType } from "../../../runtime/data/transforms/transform.ts";
import { apply, cifar, config, input, listed, measured, passes, pipeline, said, stage } from "./fixture.ts";

const crop = t.randomCrop(32, { padding: 4 });
const normalize = t.normalize("cifar10");
const mixed = [t.chwToHwc(), t.toF32(), crop, t.hwcToChw(), t.toU8(), normalize];

Deno.test("reorder transforms: removes conversions back and forth", () => {
  const variant = measured({ step: 150, reader: 52 }, {
    config: config({ data: listed(mixed) }),
    pipeline: pipeline(52, { stages: passes }),
  });
  const finding = apply(reorderTransforms, input(variant));
  said(finding);
  assert.deepEqual(finding!.changes[0]!.to, listed([crop, normalize]).transforms);
  const cached = { ...variant, config: config({ data: { ...listed(mixed), cache: { after: 2 } } }) };
  assert.deepEqual(said(apply(reorderTransforms, input(cached))).changes.slice(1), ["data.cache.after: 2 -> 0"]);
});

Deno.test("reorder transforms: one by one, what is left out is spared, and no more", () => {
  const transforms = [t.toF32(), t.cutout(3), t.toU8(), t.toF32(), t.rescale(2)];
  const stages = [5, 20, 7, 11, 30, 2].map((time, i) => stage(transforms[i]?.kind ?? "convert", "transform", time));
  const variant = measured({ step: 150, reader: 75 }, {
    config: config({ data: { ...listed(transforms), fuse: false } }),
    pipeline: pipeline(75, { stages }),
  });
  const { changes, gain } = said(apply(reorderTransforms, input(variant)));
  assert.deepEqual(changes.length, 1);
  assert.equal(gain, 150 / (150 - 5 - 7));
});

/** The transforms without detours. */
function straightened(transforms: readonly TransformSpec[], type: SampleType = cifar().sample!): TransformSpec[] {
  const detours = detoursOf(stepsOf(transforms, type, 1, "data"));
  return transforms.filter((spec) => !detours.has(spec));
}

Deno.test("reorder transforms: what changes the images stays", () => {
  const kinds = (...transforms: TransformSpec[]) => straightened(transforms).map(({ kind }) => kind);
  assert.deepEqual(kinds(t.toF32(), crop), ["toF32", "randomCrop"]);
  assert.deepEqual(kinds(t.toF32(), normalize, t.toU8()), ["toF32", "normalize", "toU8"]);
  assert.deepEqual(kinds(t.toF32(), t.cutout(3), t.toU8()), ["cutout"]);
  assert.deepEqual(kinds(t.toF32(), t.toU8(), t.toF32(), t.toU8()), []);
  assert.deepEqual(kinds(t.toF32(), t.toF32(), normalize), ["toF32", "normalize"]);
  const map = t.map(() => {});
  assert.deepEqual(kinds(t.chwToHwc(), map), ["chwToHwc", "map"], "a function may see the order");
});

Deno.test("reorder transforms: images stay as they are, bit for bit", () => {
  const detours = [
    t.chwToHwc(),
    t.toF32(),
    t.randomCrop(7, { padding: 2 }),
    t.hwcToChw(),
    t.toU8(),
    t.randomHorizontalFlip(),
    t.toF32(),
    t.cutout(3),
    t.toU8(),
    t.normalize("cifar10"),
  ];
  const type = { dtype: "u8", channels: 3, height: 7, width: 7, order: "chw", image: true } as const;
  const straight = straightened(detours, type);
  assert.deepEqual(straight.map(({ kind }) => kind), ["randomCrop", "randomHorizontalFlip", "cutout", "normalize"]);
  const data = Uint8Array.from({ length: 147 }, (_, i) => (i * 2654435761) >>> 13);
  const images = (specs: TransformSpec[]) => {
    const chain = TransformChain.of(specs, type, { layout: "nhwc", seed: 1, fuse: false });
    const out = new Float32Array(40 * 147);
    for (let sample = 0; sample < 40; sample++) chain.run({ data, offset: 0 }, out, 147 * sample, 0, sample);
    return out;
  };
  assert.deepEqual(images(straight), images(detours));
});

Deno.test("reorder transforms: quiet without conversions back and forth", () => {
  const variant = measured({ step: 150, reader: 52 }, {
    config: config({ data: listed([crop, normalize]) }),
    pipeline: pipeline(52, { stages: passes }),
  });
  assert.equal(apply(reorderTransforms, input(variant)), null);
});
