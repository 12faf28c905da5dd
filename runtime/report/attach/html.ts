import { createHash } from "node:crypto";
import type { StepAccount } from "../../analysis/attach/account.ts";
import type { AttachedDevice, AttachResult } from "../../analysis/attach/result.ts";
import { formatNumber } from "../format.ts";
import { escapeHtml } from "../html/escape.ts";
import { htmlTable } from "../notebook/html_table.ts";
import style from "./page.css" with { type: "text" };
import { deviceName, deviceSentences, resultSentences } from "./sentences.ts";
import { accountRows, attachTables } from "./tables.ts";

/** Width and height of the bar of a step's parts. */
const BAR = { width: 1000, height: 26 } as const;

/** Colours of the bar's parts, which take turns. */
const COLORS = 6;

/** Renders a result as a page without scripts. */
export function renderAttachedHtml(result: AttachResult, command: string): string {
  const css = style.replaceAll(/\r\n?/g, "\n");
  const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(css).digest("base64")}'; ` +
    "base-uri 'none'; form-action 'none'";
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(command.slice(0, 200))} – Tacho</title>
<style>${css}</style>
</head>
<body>
<h1><code>${escapeHtml(command)}</code></h1>
${list(resultSentences(result))}
${result.devices.map(device).join("\n")}
</body>
</html>
`;
}

function device(one: AttachedDevice): string {
  const tables = attachTables(one, one.kernels.length).map((spec) =>
    `<h3>${escapeHtml(spec.title)}</h3>\n<div class="scroll">${htmlTable(spec)}</div>\n${list(spec.notes ?? [])}`
  );
  return [
    `<h2>${escapeHtml(deviceName(one))}</h2>`,
    list(deviceSentences(one)),
    one.account === null ? "" : bar(one.account),
    ...tables,
  ].join("\n");
}

/** Draws the parts of a step's wall time beside each other. */
function bar(account: StepAccount): string {
  let x = 0;
  const parts = accountRows(account).map(({ part, ms }, i) => {
    const width = account.wall === 0 ? 0 : ms / account.wall * BAR.width;
    const title = `<title>${escapeHtml(`${part}: ${formatNumber(ms)} ms`)}</title>`;
    const shape = `<rect class="part-${i % COLORS}" x="${x.toFixed(2)}" y="0" width="${width.toFixed(2)}" ` +
      `height="${BAR.height}">${title}</rect>`;
    x += width;
    return shape;
  });
  return `<svg class="bar" viewBox="0 0 ${BAR.width} ${BAR.height}" width="100%" height="${BAR.height}" ` +
    `preserveAspectRatio="none" role="img" aria-label="Parts of a step">${parts.join("")}</svg>`;
}

function list(sentences: readonly string[]): string {
  if (sentences.length === 0) return "";
  return `<ul class="notes">${sentences.map((sentence) => `<li>${escapeHtml(sentence)}</li>`).join("")}</ul>`;
}
