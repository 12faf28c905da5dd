import type { AttachResult } from "../../../runtime/result/attach_result.ts";
/// <reference lib="dom" />
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { opDiff } from "../../../runtime/analysis/op_diff/op_diff.ts";
import { variantSide } from "../../../runtime/analysis/op_diff/side.ts";
import { renderAttachedHtml } from "../../../runtime/report/attach/html.ts";
import { renderOpDiffHtml } from "../../../runtime/report/op_diff/html.ts";
import { renderHtml } from "../../../runtime/report/html/report.ts";
import { plantedDevice } from "../../analysis/attach/advice/planted_steps.ts";
import { LOOKS, violations } from "./axe.ts";
import { browserTest, fullBrowserTest, settle } from "./browser.ts";
import { fullResult, timelines } from "./full_result.ts";
import { full } from "../../support/full.ts";

/** The page of `tacho diff`. */
const diff = () => {
  const [a, b] = fullResult().variants.filter(({ ops }) => ops.length > 0);
  return renderOpDiffHtml(opDiff(variantSide("a", a!, "op", null), variantSide("b", b!, "op", null)), "op", [
    "Deno: 1 in a, 2 in b",
  ]);
};

const html = () => renderHtml(fullResult(), { timelines: timelines() });

/** The page of `tacho attach` for a program with two devices. */
const attached = () => {
  const device = plantedDevice({
    counts: { uploads: 100, uploadBytes: 25_600, uploadMs: 20, waits: 2, reads: 2, readBytes: 8, waitMs: 50 },
    host: [["upload", 0, 20], ["submit", 20, 25], ["wait", 25, 75]],
    passes: [[25, 70]],
  });
  const devices = [device, { ...device, label: "second" }];
  const result: AttachResult = {
    ...{ kind: "attach", schemaVersion: 1, complete: false, browser: null, notes: ["a note"] },
    devices,
  };
  return renderAttachedHtml(result, "deno run -A train.ts");
};

const PAGES = [["the report", html], ["a difference", diff], ["a program", attached]] as const;
for (const [i, [scheme, width]] of LOOKS.entries()) {
  const options = { width, media: [{ name: "prefers-color-scheme", value: scheme }] };
  for (const [name, page] of full || i === 0 ? PAGES : PAGES.slice(0, 1)) {
    browserTest(`axe-core finds nothing in the page of ${name} in ${scheme} at ${width} pixels`, page, async (page) => {
      await page.$$eval("details", (all) => all.forEach((one) => one.open = true));
      await settle(page);
      deepStrictEqual(await violations(page), []);
      strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), width);
    }, options);
  }
}

browserTest(
  "the page of a program leads to its tables and switches its colours by keyboard",
  attached,
  async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    strictEqual(await paper(), "rgb(21, 23, 27)");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    strictEqual(await paper(), "rgb(255, 255, 255)");
    const links = await page.$$eval("nav a", (all) => all.map((one) => [one.textContent, one.hash]));
    ok(links.some(([text, hash]) => text === "Kernels" && hash === "#kernels-2"), JSON.stringify(links));
    const targets = await page.$$eval("nav a", (all) => all.filter((one) => document.querySelector(one.hash) === null));
    strictEqual(targets.length, 0);
  },
  { media: [{ name: "prefers-color-scheme", value: "dark" }] },
);

fullBrowserTest("no table is cut off at 1440 pixels", html, async (page) => {
  const cut = await page.$$eval(
    ".scroll",
    (frames) =>
      frames.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) =>
        `${one.getAttribute("aria-label")}: ${one.scrollWidth} of ${one.clientWidth} px`
      ),
  );
  deepStrictEqual(cut, []);
}, { width: 1440 });
