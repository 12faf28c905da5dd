import assert from "node:assert/strict";
import { join } from "node:path";
import type { z } from "zod";
import type { runSchema, settingsSchema } from "../../runtime/scenario/schema.ts";
import type { ScenarioSettings, VariantSettings } from "../../runtime/scenario/setting_types.ts";
import { GENERATED } from "./generate.ts";

const root = join(import.meta.dirname!, "../..");

for (const [path, generate] of Object.entries(GENERATED)) {
  Deno.test(`${path} has the types that the schemas generate: deno task types`, async () => {
    assert.equal(await Deno.readTextFile(join(root, path)), await generate());
  });
}

Deno.test("settings that the schema accepts have the generated types", () => {
  const variant = (settings: Omit<z.input<typeof settingsSchema>, "loss" | "optimizer" | "data">): VariantSettings =>
    settings;
  const scenario = (settings: z.input<typeof runSchema>): ScenarioSettings => settings;
  assert.deepEqual(variant({ loader: { batchSize: 8 } }), scenario({ seed: 2 }) && { loader: { batchSize: 8 } });
});
