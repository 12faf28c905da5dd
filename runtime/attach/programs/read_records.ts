import { join } from "node:path";
import { LARGEST, readText } from "../../core/files.ts";
import { type AttachRecord, RECORDS_VERSION } from "../records.ts";

/**
 * Reads the records of all realms in a folder, the main one first. A program that was killed, or a full disk, may cut off a
 * file in a line; the records of a file count up to there.
 */
export async function readRecords(folder: string): Promise<AttachRecord[][]> {
  const realms: AttachRecord[][] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const records = readRealm(join(folder, name));
    const [start] = records;
    if (start?.kind === "start" && start.version === RECORDS_VERSION) realms.push(records);
  }
  return realms.sort((a, b) => startOf(a) - startOf(b));
}

/** Time at which a realm began, in ms since 1970. */
function startOf([start]: readonly AttachRecord[]): number {
  return start?.kind === "start" ? start.timeOrigin + start.time : 0;
}

function readRealm(path: string): AttachRecord[] {
  const records: AttachRecord[] = [];
  for (const line of readText(path, LARGEST.shard).split("\n").slice(0, -1)) {
    try {
      records.push(JSON.parse(line) as AttachRecord);
    } catch {
      break;
    }
  }
  return records;
}
