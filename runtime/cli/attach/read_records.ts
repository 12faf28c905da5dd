import { join } from "node:path";
import { type AttachRecord, RECORDS_VERSION } from "../../attach/records.ts";

/** Reads the records of all realms in a folder, the main one first. A last line that was cut off is left out. */
export async function readRecords(folder: string): Promise<AttachRecord[][]> {
  const realms: AttachRecord[][] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const records = await readFile(join(folder, name));
    const [start] = records;
    if (start?.kind === "start" && start.version === RECORDS_VERSION) realms.push(records);
  }
  return realms.sort((a, b) => startOf(a) - startOf(b));
}

/** Time at which a realm began, in ms since 1970. */
function startOf([start]: readonly AttachRecord[]): number {
  return start?.kind === "start" ? start.timeOrigin + start.time : 0;
}

async function readFile(path: string): Promise<AttachRecord[]> {
  const text = await Deno.readTextFile(path);
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line) as AttachRecord);
}
