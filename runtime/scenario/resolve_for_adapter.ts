import { findAdapter } from "../device/adapter.ts";
import { keysFor } from "./adapters.ts";
import type { Scenario } from "./definition.ts";
import { type ResolvedScenario, type ResolveOptions, resolveScenario } from "./resolve.ts";

export interface AdapterResolveOptions extends Omit<ResolveOptions, "adapters"> {
  /** Part of the name of the adapter to use; by default the system's first. */
  readonly adapter?: string | undefined;
  /** Keys of the scenario's `adapters` to apply regardless of the adapter; `none` applies none. */
  readonly settingsFor?: readonly string[] | undefined;
}

/**
 * Checks a scenario like `resolveScenario`, with its settings for the adapter of the run. Asks for the adapter only if the
 * scenario has such settings.
 *
 * @throws {InputError} listing every problem with its path, the value and what was expected
 * @throws {DeviceError} if `adapter` names no adapter
 */
export async function resolveForAdapter(
  definition: Scenario,
  { adapter, settingsFor, ...options }: AdapterResolveOptions = {},
): Promise<ResolvedScenario> {
  if (settingsFor !== undefined) return resolveScenario(definition, { ...options, adapters: settingsFor });
  const keys = Object.keys(definition.adapters ?? {});
  if (keys.length === 0) return resolveScenario(definition, options);
  const found = await findAdapter({ probe: false, match: adapter });
  return resolveScenario(definition, { ...options, adapters: found === null ? [] : keysFor(keys, found.info) });
}
