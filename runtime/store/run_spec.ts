import { createHash } from "node:crypto";
import { z } from "zod";
import { configSchema } from "../result/config.ts";

/** What a run is to do: two runs of the same spec can be one that was interrupted. */
export const runSpecSchema = z.strictObject({
  tacho: z.string(),
  scenario: z.string(),
  /** Of the script; null when it is no file. */
  sha256: z.string().nullable(),
  seed: z.int(),
  baseline: z.string(),
  variants: z.array(z.strictObject({ name: z.string(), config: configSchema })),
});

export type RunSpec = z.infer<typeof runSpecSchema>;

/** SHA-256 of a text or of bytes, in hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

export function specHash(spec: RunSpec): string {
  return sha256(JSON.stringify(spec));
}

/** In what `now` differs from the spec `kept`, a line each; empty when they are the same. */
export function specDifferences(kept: RunSpec, now: RunSpec): string[] {
  const lines: string[] = [];
  const tell = (what: string, from: unknown, to: unknown) => {
    const [old, fresh] = [JSON.stringify(from) ?? "unset", JSON.stringify(to) ?? "unset"];
    if (old !== fresh) lines.push(`${what}: ${old} then, ${fresh} now`);
  };
  tell("scenario", kept.scenario, now.scenario);
  if (kept.sha256 !== now.sha256) lines.push("the script has been changed since");
  tell("Tacho", kept.tacho, now.tacho);
  tell("baseline", kept.baseline, now.baseline);
  const names = (spec: RunSpec) => spec.variants.map(({ name }) => name);
  tell("variants", names(kept), names(now));
  return [...lines, ...settingDifferences(kept, now)];
}

/** Settings of variants that both plans have; a change that several share is told once. */
function settingDifferences(kept: RunSpec, now: RunSpec): string[] {
  const changes = new Map<string, string[]>();
  const shared = kept.variants.filter(({ name }) => now.variants.some((variant) => variant.name === name));
  for (const { name, config } of shared) {
    const other = now.variants.find((variant) => variant.name === name)!;
    for (const [path, from, to] of leaves(config, other.config)) {
      const [old, fresh] = [JSON.stringify(from) ?? "unset", JSON.stringify(to) ?? "unset"];
      if (old === fresh) continue;
      const line = `${path}: ${old} then, ${fresh} now`;
      changes.set(line, [...changes.get(line) ?? [], name]);
    }
  }
  return [...changes].map(([line, names]) => names.length === shared.length ? line : `${names.join(", ")}: ${line}`);
}

type Leaf = readonly [path: string, from: unknown, to: unknown];

/** The settings of two configurations side by side. */
function leaves(from: unknown, to: unknown, path = ""): Leaf[] {
  if (!isRecord(from) || !isRecord(to)) return [[path, from, to]];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .flatMap((key) => leaves(from[key], to[key], path === "" ? key : `${path}.${key}`));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
