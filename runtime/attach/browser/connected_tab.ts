import { InputError } from "../../core/errors.ts";
import type { CdpConnection } from "./cdp.ts";
import type { Tab } from "./open_tab.ts";

/** A tab of a browser that runs already, by its own address for the protocol, so that nothing else is touched. */
export interface RunningTab {
  readonly socket: string;
  /** Name and version of the browser. */
  readonly product: string;
}

/** Largest time for an answer, in ms. */
const TIMEOUT = 5000;

/**
 * Finds a tab of a browser that runs with `--remote-debugging-port`, on this machine.
 *
 * @param page address of the tab, or the beginning of it
 * @throws {InputError} if there is no such browser, or not one such tab
 */
export async function findTab(port: number, page: string): Promise<RunningTab> {
  const { Browser: product } = await ask(port, "version") as { readonly Browser?: unknown };
  const targets = await ask(port, "list") as readonly Readonly<Record<string, unknown>>[];
  const tabs = targets.filter(({ type }) => type === "page");
  const exact = tabs.filter(({ url }) => url === page);
  const found = exact.length > 0 ? exact : tabs.filter(({ url }) => String(url).startsWith(page));
  const [tab] = found;
  if (tab === undefined || found.length > 1) {
    const list = tabs.map(({ url }) => `\n  ${url}`).join("") || " none";
    throw new InputError(
      `--connect ${port}: ${
        found.length === 0 ? "no tab shows" : `${found.length} tabs show`
      } ${page}; its tabs:${list}`,
    );
  }
  return { socket: String(tab["webSocketDebuggerUrl"]), product: String(product) };
}

async function ask(port: number, what: "version" | "list"): Promise<unknown> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/${what}`, { signal: AbortSignal.timeout(TIMEOUT) });
    return await response.json();
  } catch (cause) {
    throw new InputError(
      `--connect ${port}: no browser answers there: start one with --remote-debugging-port=${port} and, since Chrome 136, ` +
        "a --user-data-dir of its own",
      { cause },
    );
  }
}

/** Returns a tab that is open already. It is loaded anew, so that the recorder comes before the page's scripts. */
export function connectedTab(connection: CdpConnection): Promise<Tab> {
  return Promise.resolve({
    session: "",
    async open() {
      await connection.send("Page.reload");
      return null;
    },
    leave: () => Promise.resolve(),
  });
}
