import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../../core/errors.ts";
import type { PageSettings } from "../page/settings.ts";
import type { BrowserRecord } from "../records.ts";
import { CdpConnection } from "./cdp.ts";
import { connectedTab, type RunningTab } from "./connected_tab.ts";
import { ownTab, type Tab } from "./open_tab.ts";
import { type PageDriver, pageDriver } from "./page_driver.ts";
import { type PageEnd, PageTargets } from "./page_targets.ts";
import { RealmFiles } from "./realm_files.ts";

/** What to record of which page. */
export interface PageRecording {
  /** A browser of our own with its flags, or a tab of one that runs. */
  readonly browser: { readonly socket: string; readonly flags: readonly string[] } | RunningTab;
  readonly url: string;
  /** Cookie that the page's server wants; null for other servers. */
  readonly cookie: { readonly name: string; readonly value: string } | null;
  readonly settings: Omit<PageSettings, "binding">;
  /** Folder for the records. */
  readonly folder: string;
  /** Longest time from the opening of the page on, in ms; null for no limit. */
  readonly duration: number | null;
  readonly interrupt: AbortSignal;
  /** Drives the page, whose recording then ends; null to let it run alone. */
  readonly drive: ((page: PageDriver) => unknown) | null;
  /** Called with a line on the page's console, or an error that nothing handles. */
  says(text: string, isError: boolean): void;
}

/** What is known of a recorded page beside its records. */
export interface RecordedPage {
  readonly end: PageEnd;
  readonly browser: BrowserRecord;
  /** What limits the recording. */
  readonly notes: readonly string[];
}

/** Time in which a browser answers at the end, in ms. */
const CLOSE_GRACE = 3000;

/**
 * Opens a page in a browser, and records it and its frames and workers until it ends or is ended.
 *
 * @throws {InputError} if the page cannot be opened
 */
export async function recordPage(recording: PageRecording): Promise<RecordedPage> {
  const { browser, settings, interrupt, says } = recording;
  const files = new RealmFiles(recording.folder);
  const ended = Promise.withResolvers<PageEnd>();
  const binding = `tacho${crypto.randomUUID().replaceAll("-", "")}`;
  const injection = { binding, source: await recorderSource({ ...settings, binding }) };
  const targets = new PageTargets(files, injection, { says, ends: ended.resolve });
  const connection = await CdpConnection.open(browser.socket, (event) => targets.take(event));
  const own = "flags" in browser;
  void connection.closed.then(() => ended.resolve(own ? "browser" : "closed"));
  const stop = new AbortController();
  const { signal } = stop;
  interrupt.addEventListener("abort", () => ended.resolve("interrupted"), { signal });
  let tab: Tab | null = null;
  try {
    const { product } = own ? await connection.send("Browser.getVersion") : browser;
    tab = await (own ? ownTab : connectedTab)(connection);
    await targets.begin(connection, tab.session);
    const { cookie, url, duration, drive } = recording;
    if (cookie !== null) {
      await connection.send("Network.setCookie", { ...cookie, url, httpOnly: true }, tab.session);
    }
    if (duration !== null) void sleep(duration, undefined, { signal }).then(() => ended.resolve("duration"), () => {});
    const opened = tab.open(url).catch((error: Error) => error.message); // a lost connection ends the recording, too
    const problem = await Promise.race([opened, ended.promise.then(() => null)]);
    if (problem !== null) throw new InputError(`--page: ${url} cannot be opened: ${problem}`);
    const notes: string[] = [];
    if (drive !== null) {
      void driven(drive, pageDriver(connection, tab.session), notes).then(() => ended.resolve("driven"));
    }
    const end = await ended.promise;
    await targets.end();
    if (files.full) notes.push("the page wrote more records than Tacho takes; what it did last is missing");
    const facts = { product: String(product), flags: own ? browser.flags : [], connected: !own };
    return { end, browser: { kind: "browser", ...facts }, notes };
  } finally {
    stop.abort();
    await inTime(tab?.leave().catch(() => {}));
    await inTime(connection.close());
  }
}

/** Runs the module that drives a page, and notes why it failed. */
async function driven(
  drive: (page: PageDriver) => unknown,
  page: PageDriver,
  notes: string[],
): Promise<void> {
  try {
    await drive(page);
  } catch (error) {
    notes.push(`--do failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Waits for a while. */
async function inTime(promise: Promise<void> | undefined): Promise<void> {
  const stop = new AbortController();
  const late = sleep(CLOSE_GRACE, undefined, { signal: stop.signal }).catch(() => {});
  await Promise.race([promise, late]);
  stop.abort();
}

/** Returns the script that records a page, with its settings. */
async function recorderSource(settings: PageSettings): Promise<string> {
  const script = await (await fetch(new URL("../page.js", import.meta.url))).text();
  const at = script.lastIndexOf("//# sourceURL=");
  return `{const tachoSettings=${JSON.stringify(settings)};${script.slice(0, at)}}\n${script.slice(at)}`;
}
