import type { Environment } from "../result/schema.ts";

/** A difference between the environments of two runs. */
export interface EnvironmentDifference {
  /** Name of the property: `adapter`, `Deno`, `variable LP_NUM_THREADS`. */
  readonly what: string;
  /** Earlier value; null if unknown or not set. */
  readonly then: string | null;
  readonly now: string | null;
}

/**
 * Returns the differences between two environments, the most important first. Features and limits are compared only if
 * both have an adapter.
 */
export function environmentDifferences(then: Environment, now: Environment): EnvironmentDifference[] {
  const found: EnvironmentDifference[] = [];
  const compare = (what: string, a: string | number | boolean | null, b: string | number | boolean | null) => {
    if (a !== b) found.push({ what, then: a === null ? null : String(a), now: b === null ? null : String(b) });
  };
  const [a, b] = [then.adapter, now.adapter];
  compare("adapter", a?.name ?? null, b?.name ?? null);
  if (!sameDriver(then, now)) compare("driver", a?.driver ?? null, b?.driver ?? null);
  compare("backend", a?.backend ?? null, b?.backend ?? null);
  if (a !== null && b !== null) {
    compare("features", a.features.toSorted().join(" "), b.features.toSorted().join(" "));
    for (const limit of keys(a.limits, b.limits)) {
      compare(`limit ${limit}`, a.limits[limit] ?? null, b.limits[limit] ?? null);
    }
  }
  compare("Tacho", then.tacho, now.tacho);
  compare("Deno", then.deno, now.deno);
  compare("V8", then.v8, now.v8);
  compare("operating system", then.os, now.os);
  compare("CPU", then.cpu, now.cpu);
  compare("cores", then.cores, now.cores);
  compare("memory", gibibytes(then.memory), gibibytes(now.memory));
  compare("git commit", then.git, now.git);
  compare("sandbox", then.sandbox ? "yes" : "no", now.sandbox ? "yes" : "no");
  compare("lock file of packages", short(then.lockHash), short(now.lockHash));
  for (const name of keys(then.variables, now.variables)) {
    compare(`variable ${name}`, then.variables[name] ?? null, now.variables[name] ?? null);
  }
  return [...found, ...inputDifferences(then, now)];
}

/** Returns the differences between the files and packages that two runs read; none if a run did not record them. */
export function inputDifferences(then: Environment, now: Environment): EnvironmentDifference[] {
  const [a, b] = [then.inputs, now.inputs];
  if (a === undefined || b === undefined) return [];
  return keys(a, b).flatMap((what) => a[what] === b[what] ? [] : [{ what, then: brief(a[what]), now: brief(b[what]) }]);
}

/** Returns true if both have the same adapter and driver, on which a plan gives identical losses. */
export function sameAdapter(a: Environment, b: Environment): boolean {
  return a.adapter?.name === b.adapter?.name && sameDriver(a, b) && a.adapter?.backend === b.adapter?.backend;
}

/** Returns false if both drivers are known and differ. Earlier versions kept no driver. */
function sameDriver(a: Environment, b: Environment): boolean {
  const [one, other] = [a.adapter?.driver ?? null, b.adapter?.driver ?? null];
  return one === null || other === null || one === other;
}

function keys(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
}

/** Rounds to GiB, since the memory that the kernel reserves varies by a few megabytes. */
function gibibytes(bytes: number | null): string | null {
  return bytes === null ? null : `${Math.round(bytes / 2 ** 30)} GiB`;
}

/** Shortens the hash of an input; versions of packages are short already. */
function brief(value: string | undefined): string | null {
  return value?.replace(/^([0-9a-f]{12})[0-9a-f]{52}/, "$1") ?? null;
}

function short(hash: string | null): string | null {
  return hash === null ? null : hash.slice(0, 12);
}
