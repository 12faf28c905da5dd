import type { AttachedBrowser, AttachedDevice, AttachResult, StepAccount } from "../../result/attach_result.ts";
import { formatNumber } from "../format.ts";
import { escapeHtml } from "../html/escape.ts";
import type { HtmlCells } from "../notebook/html_table.ts";
import type { TableSpec } from "../spec.ts";
import { type StaticGroup, staticList, staticPage, staticTable } from "../static_page.ts";
import { deviceName, deviceSentences, resultSentences } from "./sentences.ts";
import { accountRows, attachTables } from "./tables.ts";

/** Width and height of the bar of a step's parts. */
const BAR = { width: 1000, height: 26 } as const;

/** Index of the last colour of the bar, which all smaller parts have. */
const LAST_COLOR = 5;

/** Renders a result as a page without scripts. */
export function renderAttachedHtml(result: AttachResult, command: string): string {
  return staticPage({
    title: command,
    heading: `<code>${escapeHtml(command)}</code>`,
    about: resultSentences(result),
    groups: result.devices.map((one, i) => device(one, i === 0 ? result.browser : null)),
  });
}

function device(one: AttachedDevice, page: AttachedBrowser | null): StaticGroup {
  const { account } = one;
  const tables = attachTables(one, one.kernels.length, page);
  return {
    title: deviceName(one),
    intro: staticList(deviceSentences(one)),
    // With an account, its parts are the first table
    sections: tables.map((spec, i) =>
      i === 0 && account !== null ? staticTable(spec, withColors(spec), bar(account)) : staticTable(spec)
    ),
  };
}

/** Puts the colours of the bar before the names of its parts. */
function withColors({ columns, rows }: TableSpec<unknown>): HtmlCells<unknown> {
  const colored = (row: unknown, text: string) =>
    `<svg class="swatch" width="10" height="10" aria-hidden="true"><rect class="${
      colorOf(rows.indexOf(row))
    }" width="10" height="10"/></svg> ${text}`;
  return { cells: { [columns[0]!.name]: colored } };
}

function colorOf(part: number): string {
  return `part-${Math.min(part, LAST_COLOR)}`;
}

/** Draws the parts of a step's wall time beside each other. */
function bar(account: StepAccount): string {
  let x = 0;
  const parts = accountRows(account).map(({ part, ms }, i) => {
    const width = account.wall === 0 ? 0 : ms / account.wall * BAR.width;
    const title = `<title>${escapeHtml(`${part}: ${formatNumber(ms)} ms`)}</title>`;
    const shape = `<rect class="${colorOf(i)}" x="${x.toFixed(2)}" y="0" width="${width.toFixed(2)}" ` +
      `height="${BAR.height}">${title}</rect>`;
    x += width;
    return shape;
  });
  return `<svg class="bar" viewBox="0 0 ${BAR.width} ${BAR.height}" width="100%" height="${BAR.height}" ` +
    `preserveAspectRatio="none" role="img" aria-label="Parts of a step">${parts.join("")}</svg>`;
}
