/// <reference lib="dom" />
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Page } from "../../packages/puppeteer.ts";
import { renderHtml } from "../../../runtime/report/html/report.ts";
import { browserTest, copiedTable, fullBrowserTest, openData, settle } from "./browser.ts";
import { fullResult, timelines } from "./full_result.ts";

const result = fullResult();
const html = () => renderHtml(result, { timelines: timelines() });
const [baseline, workers] = result.variants;

/** Caption of the table of ops. */
const OPS = "Ops: 9 in step order, over 5 profiled steps";

function count(page: Page, selector: string): Promise<number> {
  return page.$$eval(selector, (found) => found.length);
}

function textOf(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, (found) => found.textContent ?? "");
}

/** Names in the first column of the table in a section. */
function firstColumn(page: Page, anchor: string): Promise<string[]> {
  return page.$$eval(`[data-anchor="${anchor}"] tbody th`, (cells) => cells.map((cell) => cell.textContent ?? ""));
}

/** Visible range of the timeline, in microseconds. */
async function visibleTime(page: Page): Promise<[from: number, to: number]> {
  const { from, to } = await page.$eval("div.stage", ({ dataset }) => ({ ...dataset }));
  return [Number(from), Number(to)];
}

browserTest("every part of a full result is on the page", html, async (page) => {
  const missing = await page.$$eval(
    "section.empty",
    (sections) => sections.map((section) => section.dataset["anchor"]),
  );
  deepStrictEqual(missing, ["queues", "pipeline", "autotune"]);
  const blank = await page.$$eval("canvas", (canvases) =>
    canvases.filter((canvas) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size < 4;
    }).length);
  strictEqual(blank, 0);
  strictEqual(await count(page, ".plot canvas"), 6);
  strictEqual(
    await textOf(page, ".summary"),
    "workers is 28 % faster than baseline (95 % interval 24 to 32 %, p = 0.023).",
  );
});

browserTest("charts show the figures of the result", html, async (page) => {
  for (const anchor of ["blocks", "losses", "steps", "memory", "loss-scale", "procedure"]) await openData(page, anchor);
  const numbers = (rows: string[][]) => rows.slice(1).map((row) => row.map(Number));
  const steps = baseline!.blocks.flatMap((block) => block.steps);
  deepStrictEqual(
    numbers(await copiedTable(page, "Times of a step over the measured steps")),
    steps.map((step) => [
      step.index,
      step.iterationGap ?? 0,
      step.forward,
      step.backward,
      step.update,
      step.batchCost,
      step.readerCost,
    ]),
  );
  const losses = numbers(await copiedTable(page, "Losses over steps"));
  deepStrictEqual(losses.map((row) => row[2]), workers!.losses);
  const scales = numbers(await copiedTable(page, "Loss scale over steps"));
  deepStrictEqual([1, 2, 59, 60].map((step) => scales[step]), [[1, 65_536], [2, 32_768], [59, 32_768], [60, 65_536]]);
  ok((await textOf(page, '[data-anchor="loss-scale"]')).includes("updates skipped at steps 1"));
  const memory = numbers(await copiedTable(page, "Device memory over the ops of a step"));
  deepStrictEqual(
    memory.map((row) => row[4]! * 2 ** 20),
    baseline!.profile!.memory.map(({ activations }) => activations),
  );
  const points = (await copiedTable(page, "Time per sample of each block by round")).slice(1)
    .flatMap((row) => row[1] === "" ? [] : Number(row[1]));
  deepStrictEqual(points, baseline!.blocks.map(({ wall, samples }) => wall / samples));
  const probe = numbers(await copiedTable(page, "Time of the probe kernel by round"));
  deepStrictEqual(probe, result.procedure!.probe.map(({ round, time }) => [round, time]));
});

