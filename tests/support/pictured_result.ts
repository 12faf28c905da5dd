import { sha256 } from "../../runtime/core/sha256.ts";
import { pageScript, pageStyle } from "../../runtime/report/html/assets.ts";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { renderOutcome } from "../../runtime/report/outcome/outcome.ts";
import { readResult, type Result } from "../../runtime/result/schema.ts";

/** Result of the run in the README's pictures, without its profile. */
export const PICTURED = new URL("../fixtures/results/resnet.json.gz", import.meta.url);

/** Reads the result of the run in the README's pictures, which `deno task pictures` keeps. */
export async function picturedResult(): Promise<Result> {
  const file = await Deno.open(PICTURED);
  return readResult(await new Response(file.readable.pipeThrough(new DecompressionStream("gzip"))).json());
}

/** Hashes of what the pictures show, when they were made. */
export const SHOWN = new URL("../../docs/images/shown.json", import.meta.url);

/** Columns of the terminal in the picture. */
const COLUMNS = 100;

/** Returns what a run prints in the picture of the terminal. */
export function terminalText(result: Result): string {
  const look = { columns: COLUMNS, color: true };
  return (renderOutcome(result, { ...look, raw: false, advice: false }) + renderMatrix(result, look)).trimEnd();
}

/** Returns hashes of what the pictures show: the text in the terminal, and the script and the style of the page. */
export function hashesOfShown(result: Result): Readonly<Record<string, string>> {
  return {
    "matrix.png": sha256(terminalText(result)),
    "report.png": sha256(pageScript().text + pageStyle().text),
  };
}
