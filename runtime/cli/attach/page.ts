import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findTab } from "../../attach/browser/connected_tab.ts";
import { servePage } from "../../attach/browser/file_server.ts";
import { launchBrowser } from "../../attach/browser/launch.ts";
import type { PageDriver } from "../../attach/browser/page_driver.ts";
import type { PageEnd } from "../../attach/browser/page_targets.ts";
import { type RecordedPage, recordPage } from "../../attach/browser/record_page.ts";
import { parseRecords } from "../../attach/programs/record_schema.ts";
import { readRecords } from "../../attach/programs/read_records.ts";
import { type AttachRecord, MAIN_REALM, RECORDS_VERSION } from "../../attach/records.ts";
import type { Steps } from "../../attach/settings.ts";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { onInterrupt } from "../../experiment/interrupts/signals.ts";
import { writeError, writeOut } from "../terminal.ts";
import { deliver, type Destinations } from "./deliver.ts";
import { analyseForeign } from "./saved.ts";

/** Lines of a page's console that are printed. */
const MAX_LINES = 2000;

/** Exit status by the end of a page. */
const STATUS: Readonly<Record<PageEnd, number>> = {
  ...{ steps: ExitStatus.ok, duration: ExitStatus.ok, closed: ExitStatus.ok, driven: ExitStatus.ok },
  ...{ interrupted: ExitStatus.interrupted, crashed: ExitStatus.device, browser: ExitStatus.device },
};

/** Notes on ends that lose records. */
const END_NOTES: Partial<Record<PageEnd, string>> = {
  crashed: "the tab crashed: what it did last may be missing",
  browser: "the browser ended: what the page did last may be missing",
};

/** How to record a page. */
export interface PageOptions extends Destinations {
  readonly steps?: Steps | undefined;
  readonly stack?: true | undefined;
  readonly budget?: number | undefined;
  /** Module that drives the page. */
  readonly do?: string | undefined;
  /** Longest time, in ms. */
  readonly duration?: number | undefined;
  readonly maxSteps?: number | undefined;
  readonly profile?: string | undefined;
  readonly isolate?: true | undefined;
  readonly headed?: true | undefined;
  readonly sandbox: boolean;
  /** Port of a running browser, of which one tab is recorded. */
  readonly connect?: number | undefined;
  readonly browserFlag?: readonly string[] | undefined;
}

/** Options of a browser that Tacho starts. */
const OF_OWN_BROWSER = ["profile", "headed", "isolate"] as const;

/** Records the page at an address or in an HTML file. Returns the exit status. */
export async function attachPage(page: string, options: PageOptions): Promise<number> {
  const { steps = { by: "auto" }, stack = false, budget = 0.05, maxSteps, duration = null } = options;
  const drive = options.do === undefined ? null : await loadDriver(options.do);
  const isAddress = /^https?:\/\//.test(page);
  if (isAddress && options.isolate) {
    throw new InputError(
      "--isolate: only pages in files get COOP and COEP from Tacho; their own server must send them",
    );
  }
  if (options.connect !== undefined) {
    const ours = OF_OWN_BROWSER.find((name) => options[name] !== undefined);
    if (ours !== undefined) throw new InputError(`--connect: the browser runs already, so --${ours} has no meaning`);
    if (!isAddress) {
      throw new InputError("--connect: expected --page with the address of a tab, such as http://localhost/");
    }
  }
  const folder = await Deno.makeTempDir({ prefix: "tacho-attach-" });
  const started = Date.now();
  const interrupt = new AbortController();
  try {
    using _interrupts = onInterrupt(() => interrupt.abort());
    const { connect, profile = null, sandbox, headed = false, browserFlag: flags = [] } = options;
    await using server = isAddress ? null : servePage(page, options.isolate ?? false);
    await using own = connect === undefined ? await launchBrowser({ profile, sandbox, headed, flags }) : null;
    const browser = own ?? await findTab(connect!, page);
    const limits = maxSteps === undefined ? {} : { maxSteps };
    const recorded = await recordPage({
      browser,
      url: server?.url ?? page,
      cookie: server?.cookie ?? null,
      settings: { steps: stepsText(steps), stack, budget, timing: true, ...limits },
      ...{ folder, duration, drive, interrupt: interrupt.signal, says: printConsole() },
    });
    const realms = withNotes(await readRecords(folder, parseRecords), recorded);
    const result = await analyseForeign(`--page ${page}`, realms, steps.by);
    const status = STATUS[recorded.end];
    const run = { started, ended: Date.now(), status, command: ["--page", page] };
    deliver(result, realms, run, options);
    return status;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function stepsText(steps: Steps): string {
  return steps.by === "submit" ? `submit:${steps.count}` : steps.by;
}

/** Adds what the tool knows to the records of a page. */
function withNotes(realms: readonly AttachRecord[][], { end, browser, notes }: RecordedPage): AttachRecord[][] {
  const [first = [{ kind: "start", version: RECORDS_VERSION, realm: MAIN_REALM, time: 0, timeOrigin: 0 }], ...others] =
    realms as [AttachRecord[]?, ...AttachRecord[][]];
  const all = [...notes, ...END_NOTES[end] === undefined ? [] : [END_NOTES[end]]];
  return [[...first, browser, ...all.map((text) => ({ kind: "note" as const, text }))], ...others];
}

/** Returns a function that prints what a page says. */
function printConsole(): (text: string, isError: boolean) => void {
  let lines = 0;
  return (text, isError) => {
    if (++lines > MAX_LINES) return;
    (isError ? writeError : writeOut)(`${text}\n`);
    if (lines === MAX_LINES) writeError(`attach: further lines of the page's console are left out\n`);
  };
}

/**
 * Loads the module that drives a page.
 *
 * @throws {InputError} if it cannot be loaded, or exports no function
 */
async function loadDriver(path: string): Promise<(page: PageDriver) => unknown> {
  let module: { readonly default?: unknown };
  try {
    module = await import(pathToFileURL(resolve(path)).href) as { readonly default?: unknown };
  } catch (cause) {
    throw new InputError(`--do ${path}: cannot be loaded: ${(cause as Error).message}`, { cause });
  }
  const { default: drive } = module;
  if (typeof drive === "function") return drive as (page: PageDriver) => unknown;
  throw new InputError(`--do ${path}: expected a default export: export default async (page) => { ... }`);
}
