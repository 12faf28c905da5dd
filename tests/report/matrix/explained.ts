import { renderMatrix } from "../../../runtime/report/matrix/matrix.ts";
import type { LookOptions } from "../../../runtime/report/page.ts";
import type { Result } from "../../../runtime/result/schema.ts";

/** The matrix with the notes of `--explain`, by default in 100 columns without colours. */
export function explained(run: Result, look: Partial<LookOptions> = {}): string {
  return renderMatrix(run, { columns: 100, color: false, ...look, explain: true });
}

export function linesOf(text: string): string[] {
  return text.split("\n");
}
