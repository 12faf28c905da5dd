import assert from "node:assert/strict";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { renderMatrix } from "../../../runtime/report/matrix/matrix.ts";
import { images, lossBits, runVariants } from "./experiments.ts";
import { result } from "../../report/result_fixture.ts";

Deno.test("each timing method times every step, changes no loss, and waits only as often as necessary", async () => {
  const results = await runVariants(images({
    measure: { steps: 8, skip: 4, maxSkip: 4, rounds: 1 },
    variants: {
      plain: {},
      host: { timing: "host" },
      sync: { timing: "sync" },
      event: { timing: "event" },
      sunkHost: { timing: "host", sink: 4 },
      sunkSync: { timing: "sync", sink: 4 },
      sunkEvent: { timing: "event", sink: 4 },
    },
  }));
  const plain = results.get("plain")!;
  assert.equal(plain.metrics.stepTime, null);
  const timestamps = plain.metrics.forward !== null;
  for (const [name, variant] of results) {
    assert.equal(variant.error, null, name);
    assert.deepEqual(lossBits(variant), lossBits(plain), name);
    const times = variant.blocks.flatMap(({ steps }) => steps.map(({ stepTime }) => stepTime));
    const expected = name === "plain" || (/event/i.test(name) && !timestamps) ? "none" : "all";
    assert.ok(
      times.every((time) => expected === "none" ? time === null : time !== null && time > 0),
      `${name}: ${times}`,
    );
  }
  const waits = (name: string) => results.get(name)!.counts!.waits;
  assert.deepEqual(["plain", "host", "sync", "event"].map(waits), [8, 1, 8, 1]);
  const { forward, backward, update, stepTime } = results.get("event")!.metrics;
  assert.equal(results.get("sunkHost")!.metrics.stepTime!.amortised, true);
  if (timestamps) assert.equal(results.get("sunkEvent")!.metrics.stepTime!.amortised, false);
  if (timestamps) assert.ok(stepTime!.value >= forward!.value + backward!.value + update!.value - 1e-6);
  assert.match(renderMatrix(result([...results.values()]), { columns: null, color: false }), / step +iter\./);
});

Deno.test("an unknown timing, or a timing without a model, is rejected", () => {
  const refuses = (settings: Parameters<typeof images>[0], message: RegExp) =>
    assert.throws(() => resolveScenario(images(settings)), message);
  refuses({ timing: "cuda" as never }, /timing: expected "host", "sync" or "event", or null/);
  refuses(
    { timing: "sync", model: null, loss: null, optimizer: null },
    /timing: requires a model; otherwise set timing to null/,
  );
});

Deno.test("a block of one sink includes the runtime's sleep, like a block of many sinks", async () => {
  const sunk = (steps: number) => images({ measure: { steps, skip: 4, rounds: 2 }, variants: { sunk: { sink: 4 } } });
  for (const steps of [4, 12]) {
    const { metrics } = (await runVariants(sunk(steps))).get("sunk")!;
    assert.ok(metrics.runtimeWait!.value > 0, `${steps} steps`);
  }
});
