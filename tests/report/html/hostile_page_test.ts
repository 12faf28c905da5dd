/// <reference lib="dom" />
/** With any names and numbers, the page executes and loads nothing from them, and keeps working. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import type { Page } from "../../packages/puppeteer.ts";
import type { Timeline } from "../../../runtime/record/timeline.ts";
import { renderHtml } from "../../../runtime/report/html/report.ts";
import { hostileResult, hostileText, hostileTimeline, renamed } from "../hostile.ts";
import { browserTest, fullBrowserTest, settle, visitFile } from "./browser.ts";
import { fullResult, timelines } from "./full_result.ts";

/** Elements that only markup in a name could have made, and handlers that only such markup could have set. */
function intruders(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const allowed = new Set(
      ("HTML HEAD META TITLE STYLE BODY NOSCRIPT SCRIPT HEADER MAIN NAV SECTION DIV SPAN P A UL OL LI DL DT DD H1 H2 H3 " +
        "TABLE CAPTION THEAD TBODY TR TH TD BUTTON FIGURE DETAILS SUMMARY OUTPUT CANVAS SMALL STRONG CODE PRE LABEL SELECT OPTION " +
        "svg g line rect circle polyline polygon path text title").split(" "),
    );
    const isSearchBox = (element: Element) => element.matches('.search > input[type="search"]');
    return [...document.querySelectorAll("*")].filter((element) =>
      !(allowed.has(element.tagName) || isSearchBox(element)) || [...element.attributes].some(({ name }) =>
        name.startsWith("on")
      ) ||
      (element.tagName === "A" && !element.getAttribute("href")!.startsWith("#/"))
    ).map((element) => element.outerHTML.slice(0, 120));
  });
}

/** Looks at every variant, opens all that can be opened, sorts and copies every table. */
async function useAll(page: Page): Promise<void> {
  const variants = await page.$$eval("[role=tab]", (tabs) => tabs.length);
  for (let i = 0; i < Math.max(1, variants); i++) {
    await page.evaluate((i) => {
      document.querySelectorAll<HTMLElement>("[role=tab]")[i]?.click();
      for (const details of document.querySelectorAll("details")) details.open = true;
    }, i);
    await settle(page);
    await page.evaluate(() => {
      for (const button of document.querySelectorAll<HTMLElement>("th .sort, .tools button")) button.click();
    });
    await page.evaluate(() => {
      const keys = ["ArrowRight", "ArrowDown", "+", "End", "Home", "ArrowLeft", "-", "0"];
      for (const chart of document.querySelectorAll(".plot, .stage, .flame, svg.roofline")) {
        for (const key of keys) chart.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      }
    });
    await settle(page);
  }
}

/** Results that are drawn from the schema: each is opened, which takes a while. */
const RESULTS = 5;

const names = fc.sample(hostileText(), { numRuns: 400, seed: 7 });

/** Equal tracks and variants stay equal. */
function renamedTimeline(timeline: Timeline, variant: string): Timeline {
  return {
    ...timeline,
    variant,
    spans: timeline.spans.map((span, i) => ({
      ...span,
      name: names[i % names.length]!,
      args: { [names[i % 97]!]: names[i % 89]! },
    })),
  };
}

const hostile = renamed(fullResult(), names);

browserTest("names that contain markup, scripts and control characters are shown as text", () => {
  return renderHtml(hostile, { timelines: [renamedTimeline(timelines()[0]!, hostile.variants[0]!.name)] });
}, async (page) => {
  await useAll(page);
  deepStrictEqual(await intruders(page), []);
  strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 1280);
  const shown = await page.$$eval(
    '[data-anchor="matrix"] tbody th a',
    (links) => links.map((link) => link.textContent!.length),
  );
  deepStrictEqual(shown.filter((length) => length > 200), []);
});

for (const width of [1280, 400]) {
  const endless = renamed(fullResult(), ["x".repeat(10_000), "\u5bbd".repeat(10_000), "a.b/c".repeat(2000)]);
  fullBrowserTest(
    `very long names do not widen the page in a window of ${width} pixels`,
    () => renderHtml(endless),
    async (page) => {
      strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), width);
    },
    { width },
  );
}

fullBrowserTest("invalid links are ignored", () => renderHtml(hostile), async (page) => {
  for (const name of names.slice(0, 20)) {
    await page.evaluate(
      (hash) => location.hash = hash,
      `#/of/${encodeURIComponent(name.toWellFormed())}/op%3A${name.slice(0, 50)}`,
    );
  }
  await page.evaluate(() => location.hash = "#/%E0%A4%A");
  await settle(page);
});

fullBrowserTest(
  "any result that the schema allows opens and can be used",
  () => renderHtml(fullResult()),
  async (page) => {
    const results = fc.sample(hostileResult(), { numRuns: RESULTS, seed: 11 });
    const drawn = fc.sample(hostileTimeline(), { numRuns: RESULTS, seed: 13 });
    for (const [i, result] of results.entries()) {
      const variant = result.variants[0]?.name ?? "";
      await visitFile(page, renderHtml(result, { timelines: [{ ...drawn[i]!, variant }] }));
      await useAll(page);
      deepStrictEqual(await intruders(page), [], `result ${i}`);
    }
  },
);
