/// <reference lib="dom" />
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Page } from "../../packages/puppeteer.ts";
import { renderHtml } from "../../../runtime/report/html/report.ts";
import { failed, result } from "../result_fixture.ts";
import { browserTest, fullBrowserTest, settle } from "./browser.ts";
import { fullResult, largeResult, timelines } from "./full_result.ts";
import { full } from "../../support/full.ts";

const html = () => renderHtml(fullResult(), { timelines: timelines() });

function paper(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
}

/** Returns whether a chart's lines are drawn in dark or light ink. */
function chartInk(page: Page): Promise<string> {
  return page.$eval('[data-anchor="steps"] canvas', (canvas) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let dark = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] === 255 && [0, 1, 2].every((part) => data[i + part]! < 42)) dark++;
    }
    return dark > 50 ? "dark" : "light";
  });
}

browserTest("colours follow the system until the reader chooses", html, async (page) => {
  strictEqual(await paper(page), "rgb(21, 23, 27)");
  await page.click("header .tool");
  await settle(page);
  strictEqual(await paper(page), "rgb(255, 255, 255)");
  await page.click("header .tool");
  strictEqual(await paper(page), "rgb(21, 23, 27)");
  await page.reload();
  strictEqual(await page.evaluate(() => localStorage.length + document.cookie.length), 0);
}, { media: [{ name: "prefers-color-scheme", value: "dark" }] });

fullBrowserTest("text has enough contrast in both colours", html, async (page) => {
  const contrast = () =>
    page.evaluate(() => {
      const luminance = (color: string) => {
        const [r, g, b] = color.match(/[\d.]+/g)!.slice(0, 3).map((part) => {
          const value = Number(part) / 255;
          return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
      };
      const groundOf = (element: Element): string => {
        const { backgroundColor } = getComputedStyle(element);
        if (!/, 0\)$|transparent/.test(backgroundColor)) return backgroundColor;
        return element.parentElement === null ? "rgb(255,255,255)" : groundOf(element.parentElement);
      };
      const poor: string[] = [];
      for (const element of document.querySelectorAll("body *:not(script):not(noscript):not(.unnamed)")) {
        const own = [...element.childNodes].some((node) =>
          node.nodeType === Node.TEXT_NODE && node.textContent!.trim() !== ""
        );
        if (!own || element.closest("svg, .unseen, .skip, [hidden]") !== null) continue;
        const [a, b] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) {
          poor.push(
            `${element.tagName}.${element.className} "${element.textContent!.slice(0, 20)}" ${ratio.toFixed(2)}`,
          );
        }
      }
      return [...new Set(poor)].slice(0, 8);
    });
  deepStrictEqual(await contrast(), []);
  await page.click("header .tool");
  await settle(page);
  deepStrictEqual(await contrast(), []);
});

fullBrowserTest("printing uses light colours, shows whole tables and hides controls", html, async (page) => {
  strictEqual(await chartInk(page), "light");
  await page.emulateMediaType("print");
  await settle(page);
  strictEqual(await paper(page), "rgb(255, 255, 255)");
  strictEqual(await chartInk(page), "dark");
  const shown = await page.$$eval(
    "nav, .tool, .skip, details.data",
    (found) => found.filter((one) => one.checkVisibility()).length,
  );
  strictEqual(shown, 0);
  const cut = await page.$$eval(
    ".scroll",
    (found) => found.filter((one) => one.scrollHeight > one.clientHeight + 1).length,
  );
  strictEqual(cut, 0);
  const low = await page.$$eval(".plot canvas", (found) => found.filter((one) => one.clientHeight < 60).length);
  strictEqual(low, 0);
  const pdf = await page.pdf({ format: "A4" });
  ok(pdf.length > 10_000);
}, { media: [{ name: "prefers-color-scheme", value: "dark" }] });

for (const width of full ? [1280, 400] : [400]) {
  browserTest(`the page does not scroll sideways in a window of ${width} pixels`, html, async (page) => {
    strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }, { width });
}

