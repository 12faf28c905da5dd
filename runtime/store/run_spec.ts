import { z } from "zod";
import { sha256 } from "../core/sha256.ts";
import { configSchema } from "../result/config.ts";
import { documentSchema } from "../scenario/document.ts";

/** Specification of a run. An interrupted run can be resumed only with the same spec. */
export const runSpecSchema = z.strictObject({
  tacho: z.string(),
  scenario: z.string(),
  /** Hash of the script; null if it is not a file. */
  sha256: z.string().nullable(),
  seed: z.int(),
  baseline: z.string(),
  /** Keys of the scenario's settings by adapter that applied; missing for a scenario without any. */
  adapters: z.array(z.string()).exactOptional(),
  variants: z.array(z.strictObject({ name: z.string(), config: configSchema })),
});

export type RunSpec = z.infer<typeof runSpecSchema>;

export function specHash(spec: RunSpec): string {
  return sha256(JSON.stringify(spec));
}

/** Lists the differences between the spec of a kept run and the current one, one line each. */
export function specDifferences(kept: RunSpec, now: RunSpec): string[] {
  const lines: string[] = [];
  const compare = (what: string, from: unknown, to: unknown) => {
    const line = changeOf(what, from, to);
    if (line !== null) lines.push(line);
  };
  compare("scenario", kept.scenario, now.scenario);
  if (kept.sha256 !== now.sha256) lines.push("the script has changed");
  compare("Tacho", kept.tacho, now.tacho);
  compare("baseline", kept.baseline, now.baseline);
  const names = (spec: RunSpec) => spec.variants.map(({ name }) => name);
  compare("variants", names(kept), names(now));
  return [...lines, ...settingDifferences(kept, now)];
}

function changeOf(what: string, from: unknown, to: unknown): string | null {
  const [old, fresh] = [JSON.stringify(from) ?? "unset", JSON.stringify(to) ?? "unset"];
  return old === fresh ? null : `${what}: ${old} then, ${fresh} now`;
}

/** Compares the settings of variants in both specs. A change that several variants share is listed once. */
function settingDifferences(kept: RunSpec, now: RunSpec): string[] {
  const changes = new Map<string, string[]>();
  const shared = kept.variants.filter(({ name }) => now.variants.some((variant) => variant.name === name));
  for (const { name, config } of shared) {
    const other = now.variants.find((variant) => variant.name === name)!;
    for (const [path, from, to] of leaves(config, other.config)) {
      // An earlier version may lack a setting
      const before = from === undefined ? defaultOf(path, other.config) : from;
      const line = (before ?? null) === (to ?? null) ? null : changeOf(path, before ?? undefined, to);
      if (line !== null) changes.set(line, [...changes.get(line) ?? [], name]);
    }
  }
  return [...changes].map(([line, names]) => names.length === shared.length ? line : `${names.join(", ")}: ${line}`);
}

/** Returns the default of a setting; undefined if it has none. */
function defaultOf(path: string, config: RunSpec["variants"][number]["config"]): unknown {
  const { common, kinds } = documentSchema();
  const [head] = path.split(".");
  const kind = (config as Record<string, { kind?: unknown } | null | undefined>)[head!]?.kind;
  const own = kinds.find((one) => one.path === head)?.members.find((member) => member.kind === kind)?.keys ?? [];
  return [...common, ...own].find((key) => key.path === path)?.default;
}

type Leaf = readonly [path: string, from: unknown, to: unknown];

/** Pairs the settings of two configurations by path. */
function leaves(from: unknown, to: unknown, path = ""): Leaf[] {
  if (!isRecord(from) || !isRecord(to)) return [[path, from, to]];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .flatMap((key) => leaves(from[key], to[key], path === "" ? key : `${path}.${key}`));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
