/** Rules on how batches are made and handed over. */
import assert from "node:assert/strict";
import { fuseTransforms } from "../../../runtime/analysis/advice/fuse_transforms.ts";
import { largerPrefetch } from "../../../runtime/analysis/advice/larger_prefetch.ts";
import { moreWorkers } from "../../../runtime/analysis/advice/more_workers.ts";
import { placement } from "../../../runtime/analysis/advice/placement.ts";
import { detoursOf, reorderTransforms } from "../../../runtime/analysis/advice/reorder_transforms.ts";
import { sharedMemory } from "../../../runtime/analysis/advice/shared_memory.ts";
import type { AdviceInput } from "../../../runtime/analysis/advice/context.ts";
import { TransformChain } from "../../../runtime/data/transforms/chain.ts";
import { stepsOf } from "../../../runtime/data/transforms/definitions.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import type { TransformSpec } from "../../../runtime/data/transforms/schema.ts";
import type { SampleType } from "../../../runtime/data/transforms/transform.ts";
import { apply, cifar, config, input, measured, peaks, pipeline, said, softwarePeaks, stage } from "./fixture.ts";

Deno.test("more workers: as many as make a batch while the device trains", () => {
  const variant = measured({ step: 200, reader: 150 }, { pipeline: pipeline(150) });
  const { changes, gain } = said(apply(moreWorkers, input(variant)));
  assert.deepEqual(changes, ["loader.numWorkers: 0 -> 3"]);
  assert.equal(gain, 200 / 50);
});

Deno.test("more workers: no more than there are cores, which a software adapter needs as well", () => {
  const variant = measured({ step: 200, reader: 100 }, { pipeline: pipeline(100) });
  const { changes, gain } = said(apply(moreWorkers, input(variant, { cores: 2, software: true })));
  assert.deepEqual(changes, ["loader.numWorkers: 0 -> 1"]);
  assert.equal(gain, 200 / 150, "a core and a half is left to training");
});

Deno.test("more workers: a loader alone has all cores", () => {
  const alone = measured({ step: 100, reader: 100 }, { config: config({ model: null }), pipeline: pipeline(100) });
  const { changes, gain } = said(apply(moreWorkers, input(alone, { cores: 2 })));
  assert.deepEqual([changes, gain], [["loader.numWorkers: 0 -> 2"], 2]);
});

Deno.test("more workers: threads that only sleep take no core", () => {
  const asleep = config({ data: { delay: { read: 3, decode: 0, collate: 0 } }, loader: { numWorkers: 1 } });
  const variant = measured({ step: 96, reader: 86 }, { config: asleep, pipeline: pipeline(96, { numWorkers: 1 }) });
  const { changes, gain } = said(apply(moreWorkers, input(variant, { cores: 2, software: true })));
  assert.deepEqual(changes, ["loader.numWorkers: 1 -> 13"]);
  assert.ok(Math.abs(gain - 96 / 10) < 0.01);
});

Deno.test("more workers: quiet where nothing waits, where no core is left, and where it is left to auto", () => {
  assert.equal(apply(moreWorkers, input(measured({ reader: 1 }, { pipeline: pipeline(1) }))), null);
  const busy = measured({ reader: 50 }, {
    config: config({ loader: { numWorkers: 2 } }),
    pipeline: pipeline(200, { numWorkers: 2 }),
  });
  assert.equal(apply(moreWorkers, input(busy, { cores: 2 })), null);
  const auto = measured({ reader: 50 }, {
    config: config({ loader: { numWorkers: "auto" } }),
    pipeline: pipeline(50, { numWorkers: 1 }),
  });
  assert.equal(apply(moreWorkers, input(auto)), null);
  assert.equal(apply(moreWorkers, input(measured({ reader: 50 }))), null, "nothing is known of the loader");
});

Deno.test("larger prefetch: where some batches take much longer than most", () => {
  const settings = config({ loader: { numWorkers: 2 } });
  const bursts = pipeline(100, { numWorkers: 2, longest: 400 });
  const variant = measured({ step: 120, reader: 30 }, { config: settings, pipeline: bursts });
  const { changes, gain } = said(apply(largerPrefetch, input(variant)));
  assert.deepEqual(changes, ["loader.prefetch: 2 -> 8"]);
  assert.equal(gain, 120 / 90);
});

Deno.test("larger prefetch: quiet where batches are alike, and where the workers are too slow on the whole", () => {
  const settings = config({ loader: { numWorkers: 2 } });
  const alike = pipeline(100, { numWorkers: 2, longest: 110 });
  assert.equal(
    apply(largerPrefetch, input(measured({ step: 120, reader: 30 }, { config: settings, pipeline: alike }))),
    null,
  );
  const slow = pipeline(240, { numWorkers: 2, longest: 900 });
  assert.equal(
    apply(largerPrefetch, input(measured({ step: 120, reader: 30 }, { config: settings, pipeline: slow }))),
    null,
  );
});

const passes = [stage("read", "read", 2), stage("randomCrop", "transform", 20), stage("normalize", "transform", 30)];

Deno.test("fuse transforms: the longest pass stays", () => {
  const variant = measured({ step: 150, reader: 52 }, {
    config: config({ data: { fuse: false } }),
    pipeline: pipeline(52, { stages: passes }),
  });
  const { changes, gain } = said(apply(fuseTransforms, input(variant)));
  assert.deepEqual(changes, ["data.fuse: false -> true"]);
  assert.equal(gain, 150 / 130);
});

