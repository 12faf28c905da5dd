/// <reference lib="dom" />
/**
 * Opens reports in a real Chromium, from a file as a reader would.
 *
 * @module
 */
import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CHROMIUM_NAMES, findChromium } from "../../support/chromium.ts";
import { full } from "../../support/full.ts";
import puppeteer, { type Browser, type MediaFeature, type Page } from "../../packages/puppeteer.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

/** Long enough for Chromium on a busy machine; a test that hangs is ended by whoever runs the file. */
const TIMEOUT_MS = 10 * 60_000;

/** Path of Chromium or Chrome; null if neither is installed. */
const chromium = findChromium();

if (chromium === null) {
  console.error(
    `The tests of the HTML report's page are left out: no ${
      CHROMIUM_NAMES.join(", ")
    } in PATH, and CHROME_PATH is not set`,
  );
}

export interface OpenOptions {
  readonly width?: number;
  readonly media?: readonly MediaFeature[];
  /** The part of the address behind `#`, with it. */
  readonly hash?: string;
}

/** Errors that a page reports. */
export interface Troubles {
  /** Exceptions, errors on the console and breaches of the content security policy. */
  readonly errors: string[];
  /** Requests other than the page itself. */
  readonly requests: string[];
}

/** Declares a test in Chromium. Without Chromium the test is ignored, with a message on stderr. */
export function browserTest(
  name: string,
  html: () => string,
  check: (page: Page, troubles: Troubles) => Promise<void>,
  options: OpenOptions = {},
): void {
  // The browser outlives its tests
  Deno.test({
    name,
    ignore: chromium === null,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => open(html(), options, check),
  });
}

/** Declares a test in Chromium that only the full set runs. */
export const fullBrowserTest: typeof browserTest = full ? browserTest : () => {};

/** Declares a test of pages of a server in Chromium, which starts at an address. Requests to others are troubles. */
export function servedTest(
  name: string,
  serve: () => Promise<{ readonly url: string } & AsyncDisposable>,
  check: (page: Page, troubles: Troubles) => Promise<void>,
  options: OpenOptions = {},
): void {
  Deno.test({
    name,
    ignore: chromium === null,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using server = await serve();
      await visit(server.url, (url) => url.startsWith(server.url), options, check);
    },
  });
}

let browser: Promise<Browser> | null = null;

Deno.test.afterAll(async () => await (await browser)?.close());

async function open(
  html: string,
  options: OpenOptions,
  check: (page: Page, troubles: Troubles) => Promise<void>,
): Promise<void> {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  const file = join(folder, "report.html");
  await Deno.writeTextFile(file, html);
  const url = pathToFileURL(file).href;
  await visit(url, (requested) => requested.split("#")[0] === url, options, check);
}

/** Opens an address. Requests that are not its own are troubles. */
async function visit(
  url: string,
  isOwn: (url: string) => boolean,
  { width = 1280, media = [], hash = "" }: OpenOptions,
  check: (page: Page, troubles: Troubles) => Promise<void>,
): Promise<void> {
  browser ??= puppeteer.launch({
    executablePath: chromium!,
    args: ["--no-sandbox", "--disable-gpu"],
    timeout: TIMEOUT_MS,
    protocolTimeout: TIMEOUT_MS,
  });
  const page = await (await browser).newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  try {
    const troubles = watch(page, isOwn);
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([...media]);
    await page.evaluateOnNewDocument(() => {
      Object.defineProperty(navigator, "clipboard", {
        value: { writeText: (text: string) => Promise.resolve(document.documentElement.dataset["copied"] = text) },
      });
    });
    await page.goto(url + hash);
    await settle(page);
    await check(page, troubles);
    await settle(page);
    deepStrictEqual(troubles, { errors: [], requests: [] });
  } finally {
    await page.close();
  }
}

function watch(page: Page, isOwn: (url: string) => boolean): Troubles {
  const troubles: Troubles = { errors: [], requests: [] };
  page.on("pageerror", (error) => troubles.errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.errors.push(message.text());
  });
  page.on("dialog", (dialog) => {
    troubles.errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!isOwn(request.url())) troubles.requests.push(request.url().slice(0, 200));
  });
  return troubles;
}

/** Opens another report instead of the current one. */
export async function visitFile(page: Page, html: string): Promise<void> {
  await Deno.writeTextFile(fileURLToPath(page.url().split("#")[0]!), html);
  await page.reload();
  await settle(page);
}

/** Waits until charts have got their width and are painted. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(() =>
    new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))))
  );
}

/** Presses the Copy button of the table with this caption, and returns the copied cells. */
export async function copiedTable(page: Page, caption: string): Promise<string[][]> {
  const text = await page.evaluate((caption) => {
    const region = [...document.querySelectorAll("[role=region], [role=group]")].find((one) =>
      one.getAttribute("aria-label") === caption
    );
    const button = region?.parentElement?.querySelector<HTMLElement>(".tools [aria-label^=Copy]");
    button?.click();
    return document.documentElement.dataset["copied"] ?? "";
  }, caption);
  return text.replace(/\n$/, "").split("\n").map((line) => line.split("\t"));
}

/** Opens the data of the charts in a section, so that its tables can be copied. */
export async function openData(page: Page, anchor: string): Promise<void> {
  await page.evaluate((anchor) => {
    for (const data of document.querySelectorAll<HTMLDetailsElement>(`[data-anchor="${anchor}"] details.data`)) {
      data.open = true;
    }
  }, anchor);
  await settle(page);
}
