import { LineSink } from "../line_sink.ts";
import { now } from "../native.ts";
import type { Realm } from "../realm.ts";
import { openRecords } from "./open_records.ts";

/** Returns the realm of a Deno program or worker, whose records go to a new file in a folder. */
export function fileRealm(folder: string): Realm {
  const file = openRecords(`${folder}/${crypto.randomUUID()}.jsonl`);
  return { sink: new LineSink((bytes) => file.writeSync(bytes), now), now, waitsBlock: true };
}
