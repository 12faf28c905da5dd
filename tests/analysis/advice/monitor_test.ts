import assert from "node:assert/strict";
import { monitorLess } from "../../../runtime/analysis/advice/monitor.ts";
import { applied, config, pipeline, said } from "./fixture.ts";

Deno.test("monitor: losses are read at the end of a block", () => {
  const figures = { step: 20, reader: 0, gap: 12, forward: 3, backward: 4, update: 1, runtimeWait: 11 };
  const { changes, gain } = said(applied(monitorLess, figures, { config: config({ monitor: "step" }) }));
  assert.deepEqual(changes, ['monitor: "step" -> "block"']);
  assert.equal(gain, 20 / 9);
  assert.equal(applied(monitorLess, figures), null);
  const sunk = config({ monitor: "step", sink: 10 });
  assert.equal(
    applied(monitorLess, figures, { config: sunk }),
    null,
    "a sink reads its losses together",
  );
});

Deno.test("monitor: a step is no shorter than workers take for its batch", () => {
  const figures = { step: 20, reader: 0, gap: 12, forward: 3, backward: 4, update: 1, runtimeWait: 11 };
  const waits = (make: number) =>
    applied(monitorLess, figures, {
      config: config({ monitor: "step" }),
      pipeline: pipeline(make, { numWorkers: 2 }),
    });
  assert.equal(said(waits(30)).gain, 20 / 15);
  assert.equal(said(waits(10)).gain, 20 / 9);
  assert.equal(waits(40), null);
});