browserTest("tables show the figures of the result", html, async (page) => {
  const records = async (caption: string) => {
    const [head, ...rows] = await copiedTable(page, caption);
    return rows.map((row) => Object.fromEntries(row.map((cell, i) => [head![i]!, cell])));
  };
  const [speed, times] = [await records("Speed"), await records("Time of a step")];
  deepStrictEqual(
    speed.map((
      row,
      i,
    ) => [row["variant"], row["verdict"], row["ratio"], row["p"], row["images/s"], times[i]!["forward (ms)"]]),
    result.variants.map(({ name, verdict, comparison, metrics }) => [
      name,
      verdict ?? "",
      String(metrics.speedup?.value ?? ""),
      String(comparison?.adjustedP ?? ""),
      String(metrics.ips?.value ?? ""),
      String(metrics.forward?.value ?? ""),
    ]),
  );
  deepStrictEqual(
    times.map((row) => row["step p99 (ms)"]),
    result.variants.map(({ stepTimes }) => String(stepTimes?.p99 ?? "")),
  );
  const ops = (await copiedTable(page, OPS)).slice(1);
  deepStrictEqual(ops.map((row) => [row[0], Number(row[3])]), baseline!.ops.map(({ name, mean }) => [name, mean]));
  strictEqual(await count(page, "svg.roofline circle"), 8);
  strictEqual(await count(page, "svg.roofline line.ceiling"), 3);
});

fullBrowserTest("dots, whiskers and the band are at the positions of their figures", html, async (page) => {
  const drawn = await page.$$eval('[data-anchor="matrix"] tbody svg.interval', (plots) =>
    plots.map((plot) => {
      const at = (selector: string, name: string) => Number(plot.querySelector(selector)?.getAttribute(name) ?? NaN);
      return {
        tone: plot.getAttribute("class"),
        one: at("line.one", "x1"),
        dot: at("circle", "cx"),
        low: at("line.whisker", "x1"),
        high: at("line.whisker", "x2"),
        band: at("rect.band", "x") + at("rect.band", "width"),
      };
    }));
  const [base, faster, same, slower] = drawn;
  strictEqual(drawn.length, 4);
  strictEqual(base!.dot, base!.one);
  ok(faster!.low > faster!.band && faster!.low < faster!.dot && faster!.dot < faster!.high);
  ok(same!.low < same!.one && same!.high < same!.band);
  ok(slower!.high < slower!.one);
  strictEqual(faster!.tone, "interval faster");
  const perLog = (plot: typeof base, ratio: number) => (plot!.dot - plot!.one) / Math.log(ratio);
  ok(Math.abs(perLog(faster, 1.28) - perLog(slower, 0.87)) < 1e-6);
});

fullBrowserTest("a heading sorts by click and by keyboard, and back", html, async (page) => {
  const order = baseline!.ops.map(({ name }) => name);
  const byMean = baseline!.ops.toSorted((a, b) => b.mean! - a.mean!).map(({ name }) => name);
  await page.$$eval('[data-anchor="ops"] .tools button', (buttons) => {
    buttons.find(({ textContent }) => textContent === "All columns")!.click();
  });
  const heading = (await page.$$('[data-anchor="ops"] th button.sort'))[3]!;
  const sorted = () => page.$$eval('[data-anchor="ops"] th[aria-sort]', (cells) => cells[3]!.getAttribute("aria-sort"));
  await heading.click();
  deepStrictEqual([await firstColumn(page, "ops"), await sorted()], [byMean, "descending"]);
  await heading.press("Enter");
  deepStrictEqual([(await firstColumn(page, "ops")).at(-1), await sorted()], [byMean[0], "ascending"]);
  await heading.press("Space");
  deepStrictEqual([await firstColumn(page, "ops"), await sorted()], [order, "none"]);
});

browserTest(
  "the search box finds ops by name, phase and kernel, and a link to an op empties it",
  html,
  async (page) => {
    const ops = baseline!.ops;
    const search = '[data-anchor="ops"] input[type="search"]';
    await page.type(search, "  FC backward ");
    const found = ops.filter(({ layer, phase }) => layer === "fc" && phase === "backward").map(({ name }) => name);
    ok(found.length > 0 && found.length < ops.length);
    deepStrictEqual(await firstColumn(page, "ops"), found);
    strictEqual((await copiedTable(page, OPS)).length, found.length + 1, "with the headings");
    const share = ops.filter(({ name }) => found.includes(name)).reduce((sum, op) => sum + op.share!, 0);
    const percent = (share * 100).toFixed(share < 0.0995 ? 1 : 0);
    strictEqual(
      await textOf(page, '[data-anchor="ops"] [role="status"]'),
      `${found.length} of ${ops.length} ops, ${percent} % of the time of all ops`,
    );
    const other = ops.find(({ name }) => !found.includes(name))!;
    await page.evaluate((id) => location.hash = `#/of/baseline/op%3A${encodeURIComponent(id)}`, other.id);
    await settle(page);
    strictEqual(await page.$eval(search, (box) => (box as HTMLInputElement).value), "");
    strictEqual((await firstColumn(page, "ops")).length, ops.length);
    await page.type(search, ops[0]!.kernels[0]!.name);
    ok((await firstColumn(page, "ops")).includes(ops[0]!.name));
    await page.type(search, " absent");
    deepStrictEqual(await firstColumn(page, "ops"), []);
    strictEqual(await textOf(page, '[data-anchor="ops"] [role="status"]'), `0 of ${ops.length} ops`);
  },
);

