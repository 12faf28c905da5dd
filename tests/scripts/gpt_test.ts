import assert from "node:assert/strict";
import { full } from "../support/full.ts";
import { runOnText } from "./on_text.ts";

Deno.test("scripts/gpt.ts trains on a text, whose characters are the vocabulary", async () => {
  // The last one combines the others
  const names = full ? ["baseline", "tiled", "amp", "sink", "all"] : ["baseline"];
  const { variants } = await runOnText("gpt.ts", ["layers=1", "loader.batchSize=2", `--variants=${names}`]);
  assert.deepEqual(variants.map(({ name }) => name), names);
  for (const { metrics, memory } of variants) {
    assert.equal(metrics.ips?.unit, "tokens/s");
    assert.ok(memory!.parameters > 0);
  }
  // 17 characters; the embedding, the positions, a block and the last norm
  const values = 17 * 16 + 24 * 16 + 12 * 16 * 16 + 13 * 16 + 2 * 16;
  assert.ok(variants[0]!.memory!.parameters >= 4 * values);
});
