import type { AttachResult } from "../../analysis/attach/result.ts";
import { markdownList, markdownSection } from "../markdown/table.ts";
import { markdownText } from "../markdown/text.ts";
import { deviceName, deviceSentences, resultSentences } from "./sentences.ts";
import { attachTables } from "./tables.ts";

/** Renders a result in GitHub-flavoured Markdown. */
export function renderAttachedMarkdown(result: AttachResult, command: string): string {
  const devices = result.devices.flatMap((device, i) => [
    `# ${markdownText(deviceName(device))}`,
    "",
    ...markdownList(deviceSentences(device)),
    "",
    ...attachTables(device, device.kernels.length, i === 0 ? result.browser : null).flatMap((
      spec,
    ) => [...markdownSection(spec), ""]),
  ]);
  return `${
    [markdownText(command), "", ...markdownList(resultSentences(result)), "", ...devices].join("\n").trimEnd()
  }\n`;
}