browserTest("a finding leads to its evidence and back", html, async (page) => {
  const links = await page.$$eval(
    ".evidence li",
    (items) => items.map((item) => item.querySelector("a")?.hash ?? null),
  );
  deepStrictEqual(links, [
    "#/of/baseline/queues",
    "#/of/baseline/steps",
    "#/of/baseline/op%3Afeatures.conv1",
    null,
    "#/of/baseline/roofline",
  ]);
  await page.click('.evidence a[href$="op%3Afeatures.conv1"]');
  await settle(page);
  strictEqual(await page.evaluate(() => document.activeElement?.querySelector("th")?.textContent), "features.conv1");
  await page.click('[data-anchor="roofline"] a.cite');
  await settle(page);
  ok((await page.evaluate(() => document.activeElement?.textContent))?.includes("Half of the device time"));
});

fullBrowserTest("a ladder without kept rungs has no patch, and a diverged loss no difference", () => {
  const rungs = result.ladder!.rungs.map((rung) => ({ ...rung, kept: false }));
  const variants = result.variants.map((variant) =>
    variant.quality === null
      ? variant
      : { ...variant, quality: { ...variant.quality, difference: "Infinity" as const, tolerance: null, kept: false } }
  );
  return renderHtml({ ...result, variants, ladder: { ...result.ladder!, rungs, patch: null } });
}, async (page) => {
  ok((await textOf(page, '[data-anchor="ladder"]')).includes("– no rung was kept, so the script needs no change"));
  ok(!(await textOf(page, '[data-anchor="losses"]')).includes("Infinity"));
});

fullBrowserTest("a link leads to a section of another variant", html, async (page) => {
  strictEqual(await textOf(page, "[role=tab][aria-selected=true]"), "workers");
  strictEqual(await page.evaluate(() => document.activeElement?.getAttribute("data-anchor")), "queues");
  await openData(page, "queues");
  const depths = (await copiedTable(page, "Batches in the queues over the measured steps")).slice(1);
  deepStrictEqual(depths.map((row) => Number(row[1])), workers!.queues.host);
  await page.focus("[role=tab][aria-selected=true]");
  await page.keyboard.press("ArrowRight");
  strictEqual(await textOf(page, "[role=tab][aria-selected=true]"), "sink");
  strictEqual(await page.$eval("nav", (nav) => nav.querySelectorAll("h2")[1]!.textContent), "sink");
  ok((await textOf(page, '[data-anchor="timeline"]')).includes("its spans were not recorded"));
}, { hash: "#/of/workers/queues" });

fullBrowserTest("a chart is read and zoomed by keyboard", html, async (page) => {
  const plot = (await page.$('[data-anchor="steps"] .plot'))!;
  const legend = () => textOf(page, '[data-anchor="steps"] .legend');
  await plot.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await settle(page);
  ok((await legend()).includes("step 4"), await legend());
  ok((await legend()).includes("iteration gap2.10"), await legend());
  await page.keyboard.press("End");
  await settle(page);
  ok((await legend()).includes("step 82"), await legend());
  for (let i = 0; i < 4; i++) await page.keyboard.press("+");
  await page.keyboard.press("Home");
  await settle(page);
  ok((await legend()).includes("step 3"), await legend());
  await page.keyboard.press("0");
});

