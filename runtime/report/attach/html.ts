import type { StepAccount } from "../../analysis/attach/account.ts";
import type { AttachedDevice, AttachResult } from "../../analysis/attach/result.ts";
import { formatNumber } from "../format.ts";
import { escapeHtml } from "../html/escape.ts";
import { staticList, staticPage, staticTable } from "../static_page.ts";
import { deviceName, deviceSentences, resultSentences } from "./sentences.ts";
import { accountRows, attachTables } from "./tables.ts";

/** Width and height of the bar of a step's parts. */
const BAR = { width: 1000, height: 26 } as const;

/** Colours of the bar's parts, which take turns. */
const COLORS = 6;

/** Renders a result as a page without scripts. */
export function renderAttachedHtml(result: AttachResult, command: string): string {
  return staticPage(
    command,
    [
      `<h1><code>${escapeHtml(command)}</code></h1>`,
      staticList(resultSentences(result)),
      ...result.devices.map(device),
    ].join("\n"),
  );
}

function device(one: AttachedDevice): string {
  return [
    `<h2>${escapeHtml(deviceName(one))}</h2>`,
    staticList(deviceSentences(one)),
    one.account === null ? "" : bar(one.account),
    ...attachTables(one, one.kernels.length).map((spec) => staticTable(spec, 3)),
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
