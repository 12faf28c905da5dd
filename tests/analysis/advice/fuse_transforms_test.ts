import assert from "node:assert/strict";
import * as t from "../../../runtime/data/transforms/factories.ts";
import { fuseTransforms } from "../../../runtime/analysis/advice/fuse_transforms.ts";
import { applied, apply, config, input, listed, measured, passes, pipeline, said, stage } from "./fixture.ts";

Deno.test("fuse transforms: predicts the longest pass", () => {
  const variant = measured({ step: 150, reader: 52 }, {
    config: config({ data: { fuse: false } }),
    pipeline: pipeline(52, { stages: passes }),
  });
  const { changes, gain } = said(apply(fuseTransforms, input(variant)));
  assert.deepEqual(changes, ["data.fuse: false -> true"]);
  assert.equal(gain, 150 / 130);
});

Deno.test("fuse transforms: quiet if fused, with a single transform, and if workers hide them", () => {
  const unfused = config({ data: { fuse: false } });
  const loader = pipeline(52, { stages: passes });
  assert.equal(applied(fuseTransforms, { reader: 52 }, { pipeline: loader }), null);
  const single = pipeline(22, { stages: passes.slice(0, 2) });
  assert.equal(applied(fuseTransforms, { reader: 22 }, { config: unfused, pipeline: single }), null);
  const hidden = pipeline(52, { stages: passes, numWorkers: 2 });
  assert.equal(applied(fuseTransforms, { reader: 0.1 }, { config: unfused, pipeline: hidden }), null);
});

Deno.test("fuse transforms: counts the passes that the chain needs", () => {
  const transforms = [t.randomHorizontalFlip(), t.rescale(2), t.randomCrop(32, { padding: 4 })];
  const stages = [10, 20, 30].map((time, i) => stage(transforms[i]!.kind, "transform", time));
  const settings = config({ data: { ...listed(transforms), fuse: false } });
  const variant = measured({ step: 150, reader: 60 }, { config: settings, pipeline: pipeline(60, { stages }) });
  const finding = apply(fuseTransforms, input(variant));
  assert.match(finding!.message, /run them in 2 passes/);
  assert.equal(said(finding).gain, 150 / 140, "padding after a rescale begins a new pass");
});
