import { join, resolve } from "node:path";
import { z } from "zod";
import { InputError } from "../../../core/errors.ts";
import { writeFile } from "../../../core/files.ts";
import { printable } from "../../../core/printable.ts";
import { clipped } from "../../../core/shown.ts";
import { checkFirst, parseJson } from "../../../core/strangers_json.ts";
import { cacheFolder } from "../../../data/standin/cache.ts";
import { jsonLineSchema, type RunEvent } from "../../../result/run_event.ts";
import { timelineSchema } from "../../../result/timeline.ts";
import { type Handoff, HANDOFF_VARIABLE } from "../../../library/handoff.ts";
import type { Origin } from "../recipe.ts";
import type { Workspace } from "../workspace.ts";
import { runDeno } from "../../script_process.ts";
import { type Grants, permissionFlags } from "./grants.ts";
import { SANDBOX_VARIABLE } from "../../../library/missing_permission.ts";

/** Maximum size of an event; the largest event is the result. */
const LARGEST_EVENT = 64 * 2 ** 20;
/** Maximum size of all timelines, which are held in memory for a report. */
const ALL_TIMELINES = 256 * 2 ** 20;
/** Maximum size of all other events. */
const ALL_EVENTS = 2 ** 30;

/** Schema of an event in the pipe of a sandbox. */
const eventSchema = z.discriminatedUnion("type", [
  jsonLineSchema,
  z.strictObject({ type: z.literal("timeline"), timeline: timelineSchema }),
]);
/** Maximum size of everything else that a script prints. */
const ALL_TEXT = 4 * 2 ** 20;
/** Maximum characters of a printed line that are shown. */
const LINE_LENGTH = 4000;

export interface SandboxProcess extends Origin {
  readonly args: readonly string[];
  /** Maximum bytes of everything that is not an event; 4 MiB by default. */
  readonly longest?: number;
  /** Called with each event that the process reports. */
  readonly onEvent: (event: RunEvent) => void;
  /** Called with each line that the process prints, which {@linkcode printedLine} makes safe to print. */
  readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
}

/** Surroundings of a sandboxed process. */
export interface Sandbox {
  readonly grants: Grants;
  /** Value of `DENO_DIR`. */
  readonly denoFolder: string;
}

/**
 * Runs the script of a workspace with few permissions. The process reports events as lines of JSON on its stdout; whatever
 * it prints is bounded, and the process is killed if it prints more.
 *
 * @returns the exit status
 * @throws {InputError} if the process prints too much
 */
export async function runSandboxed(
  workspace: Workspace,
  { grants, denoFolder }: Sandbox,
  { args, script, where, longest = ALL_TEXT, onEvent, onLine }: SandboxProcess,
): Promise<number> {
  const handoffFile = join(workspace.folder, "handoff.json");
  const handoff: Handoff = { file: script, modules: [], result: null };
  writeFile(handoffFile, JSON.stringify(handoff));
  const text = createBudget(longest, `${where}: stopped, since its script printed more than ${longest / 2 ** 20} MiB`);
  const timelines = createBudget(ALL_TIMELINES, `${where}: stopped, since its timelines have more than 256 MiB`);
  const events = createBudget(ALL_EVENTS, `${where}: stopped, since its events have more than 1 GiB`);
  const print = (line: string, stream: "stdout" | "stderr") => {
    text(line.length + 1);
    onLine(line, stream);
  };
  const onStdout = (line: string) => {
    const { before, event } = splitLine(line, where);
    if (before !== "" || event === null) print(before, "stdout");
    if (event === null) return;
    (event.type === "timeline" ? timelines : events)(line.length);
    onEvent(event);
  };
  return await runDeno(["--config", workspace.config, "--lock", workspace.packages, workspace.script, ...args], {
    cwd: Deno.cwd(),
    permissions: permissionFlags(grants),
    env: {
      [HANDOFF_VARIABLE]: handoffFile,
      [SANDBOX_VARIABLE]: "1",
      // The process cannot look up the home folder
      TACHO_CACHE: resolve(cacheFolder()),
      DENO_DIR: denoFolder,
      DENO_NO_UPDATE_CHECK: "1",
      // A package.json among the copies would change the resolution of imports
      DENO_NO_PACKAGE_JSON: "1",
      NO_COLOR: "1",
    },
    relay: (child) => readBoth(child, where, onStdout, (line) => print(line, "stderr")),
  });
}

async function readBoth(
  child: Deno.ChildProcess,
  where: string,
  onStdout: (line: string) => void,
  onStderr: (line: string) => void,
): Promise<void> {
  const read = async (stream: ReadableStream<Uint8Array>, longest: number, take: (line: string) => void) => {
    const tooLong = `${where}: stopped, since a line of its output has more than ${longest / 2 ** 20} MiB`;
    for await (const line of readLines(stream, longest, tooLong)) take(line);
  };
  try {
    await Promise.all([
      read(child.stdout, LARGEST_EVENT, onStdout),
      read(child.stderr, ALL_TEXT, onStderr),
    ]);
  } catch (error) {
    kill(child);
    await child.status;
    throw error;
  }
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // it has already ended
  }
}

/** Returns a line of a script as it may be printed: shortened, with control characters escaped. */
export function printedLine(line: string): string {
  return printable(clipped(line, LINE_LENGTH));
}

/** Returns a function that adds up sizes and throws once they exceed `most`. */
function createBudget(most: number, message: string): (size: number) => void {
  let spent = 0;
  return (size) => {
    spent += size;
    if (spent > most) throw new InputError(message);
  };
}

/** Beginning of an event in a line, which the script may have begun with its own text. */
const EVENT = '{"type":"';

/**
 * Splits a line into text and an event.
 *
 * @throws {InputError} if the line holds a result that is not valid
 */
function splitLine(line: string, where: string): { before: string; event: RunEvent | null } {
  const at = line.indexOf(EVENT);
  const value = at === -1 ? undefined : parsed(line.slice(at));
  if (value === undefined) return { before: line, event: null };
  const event = checkFirst(eventSchema, value);
  if (event.success) return { before: line.slice(0, at), event: event.data };
  if (!line.startsWith(`${EVENT}result"`, at)) return { before: line, event: null };
  const [issue] = event.error.issues;
  throw new InputError(`${where}: its result is not valid: ${issue?.path.join(".")}: ${issue?.message}`);
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the lines of a stream, without their ends.
 *
 * @param longest maximum bytes of a line; no more is held in memory
 * @param tooLong message of the error for a longer line
 * @throws {InputError} if a line is longer
 */
export async function* readLines(
  stream: ReadableStream<Uint8Array>,
  longest: number,
  tooLong: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let line = new Uint8Array(2 ** 16);
  let length = 0;
  const append = (part: Uint8Array) => {
    if (length + part.length > longest) throw new InputError(tooLong);
    if (length + part.length > line.length) {
      const larger = new Uint8Array(Math.max(length + part.length, 2 * line.length));
      larger.set(line.subarray(0, length));
      line = larger;
    }
    line.set(part, length);
    length += part.length;
  };
  const take = () => {
    const text = decoder.decode(line.subarray(0, length));
    length = 0;
    return text;
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      append(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    append(chunk.subarray(start));
  }
  if (length > 0) yield take();
}
