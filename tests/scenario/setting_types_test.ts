import assert from "node:assert/strict";
import { join } from "node:path";
import type { z } from "zod";
import type { runSchema, settingsSchema } from "../../runtime/scenario/schema.ts";
import type { ScenarioSettings, VariantSettings } from "../../runtime/scenario/setting_types.ts";
import { generateSettingTypes, SETTING_TYPES } from "../setting_types.ts";

Deno.test("the types of a script's settings are those that the schema generates: deno task types", async () => {
  const file = join(import.meta.dirname!, "../..", SETTING_TYPES);
  assert.equal(await Deno.readTextFile(file), await generateSettingTypes());
});

Deno.test("settings that the schema accepts have the generated types", () => {
  const variant = (settings: Omit<z.input<typeof settingsSchema>, "loss" | "optimizer" | "data">): VariantSettings =>
    settings;
  const scenario = (settings: z.input<typeof runSchema>): ScenarioSettings => settings;
  assert.deepEqual(variant({ loader: { batchSize: 8 } }), scenario({ seed: 2 }) && { loader: { batchSize: 8 } });
});
