import assert from "node:assert/strict";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { renderPipelines } from "../../runtime/report/pipeline.ts";
import type { Pipeline } from "../../runtime/result/pipeline.ts";
import { pipeline, result, variant } from "./result_fixture.ts";

/** The host queue at each step. */
const host = [0, 0, 1, 2, 5, 5, 3, 0];

function render(fields: Partial<Pipeline> = {}): string {
  return renderPipelines(result([variant("workers", { queues: { host }, pipeline: { ...pipeline, ...fields } })]), {
    columns: null,
    color: false,
  }).replace(/\s+/g, " ");
}

Deno.test("a pipeline is shown with its costs, stages, queues and what bounds it", () => {
  const text = render();
  for (
    const words of [
      /workers +2 +6\.00 \(1\.00-9\.00\) +10\.0 \(8\.00-14\.0\) +60 +3200 \(2286-4000\) +70 +–/,
      /workers: 2 workers, batches passed in shared memory, 30 batches/,
      /read +0\.00310 +0\.0992 +20 +2 +– +0\.00300 +0\.00320/,
      /decode +0\.31 +9\.92 +80 +– +– +–/,
      /hand-over +0\.00050 +0\.0160 +– +– +host, 0\.40 of 5 +– +–/,
      /host queue: 0\.40 of 5 batches ready in the loader on average; empty at 70 % of the steps, full at 0\.0 %/,
      /over the steps, from empty to full: ▁▁▂▄██▅▁/,
      /time spent waiting for a free slot: worker 0 10 %, worker 1 10 %/,
      /2 samples skipped and replaced; first error: Sample 7 \(batch 0\): a\.jpg is no JPEG/,
      /the pipeline limits training: the loop spends 60 % of the batch cost waiting for data; the host queue is empty at/,
      /decode takes the largest share of the preparation, 80 % \(9\.92 ms per batch\)/,
    ]
  ) assert.match(text, words);
});

Deno.test("the report describes a pipeline that is not the bottleneck, one on the main thread, and a choice of workers", () => {
  const bound = { where: "consumer", stage: "decode", readerShare: 0.01, boundsTraining: false } as const;
  assert.match(render({ bound }), /the pipeline does not limit training: the loop spends 1\.0 % of/);
  const queues = { host: null, device: null };
  assert.match(render({ numWorkers: 0, queues, threads: [] }), /workers: the main thread makes batches, 30 batches/);
  assert.match(
    render({ bound: { ...bound, readerShare: 0.3 }, numWorkers: 0, queues, threads: [] }),
    /30 % of the batch cost waiting for data; workers would prepare batches in parallel/,
  );
  const choice = { measured: [{ numWorkers: 0, samplesPerSecond: 90 }], chosen: 0 };
  assert.match(render({ choice }), /in samples\/s: 0: 90\.0; 0 is the smallest number within 5 %/);
  assert.match(render({ sharedMemory: false }), /by structured clone/);
  assert.match(
    render({ bound: { ...pipeline.bound, boundsTraining: null } }),
    /loader only: decode takes the largest share of the preparation, 80 %/,
  );
  assert.match(
    render({
      bound: { ...pipeline.bound, where: "copy" },
      queues: { ...pipeline.queues, device: { ...pipeline.queues.host!, empty: 0.9 } },
    }),
    /the copy to the device limits training: .*at only 70 % of the steps, and its output, the device queue, at 90 %/,
  );
});

Deno.test("without a pipeline the report is empty", () => {
  assert.equal(renderPipelines(result([variant("a")]), { columns: null, color: false }), "");
});

Deno.test("conversions between layouts and number types are reported with their cost", () => {
  assert.doesNotMatch(render(), /conversions/);
  const [read, decode] = pipeline.stages;
  const there = { ...decode!, name: "toF32+chwToHwc (u8 chw > f32 chw > f32 hwc)", perBatch: 2, share: 0.25 };
  const back = { ...decode!, name: "hwcToChw+toU8 (f32 hwc > f32 chw > u8 chw)", perBatch: 1.5, share: 0.125 };
  assert.match(
    render({ stages: [read!, there] }),
    /layouts and number types: 2, in a pass that takes 2\.00 ms per batch, 25 % of the preparation/,
  );
  assert.match(
    render({ stages: [read!, there, back] }),
    /types: 4, some of them back and forth, in 2 passes that take 3\.50 ms per batch, 38 % of the preparation/,
  );
});

Deno.test("skipped samples are reported below the matrix too", () => {
  const clean = variant("clean", { pipeline: { ...pipeline, skipped: 0, skipReasons: [] } });
  const text = renderMatrix(result([clean, variant("workers", { pipeline })]), { columns: null, color: false });
  assert.match(
    text.replace(/\s+/g, " "),
    /samples skipped because of errors: workers 2; first error: Sample 7 \(batch 0\): a\.jpg is no JPEG/,
  );
  assert.doesNotMatch(renderMatrix(result([clean]), { columns: null, color: false }), /because of errors/);
});

Deno.test("samples decoded with warnings are reported in the pipeline and below the matrix", () => {
  const warnings = { samples: 3, first: "a.jpg: Premature end of JPEG file" };
  assert.match(render({ warnings }), /3 samples decoded with warnings; first warning: a\.jpg: Premature end/);
  const text = renderMatrix(result([variant("workers", { pipeline: { ...pipeline, warnings } })]), {
    columns: null,
    color: false,
  });
  assert.match(
    text.replace(/\s+/g, " "),
    /samples decoded with warnings: workers 3; first warning: a\.jpg: Premature end of JPEG file/,
  );
});

Deno.test("the batches ready in each worker are shown over the steps", () => {
  const threads = pipeline.threads.map((thread, i) => ({ ...thread, ready: i === 0 ? [0, 0, 0, 4] : [2, 2, 2, 2] }));
  const text = render({ threads });
  assert.match(
    text,
    /batches ready in each worker, at the start of the steps: worker 0 1\.00 batches, empty at 75 % ▁▁▁█/,
  );
  assert.match(text, /worker 1 2\.00 batches, empty at 0\.0 % ████/);
  assert.doesNotMatch(render(), /ready in each worker/);
});
