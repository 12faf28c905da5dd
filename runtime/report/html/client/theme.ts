/// <reference lib="dom" />
import { button } from "./dom.ts";

const dark = matchMedia("(prefers-color-scheme: dark)");
const print = matchMedia("print");
const listeners = new Set<() => void>();

/** Theme chosen by the reader, until the page is closed; null follows the system. */
let chosen: "light" | "dark" | null = null;

/** Calls `redraw` when colours change, until the element is removed from the page. */
export function onColorsChange(element: Element, redraw: () => void): void {
  const listener = () => {
    if (element.isConnected) redraw();
    else listeners.delete(listener);
  };
  listeners.add(listener);
}

let probe: HTMLElement | null = null;

/** Resolves a CSS variable to a colour for canvases. */
export function colorOf(variable: string): string {
  if (probe === null) document.body.append(probe = document.createElement("span"));
  probe.style.color = `var(${variable})`;
  return getComputedStyle(probe).color;
}

export function themeButton(): HTMLElement {
  const made = button("", { class: "tool" }, () => {
    chosen = isDark() ? "light" : "dark";
    apply();
  });
  const apply = () => {
    document.documentElement.dataset["theme"] = chosen ?? "";
    made.textContent = isDark() ? "Light" : "Dark";
    made.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
    for (const listener of [...listeners]) listener();
  };
  dark.addEventListener("change", apply);
  print.addEventListener("change", apply);
  apply();
  return made;
}

function isDark(): boolean {
  return chosen === null ? dark.matches : chosen === "dark";
}
