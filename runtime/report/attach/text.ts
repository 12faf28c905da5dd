import type { AttachResult } from "../../result/attach_result.ts";
import { createPage, type LookOptions, quiet, renderSection } from "../page.ts";
import { printable } from "../plain_text.ts";
import { deviceName, deviceSentences, resultSentences } from "./sentences.ts";
import { attachTables } from "./tables.ts";
import { markdownList, markdownSection, markdownText } from "../markdown/text.ts";

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

/** Renders a result in GitHub-flavoured Markdown. */
export function renderAttachedMarkdown(result: AttachResult, command: string): string {
  const devices = result.devices.flatMap((device, i) => [
    `# ${markdownText(deviceName(device))}`,
    "",
    ...markdownList(deviceSentences(device)),
    "",
    ...attachTables(device, device.kernels.length, i === 0 ? result.browser : null)
      .flatMap((spec) => [...markdownSection(spec), ""]),
  ]);
  return `${
    [markdownText(command), "", ...markdownList(resultSentences(result)), "", ...devices].join("\n").trimEnd()
  }\n`;
}
