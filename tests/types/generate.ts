/**
 * Generates the types that the public API takes and returns from the schemas:
 *
 *     deno task types
 *
 * A test compares the files with what this module generates.
 *
 * @module
 */
import { join } from "node:path";
import { generateRecordTypes, RECORD_TYPES } from "./record_types.ts";
import { generateResultTypes, RESULT_TYPES } from "./result_types.ts";
import { generateSettingTypes, SETTING_TYPES } from "./setting_types.ts";

const root = join(import.meta.dirname!, "../..");

/** Generators by file, relative to the root. */
export const GENERATED: Readonly<Record<string, () => Promise<string>>> = {
  [SETTING_TYPES]: generateSettingTypes,
  [RESULT_TYPES]: generateResultTypes,
  ...Object.fromEntries(RECORD_TYPES.map((file) => [file.path, () => generateRecordTypes(file)])),
};

if (import.meta.main) {
  for (const [path, generate] of Object.entries(GENERATED)) {
    await Deno.writeTextFile(join(root, path), await generate());
  }
}
