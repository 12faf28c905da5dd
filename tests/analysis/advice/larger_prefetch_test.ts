import assert from "node:assert/strict";
import { largerPrefetch } from "../../../runtime/analysis/advice/larger_prefetch.ts";
import { applied, apply, config, input, measured, pipeline, said } from "./fixture.ts";

Deno.test("larger prefetch: proposes more if some batches take much longer than most", () => {
  const settings = config({ loader: { numWorkers: 2 } });
  const bursts = pipeline(100, { numWorkers: 2, longest: 400 });
  const variant = measured({ step: 120, reader: 30 }, { config: settings, pipeline: bursts });
  const { changes, gain } = said(apply(largerPrefetch, input(variant)));
  assert.deepEqual(changes, ["loader.prefetch: 2 -> 8"]);
  assert.equal(gain, 120 / 90);
});

Deno.test("larger prefetch: quiet if batches take equally long, and if workers are too slow on average", () => {
  const settings = config({ loader: { numWorkers: 2 } });
  const alike = pipeline(100, { numWorkers: 2, longest: 110 });
  assert.equal(
    applied(largerPrefetch, { step: 120, reader: 30 }, { config: settings, pipeline: alike }),
    null,
  );
  const slow = pipeline(240, { numWorkers: 2, longest: 900 });
  assert.equal(
    applied(largerPrefetch, { step: 120, reader: 30 }, { config: settings, pipeline: slow }),
    null,
  );
});
