import type { Environment } from "../result/schema.ts";

/** Something of the environment that two runs do not share. */
export interface EnvironmentDifference {
  /** `adapter`, `Deno`, `variable LP_NUM_THREADS`. */
  readonly what: string;
  /** Null where it was not known, or not set. */
  readonly then: string | null;
  readonly now: string | null;
}

/**
 * In what the environments of two runs differ, what matters most first. A feature or a limit of the adapter counts where
 * both have an adapter.
 */
export function environmentDifferences(then: Environment, now: Environment): EnvironmentDifference[] {
  const found: EnvironmentDifference[] = [];
  const tell = (what: string, a: string | number | boolean | null, b: string | number | boolean | null) => {
    if (a !== b) found.push({ what, then: a === null ? null : String(a), now: b === null ? null : String(b) });
  };
  const [a, b] = [then.adapter, now.adapter];
  tell("adapter", a?.name ?? null, b?.name ?? null);
  tell("driver", a?.driver ?? null, b?.driver ?? null);
  tell("backend", a?.backend ?? null, b?.backend ?? null);
  if (a !== null && b !== null) {
    tell("features", a.features.toSorted().join(" "), b.features.toSorted().join(" "));
    for (const limit of keys(a.limits, b.limits)) {
      tell(`limit ${limit}`, a.limits[limit] ?? null, b.limits[limit] ?? null);
    }
  }
  tell("Tacho", then.tacho, now.tacho);
  tell("Deno", then.deno, now.deno);
  tell("V8", then.v8, now.v8);
  tell("operating system", then.os, now.os);
  tell("CPU", then.cpu, now.cpu);
  tell("cores", then.cores, now.cores);
  tell("memory", gibibytes(then.memory), gibibytes(now.memory));
  tell("git commit", then.git, now.git);
  tell("lock file of packages", short(then.lockHash), short(now.lockHash));
  for (const name of keys(then.variables, now.variables)) {
    tell(`variable ${name}`, then.variables[name] ?? null, now.variables[name] ?? null);
  }
  return found;
}

/** Whether two environments have one adapter with one driver, on which the same plan gives the same losses. */
export function sameAdapter(a: Environment, b: Environment): boolean {
  return a.adapter?.name === b.adapter?.name && a.adapter?.driver === b.adapter?.driver &&
    a.adapter?.backend === b.adapter?.backend;
}

function keys(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
}

/** Some megabytes more or less are the kernel's own. */
function gibibytes(bytes: number | null): string | null {
  return bytes === null ? null : `${Math.round(bytes / 2 ** 30)} GiB`;
}

function short(hash: string | null): string | null {
  return hash === null ? null : hash.slice(0, 12);
}
