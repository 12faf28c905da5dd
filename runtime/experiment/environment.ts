import { cpus, totalmem, type as osType } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
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

/** Describes the machine, software and repository of a run. Unknown fields are null. */
export async function describeEnvironment(adapter: AdapterInfo | null): Promise<Environment> {
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
    ...await gitState(),
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

/** Returns the commit of the working directory, with the suffix `-dirty` if it has changes. */
async function gitState(): Promise<Pick<Environment, "git" | "gitDirty">> {
  try {
    const { success, stdout } = await new Deno.Command("git", {
      args: ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).output();
    const text = new TextDecoder().decode(stdout).trim();
    if (success && text !== "") return { git: text, gitDirty: text.endsWith("-dirty") };
  } catch {
    // Git is missing, or may not run
  }
  return { git: null, gitDirty: null };
}

/** Returns the folder in which Deno looks for the configuration of this process. */
function mainFolder(): string {
  const main = new URL(Deno.mainModule);
  return main.protocol === "file:" ? dirname(fileURLToPath(main)) : Deno.cwd();
}
