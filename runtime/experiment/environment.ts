import { cpus, type as osType } from "node:os";
import type { AdapterInfo } from "../device/adapter.ts";
import type { Environment } from "../result/schema.ts";
import config from "../../deno.json" with { type: "json" };

/** Where the run takes place; null where it cannot be known. */
export async function describeEnvironment(adapter: AdapterInfo | null): Promise<Environment> {
  const processors = cpus();
  return {
    tacho: config.version,
    deno: Deno.version.deno,
    os: `${osType()} ${Deno.osRelease()}`,
    cpu: processors[0]?.model || null,
    cores: navigator.hardwareConcurrency || null,
    adapter: adapter === null ? null : { ...adapter, features: [...adapter.features], limits: { ...adapter.limits } },
    git: await gitCommit(),
  };
}

/** The commit of the working directory, with `-dirty` behind it when there are changes. */
async function gitCommit(): Promise<string | null> {
  try {
    const { success, stdout } = await new Deno.Command("git", {
      args: ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
      stdout: "piped",
      stderr: "null",
    }).output();
    const text = new TextDecoder().decode(stdout).trim();
    return success && text !== "" ? text : null;
  } catch {
    return null; // no git, or no permission to run it
  }
}
