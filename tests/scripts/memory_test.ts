import assert from "node:assert/strict";
import { fullTest } from "../support/full.ts";
import { runOnText } from "./on_text.ts";

fullTest("scripts/memory.ts trains one GPT in eight variants, most of them in less memory", async () => {
  const { variants } = await runOnText("memory.ts", ["layers=2", "measure.maxSkip=1"]);
  assert.equal(variants.length, 8);
  const activations = new Map(variants.map(({ name, memory }) => [name, memory!.activations]));
  for (const name of ["half", "accumulate", "recompute", "all"]) {
    assert.ok(activations.get(name)! < activations.get("baseline")!, name);
  }
  const samples = new Map(variants.map(({ name, blocks }) => [name, blocks[0]!.samples] as const));
  assert.equal(samples.get("accumulate"), samples.get("baseline"));
});
