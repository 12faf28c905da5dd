import { cpus, totalmem, type as osType } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gitState } from "../core/git.ts";
import type { AdapterInfo } from "../device/adapter.ts";
import type { AdapterRecord, Environment } from "../result/schema.ts";
import { ownLockHash } from "../store/packages_lock.ts";
import config from "../../deno.json" with { type: "json" };

/** Environment variables of Deno, wgpu, Vulkan, Mesa and Tacho. */
const VARIABLES = /^(DENO|TACHO|WGPU|VK|MESA|GALLIUM|LIBGL|LP|RADV|ANV|NVK|ZINK|CUDA_VISIBLE|OMP)_/;

/** Variables that do not affect measurements, or may be secret. */
const LEFT_OUT =
  /^TACHO_(STORE|HANDOFF|PARENT|SANDBOX|LOCK_HASH)$|^DENO_(NO_UPDATE_CHECK|JOBS)$|TOKEN|AUTH|SECRET|PASSWORD|CREDENTIAL/;

export const TACHO_VERSION: string = config.version;

/**
 * Describes the machine, software and repository of a run. Unknown fields are null.
 *
 * @param changes false to ask git for the commit alone, as for a script in a sandbox
 */
export async function describeEnvironment(
  adapter: AdapterInfo | null,
  { changes = true }: { readonly changes?: boolean } = {},
): Promise<Environment> {
  const processors = cpus();
  return {
    tacho: TACHO_VERSION,
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    os: `${osType()} ${Deno.osRelease()}`,
    cpu: processors[0]?.model || null,
    cores: navigator.hardwareConcurrency || null,
    memory: totalmem() || null,
    adapter: adapter === null ? null : adapterRecord(adapter),
    ...await gitState(Deno.cwd(), changes),
    lockHash: ownLockHash(mainFolder()),
    variables: relevantVariables(Deno.env.toObject()),
  };
}

/** Converts an adapter to its form in results. */
export function adapterRecord({ features, limits, ...adapter }: AdapterInfo): AdapterRecord {
  return { ...adapter, features: [...features], limits: { ...limits } };
}

/** Selects the environment variables that can affect measurements, sorted by name. */
export function relevantVariables(all: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.keys(all).filter((name) => VARIABLES.test(name) && !LEFT_OUT.test(name)).sort();
  return Object.fromEntries(names.map((name) => [name, all[name]!]));
}

/** Returns the folder in which Deno looks for the configuration of this process. */
function mainFolder(): string {
  const main = new URL(Deno.mainModule);
  return main.protocol === "file:" ? dirname(fileURLToPath(main)) : Deno.cwd();
}
