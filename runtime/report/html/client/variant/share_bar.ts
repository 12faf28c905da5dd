/// <reference lib="dom" />
import { el } from "../dom.ts";

/** Returns a share as text over a bar of its length. */
export function shareBar(share: number | null, text: string): HTMLElement {
  const bar = el("span", { class: "share" }, text);
  bar.style.setProperty("--share", String(Math.max(0, Math.min(1, share ?? 0))));
  return bar;
}
