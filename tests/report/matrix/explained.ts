import { renderMatrix } from "../../../runtime/report/matrix/matrix.ts";
import type { LookOptions } from "../../../runtime/report/page.ts";
import type { Result } from "../../../runtime/result/schema.ts";

/** The matrix with the notes of `--explain`. */
export function explained(run: Result, look: LookOptions): string {
  return renderMatrix(run, { ...look, explain: true });
}

export function linesOf(text: string): string[] {
  return text.split("\n");
}
