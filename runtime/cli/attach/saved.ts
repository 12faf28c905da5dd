import { analyseAttached } from "../../analysis/attach/analyse.ts";
import type { AttachResult } from "../../result/attach_result.ts";
import { parseRecords } from "../../attach/programs/record_schema.ts";
import { readRecordFile } from "../../attach/programs/read_records.ts";
import type { AttachRecord } from "../../attach/records.ts";
import type { Steps } from "../../attach/settings.ts";
import { InputError } from "../../core/errors.ts";
import { copyBandwidths } from "../../engine/copy_bandwidths.ts";

/**
 * Analyses records that others may have written.
 *
 * @param place where they come from, for messages
 * @throws {InputError} if they contradict each other
 */
export async function analyseForeign(
  place: string,
  records: readonly (readonly AttachRecord[])[],
  asked: Steps["by"],
): Promise<AttachResult> {
  const bandwidths = await copyBandwidths();
  try {
    return analyseAttached(records, asked, bandwidths);
  } catch (cause) {
    throw new InputError(`${place}: the records contradict each other (${(cause as Error).message}); record again`, {
      cause,
    });
  }
}

/**
 * Reads and analyses what the recorder's script saved in a page.
 *
 * @throws {InputError} if the file holds no recording
 */
export async function analyseSaved(path: string): Promise<{ result: AttachResult; records: AttachRecord[][] }> {
  const records = readRecordFile(path, parseRecords);
  if (records.length === 0) {
    throw new InputError(`--show ${path}: no recording of this version of Tacho; expected what tacho.save() wrote`);
  }
  return { result: await analyseForeign(path, records, "auto"), records };
}
