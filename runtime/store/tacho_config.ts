import config from "../../deno.json" with { type: "json" };
import { partUrl, TACHO_ROOT } from "./tacho_files.ts";

/** The part of a Deno configuration with which modules find packages. */
export interface TachoConfig {
  readonly imports: Readonly<Record<string, string>>;
  readonly nodeModulesDir: string;
  /** Empty, so that no configuration in a folder above has an effect: there, others may write. */
  readonly workspace: readonly [];
}

/** Returns the configuration with which Tacho's modules find their packages. */
export function tachoConfig(): TachoConfig {
  const { imports, nodeModulesDir } = config;
  return { imports, nodeModulesDir, workspace: [] };
}

/** Returns the entry points of this copy of Tacho by their names, such as `@tacho/tacho/cli`. */
export function entryPoints(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(config.exports).map(([entry, path]) => [config.name + entry.slice(1), partUrl(path)]),
  );
}

/** Returns the files and folders of a clone that make up Tacho, relative to its root. */
export function publishedPaths(): readonly string[] {
  return [...config.publish.include, "deno.lock"];
}

/** Reads Deno's lock file with the package versions that Tacho was tested with; an empty one if there is none. */
export async function tachoLock(): Promise<string> {
  return await fetch(new URL("deno.lock", TACHO_ROOT)).then((response) => response.text()).catch(() => "{}");
}
