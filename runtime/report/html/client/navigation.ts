/// <reference lib="dom" />
import { el } from "./dom.ts";
import { nameText } from "./names.ts";
import { hrefOf } from "./route.ts";
import type { Section } from "./section.ts";

export interface Navigation {
  readonly element: HTMLElement;
  /** Highlights the link of the section in view, among those on the page. */
  readonly follow: () => void;
  /** Lists the sections of the current variant. */
  readonly setVariant: (name: string, sections: readonly Section[]) => void;
}

/** Returns links to all sections with content. */
export function navigation(shared: readonly Section[]): Navigation {
  const title = el("h2");
  const list = el("ul");
  const links = (sections: readonly Section[], variant: string | null) =>
    sections.filter(({ content }) => typeof content !== "string").map(({ anchor, title }) =>
      el("li", {}, el("a", { href: hrefOf({ variant, anchor }), "data-section": anchor }, title))
    );
  const element = el(
    "nav",
    { "aria-label": "Sections" },
    el("h2", {}, "All variants"),
    el("ul", {}, ...links(shared, null)),
    title,
    list,
  );
  const followed = new IntersectionObserver((entries) => {
    const seen = entries.find(({ isIntersecting }) => isIntersecting)?.target.getAttribute("data-anchor") ?? null;
    if (seen === null) return;
    for (const link of element.querySelectorAll("a")) {
      if (link.dataset["section"] === seen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-10% 0px -75% 0px" });
  return {
    element,
    follow: () => {
      followed.disconnect();
      for (const section of document.querySelectorAll("section")) followed.observe(section);
    },
    setVariant: (name, sections) => {
      title.textContent = nameText(name, 40);
      list.replaceChildren(...links(sections, name));
    },
  };
}
