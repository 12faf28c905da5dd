import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../../core/errors.ts";
import type { CdpConnection, CdpData } from "./cdp.ts";

/** Time in which an element must appear by default, in ms. */
const APPEARS = 30_000;

/** Time between looks for an element, in ms. */
const LOOK = 50;

/** Drives a page as a person does. Selectors are those of CSS. */
export interface PageDriver {
  /** Clicks in the middle of an element, once it is there. */
  click(selector: string): Promise<void>;
  /** Clicks an element and types text. */
  type(selector: string, text: string): Promise<void>;
  /** Waits until an element is there, up to a time in ms; 30 s by default. */
  waitFor(selector: string, ms?: number): Promise<void>;
  /** Waits for a time in ms. */
  sleep(ms: number): Promise<void>;
  /** Evaluates an expression in the page, awaits it, and returns a copy of its value. */
  evaluate(expression: string): Promise<unknown>;
}

/** Returns the driver of the page in a session. */
export function pageDriver(connection: CdpConnection, session: string): PageDriver {
  const evaluate = async (expression: string) => {
    const how = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    const { result, exceptionDetails } = await connection.send("Runtime.evaluate", how, session);
    if (exceptionDetails === undefined) return (result as CdpData)["value"];
    const { exception, text } = exceptionDetails as CdpData;
    throw new InputError(String((exception as CdpData | undefined)?.["description"] ?? text));
  };
  const place = async (selector: string, ms = APPEARS): Promise<{ x: number; y: number }> => {
    const found = `(() => { const e = document.querySelector(${JSON.stringify(selector)}); if (!e) return null;
      e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect();
      return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`;
    for (const start = Date.now(); Date.now() - start < ms;) {
      const at = await evaluate(found) as { x: number; y: number } | null;
      if (at !== null) return at;
      await sleep(LOOK);
    }
    throw new InputError(`no element ${selector} after ${ms / 1000} s`);
  };
  const click = async (selector: string) => {
    const at = { ...await place(selector), button: "left", clickCount: 1 };
    for (const type of ["mousePressed", "mouseReleased"]) {
      await connection.send("Input.dispatchMouseEvent", { type, ...at }, session);
    }
  };
  return {
    click,
    async type(selector, text) {
      await click(selector);
      await connection.send("Input.insertText", { text }, session);
    },
    waitFor: async (selector, ms) => void await place(selector, ms),
    sleep: (ms) => sleep(ms),
    evaluate,
  };
}
