/// <reference lib="dom" />
import { deepStrictEqual } from "node:assert/strict";
import axe from "../../packages/axe.ts";
import type { Page } from "../../packages/puppeteer.ts";
import { renderHtml } from "../../../runtime/report/html/report.ts";
import { browserTest } from "./browser.ts";
import { fullResult, timelines } from "./full_result.ts";

/** The part of axe-core's result that the test prints. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Returns what axe-core finds, one line per node. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(root: Document): Promise<{ violations: Violation[] }> } };
    return (await axe.run(document)).violations;
  });
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) =>
      `${id}: ${html.slice(0, 160)} ${failureSummary.replaceAll(/\s+/g, " ")}`
    )
  );
}

const html = () => renderHtml(fullResult(), { timelines: timelines() });

for (const scheme of ["light", "dark"]) {
  for (const width of [1440, 390]) {
    browserTest(`axe-core finds nothing in ${scheme} at ${width} pixels`, html, async (page) => {
      deepStrictEqual(await violations(page), []);
    }, { width, media: [{ name: "prefers-color-scheme", value: scheme }] });
  }
}

browserTest("no table is cut off at 1440 pixels", html, async (page) => {
  const cut = await page.$$eval(
    ".scroll",
    (frames) =>
      frames.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) =>
        `${one.getAttribute("aria-label")}: ${one.scrollWidth} of ${one.clientWidth} px`
      ),
  );
  deepStrictEqual(cut, []);
}, { width: 1440 });
