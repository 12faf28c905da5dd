import { join } from "node:path";
import { LARGEST, readText } from "../../core/files.ts";
import { type AttachRecord, RECORDS_VERSION } from "../records.ts";

/**
 * Reads the records of all realms in a folder, in the order in which they began. A program that was killed, or a full disk,
 * may cut off a file in a line; the records of a file count up to there.
 *
 * @param parse reads the realms of a file
 */
export async function readRecords(folder: string, parse = parseOwnRecords): Promise<AttachRecord[][]> {
  const realms: AttachRecord[][] = [];
  for await (const { name } of Deno.readDir(folder)) realms.push(...readRecordFile(join(folder, name), parse));
  return realms.sort((a, b) => startOf(a) - startOf(b));
}

/** Reads the records of a file; none of other versions. */
export function readRecordFile(path: string, parse = parseOwnRecords): AttachRecord[][] {
  return parse(readText(path, LARGEST.shard))
    .filter(([start]) => start?.kind === "start" && start.version === RECORDS_VERSION);
}

/** Time at which a realm began, in ms since 1970. */
function startOf([start]: readonly AttachRecord[]): number {
  return start?.kind === "start" ? start.timeOrigin + start.time : 0;
}

function parseOwnRecords(content: string): AttachRecord[][] {
  const records: AttachRecord[] = [];
  for (const line of content.split("\n").slice(0, -1)) {
    try {
      records.push(JSON.parse(line) as AttachRecord);
    } catch {
      break;
    }
  }
  return [records];
}
