import { cpus, type as osType } from "node:os";
import { join } from "node:path";
import { gitCommand } from "../../runtime/core/git.ts";
import { findAdapter } from "../../runtime/device/adapter.ts";
import type { Line } from "./line.ts";

/** Fields that are the same on all lines of a run. */
export type Surroundings = Omit<Line, "command" | "benchmark" | "case" | "figures">;

const ROOT = join(import.meta.dirname!, "../..");

/** Describes this machine, its load and the commit of the working tree. */
export async function describeMachine(): Promise<Surroundings> {
  const found = await findAdapter({ probe: false });
  const load = Deno.loadavg()[0];
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: await commitOf(ROOT),
    adapter: found?.info.name ?? null,
    driver: found?.info.driver ?? null,
    software: found?.info.fallback ?? null,
    cpu: cpus()[0]?.model.trim() || "unknown CPU",
    cores: navigator.hardwareConcurrency || null,
    os: `${osType()} ${Deno.osRelease().match(/^\d+(?:\.\d+)?/)?.[0] ?? ""}`.trim(),
    deno: Deno.version.deno,
    load: load === undefined ? null : Number(load.toFixed(2)),
  };
}

/** Returns the name of a machine's file: its adapter and CPU in lower-case words. */
export function slugOf({ adapter, cpu }: Pick<Line, "adapter" | "cpu">): string {
  return [adapter ?? "no adapter", cpu].map((name) =>
    name.replaceAll(/\([^)]*\)|\b(?:CPU|Processor)\b/g, " ").toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "")
  ).join("-");
}

/** Returns the commit of a folder, with `-dirty` if files other than results differ from it; null if git does not know. */
async function commitOf(folder: string): Promise<string | null> {
  const results = [":!bench/results", ":!bench/RESULTS.md"];
  const [commit, changes] = await Promise.all([
    output(["rev-parse", "HEAD"], folder),
    output(["status", "--porcelain", "--", ".", ...results], folder),
  ]);
  return commit === null ? null : `${commit.trim()}${changes === "" ? "" : "-dirty"}`;
}

async function output(args: readonly string[], folder: string): Promise<string | null> {
  try {
    const { success, stdout } = await gitCommand(args, folder).output();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch {
    return null;
  }
}
