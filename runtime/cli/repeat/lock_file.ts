/**
 * Lock files: an experiment in one JSON file, with the sources of its script and all resolved settings.
 *
 * @module
 */
import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { inspectFile, readText } from "../../core/files.ts";
import { environmentSchema, readResult, type Result } from "../../result/schema.ts";
import { moduleSourceSchema } from "../../store/module_source.ts";
import { printableJson } from "../../core/printable.ts";
import { sha256 } from "../../core/sha256.ts";
import { checkFirst, parseJson } from "../../core/strangers_json.ts";
import { runSpecSchema } from "../../store/run_spec.ts";
import { pinnedSchema } from "./pinned.ts";
import { checkModules } from "./module_paths.ts";
import type { Recipe } from "./recipe.ts";
import { pinImports } from "./fetch_imports.ts";

const FORMAT = "tacho-lock";

/** Version of the format that {@linkcode writeLock} writes. */
const LOCK_VERSION = 2;

const contentSchema = z.strictObject({
  format: z.literal(FORMAT),
  /** Files of version 1 pin no imports. */
  version: z.union([z.literal(1), z.literal(LOCK_VERSION)]),
  /** Name of the scenario. */
  name: z.string(),
  /** Time when it was run or locked. */
  created: z.iso.datetime(),
  /** Name of the script. */
  script: z.string(),
  args: z.array(z.string()),
  plan: runSpecSchema,
  environment: environmentSchema,
  modules: z.array(moduleSourceSchema).min(1),
  /** Hashes of what the modules import from the network; null if they import only Tacho's packages. */
  pinned: pinnedSchema.nullable().exactOptional(),
  /** Result of a run, in the form of this or an earlier version; null for an experiment that was locked before it ran. */
  result: z.record(z.string(), z.unknown()).nullable(),
});

const lockSchema = contentSchema.extend({
  /** Hash of the other fields as JSON without spaces. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Fields that identify a lock file of any version. */
const headSchema = z.looseObject({ format: z.literal(FORMAT), version: z.int().positive() });

/** Returns the text of a lock file for `recipe`. */
export function writeLock({ script, started, args, spec, environment, modules, pinned, result }: Recipe): string {
  const content = contentSchema.parse({
    format: FORMAT,
    version: LOCK_VERSION,
    name: spec.scenario,
    created: new Date(started).toISOString(),
    script,
    args,
    plan: spec,
    environment,
    modules,
    pinned,
    result,
  });
  return `${printableJson({ ...content, sha256: contentHash(content) })}\n`;
}

/**
 * Reads a lock file and checks all of it before anything in it is used.
 *
 * @throws {InputError} if it cannot be read, is not a lock file of this version, or was changed or damaged
 */
export function readLock(file: string): Recipe {
  const value = readJson(file);
  const head = headSchema.safeParse(value);
  if (!head.success) throw new InputError(`${file}: is not a lock file; expected a file written by "tacho lock"`);
  const { version } = head.data;
  if (version > LOCK_VERSION) {
    throw new InputError(
      `${file}: is a lock file of version ${version}, and this Tacho reads versions up to ${LOCK_VERSION}; ` +
        "update Tacho",
    );
  }
  const parsed = checkFirst(lockSchema, value);
  if (!parsed.success) throw new InputError(`${file}: is damaged\n${z.prettifyError(parsed.error)}`);
  const { sha256: expected, ...content } = parsed.data;
  // Before the hash of the file, since this names the module
  checkModules(content.modules, file);
  const { sha256: _, ...raw } = value as Record<string, unknown>;
  if (contentHash(raw) !== expected) {
    throw new InputError(
      `${file}: was changed or damaged since it was locked: its SHA-256 does not match`,
    );
  }
  const { script, created, modules, args, plan, environment, pinned = null } = content;
  const started = Date.parse(created);
  const result = content.result === null ? null : resultIn(content.result, file);
  return {
    where: file,
    trusted: false,
    script,
    modules,
    args,
    cwd: null,
    started,
    spec: plan,
    environment,
    pinned,
    result,
  };
}

function resultIn(value: unknown, file: string): Result {
  try {
    return readResult(value, file);
  } catch (error) {
    if (error instanceof z.ZodError) throw new InputError(`${file}: is damaged\n${z.prettifyError(error)}`);
    throw error;
  }
}

function contentHash(content: unknown): string {
  return sha256(JSON.stringify(content));
}

function readJson(file: string): unknown {
  let text: string;
  try {
    inspectFile(file, '; expected one written by "tacho lock"');
    text = readText(file);
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(`${file}: cannot be read (${(cause as Error).message})`, { cause });
  }
  try {
    return parseJson(text);
  } catch (cause) {
    throw new InputError(
      `${file}: is not JSON (${(cause as Error).message}); expected a file written by "tacho lock"`,
      {
        cause,
      },
    );
  }
}

/**
 * Returns the text of a lock file for a recipe, with the hashes of what its modules import.
 *
 * @throws {InputError} if an import cannot be downloaded
 */
export async function lockText(recipe: Recipe): Promise<string> {
  return writeLock({
    ...recipe,
    pinned: recipe.pinned ?? await pinImports(recipe.modules, recipe.where, recipe.trusted),
  });
}
