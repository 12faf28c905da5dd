/// <reference lib="dom" />
import type { Overview } from "../embedded.ts";
import { button, el, swatch } from "./dom.ts";
import { nameText } from "./names.ts";
import { variantColor } from "./palette.ts";

export interface VariantTabs {
  readonly element: HTMLElement;
  /** Selects the tab of a variant. */
  readonly select: (index: number) => void;
}

/** Returns a tab for each variant; arrow keys move between them. */
export function variantTabs({ variants }: Overview, onSelect: (index: number) => void): VariantTabs {
  const tabs = variants.map(({ name, status }, i) => {
    const tab = button(
      "",
      { role: "tab", "aria-selected": "false", tabindex: -1, title: nameText(name, 200) },
      () => onSelect(i),
    );
    tab.append(
      swatch(variantColor(i), "dot"),
      nameText(name, 32),
      ...status === "ok" ? [] : [el("small", {}, ` ${status}`)],
    );
    return tab;
  });
  const element = el("div", { role: "tablist", class: "tabs", "aria-label": "Variants" }, ...tabs);
  element.addEventListener("keydown", (event) => {
    const current = tabs.findIndex((tab) => tab === document.activeElement);
    const steps: Record<string, number> = {
      ArrowRight: current + 1,
      ArrowLeft: current - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined || current < 0) return;
    event.preventDefault();
    const i = (next + tabs.length) % tabs.length;
    onSelect(i);
    tabs[i]!.focus();
  });
  return {
    element,
    select: (index) => {
      for (const [i, tab] of tabs.entries()) {
        tab.setAttribute("aria-selected", String(i === index));
        tab.tabIndex = i === index ? 0 : -1;
      }
      const tab = tabs[index]!;
      element.scrollLeft = tab.offsetLeft - element.clientWidth / 2 + tab.clientWidth / 2;
    },
  };
}