for (const width of [1280, 390]) {
  fullBrowserTest(`charts have one left edge and fill a page of ${width} pixels`, html, async (page) => {
    const edges = await page.$$eval(
      ".plot, svg.picture, svg.roofline, .timeline .tracks, .flame",
      (charts) => charts.map((chart) => [chart.getBoundingClientRect().left, chart.getBoundingClientRect().right]),
    );
    ok(edges.length >= 12, String(edges.length));
    const [left, right] = edges[0]!;
    deepStrictEqual(edges.filter(([l, r]) => Math.abs(l! - left!) > 1 || Math.abs(r! - right!) > 1), []);
    const small = await page.$$eval(
      "svg.picture text, svg.roofline text",
      (texts) => texts.filter((text) => text.textContent !== "" && text.getBoundingClientRect().height < 10).length,
    );
    strictEqual(small, 0);
  }, { width });
}

browserTest("controls have accessible names and can be reached by keyboard", html, async (page) => {
  const nameless = await page.$$eval(
    "button, a, [tabindex], [role=img], [role=region], [role=group], input, summary",
    (found) =>
      found.filter((one) => {
        const name = one.getAttribute("aria-label") ?? one.getAttribute("aria-labelledby") ?? one.textContent ?? "";
        return name.trim() === "";
      }).map((one) => one.outerHTML.slice(0, 100)),
  );
  deepStrictEqual(nameless, []);
  const scopes = await page.$$eval("th", (cells) => cells.filter((cell) => cell.getAttribute("scope") === null).length);
  strictEqual(scopes, 0);
  const ids = await page.$$eval("[id]", (found) => found.map(({ id }) => id));
  strictEqual(new Set(ids).size, ids.length);
  await page.keyboard.press("Tab");
  strictEqual(await page.evaluate(() => document.activeElement?.textContent), "Skip to the comparison");
  await page.keyboard.press("Enter");
  await settle(page);
  strictEqual(await page.evaluate(() => document.activeElement?.getAttribute("data-anchor")), "matrix");
});

browserTest("empty sections give a reason, and no empty chart is drawn", () => {
  return renderHtml(result([failed("baseline", "The loader found no sample", 2)]));
}, async (page) => {
  const reasons = await page.$$eval("section.empty", (found) => found.map((one) => one.textContent ?? ""));
  ok(reasons.length >= 18, String(reasons.length));
  deepStrictEqual(reasons.filter((text) => !/– .{10}/.test(text)), []);
  strictEqual(await page.$$eval("canvas, figure, svg.roofline", (found) => found.length), 0);
});

fullBrowserTest("a result without variants opens", () => renderHtml(result([])), async (page) => {
  strictEqual(
    await page.$eval('[data-anchor="matrix"]', (one) => one.textContent),
    "Comparison– the result has no variants",
  );
});

fullBrowserTest(
  "of 50 variants with 300 ops, only one is drawn, and of its ops a hundred, from the page with the one that is opened",
  () => renderHtml(largeResult(50, 300)),
  async (page) => {
    strictEqual(await page.$$eval('[data-anchor="matrix"] tbody tr', (rows) => rows.length), 100, "in two tables");
    const last = (await page.$$("[role=tab]"))[49]!;
    await last.click();
    await settle(page);
    const rows = () => page.$$eval('[data-anchor="ops"] tbody tr', (found) => found.length);
    strictEqual(await rows(), 100);
    await page.evaluate(() => location.hash = "#/of/variant-49/op%3Astage9.block3.op299");
    await settle(page);
    strictEqual(await rows(), 100);
    strictEqual(
      await page.evaluate(() => document.activeElement?.querySelector("th")?.textContent),
      "stage9.block3.op299",
    );
    const press = async (name: string) => {
      await page.$$eval(
        '[data-anchor="ops"] .tools button',
        (buttons, name) => buttons.find((one) => (one.ariaLabel ?? one.textContent) === name)!.click(),
        name,
      );
      return await page.$eval('[data-anchor="ops"] .turn', (turn) => turn.checkVisibility() && turn.textContent);
    };
    strictEqual(await press("Next rows"), "‹201 to 300 of 300›");
    strictEqual(await press("Previous rows"), "‹101 to 200 of 300›");
    strictEqual(await press("Show all 300 rows"), false);
    strictEqual(await rows(), 300);
  },
);
