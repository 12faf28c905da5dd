/**
 * Environment variables that change what a device is used for.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import type { DeviceTraits } from "./traits.ts";

/** The value of a variable; null where it is not set or must not be read. */
export function environment(name: string): string | null {
  try {
    return Deno.env.get(name) ?? null;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    return null;
  }
}

/** Settings that wgpu reads when the first adapter is asked for (PLATFORM: environment). */
export function prepareEnvironment(): void {
  if (Deno.build.os === "linux") {
    setDefault("DENO_WEBGPU_BACKEND", "vulkan");
    setDefault("XDG_RUNTIME_DIR", "/tmp");
  }
}

/**
 * `TACHO_WITHOUT=timestamp-query,shader-f16`: features that any run is to do without.
 *
 * @throws {InputError} if a name is not one of `known`
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
 * `TACHO_KERNELS=gpu`: the kind of adapter that kernels are made for, whatever the adapter is. Null where it is not set.
 *
 * @throws {InputError} if it is neither `cpu` nor `gpu`
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
    if (!(error instanceof Deno.errors.NotCapable)) throw error; // no permission: wgpu's own choice stands
  }
}