Deno.test("fuse transforms: quiet where they are fused, where there is one, and where workers hide them", () => {
  const unfused = config({ data: { fuse: false } });
  const loader = pipeline(52, { stages: passes });
  assert.equal(apply(fuseTransforms, input(measured({ reader: 52 }, { pipeline: loader }))), null);
  const single = pipeline(22, { stages: passes.slice(0, 2) });
  assert.equal(apply(fuseTransforms, input(measured({ reader: 22 }, { config: unfused, pipeline: single }))), null);
  const hidden = pipeline(52, { stages: passes, numWorkers: 2 });
  assert.equal(apply(fuseTransforms, input(measured({ reader: 0.1 }, { config: unfused, pipeline: hidden }))), null);
});

const crop = t.randomCrop(32, { padding: 4 });
const normalize = t.normalize("cifar10");
const mixed = [t.chwToHwc(), t.toF32(), crop, t.hwcToChw(), t.toU8(), normalize];

/** Transforms as a result has them. */
function listed(transforms: readonly TransformSpec[]): { transforms: ReturnType<typeof JSON.parse> } {
  return { transforms: JSON.parse(JSON.stringify(transforms)) };
}

Deno.test("reorder transforms: conversions to and fro are left out", () => {
  const variant = measured({ step: 150, reader: 52 }, {
    config: config({ data: listed(mixed) }),
    pipeline: pipeline(52, { stages: passes }),
  });
  const finding = apply(reorderTransforms, input(variant));
  said(finding);
  assert.deepEqual(finding!.changes[0]!.to, listed([crop, normalize]).transforms);
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
function straightened(transforms: readonly TransformSpec[], type: SampleType = cifar().sample): TransformSpec[] {
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

Deno.test("reorder transforms: quiet where nothing goes to and fro", () => {
  const variant = measured({ step: 150, reader: 52 }, {
    config: config({ data: listed([crop, normalize]) }),
    pipeline: pipeline(52, { stages: passes }),
  });
  assert.equal(apply(reorderTransforms, input(variant)), null);
});

const images = [stage("read", "read", 2), stage("randomCrop+normalize", "transform", 40), stage("let data", "copy", 8)];
const placeable = config({ data: listed([crop, normalize]) });

Deno.test("placement: transforms go to the device, and bytes over the bus", () => {
  const variant = measured({ step: 150, reader: 42 }, {
    config: placeable,
    pipeline: pipeline(42, { stages: images }),
  });
  const { changes, gain } = said(apply(placement, input(variant, { peaks })));
  assert.deepEqual(changes, ['data.placement: "host" -> "device"']);
  assert.ok(Math.abs(gain - 150 / 104) < 0.01, `${gain}`);
});

Deno.test("placement: quiet where it is there, cannot be, or costs a software adapter more", () => {
  const data = cifar({ side: 320 });
  const loader = pipeline(8, { stages: [images[0]!, stage("normalize", "transform", 6)] });
  const rule = (changes: Parameters<typeof config>[0] = {}, fields: Partial<AdviceInput> = {}) => {
    const settings = config({ ...changes, data: { ...listed([normalize]), ...changes.data as object } });
    const variant = measured({ reader: 8 }, { config: settings, pipeline: loader });
    return apply(placement, input(variant, { peaks, software: true, cores: 2, data, ...fields }));
  };
  assert.equal(rule({}, { peaks: softwarePeaks }), null, "10 million values take 10 ms to write");
  assert.notEqual(rule(), null);
  assert.equal(rule({ data: { placement: "device" } }), null);
  assert.equal(rule({ data: listed([t.resize([32, 32]), normalize]) }), null);
  assert.equal(rule({ data: listed([normalize, crop]) }), null, "padding after normalize");
  assert.equal(rule({ data: listed([]) }), null);
  const unsized = { samples: 100, sample: { ...data.sample, height: null, width: null } };
  assert.equal(rule({ data: listed([t.centerCrop(32)]) }, { data: unsized }), null, "images of any size");
});

Deno.test("shared memory: in place of clones that the loop waits for", () => {
  const cloned = config({ loader: { sharedMemory: false, numWorkers: 2 } });
  const stages = [stage("read", "read", 2), stage("hand-over", "handOver", 12)];
  const loader = pipeline(2, { numWorkers: 2, stages });
  const { changes, gain } = said(
    apply(sharedMemory, input(measured({ reader: 20 }, { config: cloned, pipeline: loader }))),
  );
  assert.deepEqual(changes, ["loader.sharedMemory: false -> true"]);
  assert.equal(gain, 100 / 88);
  assert.equal(apply(sharedMemory, input(measured({ reader: 0.1 }, { config: cloned, pipeline: loader }))), null);
  const slow = pipeline(190, { numWorkers: 2, stages });
  const bound = said(apply(sharedMemory, input(measured({ reader: 20 }, { config: cloned, pipeline: slow }))));
  assert.equal(bound.gain, 100 / 95, "a batch comes every 95 ms");
  const shared = config({ loader: { numWorkers: 2 } });
  assert.equal(apply(sharedMemory, input(measured({ reader: 20 }, { config: shared, pipeline: loader }))), null);
});
