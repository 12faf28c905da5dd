import assert from "node:assert/strict";
import { moreWorkers } from "../../../runtime/analysis/advice/more_workers.ts";
import { applied, apply, config, input, measured, pipeline, said } from "./fixture.ts";

Deno.test("more workers: as many as make a batch while the device trains", () => {
  const variant = measured({ step: 200, reader: 150 }, { pipeline: pipeline(150) });
  const { changes, gain } = said(apply(moreWorkers, input(variant)));
  assert.deepEqual(changes, ["loader.numWorkers: 0 -> 3"]);
  assert.equal(gain, 200 / 50);
});

Deno.test("more workers: at most one per core, less on a software adapter", () => {
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
  assert.equal(applied(moreWorkers, { reader: 1 }, { pipeline: pipeline(1) }), null);
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
  assert.equal(applied(moreWorkers, { reader: 50 }), null, "nothing is known of the loader");
});
