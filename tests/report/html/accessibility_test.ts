/// <reference lib="dom" />
import { deepStrictEqual } from "node:assert/strict";
import axe from "../../packages/axe.ts";
import type { Page } from "../../packages/puppeteer.ts";
import { opDiff } from "../../../runtime/analysis/op_diff/op_diff.ts";
import { variantSide } from "../../../runtime/analysis/op_diff/side.ts";
import { renderOpDiffHtml } from "../../../runtime/report/op_diff/html.ts";
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

/** The page of `tacho diff`. */
const diff = () => {
  const [a, b] = fullResult().variants.filter(({ ops }) => ops.length > 0);
  return renderOpDiffHtml(opDiff(variantSide("a", a!, "op", null), variantSide("b", b!, "op", null)), "op", [
    "Deno: 1 in a, 2 in b",
  ]);
};

/** Colours do not depend on the width, nor the layout on the colours. */
const LOOKS = [["light", 1440], ["dark", 390]] as const;

for (const [scheme, width] of LOOKS) {
  browserTest(
    `axe-core finds nothing in the page of differences in ${scheme} at ${width} pixels`,
    diff,
    async (page) => {
      deepStrictEqual(await violations(page), []);
    },
    { width, media: [{ name: "prefers-color-scheme", value: scheme }] },
  );
}

const html = () => renderHtml(fullResult(), { timelines: timelines() });

for (const [scheme, width] of LOOKS) {
  browserTest(`axe-core finds nothing in ${scheme} at ${width} pixels`, html, async (page) => {
    deepStrictEqual(await violations(page), []);
  }, { width, media: [{ name: "prefers-color-scheme", value: scheme }] });
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
