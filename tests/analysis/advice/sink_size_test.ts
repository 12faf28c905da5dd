import assert from "node:assert/strict";
import { sinkSize } from "../../../runtime/analysis/advice/sink_size.ts";
import type { Block, VariantResult } from "../../../runtime/result/schema.ts";
import { apply, config, input, measured, pipeline, said } from "./fixture.ts";

const sunk = config({ sink: 5 });

interface Sinks {
  readonly gap: number;
  readonly first: number;
  readonly others: number;
}

/** Blocks of two sinks of 5 steps, with the gap before a sink and the device time of its first and other steps: ms. */
function blocks({ gap, first, others }: Sinks, sinks = 2): Block[] {
  const steps = Array.from({ length: 5 * sinks }, (_, i) => ({
    index: i,
    batchCost: others,
    readerCost: 0,
    stepTime: null,
    iterationGap: i === 0 ? null : i % 5 === 0 ? gap : 0,
    forward: i % 5 === 0 ? first - others / 2 : others / 2,
    backward: others / 2,
    update: null,
    loss: null,
  }));
  return [1, 2].map((round) => ({ round, position: 0, samples: 320, wall: 1000, steps }));
}

function sinks(times: Sinks, fields: Partial<VariantResult> = {}, count?: number): VariantResult {
  const { gap, first, others } = times;
  const step = others + (gap + first - others) / 5;
  const device = step - gap / 5;
  return measured({ step, gap: gap / 5, forward: device - others / 2, backward: others / 2, update: 0 }, {
    config: sunk,
    blocks: blocks(times, count),
    ...fields,
  });
}

Deno.test("sink size: spreads the gap before a sink, and what makes its first step longer, over more steps", () => {
  const { changes, gain } = said(apply(sinkSize, input(sinks({ gap: 30, first: 110, others: 100 }))));
  assert.deepEqual(changes, ["sink: 5 -> 20"]);
  assert.equal(gain, 108 / 102);
});

Deno.test("sink size: computes the gap of blocks of a single sink from the whole step", () => {
  const { gain } = said(apply(sinkSize, input(sinks({ gap: 30, first: 110, others: 100 }, {}, 1))));
  assert.ok(Math.abs(gain - 108 / 102) < 1e-9, `${gain}`);
});

Deno.test("sink size: a sink that takes longer than the runtime's sleep does not wait for it", () => {
  // Sinks of 5 steps of 1 ms sleep for 6 ms; 1 ms remains in each sink of 20
  const { gain } = said(apply(sinkSize, input(sinks({ gap: 7, first: 1, others: 1 }))));
  assert.ok(Math.abs(gain - 2.4 / 1.2) < 1e-9, `${gain}`);
});

Deno.test("sink size: quiet without a gap, sinks or batches", () => {
  const long = { gap: 30, first: 100, others: 100 };
  const says = (variant: VariantResult) => apply(sinkSize, input(variant)) !== null;
  assert.ok(says(sinks(long)));
  assert.ok(!says(sinks({ ...long, gap: 1 })));
  assert.ok(!says(sinks(long, { config: config() })));
  assert.ok(!says(sinks(long, { config: config({ sink: "epoch" }) })));
  assert.ok(!says(sinks(long, { blocks: [] })));
  const queue = { capacity: 5, depth: { avg: 1, min: 0, max: 5 }, empty: 0.8, full: 0.2 };
  assert.ok(!says(sinks(long, { pipeline: pipeline(20, { queues: { host: null, device: queue } }) })));
});
