import assert from "node:assert/strict";
import {
  conv2d,
  flatten,
  hostTask,
  infer,
  linear,
  openPipeline,
  pipeline,
  relu,
  reshape,
  sequential,
} from "../../mod.ts";
import { constant } from "../../mod.ts";

/** Output = 2 x, as 1x1 convolutions with constant weights. */
const double = () => conv2d(1, { kernel: 1, bias: false, init: constant(2) });

Deno.test("with every timing, each model reads the previous model's output, and stage times fit in the total", async () => {
  let calls = 0;
  const task = hostTask(() => void calls++, { name: "count" });
  await using runner = await openPipeline(pipeline([infer(double()), task, infer(double()), infer(double())]), {
    input: [2, 1, 4, 4],
  });
  const input = Float32Array.from({ length: 32 }, (_, i) => i);
  runner.setInput(input);
  const results = await runner.compare({ repeats: 3, skip: 1 });
  const { shape, data } = await runner.output();
  assert.deepEqual(shape, [2, 1, 4, 4]);
  assert.deepEqual(data, input.map((x) => 8 * x));
  assert.equal(calls, 9);
  for (const [timing, { stages, total, wall }] of Object.entries(results)) {
    assert.deepEqual(stages.map(({ name }) => name), ["infer1", "count", "infer3", "infer4"]);
    assert.equal(total.length, 2);
    assert.equal(wall.length, 2);
    for (const [i, whole] of total.entries()) {
      if (timing === "event" && !runner.device.timestamps) {
        assert.equal(whole, null);
        continue;
      }
      const parts = stages.map(({ times }) => times[i]!);
      assert.ok(parts.every((time) => time >= 0), `${timing}: ${parts}`);
      assert.ok(Math.max(...parts) <= whole!, timing);
      if (timing !== "event") assert.ok(whole! <= wall[i]!, timing);
    }
  }
});

Deno.test("a model can read reshaped features as images", async () => {
  const stages = pipeline([infer(reshape([2, 2, 3])), infer(conv2d(2, { kernel: 1, bias: false, init: constant(1) }))]);
  await using runner = await openPipeline(stages, { input: [1, 12] });
  runner.setInput(Float32Array.from({ length: 12 }, (_, i) => i));
  await runner.measure({ timing: "host", repeats: 2, skip: 1 });
  const sums = [6, 8, 10, 12, 14, 16];
  assert.deepEqual([...(await runner.output()).data], [...sums, ...sums]);
});

Deno.test("a task that returns a promise is awaited", async () => {
  const task = hostTask(() => new Promise((resolve) => setTimeout(resolve, 20)));
  await using runner = await openPipeline(pipeline([infer(double()), task]), { input: [1, 1, 2, 2] });
  const { stages } = await runner.measure({ timing: "host", repeats: 2, skip: 1 });
  assert.ok(stages[1]!.times[0]! >= 18);
});

Deno.test("shapes that do not fit together are rejected with the stage's name", async () => {
  const features = sequential(conv2d(4, { kernel: 3 }), relu());
  const classifier = sequential(flatten(), conv2d(1, { kernel: 1 }), linear(2));
  const stages = pipeline([infer(features), infer(classifier, { name: "classifier" })]);
  await assert.rejects(() => openPipeline(stages, { input: [1, 1, 8, 8] }), /stage "classifier": /);
  await assert.rejects(() => openPipeline(stages, { input: [] }), /expected a shape such as/);
});
