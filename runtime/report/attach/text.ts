import type { AttachResult } from "../../analysis/attach/result.ts";
import { createPage, type LookOptions, quiet, renderSection } from "../page.ts";
import { printable } from "../plain_text.ts";
import { deviceName, deviceSentences, resultSentences } from "./sentences.ts";
import { attachTables } from "./tables.ts";

/** Renders a result for a terminal. */
export function renderAttached(result: AttachResult, look: LookOptions, top: number): string {
  const page = createPage(look);
  const lines = resultSentences(result).flatMap((sentence) => quiet(page, printable(`attach: ${sentence}`)));
  for (const [i, device] of result.devices.entries()) {
    lines.push("", page.paint(printable(`attach: ${deviceName(device)}`), "heading"));
    lines.push(...deviceSentences(device).flatMap((sentence) => quiet(page, printable(`  ${sentence}`), 4)));
    for (const table of attachTables(device, top, i === 0 ? result.browser : null)) {
      lines.push("", ...renderSection(page, table));
    }
  }
  return `${lines.join("\n")}\n`;
}
