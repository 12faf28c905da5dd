import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { reasonOf } from "../core/shown.ts";
import { checked, nonNegativeInteger } from "../data/checked.ts";
import { isDataWorker } from "../data/loader/data_worker.ts";
import { isMissingPermission, withPermissionFix } from "./missing_permission.ts";

const callback = z.custom<(...args: never[]) => void>((value) => typeof value === "function", {
  error: "expected a function",
});

/** Schema of the option `store`. */
export const storeOption = z.union([z.boolean(), z.string().min(1)], {
  error: "expected true, false or the path of a folder",
}).optional();

/** Schemas of `MeasurementControls`. */
export const CONTROLS = {
  signal: z.instanceof(AbortSignal, { error: "expected an AbortSignal" }).optional(),
  onProgress: callback.optional(),
  onEvent: callback.optional(),
  seed: nonNegativeInteger.optional(),
  store: storeOption,
  report: z.string({ error: "expected the path of a folder" }).optional(),
} as const;

/** Schema of a list of texts. */
export const texts = z.array(z.string({ error: "expected a text" }), { error: "expected a list of texts" });

/**
 * Runs a public function: checks its options first, and turns a missing permission into an error that names the flag.
 *
 * @param name name of the function, for messages
 * @throws {InputError} if an option is wrong, a permission is missing, or the module was imported for its definitions
 */
export async function withOptions<T>(
  name: string,
  schema: z.ZodType,
  options: object,
  work: () => Promise<T>,
): Promise<T> {
  if (isDataWorker()) {
    throw new InputError(
      `${name}(): a data worker or process has imported this module for its definitions; call ${name}() under if (import.meta.main)`,
    );
  }
  checked(schema, options, `${name}()`);
  try {
    return await work();
  } catch (error) {
    if (!isMissingPermission(error)) throw error;
    throw new InputError(`${name}(): ${withPermissionFix(reasonOf(error))}`, { cause: error });
  }
}
