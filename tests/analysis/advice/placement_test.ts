import assert from "node:assert/strict";
import { placement } from "../../../runtime/analysis/advice/placement.ts";
import type { AdviceInput } from "../../../runtime/analysis/advice/context.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import {
  apply,
  cifar,
  config,
  input,
  listed,
  measured,
  peaks,
  pipeline,
  said,
  softwarePeaks,
  stage,
} from "./fixture.ts";

const crop = t.randomCrop(32, { padding: 4 });
const normalize = t.normalize("cifar10");

const images = [stage("read", "read", 2), stage("randomCrop+normalize", "transform", 40), stage("let data", "copy", 8)];
const placeable = config({ data: listed([crop, normalize]) });

Deno.test("placement: proposes transforms on the device, and uploads of bytes", () => {
  const variant = measured({ step: 150, reader: 42 }, {
    config: placeable,
    pipeline: pipeline(42, { stages: images }),
  });
  const { changes, gain } = said(apply(placement, input(variant, { peaks })));
  assert.deepEqual(changes, ['data.placement: "host" -> "device"']);
  assert.ok(Math.abs(gain - 150 / 124) < 0.01, `${gain}`);
  const cached = { ...variant, config: config({ data: { ...listed([crop, normalize]), cache: { after: 1 } } }) };
  assert.deepEqual(said(apply(placement, input(cached, { peaks }))).changes.slice(1), ["data.cache.after: 1 -> 0"]);
});

Deno.test("placement: quiet if on the device, impossible, or slower on a software adapter", () => {
  const data = cifar({ side: 320 });
  const loader = pipeline(8, { stages: [images[0]!, stage("normalize", "transform", 6)] });
  const rule = (changes: Parameters<typeof config>[0] = {}, fields: Partial<AdviceInput> = {}) => {
    const settings = config({ ...changes, data: { ...listed([normalize]), ...changes["data"] as object } });
    const variant = measured({ reader: 8 }, { config: settings, pipeline: loader });
    return apply(placement, input(variant, { peaks, software: true, cores: 2, data, ...fields }));
  };
  assert.equal(rule({}, { peaks: softwarePeaks }), null, "10 million values take 10 ms to write");
  assert.notEqual(rule(), null);
  assert.equal(rule({ data: { placement: "device" } }), null);
  assert.equal(rule({ data: listed([t.resize([32, 32]), normalize]) }), null);
  assert.equal(rule({ data: listed([normalize, crop]) }), null, "padding after normalize");
  assert.equal(rule({ data: listed([]) }), null);
  const unsized = { samples: 100, sample: { ...data.sample!, height: null, width: null } };
  assert.equal(rule({ data: listed([t.centerCrop(32)]) }, { data: unsized }), null, "images of any size");
});
