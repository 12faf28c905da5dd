/**
 * Lines of a shard file: JSON with a checksum, so that damage is found, and a line that a killed process left incomplete is
 * recognised.
 *
 * @module
 */
import { sha256 } from "../../core/sha256.ts";
import { parseJson } from "../../core/strangers_json.ts";
import { StoreError } from "../../store/problems.ts";

/** Reason why a shard file cannot be used. */
export type ShardProblem = "unreadable" | "unfinished" | "foreign" | "damaged" | "other version";

/** A shard file cannot be used. The message begins with its path. */
export class ShardFileError extends StoreError {
  readonly problem: ShardProblem;

  constructor(problem: ShardProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/** Start of every line. */
const START = '{"check":"';

/** A line, whose end a program may have changed to that of Windows. */
const LINE = /^\{"check":"([0-9a-f]{8})","content":(.*)\}\r?$/;

/** Byte that ends a line. */
export const NEWLINE = 0x0a;

/** Returns the line of an entry, with its line break. */
export function toLine(content: unknown): string {
  const text = JSON.stringify(content);
  return `{"check":"${checkOf(text)}","content":${text}}\n`;
}

/** Lines of a file. */
export interface Lines {
  /** Entries of the complete lines, whose schema the caller must check. */
  readonly entries: readonly unknown[];
  /** Length of the complete lines in bytes. A last line that is still being written is not counted. */
  readonly bytes: number;
}

/**
 * Reads the complete lines of a file.
 *
 * @param file name of the file, for messages
 * @throws {ShardFileError} if the file is of another kind, or a line before the last is damaged
 */
export function readLines(content: Uint8Array, file: string): Lines {
  const entries: unknown[] = [];
  const decoder = new TextDecoder();
  checkStart(content, file);
  let start = 0;
  for (let end = content.indexOf(NEWLINE); end !== -1; end = content.indexOf(NEWLINE, start)) {
    const entry = parseLine(decoder.decode(content.subarray(start, end)));
    if (entry === null) {
      // A crashed machine may leave blocks of the last write unwritten, even with its line break
      if (end === content.length - 1 && entries.length > 0) break;
      throw new ShardFileError(
        "damaged",
        `${file}: line ${entries.length + 1} is damaged; move the file away and run the shard again`,
      );
    }
    entries.push(entry.content);
    start = end + 1;
  }
  return { entries, bytes: start };
}

/**
 * Checks that a file, which may be empty or cut off, starts as shard files do.
 *
 * @throws {ShardFileError} if it is of another kind
 */
export function checkStart(content: Uint8Array, file: string): void {
  if (START.startsWith(new TextDecoder().decode(content.subarray(0, START.length)))) return;
  throw new ShardFileError("foreign", `${file}: this is no shard file, or its start is damaged`);
}

function parseLine(line: string): { readonly content: unknown } | null {
  const [, check, text] = line.match(LINE) ?? [];
  if (text === undefined || checkOf(text) !== check) return null;
  try {
    return { content: parseJson(text) };
  } catch {
    return null;
  }
}

function checkOf(text: string): string {
  return sha256(text).slice(0, 8);
}
