/// <reference lib="dom" />
/**
 * Makes the README's pictures from one run, and keeps its result, with which a test compares the README:
 *
 *     deno run -A scripts/resnet.ts --report out && deno task pictures out
 *
 * @module
 */
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { readResult, type Result } from "../runtime/result/schema.ts";
import puppeteer, { type Browser } from "./packages/puppeteer.ts";
import { findChromium } from "./support/chromium.ts";
import { hashesOfShown, PICTURED, SHOWN, terminalText } from "./support/pictured_result.ts";

const IMAGES = join(import.meta.dirname!, "../docs/images");

/** Command of the run in the pictures. */
const COMMAND = "deno run -A scripts/resnet.ts --report out";

/** Colours of the terminal in the picture, by the codes that switch them on. */
const STYLES: Readonly<Record<string, string>> = {
  1: "font-weight: bold",
  2: "color: #8b949e",
  31: "color: #ff7b72",
  32: "color: #7ee787",
  33: "color: #e3b341",
  35: "color: #d2a8ff",
  36: "color: #79c0ff",
};

/** Converts text with terminal colours to HTML; a code that is not in `STYLES` ends the last one. */
function htmlOf(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return escaped.replaceAll(/\p{Cc}\[(\d+)m/gu, (_, code: string) => {
    const style = STYLES[code];
    return style === undefined ? "</span>" : `<span style="${style}">`;
  });
}

function terminalPage(text: string): string {
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; background: #0d1117; color: #e6edf3 }
    pre { margin: 0; padding: 22px; width: max-content; font: 16px/1.35 "DejaVu Sans Mono", monospace }
  </style><pre><span style="${STYLES[2]}">$ ${COMMAND}</span>\n${htmlOf(text)}</pre>`;
}

async function takeMatrix(browser: Browser, result: Result): Promise<void> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1200, height: 900 });
  await page.setContent(terminalPage(terminalText(result)));
  const shown = await page.$("pre");
  await shown!.screenshot({ path: join(IMAGES, "matrix.png") });
}

async function takeReport(browser: Browser, file: string): Promise<void> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 1600 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  await page.goto(pathToFileURL(file).href);
  await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
  await page.screenshot({ path: join(IMAGES, "report.png") });
}

function withoutProfile(result: Result): Result {
  const variants = result.variants.map((variant) => ({
    ...variant,
    ops: [],
    profile: null,
    pipeline: null,
    queues: {},
  }));
  return { ...result, variants, roofline: null };
}

if (import.meta.main) {
  const [folder = "out"] = Deno.args;
  const result = readResult(JSON.parse(await Deno.readTextFile(join(folder, "result.json"))));
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("The pictures need Chromium: not found in PATH or CHROME_PATH");
  const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"], timeout: 120_000 });
  try {
    await takeMatrix(browser, result);
    await takeReport(browser, resolve(folder, "report.html"));
  } finally {
    await browser.close();
  }
  const pictured = withoutProfile(result);
  await Deno.writeFile(PICTURED, gzipSync(JSON.stringify(pictured), { level: 9 }));
  await Deno.writeTextFile(SHOWN, `${JSON.stringify(hashesOfShown(pictured), null, 2)}\n`);
}
