import { deepEqual, equal, ok } from "node:assert/strict";
import { scenario, tensors } from "../../../mod.ts";
import { runExperiment } from "../../../runtime/experiment/run_experiment.ts";
import { DEFAULT_PROFILE } from "../../../runtime/record/schedule.ts";
import type { Timeline } from "../../../runtime/record/timeline.ts";
import { renderTrace } from "../../../runtime/report/trace/trace.ts";
import { resultSchema } from "../../../runtime/result/schema.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { validateTrace } from "../../support/trace_validator.ts";

Deno.test("the profile of a loader without a model contains only the host's work", async () => {
  const data = tensors({
    input: { shape: [3], data: Float32Array.from({ length: 48 }, (_, i) => i) },
    target: { data: Int32Array.from({ length: 16 }, (_, i) => i % 2) },
  });
  const loader = scenario({
    name: "loader",
    data,
    loader: { batchSize: 4 },
    measure: { steps: 5, skip: 2, rounds: 3 },
  });
  const timelines: Timeline[] = [];
  const result = resultSchema.parse(
    await runExperiment(resolveScenario(loader), {
      interrupted: () => false,
      script: { file: null, sha256: null },
      profile: DEFAULT_PROFILE,
      onEvent: (event) => event.type === "timeline" && timelines.push(event.timeline),
    }),
  );
  const { profile, ops, blocks } = result.variants[0]!;
  equal(blocks.length, 3);
  deepEqual([profile!.steps, profile!.firstStep, profile!.phases, profile!.memory, ops], [5, 1, [], [], []]);
  const load = profile!.host.find(({ name }) => name === "load dataset")!;
  equal(load.calls, 15, "the steps of the three blocks, without the two warm-up steps");
  ok(load.total > 0 && load.min <= load.mean && load.mean <= load.max);
  deepEqual(validateTrace(renderTrace(timelines)), []);
  const { spans } = timelines[0]!;
  // The system's lanes are there where the steps last longer than its clock tick.
  const tracks = spans.map(({ track }) => track).filter((track) => !/^(core|thread) /.test(track));
  deepEqual(new Set(tracks), new Set(["main"]));
  for (const name of ["step 1", "step 5", "load dataset", "read", "collate"]) {
    ok(spans.some((span) => span.name === name), name);
  }
});