browserTest("the timeline zooms, pans and describes spans", html, async (page) => {
  const [from, to] = await visibleTime(page);
  const stage = (await page.$(".stage"))!;
  const shown = async (key: string) => {
    await page.keyboard.press(key as "0");
    await settle(page);
    return await visibleTime(page);
  };
  await stage.focus();
  const near = await shown("+");
  ok(near[1] - near[0] < to - from);
  const all = await shown("0");
  ok(all[0] === 0 && all[1] > to);
  await shown("ArrowRight");
  const readout = () => textOf(page, ".timeline .readout");
  ok((await readout()).startsWith("step 0"), await readout());
  await shown("ArrowRight");
  ok((await readout()).startsWith("load dataset"), await readout());
  await shown("ArrowDown");
  ok((await readout()).includes("worker 0"), await readout());
  for (let i = 0; i < 4; i++) await shown("+");
  await stage.scrollIntoView();
  const { x, y, width } = (await stage.boundingBox())!;
  const before = await visibleTime(page);
  await page.mouse.move(x + width / 2, y + 40);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 - 100, y + 40, { steps: 4 });
  await page.mouse.up();
  await settle(page);
  const after = await visibleTime(page);
  ok(after[0] > before[0]);
  ok(Math.abs((after[0] - before[0]) / (before[1] - before[0]) - 100 / width) < 0.01);
  await page.keyboard.down("Control");
  await page.mouse.wheel({ deltaY: 240 });
  await page.keyboard.up("Control");
  await settle(page);
  const wide = await visibleTime(page);
  ok(wide[1] - wide[0] > 1.5 * (after[1] - after[0]));
});

browserTest("an event leads from the timeline to its row and back, by keyboard and by search", html, async (page) => {
  const active = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  await page.focus(".stage");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await settle(page);
  match(await active(), /^\d+load dataset0 us400 usmain$/);
  const search = '[data-anchor="timeline"] input[type="search"]';
  await page.type(search, "DECODE 1");
  const rows = "[data-anchor=timeline] tbody tr";
  strictEqual(await count(page, rows), 100);
  const events = (await copiedTable(page, "Events")).slice(1);
  const spans = timelines()[0]!.spans.filter(({ name, track }) => name === "decode" && track === "worker 1");
  deepStrictEqual(
    events.map((row) => [row[1], row[4], Number(row[3]).toFixed(4)]),
    spans.map(({ name, track, start, end }) => [name, track, (end - start).toFixed(4)]),
  );
  match(
    await textOf(page, '[data-anchor="timeline"] .search [role="status"]'),
    new RegExp(`^${spans.length} of [\\d,]+ events, [\\d.]+ ms in sum$`),
  );
  await page.focus(`${rows}:nth-child(99) a`);
  await page.keyboard.press("Enter");
  await settle(page);
  strictEqual(await page.evaluate(() => document.activeElement?.className.split(" ")[0]), "stage");
  const start = Number(events[98]![2]) * 1000;
  const [from, to] = await visibleTime(page);
  ok(from <= start && start <= to, `${from} ${start} ${to}`);
  match(await textOf(page, ".timeline .readout"), /^decode 10\.0 us · at .* · worker 1 · show in the table$/);
  await page.click(".timeline .readout a");
  await settle(page);
  ok((await active()).startsWith(`${events[98]![0]}decode`), await active());
});

fullBrowserTest("the flame graph zooms into a scope and out", html, async (page) => {
  const widths = () =>
    page.$$eval(
      "div.flame > div",
      (frames) =>
        Object.fromEntries(
          frames.map((frame) => [frame.textContent, frame.hidden ? 0 : Math.round(parseFloat(frame.style.width))]),
        ),
    );
  const before = await widths();
  strictEqual(before["features"], 66);
  strictEqual(before["fc"], 16);
  await page.$$eval(
    "div.flame > div",
    (frames) => frames.find((frame) => frame.textContent === "fc")!.click(),
  );
  const within = await widths();
  deepStrictEqual([within["fc"], within["features"], within["step"]], [100, 0, 100]);
  await page.keyboard.press("Escape");
  deepStrictEqual(await widths(), before);
  await page.keyboard.press("ArrowDown");
  ok((await textOf(page, '[data-anchor="layers"] .readout')).startsWith("fc 0.50 ms"));
});

fullBrowserTest("arrow keys move over the roofline and Enter goes to an op", html, async (page) => {
  await page.$eval("svg.roofline", (chart) => chart.focus());
  await page.keyboard.press("ArrowRight");
  ok((await textOf(page, '[data-anchor="roofline"] .readout')).startsWith("features.conv1/conv2d_weight_grad 3.00 ms"));
  await page.keyboard.press("Enter");
  await settle(page);
  strictEqual(
    await page.evaluate(() => document.activeElement?.querySelector("th")?.textContent),
    "features.conv1/conv2d_weight_grad",
  );
});
