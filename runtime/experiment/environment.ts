import { cpus, totalmem, type as osType } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../core/sha256.ts";
import type { AdapterInfo } from "../device/adapter.ts";
import type { AdapterRecord, Environment } from "../result/schema.ts";
import config from "../../deno.json" with { type: "json" };

/** Environment variables of Deno, wgpu, Vulkan, Mesa and Tacho. */
const VARIABLES = /^(DENO|TACHO|WGPU|VK|MESA|GALLIUM|LIBGL|LP|RADV|ANV|NVK|ZINK|CUDA_VISIBLE|OMP)_/;

/** Variables that do not affect measurements, or may be secret. */
const LEFT_OUT =
  /^TACHO_(STORE|HANDOFF|PARENT|SANDBOX)$|^DENO_(NO_UPDATE_CHECK|JOBS)$|TOKEN|AUTH|SECRET|PASSWORD|CREDENTIAL/;

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
    lockHash: await lockHash(),
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

/** Returns the SHA-256 of the nearest `deno.lock` above the script, which is the one that Deno uses. */
async function lockHash(): Promise<string | null> {
  const main = new URL(Deno.mainModule);
  let folder = main.protocol === "file:" ? dirname(fileURLToPath(main)) : Deno.cwd();
  for (;;) {
    try {
      return sha256(await Deno.readFile(join(folder, "deno.lock")));
    } catch {
      // Look in the parent folder
    }
    const above = dirname(folder);
    if (above === folder) return null;
    folder = above;
  }
}
