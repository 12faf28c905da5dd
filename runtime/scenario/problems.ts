import type { z } from "zod";
import { nearest, suggestion } from "../core/nearest.ts";
import { clipped, shown } from "../core/shown.ts";
import { knownKeys } from "./schema_walk.ts";

/** A problem with a scenario and its place. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Converts the issues of a failed check to problems.
 *
 * @param paths returns the dotted paths of all settings, to suggest the right place of a misplaced key
 */
export function problemsOf(
  error: z.core.$ZodError,
  value: unknown,
  schema: z.core.$ZodType,
  paths: () => readonly string[] = () => [],
): Problem[] {
  return error.issues.flatMap((issue): Problem[] => {
    if (issue.code !== "unrecognized_keys") {
      const received = at(value, issue.path);
      const message = issue.message.replace(/^Invalid input: /, "").replace(/, received .*$/, "");
      return [{ path: issue.path, message: `${message}, got ${received === undefined ? "none" : shown(received)}` }];
    }
    const known = knownKeys(schema, value, issue.path);
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: `unknown key${suggestKey([...issue.path, key], known, paths)}`,
    }));
  });
}

/** Settings by their names in PyTorch, MindSpore and Paddle. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ["num_workers", "loader.numWorkers"],
  ["num_parallel_workers", "loader.numWorkers"],
  ["use_shared_memory", "loader.sharedMemory"],
  ["batch_size", "loader.batchSize"],
  ["drop_last", "loader.dropLast"],
  ["prefetch_factor", "loader.prefetch"],
  ["dataset_sink_mode", "sink"],
  ["sink_size", "sink"],
  ["amp_level", "amp"],
  ["lr", "optimizer.learningRate"],
  ["weight_decay", "optimizer.weightDecay"],
]);

/** Suggests the setting that other tools call so, the nearest sibling key, a setting of the same name elsewhere, or the known keys. */
export function suggestKey(
  path: readonly PropertyKey[],
  siblings: readonly string[],
  paths: () => readonly string[],
): string {
  const key = String(path.at(-1));
  const foreign = FOREIGN.get(key);
  if (foreign !== undefined) return `; did you mean "${foreign}"?`;
  const beside = nearest(key, siblings);
  const close = beside !== undefined
    ? formatPath([...path.slice(0, -1), beside])
    : paths().find((known) => lastKey(known).toLowerCase() === key.toLowerCase()) ??
      // Long paths look the same by their common prefix
      nearest(path.join("."), paths().filter((known) => nearest(key, [lastKey(known)]) !== undefined));
  return close === undefined ? suggestion(key, siblings) : `; did you mean "${close}"?`;
}

function lastKey(path: string): string {
  return path.split(".").at(-1)!;
}

/** Formats a problem as a line: `loader.numWorkers: expected ...`. */
export function formatProblem({ path, message }: Problem): string {
  return `${formatPath(path)}: ${message}`;
}

/** Joins keys with dots; list items are written as `keepF32[0]`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (before, key) =>
      typeof key === "number" ? `${before}[${key}]` : `${before === "" ? "" : `${before}.`}${clipped(String(key))}`,
    "",
  );
}

/** Returns the part of `value` at `path`. */
export function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
}
