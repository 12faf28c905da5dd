import assert from "node:assert/strict";
import { configSchema } from "../../runtime/result/config.ts";
import { tiny } from "../experiment/running.ts";
import { describeConfig } from "../../runtime/scenario/describe.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";

/** Returns the schema's message about invalid settings, or null if they are valid. */
function complaint(config: unknown): string | null {
  const { error } = configSchema.safeParse(config);
  return error === undefined ? null : error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join();
}

Deno.test("the settings of any scenario fit the schema", () => {
  const auto = { loader: { batchSize: 4, numWorkers: "auto" }, compile: { autotune: true }, sink: "epoch" };
  for (const settings of [{}, auto, { model: null, loss: null, optimizer: null }, { timing: "event", amp: "O2" }]) {
    const [variant] = resolveScenario(tiny(settings)).variants;
    const config = JSON.parse(JSON.stringify(describeConfig(variant!.config)));
    assert.equal(complaint(config), null);
    const { loader, seed, data, measure } = configSchema.parse(config);
    assert.deepEqual([loader?.batchSize, seed, data?.kind, measure?.rounds], [4, 1, "tensors", 3]);
  }
});

Deno.test("settings of an earlier version may lack fields and have others, and keep their order", () => {
  assert.equal(complaint({}), null);
  const config = { zeta: [1, { x: null }], loader: { speed: "high" }, model: null, alpha: true };
  assert.deepEqual(Object.keys(configSchema.parse(config)), ["zeta", "loader", "model", "alpha"]);
});

Deno.test("a setting of another type is refused by path", () => {
  assert.match(complaint({ loader: { batchSize: "many" } })!, /^loader\.batchSize: /);
  assert.match(complaint({ model: 20, sink: "minute" })!, /model: .*sink: /);
  assert.match(complaint({ data: null })!, /^data: /);
});
