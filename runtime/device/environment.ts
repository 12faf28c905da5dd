/**
 * Environment variables that change how a device is used.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import type { DeviceTraits } from "./traits.ts";

/** Returns the value of a variable, or null if it is unset or may not be read. */
export function environment(name: string): string | null {
  try {
    return Deno.env.get(name) ?? null;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    return null;
  }
}

/** Back end on Linux, unless `DENO_WEBGPU_BACKEND` names another. */
export const USUAL_BACKEND = "vulkan";

/** Sets variables that wgpu reads at the first request for an adapter (docs/platform.md). */
export function prepareEnvironment(): void {
  if (Deno.build.os === "linux") setDefault("DENO_WEBGPU_BACKEND", USUAL_BACKEND);
  quietDriver();
}

/** Sets the variable without which the drivers of this process, and of those that it starts, print errors. */
export function quietDriver(): void {
  if (Deno.build.os === "linux") setDefault("XDG_RUNTIME_DIR", "/tmp");
}

/**
 * Reads the features that every run leaves unused: `TACHO_WITHOUT=timestamp-query,shader-f16`.
 *
 * @throws {InputError} if a name is not in `known`
 */
export function unwantedFeatures(known: readonly GPUFeatureName[]): GPUFeatureName[] {
  const names = (environment("TACHO_WITHOUT") ?? "").split(",").map((name) => name.trim()).filter((name) =>
    name !== ""
  );
  return names.map((name) => {
    const found = known.find((feature) => feature === name);
    if (found === undefined) throw new InputError(`TACHO_WITHOUT=${name}: expected some of ${known.join(", ")}`);
    return found;
  });
}

/**
 * Reads the class of adapter to choose kernels for, regardless of the actual adapter: `TACHO_KERNELS=gpu`. Returns null
 * if it is unset.
 *
 * @throws {InputError} if the value is neither `cpu` nor `gpu`
 */
export function wantedKernels(): DeviceTraits["class"] | null {
  const name = environment("TACHO_KERNELS") ?? "";
  if (name === "") return null;
  if (name === "cpu" || name === "gpu") return name;
  throw new InputError(`TACHO_KERNELS=${name}: expected cpu or gpu`);
}

function setDefault(name: string, value: string): void {
  try {
    if (Deno.env.get(name) === undefined) Deno.env.set(name, value);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error; // without permission, wgpu chooses
  }
}
