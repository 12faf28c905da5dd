import { join } from "node:path";
import { drawLabels, DRAWN_BYTES, drawRecord } from "./draw.ts";

/** Records between two reports of progress. */
const STRIDE = 500;

/** Draws file `file` (0 to 5) of `records` records and writes it to `dir` as `name`. */
export function writeDrawnFile(
  dir: string,
  name: string,
  file: number,
  records: number,
  onRecords: (count: number) => void,
): void {
  const bytes = new Uint8Array(records * DRAWN_BYTES);
  const labels = drawLabels(file, records);
  for (let i = 0; i < records; i++) {
    drawRecord(file, i, labels[i]!, bytes, i * DRAWN_BYTES);
    if ((i + 1) % STRIDE === 0) onRecords(STRIDE);
  }
  onRecords(records % STRIDE);
  Deno.writeFileSync(join(dir, name), bytes, { createNew: true });
}
