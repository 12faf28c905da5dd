import { dirname } from "node:path";

/** Exit status of a program whose permissions leave no room for records: bad input. */
const REFUSED = 2;

/** Opens a file for records. Ends the program with a message if its permissions forbid it. */
export function openRecords(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path, { create: true, append: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    const place = dirname(dirname(path)).replaceAll(/\p{C}/gu, "?");
    console.error(
      `tacho: the program's permissions forbid the recorder to write below ${place}: allow writing there, by ` +
        `--allow-write=${place} or in the permission set, or set TMPDIR to a folder where the program may write`,
    );
    Deno.exit(REFUSED);
  }
}
