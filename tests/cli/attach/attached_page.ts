import { join } from "node:path";
import type { AttachResult } from "@tacho/tacho/attach";
import { findBrowser } from "../../../runtime/attach/browser/find_browser.ts";
import { fullTest } from "../../support/full.ts";
import { type Ended, Place } from "../tacho_process.ts";

const ignore = findBrowser() === null;
if (ignore) console.error("Tests of pages are skipped: no Chromium or Chrome in PATH, and CHROME_PATH is not set");

/** Flags that every test gives: tests may run as root, and a page that hangs ends. */
export const FLAGS = ["attach", "--no-sandbox", "--duration", "120s"];

/** A recorded page. */
export interface AttachedPage extends Ended {
  readonly result: AttachResult;
  /** Files that were left behind. */
  readonly leftovers: readonly string[];
}

/** Declares a test of the fast set that needs Chromium. */
export function pageTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

/** Declares a test of the full set that needs Chromium. */
export function fullPageTest(name: string, fn: () => Promise<void>): void {
  fullTest(name, fn, { ignore });
}

/** Records a page. */
export async function attachedPage(html: string, flags: readonly string[] = []): Promise<AttachedPage> {
  await using place = await Place.make();
  await place.write("page.html", html);
  const args = [...FLAGS, "--no-store", "--json", "out.json", "--page", "page.html", ...flags];
  const ended = await place.tacho(args);
  let text: string;
  try {
    text = Deno.readTextFileSync(join(place.folder, "out.json"));
  } catch {
    throw new Error(`no result: ${ended.code} ${ended.stdout} ${ended.stderr}`);
  }
  return { ...ended, result: JSON.parse(text) as AttachResult, leftovers: place.leftovers() };
}
