/// <reference lib="dom" />
import { el } from "../dom.ts";

/** A part of a whole as text, with a bar of its length behind it. */
export function shareBar(share: number | null, text: string): HTMLElement {
  const bar = el("span", { class: "share" }, text);
  bar.style.setProperty("--share", String(Math.max(0, Math.min(1, share ?? 0))));
  return bar;
}
