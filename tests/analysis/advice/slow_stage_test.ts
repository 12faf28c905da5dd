import assert from "node:assert/strict";
import { slowStage } from "../../../runtime/analysis/advice/slow_stage.ts";
import { apply, input, measured, pipeline, said, stage } from "./fixture.ts";

const stages = [
  { ...stage("read", "read", 10), share: 0.1 },
  { ...stage("randomCrop+normalize", "transform", 80), share: 0.8 },
  { ...stage("collate", "collate", 10), share: 0.1 },
];
const bound = { where: "making", stage: "randomCrop+normalize", readerShare: 0.5, boundsTraining: true } as const;

Deno.test("slow stage: names the transform that the table of the pipeline names", () => {
  const finding = apply(
    slowStage,
    input(measured({ step: 200, reader: 100 }, { pipeline: pipeline(100, { stages, bound }) })),
  );
  assert.match(finding!.message, /^randomCrop\+normalize takes 80\.0 % of making a batch: /);
  assert.deepEqual(said(finding), { changes: [], gain: 200 / 130 });
  assert.deepEqual(finding!.evidence.map(({ label }) => label), [
    "randomCrop+normalize",
    "next longest, read",
    "reader cost",
  ]);
});

Deno.test("slow stage: quiet where training does not wait, and where no stage stands out", () => {
  const fast = measured({ step: 200, reader: 2 }, { pipeline: pipeline(100, { stages, bound }) });
  assert.equal(apply(slowStage, input(fast)), null);
  const even = stages.map((one) => ({ ...one, share: 1 / 3, perBatch: 33 }));
  const level = measured({ step: 200, reader: 100 }, { pipeline: pipeline(100, { stages: even, bound }) });
  assert.equal(apply(slowStage, input(level)), null);
  const only = measured({ step: 200, reader: 100 }, { pipeline: pipeline(100, { stages: [stages[1]!], bound }) });
  assert.equal(apply(slowStage, input(only)), null);
});
