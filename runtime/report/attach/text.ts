import type { AttachResult } from "../../analysis/attach/result.ts";
import { createPage, type LookOptions, quiet, renderSection } from "../page.ts";
import { deviceName, deviceSentences, resultSentences } from "./sentences.ts";
import { attachTables } from "./tables.ts";

/** Renders a result for a terminal. */
export function renderAttached(result: AttachResult, look: LookOptions, top: number): string {
  const page = createPage(look);
  const lines = resultSentences(result).flatMap((sentence) => quiet(page, `attach: ${sentence}`));
  for (const device of result.devices) {
    lines.push("", page.paint(`attach: ${deviceName(device)}`, "heading"));
    lines.push(...deviceSentences(device).flatMap((sentence) => quiet(page, `  ${sentence}`, 4)));
    for (const table of attachTables(device, top)) lines.push("", ...renderSection(page, table));
  }
  return `${lines.join("\n")}\n`;
}
