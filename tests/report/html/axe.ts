/// <reference lib="dom" />
import axe from "../../packages/axe.ts";
import type { Page } from "../../packages/puppeteer.ts";
import { full } from "../../support/full.ts";
import { settle } from "./browser.ts";

/** The part of axe-core's result that tests print. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

type Look = readonly [scheme: "light" | "dark", width: number];

/** Colours do not depend on the width, nor the layout on the colours, so the fast set has one look of each. */
export const LOOKS: readonly Look[] = [
  ["light", 1440],
  ["dark", 390],
  ...full ? [["dark", 1440], ["light", 390]] as const : [],
];

/** Returns what axe-core finds in the page as it is, one line per node. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(root: Document): Promise<{ violations: Violation[] }> } };
    return (await axe.run(document)).violations;
  });
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) =>
      `${id}: ${html.slice(0, 160)} ${failureSummary.replaceAll(/\s+/g, " ")}`
    )
  );
}

/** Returns what axe-core finds in the page as it is and, in the full set, in every look. */
export async function violationsInLooks(page: Page): Promise<string[]> {
  const found = await violations(page);
  const viewport = page.viewport()!;
  for (const [scheme, width] of full ? LOOKS : []) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.setViewport({ ...viewport, width });
    await settle(page);
    found.push(...(await violations(page)).map((line) => `${scheme} ${width}: ${line}`));
  }
  await page.setViewport(viewport);
  return found;
}
