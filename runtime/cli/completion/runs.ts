import { openStoreToRead } from "../../store/store.ts";
import { storeFolder } from "../../store/folder.ts";
import { dateText } from "../../library/kept/date_text.ts";
import type { Candidate } from "./candidate.ts";

/** Number of kept runs to offer, the latest first. */
const MOST = 50;

/** Returns the names of the latest kept runs; none where the store cannot be read. */
export function runCandidates(folder: string | undefined): Candidate[] {
  try {
    using store = openStoreToRead(storeFolder(folder));
    if (store === null) return [];
    const runs = store.find({}).slice(0, MOST)
      .map(({ id, scenario, status, started }) => ({
        text: id,
        description: `${scenario}, ${status}, ${dateText(started)}`,
      }));
    return runs.length === 0 ? [] : [{ text: "last", description: "the latest run" }, ...runs];
  } catch {
    return []; // An error would disturb the typing
  }
}
