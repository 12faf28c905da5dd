/**
 * Settings for some adapters: `adapters: { software: { loader: { batchSize: 8 } } }` in a scenario. They replace the
 * scenario's own settings where the run uses such an adapter; variants and overrides are applied on top.
 *
 * @module
 */
import type { Plain } from "./merge.ts";

/** Key of the settings for software adapters; any other key is a part of an adapter's name or driver. */
export const SOFTWARE = "software";

/** Word on the command line for the settings of no adapter. */
export const NO_ADAPTER = "none";

/** Settings for some adapters, as written. */
export interface AdapterLayer {
  /** Settings merged over the scenario's. */
  readonly settings: Plain;
  /** Names of the variants to run; null for all. */
  readonly variants: readonly string[] | null;
}

/** Effect of the adapter on the settings of a run. */
export interface Adapted {
  /** Keys of `adapters` that apply, in the scenario's order. */
  readonly adapters: readonly string[];
  /** Settings of the baseline that they change. */
  readonly changes: readonly { readonly path: string; readonly from: unknown; readonly to: unknown }[];
  /** Names of the variants that they leave out. */
  readonly omitted: readonly string[];
}

/** The part of an adapter's description that settings depend on. */
export interface AdapterIdentity {
  readonly name: string;
  readonly driver: string | null;
  /** True for a software adapter. */
  readonly fallback: boolean;
}

/** Returns the keys of `adapters` that apply to an adapter. */
export function keysFor(keys: readonly string[], { name, driver, fallback }: AdapterIdentity): string[] {
  const texts = [name, driver ?? ""].map((text) => text.toLowerCase());
  return keys.filter((key) => key === SOFTWARE ? fallback : texts.some((text) => text.includes(key.toLowerCase())));
}
