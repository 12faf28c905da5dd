/// <reference lib="dom" />
/** The pages of `tacho serve` in Chromium, with the keyboard alone. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Page } from "../packages/puppeteer.ts";
import { serveRuns } from "../../runtime/serve/serve.ts";
import { openStore, type Store } from "../../runtime/store/store.ts";
import { violationsInLooks } from "../report/html/axe.ts";
import { servedTest, settle } from "../report/html/browser.ts";
import { keepWhole, outcome, round, spec, start } from "../store/synthetic_run.ts";

const HOSTILE = `</script><img src=x onerror="alert(1)">`;

let store: Store;

/** Serves a store with three runs of one scenario, and one of a hostile name. */
async function serve() {
  const folder = await Deno.makeTempDir();
  store = openStore(folder);
  const result = outcome(80);
  const hostile = store.begin(start({ spec: spec({ scenario: HOSTILE }), args: [HOSTILE] }));
  const variants = result.variants.map((variant) => ({ ...variant, name: `${variant.name}${HOSTILE}` }));
  hostile.finish({ ...result, scenario: { ...result.scenario, name: HOSTILE }, baseline: variants[0]!.name, variants });
  for (const ips of [100, 110, 120]) keepWhole(store, ips);
  const [ended, listening] = [new AbortController(), Promise.withResolvers<string>()];
  const server = serveRuns({
    ...{ folder, port: 0, signal: ended.signal, onListen: listening.resolve },
    onError: (error) => console.error(error),
  });
  return {
    url: await listening.promise,
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await server;
      store.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

function texts(page: Page, selector: string): Promise<string[]> {
  return page.$$eval(selector, (found) => found.map(({ textContent }) => textContent ?? ""));
}

/** Presses Tab until the element with this `data-focus` or text has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const { dataset, textContent } = document.activeElement as HTMLElement;
      return [dataset["focus"] ?? "", textContent ?? ""];
    });
    if (at.includes(name)) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** Requests changes at once, as when the page becomes visible again. */
function refresh(page: Page): Promise<void> {
  return page.evaluate(() => void document.dispatchEvent(new Event("visibilitychange")));
}

servedTest(
  "the list follows a run, and the keyboard reaches reports, comparisons and histories",
  serve,
  async (page) => {
    await page.waitForSelector("tbody tr");
    strictEqual((await texts(page, "tbody tr")).length, 4);
    ok((await texts(page, "tbody tr")).at(-1)!.includes(HOSTILE));
    deepStrictEqual(await violationsInLooks(page), []);

    const [latest, middle, first] = store.find().map(({ id }) => id) as [string, string, string];
    await tabTo(page, `select ${middle}`);
    await page.keyboard.press("Space");
    const live = store.begin(start());
    live.recorder.keepRound(round(0));
    await page.waitForFunction(() => document.querySelector("tbody")!.textContent!.includes("running, 1 round"));
    strictEqual(
      await page.evaluate(() => (document.activeElement as HTMLElement).dataset["focus"]),
      `select ${middle}`,
    );
    live.finish(outcome(130));
    await refresh(page);
    await page.waitForFunction(() => document.querySelector("tbody")!.textContent!.includes("130 images/s"));
    match((await texts(page, "header [role=status]"))[0]!, /^5 runs in /);

    await page.type(".search input", "sYnth 110");
    deepStrictEqual(await texts(page, "tbody tr"), [], "figures are not searched");
    await page.click(".search input", { count: 3 });
    await page.keyboard.type(middle);
    deepStrictEqual(await texts(page, "tbody th"), [middle]);
    strictEqual(new URL(page.url()).search, `?q=${middle}`);
    await page.click(".search input", { count: 3 });
    await page.keyboard.press("Backspace");

    await tabTo(page, `select ${first}`);
    await page.keyboard.press("Space");
    match((await texts(page, ".selection [role=status]"))[0]!, /^2 runs selected$/);
    await page.keyboard.down("Shift");
    await tabTo(page, "Compare");
    await page.keyboard.up("Shift");
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    strictEqual(new URL(page.url()).search, `?runs=${first},${middle}`);
    await page.waitForSelector("tbody tr");
    const dated = /^synthetic, \d{4}-\d\d-\d\d \d\d:\d\d, with \d{4}-\d\d-\d\d \d\d:\d\d$/;
    for (const title of [...await texts(page, "h1"), (await texts(page, "h2"))[1]!]) match(title, dated);
    ok((await texts(page, "tbody tr")).some((row) => /ips.*100.*110.*×1\.100/.test(row)));
    deepStrictEqual(await violationsInLooks(page), []);

    await tabTo(page, "ips");
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    await page.waitForSelector(".plot canvas");
    await settle(page);
    deepStrictEqual(await texts(page, "section:last-of-type tbody th"), [first, middle, latest, live.id]);
    deepStrictEqual(await violationsInLooks(page), []);
    const read = () => texts(page, ".legend .at");
    await page.focus(".plot");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    match((await read())[0]!, new RegExp(`^run ${middle}, `));
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    strictEqual(new URL(page.url()).pathname, `/runs/${middle}`);
    await Promise.all([page.waitForNavigation(), page.goBack()]);
    await page.waitForSelector(".plot canvas");
    await tabTo(page, "choose variant");
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => location.search.includes("variant=sink"));
    await page.waitForFunction(() => document.querySelector("h1")!.textContent === "ips of sink");
    strictEqual(await page.evaluate(() => (document.activeElement as HTMLElement).dataset["focus"]), "choose variant");
    await Promise.all([
      page.waitForFunction(() => document.querySelector("h1")!.textContent === "ips of baseline"),
      page.goBack(),
    ]);

    const measured = store.begin(start());
    await page.goto(new URL(`/runs/${measured.id}`, page.url()).href);
    await page.waitForFunction(() =>
      document.querySelector("header")?.textContent?.includes("the report appears here")
    );
    deepStrictEqual(await violationsInLooks(page), []);
    measured.finish(outcome(140));
    await refresh(page);
    await page.waitForSelector('[data-anchor="matrix"]');
    strictEqual((await texts(page, "h1"))[0], "synthetic");
  },
  { width: 700, media: [{ name: "prefers-color-scheme", value: "dark" }] },
);
